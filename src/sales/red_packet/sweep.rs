//! Refunds expired sales by themselves. Any number of servers may sweep: the script refunds once.

use super::{
    Refund,
    service::{KIND, RedPackets, key},
};
use crate::{
    error::{Code, Result},
    sales::Millis,
    store::{Store, command, keys},
};
use redis::Pipeline;
use std::collections::HashMap;
use tokio::sync::Mutex;

/// Sales looked at in one round trip.
const AT_A_TIME: usize = 500;

/// What this process knows of when sales are due, so that it need not ask again each time.
/// Forgetting it costs only asking: what happens to a sale is decided in Redis.
#[derive(Default)]
pub struct Due(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Sales on the list when it was last read.
    listed: Option<u64>,
    /// When a sale is due; `None` when nothing more can become due.
    by_sale: HashMap<String, Option<Millis>>,
}

impl Due {
    pub(super) async fn sweep(&self, sales: &RedPackets, store: &Store, now: Millis) -> Result<u64> {
        // One sweep at a time in a process; others are other processes.
        let mut known = self.0.lock().await;
        known.learn(store).await?;
        let due: Vec<String> = known
            .by_sale
            .iter()
            .filter(|(_, at)| at.is_some_and(|at| at <= now))
            .map(|(sale, _)| sale.clone())
            .collect();
        let mut done = 0;
        for sale in due {
            let next = match sales.refund(&sale).await {
                Ok(Refund::Refunded { refunded_cents }) => {
                    tracing::info!(sale, refunded_cents, "an expired sale is refunded");
                    done += 1;
                    None
                }
                Ok(Refund::Repeat { .. }) => None,
                Ok(Refund::NotExpired { expires_at, .. }) => Some(expires_at),
                // Still opening, or suspended: it will be due when it is open (again).
                Err(error) if matches!(error.code, Code::SaleOpening | Code::SaleSuspended) => Some(now),
                // Lost from Redis; when it is recovered, it is on the list again.
                Err(error) if error.code == Code::UnknownSale => {
                    known.by_sale.remove(&sale);
                    known.listed = None;
                    continue;
                }
                Err(error) => return Err(error),
            };
            known.by_sale.insert(sale, next);
        }
        Ok(done)
    }
}

impl Known {
    /// Asks for the sales that are new on the list when they are due.
    async fn learn(&mut self, store: &Store) -> Result<()> {
        let listed: u64 = store.query("ZCARD", keys::SALES).await?;
        if self.listed == Some(listed) {
            return Ok(());
        }
        let names: Vec<String> = store.query("ZRANGE", (keys::SALES, 0, -1)).await?;
        let new: Vec<&str> = names
            .iter()
            .filter_map(|name| name.strip_prefix(KIND)?.strip_prefix(':'))
            .filter(|sale| !self.by_sale.contains_key(*sale))
            .collect();
        let mut all_are_there = true;
        for sales in new.chunks(AT_A_TIME) {
            let mut pipeline = Pipeline::with_capacity(sales.len());
            for sale in sales {
                let mut ask = command("HGET");
                ask.arg(key(sale, "meta")).arg("expires_at");
                pipeline.add_command(ask);
            }
            let due: Vec<Option<Millis>> = store.pipeline(&pipeline).await?;
            for (sale, at) in sales.iter().zip(due) {
                match at {
                    Some(at) => _ = self.by_sale.insert((*sale).to_owned(), Some(at)),
                    // On the list, and not a packet in yet.
                    None => all_are_there = false,
                }
            }
        }
        self.listed = all_are_there.then_some(listed);
        Ok(())
    }
}
