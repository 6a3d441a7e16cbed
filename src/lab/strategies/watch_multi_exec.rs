//! WATCH, MULTI, EXEC: optimistic locking. The keys that were read are watched, and EXEC does nothing if one was
//! written since. Then the attempt starts again. Of several simultaneous attempts only one gets through, so more
//! attempts mean more wasted work.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    loop {
        wire.run("WATCH", (&sale.stock, &sale.got)).await?;
        let left: i64 = wire.call("GET", &sale.stock).await?;
        wire.saw_stock(left);
        let got: Option<u32> = wire.call("HGET", (&sale.got, user)).await?;
        wire.local("got", got);
        if got.is_some() || left <= 0 {
            wire.run("UNWATCH", NOTHING).await?;
            return Ok(if got.is_some() { Told::Already } else { Told::SoldOut });
        }

        let write = [command_of("DECR", &sale.stock), command_of("HINCRBY", (&sale.got, user, 1))];
        let written: Option<(i64, u32)> = wire.transaction(write).await?;
        wire.local("written", written);
        if written.is_some() {
            return Ok(Told::Won);
        }
        wire.retry();
    }
}
