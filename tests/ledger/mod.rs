//! The contract of the ledger, which both databases fulfil alike.

mod apply;
mod cursor;
mod dead_letters;
mod finding;
mod growth;
mod model;
mod recorded;
mod sales;
mod search;
mod start;

use crate::support::ledger::TestLedger;
use ::model::{
    Cents, EventId,
    ledger::{Row, Search},
};
use ledger::{
    apply::{Applied, Batch, Move, NewRow, Position},
    kind::Change,
};

/// Runs each of these functions as a test on SQLite and as one on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(crate::support::ledger::Base::sqlite().ledger().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name(crate::support::ledger::Base::postgres().ledger().await).await;
            })*
        }
    };
}
use on_both;

const KIND: &str = "red_packet";

/// The entry of this number, from 1.
fn id(number: u64) -> EventId {
    EventId { millis: 1_700_000_000_000 + number / 10, sequence: number % 10 }
}

fn at(number: u64) -> Position {
    Position { event_id: if number == 0 { EventId::default() } else { id(number) }, entries: number }
}

fn won(user: &str, item: u32, cents: Cents) -> Change {
    Change {
        outcome: "won",
        user: Some(user.to_owned()),
        request_id: Some(format!("r-{user}")),
        item: Some(item.to_string()),
        cents,
        ..Change::default()
    }
}

fn opened(cents: Cents) -> Change {
    Change { outcome: "opened", cents, ..Change::default() }
}

/// Entries `from + 1` and on of a sale, one for each list of changes.
fn batch(sale: &str, from: u64, entries: Vec<Vec<Change>>) -> Batch {
    let to = at(from + entries.len() as u64);
    let mut rows = Vec::new();
    for (number, changes) in (from + 1..).zip(entries) {
        let row = |(place, change)| NewRow { event_id: id(number), place, at: 7_000 + number as i64, change };
        rows.extend((0..).zip(changes).map(row));
    }
    let moves = Some(Move { from: at(from), to, seen: to, seen_at: 9_000, ..Move::default() });
    Batch { kind: KIND.to_owned(), sale: sale.to_owned(), moves, rows, ..Batch::default() }
}

async fn write(ledger: &TestLedger, batch: &Batch) {
    assert_eq!(ledger.apply(&[batch]).await, Ok(Applied::Done));
}

/// Everything that a search finds, page after page.
async fn found(ledger: &TestLedger, search: &Search, limit: u32) -> Vec<Row> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = ledger.search(search, Some(limit), after).await.expect("a page");
        assert!(page.rows.len() == limit as usize || page.next.is_none(), "only the last page is shorter");
        rows.extend(page.rows);
        let Some(next) = page.next else { return rows };
        assert_eq!(rows.last().map(|row| row.id), Some(next));
        assert!(after.is_none_or(|after| next < after), "each page is of older rows");
        after = Some(next);
    }
}

/// All that the tables hold, but for the ledger's identity and the schema's history.
async fn everything(ledger: &TestLedger) -> Vec<(String, i64, i64, i64, i64)> {
    ledger
        .base
        .rows(
            "SELECT 'sale ' || kind || ' ' || sale || COALESCE(terms, ''), no, applied_ms, applied_seq,
                entries * 10 + closed FROM sales
            UNION ALL SELECT 'quantity of ' || kind || ' ' || sale, no, quantity, CAST(0 AS BIGINT), CAST(0 AS BIGINT) FROM sales
            UNION ALL SELECT 'history ' || outcome || COALESCE(user_id, ''), event_ms, event_seq,
                sale_no * 1000000 + place, cents FROM history
            UNION ALL SELECT 'tally ' || outcome, sale_no, lines, cents, CAST(0 AS BIGINT) FROM tallies
            UNION ALL SELECT 'aside ' || reason, sale_no, event_ms, event_seq, tries FROM set_aside
            ORDER BY 1, 2, 3, 4, 5",
        )
        .await
}

fn search() -> Search {
    Search::default()
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}
