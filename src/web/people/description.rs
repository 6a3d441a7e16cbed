//! The API of users and of finding described.

use crate::{
    openapi::{Endpoint, Group},
    people::api::{FindRequest, UserRequest},
};
use model::{
    KindInfo,
    error::Code,
    ledger::{
        found::MOST_FOUND,
        holdings::{CHANGES_READ, ITEMS_LISTED, SALES_LISTED},
    },
};
use serde_json::json;

/// The endpoints, for these kinds of sale.
pub fn group(kinds: &[&'static KindInfo]) -> Group {
    let kind = kinds.first().map(|kind| kind.id).unwrap_or_default();
    Group {
        name: "Users",
        description: format!(
            "What a user has, and finding users, orders and codes. Both read the ledger, which may be behind Redis for a \
             moment: `/api/ledger/status` says how far. The history of a user is `/api/ledger/search` with `user`.\n\n\
             Of a user, the newest {CHANGES_READ} changes are read, and `is_partial` says that there are more. An answer has \
             {SALES_LISTED} sales at most, with the {ITEMS_LISTED} items of each that changed last. Finding gives \
             {MOST_FOUND} of each at most; what it costs does not depend on the size of the ledger."
        ),
        endpoints: vec![
            Endpoint::of::<UserRequest>().id("user").errors(&[Code::LedgerUnavailable]).example(
                "one win",
                json!({ "user": "mei" }),
                json!({
                    "user": "mei",
                    "sales": [{
                        "kind": kind,
                        "sale": "spring",
                        "at": 1_767_225_601_500_i64,
                        "count": 1,
                        "cents": 30,
                        "quantity": null,
                        "items": [{
                            "outcome": "won",
                            "at": 1_767_225_601_500_i64,
                            "item": "1",
                            "quantity": null,
                            "cents": 30,
                            "request_id": "mei-1",
                            "changed_by": "mei-1",
                            "order": null,
                            "holder": null,
                        }],
                    }],
                    "next": null,
                    "is_partial": false,
                }),
            ),
            Endpoint::of::<FindRequest>().id("q").errors(&[Code::LedgerUnavailable]).example(
                "a user and a request",
                json!({ "q": "mei" }),
                json!({
                    "sales": [],
                    "users": ["mei"],
                    "orders": [],
                    "requests": [{ "id": "mei-1", "kind": kind, "sale": "spring", "user": "mei" }],
                    "codes": [],
                }),
            ),
        ],
    }
}
