//! A lock for the whole sale in Redis: SET with NX. It expires, so that the sale survives a holder that dies, but long
//! after the work should be done. A script releases it only for its holder. (Retrying it each millisecond is the lab's
//! own choice.) It holds as long as no holder stalls before its writes for longer than the lock lasts. A holder that
//! stalls so long fails like a lock with a lifetime that is too short.

use crate::strategies::prelude::*;

/// Far longer than the work takes.
const LIFETIME_MS: u32 = 30_000;
/// The time for answering a winner.
const ANSWER: Duration = Duration::from_millis(5);

static RELEASE: Script = Script::new(
    "release",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
);

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

    wire.script::<()>(&RELEASE, &[&sale.lock], &[&token]).await?;
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
