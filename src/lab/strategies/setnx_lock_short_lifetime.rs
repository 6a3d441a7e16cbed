//! The same lock with a lifetime shorter than the work. It expires while its holder is still working, the next attempt
//! takes it, and two are inside. An owner check at the release does not help: by then it is too late.

use crate::strategies::prelude::*;

/// Shorter than the work.
const LIFETIME_MS: u32 = 2;
/// The time for the decision, for example a call to another service.
const DECISION: Duration = Duration::from_millis(5);

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
    wire.work(DECISION).await?;
    wire.run("SET", (&sale.stock, left - 1)).await?;
    wire.run("HSET", (&sale.got, user, 1)).await?;
    Ok(Told::Won)
}
