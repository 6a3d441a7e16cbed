//! The list of ticket sales.

use super::{
    SaleLine, State,
    halls::HallName,
    service::{KIND, Tickets, key},
};
use crate::{
    error::Result,
    sales::newest::newest,
    store::{command, stream::garbled},
};
use redis::{Value, from_redis_value};
use std::collections::HashMap;

impl Tickets {
    /// The newest ticket sales, newest first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn list(&self) -> Result<Vec<SaleLine>> {
        let sales = newest(&self.store, KIND).await?;
        if sales.is_empty() {
            return Ok(Vec::new());
        }
        let mut pipeline = redis::Pipeline::with_capacity(2 * sales.len());
        for sale in &sales {
            pipeline.add_command(with(command("HMGET"), (key(sale, "meta"), &["state", "opened_at", "hall_name"])));
            pipeline.add_command(with(command("HGETALL"), key(sale, "counts")));
        }
        let values: Vec<Value> = self.store.pipeline(&pipeline).await?;
        let mut lines = Vec::with_capacity(sales.len());
        for (sale, values) in sales.iter().zip(values.chunks_exact(2)) {
            let terms: Vec<Option<String>> = from_redis_value(values[0].clone()).map_err(garbled)?;
            let counts: HashMap<String, u32> = from_redis_value(values[1].clone()).map_err(garbled)?;
            // Registered, but not open yet.
            let [Some(state), Some(opened_at), hall] = terms.as_slice() else { continue };
            let of = |state: &str| -> u32 {
                counts.iter().filter(|(name, _)| name.split(':').next() == Some(state)).map(|(_, count)| count).sum()
            };
            let (remaining, held, sold) = (of("free"), of("held"), of("sold"));
            lines.push(SaleLine {
                sale: sale.clone(),
                state: if state == "suspended" { State::Suspended } else { State::Open },
                opened_at: opened_at.parse().map_err(garbled)?,
                hall: hall.as_deref().and_then(HallName::from_name),
                seats: remaining + held + sold,
                remaining,
                held,
                sold,
            });
        }
        Ok(lines)
    }
}

fn with(mut command: redis::Cmd, args: impl redis::ToRedisArgs) -> redis::Cmd {
    command.arg(args);
    command
}
