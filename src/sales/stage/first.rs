//! What the frame of a sale's page shows of the sale's ledger and audit at first: it comes with the page, so that the page
//! is true before the browser takes over, and where there is no JavaScript.

use crate::{
    domain::{Audit, KindInfo},
    ledger::{self, api},
};
use futures::future;
use serde::{Deserialize, Serialize};

/// What is known of the sale beside the sale itself. What could not be loaded is asked for again by the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FirstFacts {
    /// How far the ledger is.
    pub ledger: Option<ledger::Status>,
    /// The latest audit; `None` also if there was none.
    pub audit: Option<Audit>,
}

impl FirstFacts {
    /// Loads them for a sale of this kind.
    pub async fn load(kind: &'static KindInfo, sale: String) -> Self {
        let (ledger, audit) =
            future::join(api::status(Some(sale.clone())), api::last_audit(kind.id.to_owned(), sale)).await;
        Self { ledger: ledger.ok(), audit: audit.ok().flatten() }
    }
}
