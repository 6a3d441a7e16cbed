//! The same with a guard in the script, which refuses with -2 when nothing is left. But nobody reads the script's reply.
//! The records show nothing oversold, but users refused by the script get the answer that they won.

use crate::strategies::prelude::*;

const LIFETIME_MS: u32 = 3_000;

static GRAB: Script = Script::new(
    "grab_guarded",
    "if tonumber(redis.call('GET', KEYS[2])) <= 0 then
       return -2
     end
     if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then
       return redis.call('DECR', KEYS[2])
     else
       return -1
     end",
);

static RELEASE: Script = Script::new(
    "release",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
);

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    // A DECRBY of 0 reads.
    let left: i64 = wire.call("DECRBY", (&sale.stock, 0)).await?;
    wire.saw_stock(left);
    if left <= 0 {
        return Ok(Told::SoldOut);
    }
    let (lock, token) = (sale.lock_of(user), wire.token());
    wire.local("token", &token);
    if !wire.call::<bool>("SET", (&lock, &token, "NX", "PX", LIFETIME_MS)).await? {
        return Ok(Told::Busy);
    }
    let told = claim_alone(wire, sale, user).await?;
    wire.script::<()>(&RELEASE, &[&lock], &[&token]).await?;
    Ok(told)
}

async fn claim_alone(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("DECRBY", (&sale.stock, 0)).await?;
    wire.saw_stock(left);
    if left < 0 {
        return Ok(Told::SoldOut);
    }
    let has_one: bool = wire.call("SISMEMBER", (&sale.winners, user)).await?;
    wire.local("has_one", has_one);
    if has_one {
        return Ok(Told::Already);
    }
    wire.script::<()>(&GRAB, &[&sale.winners, &sale.stock], &[user]).await?;
    Ok(Told::Won)
}
