//! The halls of sales, kept in memory.

use super::{
    book::Kept,
    hall::{Hall, Layout},
    index,
    service::{KIND, key, pack},
};
use crate::{
    domain::{Cents, Millis},
    error::{Code, Error, Result},
    ledger::database::Ledger,
    store::{Store, stream::garbled},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Halls kept in memory: they are a few hundred kB each.
const HALLS: usize = 64;

/// A sale's hall, as it was opened: never changes, so that it may be kept.
pub struct Floor {
    pub hall: Hall,
    /// Cents of a seat by category.
    pub prices: Vec<Cents>,
    /// How long an order is held.
    pub hold_ms: Millis,
    /// The categories, as the scripts take them.
    pub(super) shelves: Vec<u8>,
}

impl Floor {
    /// # Errors
    /// Where the layout breaks a limit.
    pub(super) fn new(layout: Layout, prices: Vec<Cents>, hold_ms: Millis) -> Result<Self> {
        let hall = Hall::new(layout)?;
        let shelves = pack(&index::shelves(&hall, &prices));
        Ok(Self { hall, prices, hold_ms, shelves })
    }

    /// What a seat of this row costs.
    pub(super) fn price(&self, row: u32) -> Cents {
        let category = self.hall.rows.get(row as usize).map_or(0, |row| usize::from(row.category));
        self.prices.get(category).copied().unwrap_or(0)
    }
}

/// The halls of the sales that were asked for last.
#[derive(Clone)]
pub struct Floors {
    store: Store,
    ledger: Ledger,
    kept: Arc<Mutex<HashMap<String, Arc<Floor>>>>,
}

impl Floors {
    pub(super) fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, kept: Arc::default() }
    }

    /// The hall of a sale that is in Redis.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`.
    pub(super) async fn get(&self, sale: &str) -> Result<Arc<Floor>> {
        if let Some(floor) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(sale) {
            return Ok(floor.clone());
        }
        let (hall, prices, hold_ms): (Option<String>, Option<String>, Option<Millis>) =
            self.store.query("HMGET", (key(sale, "meta"), "hall", "prices", "hold_ms")).await?;
        let (Some(hall), Some(prices), Some(hold_ms)) = (hall, prices, hold_ms) else {
            return Err(Error::unknown_sale(sale));
        };
        let layout: Layout = serde_json::from_str(&hall).map_err(garbled)?;
        let floor = Arc::new(Floor::new(layout, serde_json::from_str(&prices).map_err(garbled)?, hold_ms)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= HALLS {
            // Whichever: it is built again when it is asked for.
            kept.clear();
        }
        kept.insert(sale.to_owned(), floor.clone());
        Ok(floor)
    }

    /// The hall of a sale that Redis or the ledger has.
    ///
    /// # Errors
    /// `unknown_sale` to both; `unavailable`, `ledger_unavailable`.
    pub(super) async fn find(&self, sale: &str) -> Result<Arc<Floor>> {
        match self.get(sale).await {
            Err(error) if error.code == Code::UnknownSale => {}
            found => return found,
        }
        let known = self.ledger.sale(KIND, sale).await?;
        let terms = known.and_then(|known| Kept::read(known.terms.as_deref()?));
        let terms = terms.ok_or_else(|| Error::unknown_sale(sale))?;
        Ok(Arc::new(terms.floor()?))
    }

    /// Forgets the hall of a sale: another may stand there.
    pub(super) fn forget(&self, sale: &str) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(sale);
    }
}
