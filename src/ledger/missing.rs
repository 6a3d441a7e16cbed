//! Sales that Redis has lost as a whole: nothing in Redis names them any more, so Redis alone cannot show that they are
//! gone.
//!
//! They are searched for in the background, so that no request waits for the ledger; the result is kept in memory. A
//! search reads the names of the sales that are not archived, by an index of those alone.

use super::{MissingSales, SaleName, database::Ledger};
use crate::{
    error::Result,
    store::{Store, command, keys},
};
use redis::Pipeline;
use std::sync::{Arc, PoisonError, RwLock};

/// Sales looked for in one round trip.
const AT_A_TIME: usize = 1_000;
/// Missing sales that are named; the others are only counted.
const NAMED: usize = 5;

/// The result of the latest search. Cheap to clone.
#[derive(Clone)]
pub struct MissingSalesWatch {
    store: Store,
    ledger: Ledger,
    latest: Arc<RwLock<MissingSales>>,
}

impl MissingSalesWatch {
    /// A watch that has not searched yet.
    pub fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, latest: Arc::default() }
    }

    /// The result of the latest search.
    pub fn latest(&self) -> MissingSales {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Searches for sales of the ledger that are not in Redis, and logs if there are more than before.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`: the answer is unknown, and the previous result stays.
    pub async fn look(&self) -> Result<()> {
        let mut found = MissingSales::default();
        // The ledger first: a sale is in Redis before the ledger has it, and the mark of an archived one stays for an hour.
        for names in self.ledger.names().await?.chunks(AT_A_TIME) {
            let mut pipeline = Pipeline::with_capacity(names.len());
            for SaleName { kind, sale } in names {
                let mut type_of = command("TYPE");
                type_of.arg(keys::sale(kind, sale, "meta"));
                pipeline.add_command(type_of);
            }
            let types: Vec<String> = self.store.pipeline(&pipeline).await?;
            // Something else in the place of its record is no sale either.
            for (name, _) in names.iter().zip(types).filter(|(_, found)| found != "hash") {
                found.count += 1;
                if found.sales.len() < NAMED {
                    found.sales.push(name.clone());
                }
            }
        }
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        if found.count > latest.count {
            tracing::error!(
                sales = found.count,
                "Redis has lost sales that the ledger has: run `stampede recover --all`"
            );
        }
        *latest = found;
        Ok(())
    }
}
