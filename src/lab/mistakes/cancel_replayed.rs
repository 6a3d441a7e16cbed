//! A replayed cancellation: look the order up, put its item back, delete the order. The answer is slow, so the client
//! asks again. Both requests find the order, and both put an item back. One more item is for sale than exists.
//!
//! user-1 has an order, and cancels it. All other users buy.

use crate::mistakes::prelude::*;

pub fn begin(sale: &Sale) -> Vec<Cmd> {
    vec![command_of("DECR", &sale.stock), command_of("HSET", (&sale.got, "user-1", 1))]
}

pub async fn act(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    match user {
        "user-1" => cancel(wire, sale, user).await,
        _ => buy(wire, sale, user).await,
    }
}

async fn cancel(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let order: Option<u32> = wire.call("HGET", (&sale.got, user)).await?;
    wire.local("order", order);
    if order.is_none() {
        return Ok(Told::Cancelled);
    }
    wire.run("INCR", &sale.stock).await?;
    wire.run("HDEL", (&sale.got, user)).await?;
    Ok(Told::Cancelled)
}

async fn buy(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::SoldOut);
    }
    wire.run("HSET", (&sale.got, user, 1)).await?;
    Ok(Told::Won)
}
