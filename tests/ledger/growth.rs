//! No read grows with the history: each goes by an index to what it shows, and stops there.

use super::{KIND, at, id, opened, text};
use crate::support::{
    eventually,
    ledger::{Base, TestLedger},
};
use ledger::{
    apply::{Applied, Batch, Move, NewRow},
    finding::Column,
    kind::Change,
};
use model::{
    EventId,
    ledger::{HistoryCursor, Search},
};
use std::collections::BTreeSet;

const SALES: u64 = 50;
/// Entries of a sale, and rows of an entry.
const ENTRIES: u64 = 10;
const ROWS: u64 = 200;

/// A hundred thousand rows; each user has ten.
async fn fill(ledger: &TestLedger, sales: u64) {
    for sale in 0..sales {
        let mut rows = Vec::new();
        for entry in 1..=ENTRIES {
            let event_id = id(sale * ENTRIES + entry);
            for place in 0..ROWS as u32 {
                let nth = (sale * ENTRIES + entry) * ROWS + u64::from(place);
                let user = Some(format!("u{}", nth % 10_000));
                let (request_id, order) = (Some(format!("r{nth}")), Some(format!("o{nth}")));
                let change = match (entry, place) {
                    (1, 0) => opened(1),
                    _ => Change { outcome: "won", user, request_id, order, cents: 1, ..Change::default() },
                };
                rows.push(NewRow { event_id, place, at: 1, change });
            }
        }
        let to = at(sale * ENTRIES + ENTRIES);
        let moves = Some(Move { from: at(0), to, seen: to, seen_at: 1, ..Move::default() });
        let batch = Batch { kind: KIND.into(), sale: format!("s{sale}"), moves, rows, ..Batch::default() };
        assert_eq!(ledger.apply(&[&batch]).await, Ok(Applied::Done));
    }
}

/// Searches with every combination of fields, on the first page and in the middle, and the queries of audits. Returns
/// how many rows were found.
async fn ask(ledger: &TestLedger, sales: u64, counts_times: bool) -> u64 {
    let middle = HistoryCursor { event_id: id(sales * ENTRIES / 2), sale_no: 0, place: 0 };
    let mut shown = 0;
    for fields in 0..128 {
        let given = |field: u32, value: &str| if fields >> field & 1 == 1 { text(value) } else { None };
        for outcome in ["won", "opened"] {
            let is_timed = fields >> 6 & 1 == 1;
            let search = Search {
                sale: given(0, "s3"),
                user: given(1, "u6321"),
                request_id: given(2, "r6321"),
                outcome: given(3, outcome),
                kind: given(4, KIND),
                order: given(5, "o6321"),
                from: is_timed.then(|| id(3 * ENTRIES + 2).millis.cast_signed()),
                to: is_timed.then(|| id(3 * ENTRIES + 2).millis.cast_signed() + 1),
            };
            for after in [None, Some(middle)] {
                // The rows of a time are counted, up to a limit.
                shown += match is_timed && !counts_times {
                    true => ledger.rows(&search, 10, after).await.expect("rows").len() as u64,
                    false => ledger.search(&search, Some(10), after).await.expect("a page").rows.len() as u64,
                };
            }
        }
    }
    for search in [Search::default(), Search { sale: Some("s3".to_owned()), ..Search::default() }] {
        shown += ledger.recorded(&search, 40, 90).await.expect("rows").len() as u64;
    }
    let code = Column::Code { kind: "coupon", outcome: "won" };
    for (column, text) in [(Column::User, "u6"), (Column::Order, "o63"), (Column::Request, "r63"), (code, "A")] {
        shown += ledger.rows_from(column, text).await.expect("rows").len() as u64;
    }
    let number = ledger.sale(KIND, "s3").await.expect("an answer").expect("the sale").number;
    let (from, upto) = (id(3 * ENTRIES + 2), id(3 * ENTRIES + 3));
    shown += ledger.rows_between(number, "won", (from, 50), upto, 10).await.expect("rows").len() as u64;
    shown +=
        ledger.count_between(number, "won", EventId::default(), id(3 * ENTRIES + 1)).await.expect("a count") as u64;
    shown
}

#[tokio::test]
async fn postgresql_reads_hardly_more_rows_than_it_shows() {
    hardly_more_is_read(true).await;
}

/// After a crowd there are a million rows, and PostgreSQL has no statistics about them yet.
#[tokio::test]
async fn postgresql_reads_hardly_more_rows_than_it_shows_before_it_has_statistics() {
    hardly_more_is_read(false).await;
}

async fn hardly_more_is_read(with_statistics: bool) {
    let (shown, read) = read_by(with_statistics, async |ledger| ask(ledger, SALES, false).await).await;
    assert!((500..2_000).contains(&shown), "{shown} rows were shown");
    assert!(read >= shown, "{read} rows were read for {shown} that were shown");
    assert!(read < 10 * shown, "{read} rows were read for {shown} that were shown, of {}", SALES * ENTRIES * ROWS);
}

/// What this returns in a ledger of many sales on PostgreSQL, and how many rows it reads.
async fn read_by(with_statistics: bool, search: impl AsyncFnOnce(&TestLedger) -> u64) -> (u64, u64) {
    const READ: &str = "SELECT CAST((SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'history')
        + (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'history') AS BIGINT)";
    const CONNECTED: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'stampede'";
    let base = Base::postgres();
    let ledger = base.ledger().await;
    ledger.base.run("ALTER TABLE history SET (autovacuum_enabled = false)").await;
    fill(&ledger, SALES).await;
    if with_statistics {
        ledger.base.run("ANALYZE").await;
    }
    // Reads of a connection are counted when it ends.
    let read = async |base: &Base| {
        eventually("nobody is connected", async || (base.rows::<(i64,)>(CONNECTED).await == [(0,)]).then_some(()))
            .await;
        base.rows::<(i64,)>(READ).await[0].0.cast_unsigned()
    };
    let base = ledger.into_base();
    let before = read(&base).await;
    let ledger = base.ledger().await;
    let found = search(&ledger).await;
    (found, read(&ledger.into_base()).await - before)
}

/// The statements that the program sends, from PostgreSQL's log; the same are sent to SQLite.
async fn statements() -> BTreeSet<String> {
    let base = Base::postgres();
    base.run("ALTER DATABASE postgres SET log_statement = 'all'").await;
    let ledger = base.ledger().await;
    fill(&ledger, 6).await;
    ask(&ledger, 6, true).await;
    let Base::Postgres(server) = ledger.into_base() else { panic!("it is one") };
    // Of a statement, the lines after the first are indented.
    let mut statements = BTreeSet::new();
    let mut statement = None::<String>;
    for line in server.log().lines() {
        match (&mut statement, line.split_once("LOG:  execute ")) {
            (Some(statement), None) if line.starts_with('\t') => statement.push_str(&format!(" {}", line.trim())),
            (_, started) => {
                let next = started.and_then(|(_, rest)| Some(rest.split_once(": ")?.1.to_owned()));
                statements.extend(std::mem::replace(&mut statement, next));
            }
        }
    }
    statements.extend(statement);
    statements.retain(|sql| sql.starts_with("SELECT") && sql.contains("FROM history"));
    statements
}

/// The index that leads to the fewest rows: by request, order, user, sale or kind, or from one end.
fn way(sql: &str) -> &'static str {
    let (_, sql) = sql.split_once("FROM history").expect("a statement about the history");
    let ways = [
        ("item >", "INDEX history_by_code "),
        ("request_id >", "INDEX history_by_request "),
        ("order_id >", "INDEX history_by_order "),
        ("user_id >", "INDEX history_by_user "),
        ("request_id =", "INDEX history_by_request "),
        ("order_id =", "INDEX history_by_order "),
        ("user_id =", "INDEX history_by_user "),
        ("sale_no =", "INDEX history_by_sale "),
        ("kind =", "INDEX history_by_kind "),
        ("recorded >", "INDEX history_by_recorded "),
    ];
    let narrowed = ways.into_iter().find(|(condition, _)| sql.contains(condition));
    narrowed.map_or("SEARCH history USING PRIMARY KEY ", |(_, way)| way)
}

#[tokio::test]
async fn sqlite_goes_by_an_index_to_every_row_that_it_shows() {
    let statements = statements().await;
    assert!(statements.len() >= 20, "{statements:#?}");
    let ledger = Base::sqlite().ledger().await;
    fill(&ledger, SALES).await;
    for sql in &statements {
        let plan: Vec<(i64, i64, i64, String)> = ledger.base.rows_of_sqlite(&format!("EXPLAIN QUERY PLAN {sql}")).await;
        let plan: Vec<&str> = plan.iter().map(|(.., detail)| detail.as_str()).collect();
        let of_history = |step: &&&str| ["SCAN history", "SEARCH history"].iter().any(|start| step.starts_with(start));
        let [step] = plan.iter().filter(of_history).collect::<Vec<_>>()[..] else { panic!("{sql}\n{plan:#?}") };
        assert!(step.starts_with("SEARCH") && step.contains(way(sql)), "{sql}\n{plan:#?}");
        // Groups are of rows whose number is limited.
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER BY")), "it sorts: {sql}\n{plan:#?}");
    }
}
