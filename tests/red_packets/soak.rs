//! Red packet sales.

mod judge;
mod users;

use crate::soak::{
    crowd::{Crowd, Doors, Users},
    harness::Harness,
    kinds::{Kind, Terms},
    verdict::Ends,
};
use engine::red_packet::scripts::{KIND, key};
use futures::future::{FutureExt, LocalBoxFuture};
use judge::{Found, Packet, Row};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use users::Claiming;

#[derive(Debug)]
pub struct RedPackets;

impl Kind for RedPackets {
    fn id(&self) -> &'static str {
        KIND
    }

    fn opening(&self, terms: &Terms) -> (&'static str, Value) {
        let Terms { sale, size, life_s, .. } = terms;
        let terms = json!({
            "id": sale, "total_cents": 100 * size, "count": size, "splitter": "double_mean", "expires_in_s": life_s,
            "seed": 7,
        });
        ("/api/red-packet/open", terms)
    }

    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users> {
        Box::new(Crowd::new(doors, Claiming { sale: terms.sale.clone() }))
    }

    fn ends_by_itself(&self) -> bool {
        true
    }

    fn has_ended<'a>(&'a self, harness: &'a Harness, sale: &'a str) -> LocalBoxFuture<'a, bool> {
        async move {
            let state: Option<String> =
                harness.raw_at(&key(sale, "meta")).await.run("HGET", (key(sale, "meta"), "state")).await;
            state.as_deref() == Some("refunded")
        }
        .boxed_local()
    }
}

/// What is stored for a sale.
async fn found(harness: &Harness, sale: &str, ends: Ends) -> Found {
    let held: BTreeMap<String, String> =
        harness.raw_at(&key(sale, "claimants")).await.run("HGETALL", key(sale, "claimants")).await;
    let claimants = held.into_iter().map(|(user, held)| (user, packet(&held))).collect();
    let rows = harness.rows(KIND, sale).await.into_iter().filter(|row| row.outcome == "won");
    let rows = rows.map(|row| Row {
        user: row.user.expect("a user"),
        request_id: row.request_id.expect("a request"),
        packet: (row.item.and_then(|item| item.parse().ok()).expect("a packet"), row.cents),
    });
    Found { claimants, rows: rows.collect(), is_open: ends == Ends::Nothing }
}

fn packet(held: &str) -> Packet {
    let (number, cents) = held.split_once(':').expect("a packet");
    (number.parse().expect("a number"), cents.parse().expect("cents"))
}
