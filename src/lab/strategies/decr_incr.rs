//! DECR first, INCR back: take one, and give it back if it was not there, or if the user has one. Each command is atomic,
//! and what a command returns belongs to nobody else, so no two attempts get the last item. On the way the stock is below
//! zero: whoever reads it then sees less than there is, and what is given back then may find nobody who takes it.

use super::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::SoldOut);
    }

    // Not before: who is not the first is told to have one, so there must be one by then.
    let is_first: bool = wire.call("SADD", (&sale.winners, user)).await?;
    if !is_first {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::Already);
    }
    Ok(Told::Won)
}
