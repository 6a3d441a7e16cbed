//! One script per attempt: Redis runs a script as it runs a command, without anything else in between. There is only
//! one step, so nothing can come between its reading and its writing. This is the script of article 3,
//! as it stands; articles 0 and 2 decide in one script too.

use crate::strategies::prelude::*;
use store::script::script;

/// Takes a packet from the list of those left, for a user who has none.
pub static CLAIM: Script = script!(alone "lab/article_red_packet.lua");

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    // The article passes the user as a key.
    let user = user.to_owned();
    let keys = [&sale.pending, &sale.consumed, &sale.claimants, &user];
    // Its reply does not distinguish users who already have one from those who came too late.
    let packet: Option<String> = wire.script(&CLAIM, &keys, &[]).await?;
    wire.local("packet", &packet);
    Ok(if packet.is_some() { Told::Won } else { Told::SoldOut })
}
