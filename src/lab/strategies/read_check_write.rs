//! Read, check, write: the obvious way, and the root of the trouble. If two attempts read before either writes, both
//! see the last item, and the stock written by one overwrites the stock written by the other.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
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
