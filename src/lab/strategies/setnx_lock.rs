//! A lock for the whole sale in Redis: SET with NX. It ends by itself, so that the sale survives whoever dies with it, and
//! much later than the work; and it is given back only by whoever has it. It holds as long as nobody stalls for longer than
//! the lifetime, as time passes only where work is done; who does is in the same place as with a lifetime that is too short.
//! And everybody waits for everybody.

use super::prelude::*;

/// Far longer than the work takes.
const LIFETIME_MS: u32 = 30_000;

static RELEASE: Script = Script::new(
    "release",
    &[],
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
);

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let token = wire.token();
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
