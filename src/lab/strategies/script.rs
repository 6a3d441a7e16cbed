//! One script per attempt: Redis runs a script like a single command, with nothing else in between. There is only one
//! step, so nothing can come between its reads and its writes.

use crate::strategies::prelude::*;
use store::script::script;

/// Takes a packet from the list of the remaining ones, for a user without one.
pub static CLAIM: Script = script!(alone "lab/article_red_packet.lua");

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    // The script takes the user as a key.
    let user = user.to_owned();
    let keys = [&sale.pending, &sale.consumed, &sale.claimants, &user];
    // The reply does not distinguish users who already have one from users who came too late.
    let packet: Option<String> = wire.script(&CLAIM, &keys, &[]).await?;
    wire.local("packet", &packet);
    Ok(if packet.is_some() { Told::Won } else { Told::SoldOut })
}
