//! Pipeline: the same in two round trips. A pipeline saves round trips. It does not keep other commands from running
//! between its own, let alone between two pipelines. The counts add up, but to more than there is.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let read = [command_of("GET", &sale.stock), command_of("HGET", (&sale.got, user))];
    let (left, got): (i64, Option<u32>) = wire.pipeline(read).await?;
    wire.saw_stock(left);
    wire.local("got", got);
    if got.is_some() {
        return Ok(Told::Already);
    }
    if left <= 0 {
        return Ok(Told::SoldOut);
    }

    let write = [command_of("DECR", &sale.stock), command_of("HINCRBY", (&sale.got, user, 1))];
    wire.pipeline::<()>(write).await?;
    Ok(Told::Won)
}
