//! A payment against the expiry: both check whether the order is still held, and both find that it is. The payment is
//! taken, and the expiry puts the item back for somebody else. The item is sold twice, or the money is kept for
//! nothing.
//!
//! user-1 has an order, and pays for it. Its time is up, as the worker finds out. All other users buy.

use crate::mistakes::prelude::*;

pub fn begin(sale: &Sale) -> Vec<Cmd> {
    vec![
        command_of("DECR", &sale.stock),
        command_of("HSET", (&sale.orders, "user-1", "held")),
        command_of("LPUSH", (&sale.queue, "user-1")),
    ]
}

pub async fn act(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    match user {
        "user-1" => pay(wire, sale, user).await,
        _ => buy(wire, sale, user).await,
    }
}

async fn pay(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let state: Option<String> = wire.call("HGET", (&sale.orders, user)).await?;
    wire.local("state", &state);
    if state.as_deref() != Some("held") {
        return Ok(Told::Expired);
    }
    wire.run("HSET", (&sale.orders, user, "paid")).await?;
    wire.run("HSET", (&sale.got, user, 1)).await?;
    Ok(Told::Won)
}

/// Ends the expired orders.
pub async fn expire(wire: &mut Wire, sale: &Sale) -> Result<()> {
    loop {
        let user = wire.pop(&sale.queue).await?;
        wire.local("user", &user);
        let state: Option<String> = wire.call("HGET", (&sale.orders, &user)).await?;
        wire.local("state", &state);
        if state.as_deref() == Some("held") {
            wire.run("HSET", (&sale.orders, &user, "expired")).await?;
            wire.run("INCR", &sale.stock).await?;
        }
    }
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
