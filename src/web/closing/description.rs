//! The description of the API for closing and archiving.

use crate::KINDS;
use crate::{
    closing::api::{ArchiveRequest, CloseRequest},
    openapi::{Endpoint, OF_A_SALE},
};
use model::error::Code;
use serde_json::{Value, json};

/// Returns the endpoints that close and archive.
pub fn endpoints() -> [Endpoint; 2] {
    let kinds = || json!({ "enum": KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>() });
    [
        Endpoint::of::<CloseRequest>()
            .limit("kind", kinds())
            .id("sale")
            .errors(&OF_A_SALE)
            .errors(&[Code::SaleOpening, Code::SaleSuspended])
            .example("closed now", a_sale(), json!({ "outcome": "closed" })),
        Endpoint::of::<ArchiveRequest>()
            .limit("kind", kinds())
            .id("sale")
            .errors(&OF_A_SALE)
            .errors(&[Code::NotArchivable, Code::SaleSuspended, Code::LedgerUnavailable])
            .example("archived now", a_sale(), json!({ "outcome": "archived" })),
    ]
}

fn a_sale() -> Value {
    json!({ "kind": KINDS[0].info.id, "sale": "spring" })
}
