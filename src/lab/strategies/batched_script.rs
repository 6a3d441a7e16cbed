//! The batched script: the product's own path. Attempts that arrive while a call is in flight leave together in the
//! next call, up to 256 of them, once as many wait as are in flight, or nothing is in flight. One script decides them
//! in turn. It is as safe as one script per attempt, with a fraction of the calls; see `src/store/batcher.rs` and
//! `lua/red_packet/claim.lua`.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, _sale: &Sale, user: &str) -> Result<Told> {
    Ok(match wire.claim_packet(user).await? {
        Outcome::Won { .. } => Told::Won,
        Outcome::Repeat { .. } => Told::Already,
        Outcome::SoldOut
        | Outcome::Expired { .. }
        | Outcome::Closed { .. }
        | Outcome::NotOpen { .. }
        | Outcome::Paused { .. } => Told::SoldOut,
    })
}
