//! Deduct, then check whether the user already has one. A double click takes an item that nobody gets: the second
//! attempt is refused, and its deducted item is gone. No bad luck is needed: every double click drains the stock by
//! one. Others are told that nothing is left.

use crate::mistakes::prelude::*;

pub async fn act(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        return Ok(Told::SoldOut);
    }

    let is_first: bool = wire.call("SADD", (&sale.winners, user)).await?;
    wire.local("is_first", is_first);
    if !is_first {
        return Ok(Told::Already);
    }
    Ok(Told::Won)
}
