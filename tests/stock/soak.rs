//! Stock sales.

mod judge;
mod users;

use crate::soak::{
    crowd::{Crowd, Doors, Users},
    harness::Harness,
    kinds::{Kind, Terms},
};
use engine::stock::scripts::{KIND, RequestRecord};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use judge::{Found, Row};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::keys;
use users::Buying;

/// The group of every other sale.
const GROUP: &str = "soak";

fn is_of_group(sale: &str) -> bool {
    sale.bytes().next_back().is_some_and(|last| last % 2 == 0)
}

#[derive(Debug)]
pub struct Stock;

impl Kind for Stock {
    fn id(&self) -> &'static str {
        KIND
    }

    fn key(&self, sale: &str, part: &str) -> String {
        if is_of_group(sale) { keys::sale_of_group(KIND, GROUP, sale, part) } else { keys::sale(KIND, sale, part) }
    }

    fn opening(&self, terms: &Terms) -> (&'static str, Value) {
        let group = is_of_group(&terms.sale).then_some(GROUP);
        ("/api/stock/open", json!({ "id": terms.sale, "quantity": terms.size, "group": group }))
    }

    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users> {
        Box::new(Crowd::new(doors, Buying { sale: terms.sale.clone() }))
    }

    /// Nothing ends on its own: a quantity that expires is cached again.
    fn ends_by_itself(&self) -> bool {
        false
    }

    fn has_ended<'a>(&'a self, _: &'a Harness, _: &'a str) -> LocalBoxFuture<'a, bool> {
        ready(true).boxed_local()
    }
}

/// What is stored for a sale.
async fn found(harness: &Harness, sale: &str) -> Found {
    let key = |part| Stock.key(sale, part);
    let redis = harness.raw_at(&key("requests")).await;
    let requests: BTreeMap<String, Vec<u8>> = redis.run("HGETALL", key("requests")).await;
    let record = |record: Vec<u8>| rmp_serde::from_slice::<RequestRecord>(&record).expect("a request");
    let mut rows = harness.rows(KIND, sale).await;
    rows.sort_by_key(|row| (row.event_id, row.place));
    let row = |row: model::ledger::Row| {
        Some(Row {
            outcome: row.outcome,
            user: row.user.unwrap_or_default(),
            request_id: row.request_id.unwrap_or_default(),
            quantity: row.item?.parse().expect("a number"),
        })
    };
    Found {
        requests: requests.into_iter().map(|(request_id, stored)| (request_id, record(stored))).collect(),
        rows: rows.into_iter().filter_map(row).collect(),
        sum: redis.run("HGET", (key("meta"), "sum")).await,
        cached: redis.run("GET", key("quantity")).await,
        ..Found::default()
    }
}
