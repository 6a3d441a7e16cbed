//! What Redis has of orders and seats, for who was told something and compares.

use super::service::{Record, Tickets, key, unpack};
use crate::error::Result;

/// Requests read at a time.
const AT_A_TIME: usize = 1_000;

impl Tickets {
    /// Orders as they stand, in turn.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn records(&self, sale: &str, orders: &[&str]) -> Result<Vec<Option<Record>>> {
        if orders.is_empty() {
            return Ok(Vec::new());
        }
        let found: Vec<Option<Vec<u8>>> = self.store.query("HMGET", (key(sale, "orders"), orders)).await?;
        found.into_iter().map(|record| record.map(|record| unpack(&record)).transpose()).collect()
    }

    /// The orders that have these seats, in turn.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn holders(&self, sale: &str, seats: &[u32]) -> Result<Vec<Option<String>>> {
        if seats.is_empty() {
            return Ok(Vec::new());
        }
        self.store.query("HMGET", (key(sale, "holders"), seats)).await
    }

    /// The requests that got an order and begin like this, each with its order. `prefix` has letters, digits
    /// and `-` alone.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn requests(&self, sale: &str, prefix: &str) -> Result<Vec<(String, String)>> {
        let (key, pattern) = (key(sale, "requests"), format!("{prefix}-*"));
        let mut all = Vec::new();
        let mut cursor = "0".to_owned();
        loop {
            let (next, some): (String, Vec<(String, String)>) =
                self.store.query("HSCAN", (&key, cursor, "MATCH", &pattern, "COUNT", AT_A_TIME)).await?;
            all.extend(some);
            if next == "0" {
                return Ok(all);
            }
            cursor = next;
        }
    }
}
