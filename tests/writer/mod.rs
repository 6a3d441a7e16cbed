//! The writer: the content of the streams is in the ledger, once and in order, whichever process writes.

mod dead_letters;
mod follow;
mod lag;
mod lease;
mod postgresql;
mod reads;
mod sweep;
mod trim;

use crate::support::{
    app::TestApp,
    eventually,
    redis::{Raw, TestRedis},
    sale::{self, Event},
};
use engine::red_packet::scripts::key;
use ledger::writer::Writer;
use model::{Cents, EventId, error::Code, ledger::Search};
use std::collections::BTreeMap;

/// A row, as ledger and stream must tell it alike: entry, place, outcome, user, request, packet, cents.
type LedgerRow = (EventId, u32, String, Option<String>, Option<String>, Option<String>, Cents);

struct Bench {
    app: TestApp,
    redis: Raw,
    server: TestRedis,
}

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        Self { app: TestApp::on(&server).await, redis: server.raw().await, server }
    }

    /// Entries of a sale's stream.
    async fn events(&self, sale: &str) -> Vec<Event> {
        sale::stream(&self.redis, &key(sale, "events")).await
    }

    /// Takes the lease from whoever has it, as if it had run out.
    async fn lease_runs_out(&self) {
        self.redis.run::<i64>("DEL", "stampede:writer").await;
    }

    async fn claim(&self, sale: &str, users: std::ops::Range<u32>) {
        for user in users {
            sale::claim(&self.redis, sale, &[&format!("u{user}")]).await;
        }
    }
}

async fn catch_up(writer: &mut Writer) {
    writer.catch_up().await.expect("the ledger is written");
}

/// The rows of a sale in the ledger, oldest first.
async fn in_ledger(app: &TestApp, sale: &str) -> Vec<LedgerRow> {
    let search = Search { sale: Some(sale.to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 1_000_000, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    rows.into_iter()
        .map(|row| (row.event_id, row.place, row.outcome, row.user, row.request_id, row.item, row.cents))
        .collect()
}

/// The rows that these entries stand for.
fn rows_of(events: &[Event]) -> Vec<LedgerRow> {
    let mut rows = Vec::new();
    for event in events {
        let id: EventId = event.id.parse().expect("an id");
        let fields: BTreeMap<&str, &str> = event.fields().into_iter().collect();
        let cents = |name: &str| fields[name].parse().expect("cents");
        match fields["type"] {
            "opened" => rows.push((id, 0, "opened".to_owned(), None, None, None, cents("total_cents"))),
            "refunded" => rows.push((id, 0, "refunded".to_owned(), None, None, None, cents("cents"))),
            "claimed" => rows.extend((0..).zip(event.data.chunks(3)).map(|(place, words)| {
                let (packet, cents) = words[2].split_once(':').expect("a packet");
                let [user, request, packet] = [&words[0], &words[1], packet].map(|word: &str| Some(word.to_owned()));
                (id, place, "won".to_owned(), user, request, packet, cents.parse().expect("cents"))
            })),
            other => panic!("an event {other}"),
        }
    }
    rows
}

/// Writes the rest, also where another has written between the steps.
async fn write_all(bench: &Bench, writer: &mut Writer) {
    eventually("the rest is written", async || {
        bench.lease_runs_out().await;
        match writer.catch_up().await {
            Ok(()) => Some(()),
            Err(error) if error.code == Code::LedgerUnavailable => None,
            Err(error) => panic!("{error:?}"),
        }
    })
    .await;
}
