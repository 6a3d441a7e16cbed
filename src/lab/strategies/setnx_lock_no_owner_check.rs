//! A lock for the whole sale, released by DEL without an owner check. Its lifetime ends before the answer. A holder that
//! releases late, because its answer to the user was slow, deletes the lock of the next holder, and lets in a third. The
//! lifetime is long enough for the records, which take four calls. If these take longer, as with a network delay of a
//! millisecond, the lock expires before they are written. Then it also fails like a lock with a lifetime that is too
//! short.

use crate::strategies::prelude::*;

/// Long enough for the records, but not for the answer.
const LIFETIME_MS: u32 = 3;
/// The time for answering a winner.
const ANSWER: Duration = Duration::from_millis(5);

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let token = wire.token();
    wire.local("token", &token);
    while !wire.call::<bool>("SET", (&sale.lock, &token, "NX", "PX", LIFETIME_MS)).await? {
        wire.back_off().await;
    }

    let told = claim_alone(wire, sale, user).await?;
    if told == Told::Won {
        wire.work(ANSWER).await?;
    }

    wire.run("DEL", &sale.lock).await?;
    Ok(told)
}

async fn claim_alone(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("GET", &sale.stock).await?;
    wire.saw_stock(left);
    let got: Option<u32> = wire.call("HGET", (&sale.got, user)).await?;
    wire.local("got", got);
    if got.is_some() {
        return Ok(Told::Already);
    }
    if left <= 0 {
        return Ok(Told::SoldOut);
    }
    wire.run("SET", (&sale.stock, left - 1)).await?;
    wire.run("HSET", (&sale.got, user, 1)).await?;
    Ok(Told::Won)
}
