//! DECR first, INCR back: take one, and give it back if it was not there. Each command is atomic, and what a command
//! returns belongs to nobody else, so no two attempts get the last item. On the way the stock is below zero, and whoever
//! reads it then sees less than there is.

use super::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let is_first: bool = wire.call("SADD", (&sale.winners, user)).await?;
    if !is_first {
        return Ok(Told::Already);
    }

    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        wire.run("INCR", &sale.stock).await?;
        wire.run("SREM", (&sale.winners, user)).await?;
        return Ok(Told::SoldOut);
    }
    Ok(Told::Won)
}
