//! Ticket sales.

mod judge;
mod users;

use crate::soak::{
    crowd::{Crowd, Doors, Users},
    harness::Harness,
    kinds::{Kind, Terms},
    verdict::Ends,
};
use crate::support::eventually;
use engine::ticket::scripts::{KIND, OrderRecord, Places, key};
use futures::future::{FutureExt, LocalBoxFuture};
use judge::{Found, Order, Row};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use users::Buying;

/// The hall of each sale: rows of ten seats.
const NEAR: u16 = 6;
const FAR: u16 = 12;
/// The longest for which a sale may hold seats.
const LONGEST_HOLD_S: u64 = 7_200;

#[derive(Debug)]
pub struct Tickets;

impl Kind for Tickets {
    fn id(&self) -> &'static str {
        KIND
    }

    fn opening(&self, terms: &Terms) -> (&'static str, Value) {
        let terms = json!({
            "id": terms.sale, "layout": { "categories": ["near", "far"], "sections": [
                { "id": "A", "category": "near", "rows": vec![10; NEAR.into()] },
                { "id": "B", "category": "far", "rows": vec![10; FAR.into()] },
            ] }, "prices": { "near": 500, "far": 300 }, "hold_s": terms.life_s.min(LONGEST_HOLD_S),
            // Holds that are to end within a jump of the clock end when they were to.
            "extendable": terms.life_s >= LONGEST_HOLD_S,
        });
        ("/api/ticket/open", terms)
    }

    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users> {
        Box::new(Crowd::new(doors, Buying { sale: terms.sale.clone(), seats: seats() }))
    }

    fn ends_by_itself(&self) -> bool {
        true
    }

    /// Whether no order is held.
    fn has_ended<'a>(&'a self, harness: &'a Harness, sale: &'a str) -> LocalBoxFuture<'a, bool> {
        async move { harness.raw_at(&key(sale, "deadlines")).await.run::<i64>("ZCARD", key(sale, "deadlines")).await == 0 }.boxed_local()
    }

    /// Gives back what is held.
    fn end<'a>(&'a self, harness: &'a Harness, sale: &'a str) -> LocalBoxFuture<'a, ()> {
        async move {
            let held: Vec<String> =
                harness.raw_at(&key(sale, "deadlines")).await.run("ZRANGE", (key(sale, "deadlines"), 0, -1)).await;
            for order in held {
                let request_id = format!("{order}-end");
                harness
                    .post(
                        "the order is given back",
                        "/api/ticket/cancel",
                        &json!({ "sale": sale, "order": order, "request_id": request_id }),
                    )
                    .await;
            }
        }
        .boxed_local()
    }
}

/// The ids of the seats of every hall.
fn seats() -> Vec<String> {
    let of = |section: &'static str, rows: u16| {
        (1..=rows).flat_map(move |row| (1..=10).map(move |seat| format!("{section}-{row:02}-{seat:02}")))
    };
    of("A", NEAR).chain(of("B", FAR)).collect()
}

/// What is stored for a sale.
async fn found(harness: &Harness, sale: &str, ends: Ends) -> Found {
    let raw = harness.raw_at(&key(sale, "orders")).await;
    if ends == Ends::WithTheJump {
        eventually("everything that is due has ended", async || {
            let now = harness.redis_time().await;
            (raw.run::<i64>("ZCOUNT", (key(sale, "deadlines"), 0, now)).await == 0).then_some(())
        })
        .await;
    }
    let orders: BTreeMap<String, Vec<u8>> = raw.run("HGETALL", key(sale, "orders")).await;
    let orders = orders.into_iter().map(|(order, record)| {
        let record: OrderRecord = rmp_serde::from_slice(&record).expect("an order");
        let pairs = |places: &Places| places.0.chunks(2).map(|place| (place[0], place[1])).collect();
        let (places, has) = (pairs(&record.places), pairs(&record.places_now()));
        let parts = record.returns.iter().map(|part| part.request_id.clone()).collect();
        let state = serde_json::to_value(record.state).expect("a state").as_str().expect("a name").to_owned();
        (order, Order { user: record.user, state, places, has, parts, is_extended: record.extended_by.is_some() })
    });
    let rows = harness.rows(KIND, sale).await;
    let rows = rows.into_iter().filter_map(|row| {
        let is_of_part = ["cancelled", "refunded"].contains(&row.outcome.as_str()) && row.request_id.is_some();
        Some(Row { outcome: row.outcome, order: row.order?, seat: row.item.unwrap_or_default(), is_of_part })
    });
    Found {
        orders: orders.collect(),
        requests: raw.run("HGETALL", key(sale, "requests")).await,
        rows: rows.collect(),
        capacity: 10 * usize::from(NEAR + FAR),
        ends,
    }
}
