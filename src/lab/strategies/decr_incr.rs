//! DECR first, INCR back: take an item, and give it back if none was left, or if the user already has one. DECR takes
//! and replies in one step, so only one attempt gets the last item. In between, the stock is too low, even below zero:
//! readers see less than there is. An item that a second attempt of a user gives back comes too late for the users who
//! were refused meanwhile, and stays unsold.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::SoldOut);
    }

    // Only now: a second attempt gets the answer that the user has one, and by then this must be true.
    let is_first: bool = wire.call("SADD", (&sale.winners, user)).await?;
    wire.local("is_first", is_first);
    if !is_first {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::Already);
    }
    Ok(Told::Won)
}
