//! Ends the orders that are due by themselves. Any number of servers may sweep: the script ends each once.

use super::service::{KIND, Tickets};
use crate::{domain::Millis, error::Result, sales::due::Expires};

impl Expires for Tickets {
    const KIND: &str = KIND;
    const FIELD: &str = "hold_ms";

    fn first_due(_hold_ms: Millis, now: Millis) -> Millis {
        // Orders may be due already.
        now
    }

    async fn expire_due(&self, sale: &str, now: Millis) -> Result<(u64, Option<Millis>)> {
        let (ended, next) = self.expire(sale).await?;
        if ended > 0 {
            tracing::info!(sale, ended, "orders that were due have ended");
        }
        // Where none is held, the next to come is due a whole hold from now at the earliest.
        let next = match next {
            Some(next) => next,
            None => now + self.floors.get(sale).await?.hold_ms,
        };
        Ok((ended, Some(next)))
    }
}
