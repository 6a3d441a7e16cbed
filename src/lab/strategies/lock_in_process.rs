//! A lock in the process: `synchronized`, a mutex. It serializes the attempts at one server, but knows nothing of the
//! attempts at another server. (In the lab, two servers are two mutexes in one process.)

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let guard = wire.process_lock().await?;

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

    drop(guard);
    Ok(Told::Won)
}
