//! What the ledger says of sales, and of stretches of their history.

use super::{KIND, at, batch, id, on_both, opened, text, won, write};
use crate::support::ledger::{TestLedger, sqlite};
use ledger::{
    apply::{Applied, Batch, RejectedEntry},
    audit_rows::AuditRow,
    database::{Ledger, Place},
    kind::Change,
};
use model::{EventId, error::Code, ledger::Recovery};
use sqlx::Executor;
use store::fields::Fields;

on_both!(
    sales_are_told_by_number_newest_and_id,
    a_stretch_begins_after_one_row_and_ends_with_an_event,
    a_tally_is_of_one_moment_with_the_position,
    a_sale_that_has_moved_on_is_not_archived,
    entries_that_the_ledger_has_lost_are_counted_once,
);

async fn sales_are_told_by_number_newest_and_id(ledger: TestLedger) {
    for sale in ["a", "b", "c"] {
        write(&ledger, &batch(sale, 0, vec![vec![opened(1)]])).await;
    }
    write(&ledger, &Batch { kind: "ticket".into(), ..batch("b", 0, vec![vec![opened(2)]]) }).await;
    let entry = |number| (id(number).to_string(), Fields::default());
    let reject = |number| RejectedEntry { entry: entry(number), reason: "unreadable".into(), at: 1 };
    write(&ledger, &Batch { dead_letters: vec![reject(2), reject(3)], ..batch("b", 1, vec![vec![], vec![]]) }).await;

    let name = |kind: &str, sale: &str| (kind.to_owned(), sale.to_owned());
    let all: Vec<_> = ledger.sales().await.expect("sales").into_iter().map(|known| (known.kind, known.sale)).collect();
    assert_eq!(all, [name(KIND, "a"), name(KIND, "b"), name(KIND, "c"), name("ticket", "b")]);
    let newest = ledger.newest_sales(3).await.expect("sales");
    let newest: Vec<_> = newest.into_iter().map(|known| (known.kind, known.sale, known.dead_letters)).collect();
    let line = |kind: &str, sale: &str, dead_letters| (kind.to_owned(), sale.to_owned(), dead_letters);
    assert_eq!(newest, [line("ticket", "b", 0), line(KIND, "c", 0), line(KIND, "b", 2)]);
    assert_eq!(ledger.sales_named("b").await.expect("sales").len(), 2);
    assert_eq!(ledger.sales_named("nope").await, Ok(Vec::new()));
    assert_eq!(ledger.sale("ticket", "a").await, Ok(None));
    let known = ledger.sale(KIND, "b").await.expect("an answer").expect("the sale");
    assert_eq!((known.position, known.dead_letters), (at(3), 2));
}

async fn a_stretch_begins_after_one_row_and_ends_with_an_event(ledger: TestLedger) {
    let entries = (1..=4).map(|nth| vec![won(&format!("a{nth}"), nth, 1), won(&format!("b{nth}"), nth + 10, 2)]);
    write(&ledger, &batch("s", 0, entries.collect())).await;
    write(&ledger, &batch("t", 0, vec![vec![won("stranger", 1, 1)]])).await;
    let number = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale").number;
    let users = async |after: (EventId, i64), upto, limit| -> Vec<String> {
        let turns: Vec<AuditRow> = ledger.rows_between(number, "won", after, upto, limit).await.expect("rows");
        turns.into_iter().filter_map(|turn| turn.user).collect()
    };
    assert_eq!(users((EventId::default(), -1), id(9), 100).await, ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"]);
    assert_eq!(users((id(1), i64::MAX), id(3), 100).await, ["a2", "b2", "a3", "b3"], "after entry 1, with entry 3");
    assert_eq!(users((id(2), 0), id(3), 100).await, ["b2", "a3", "b3"], "after the first row of entry 2");
    assert_eq!(users((id(2), 0), id(3), 2).await, ["b2", "a3"]);
    assert_eq!(users((id(4), 1), id(9), 100).await, [""; 0]);
    let turns = ledger.rows_between(number, "won", (id(3), i64::MAX), id(4), 1).await.expect("rows");
    let first = AuditRow {
        event_id: id(4),
        place: 0,
        at: 7_004,
        user: Some("a4".into()),
        item: Some("4".into()),
        cents: 1,
        ..AuditRow::default()
    };
    assert_eq!(turns, [first]);
    assert_eq!(ledger.rows_between(number, "opened", (EventId::default(), -1), id(9), 9).await, Ok(Vec::new()));

    let count = async |after, upto| ledger.count_between(number, "won", after, upto).await.expect("a count");
    assert_eq!(count(EventId::default(), id(9)).await, 8);
    assert_eq!(count(id(1), id(3)).await, 4);
    assert_eq!(count(id(3), id(3)).await, 0);

    let ordered = |order: &str| Change { order: text(order), holder: text("Mei"), ..won("a9", 9, 1) };
    write(&ledger, &batch("s", 4, vec![vec![ordered("o1"), won("b9", 8, 1)]])).await;
    let turns = ledger.order_rows_between(number, "won", (id(4), i64::MAX), id(9), 9).await.expect("rows");
    let reported: Vec<_> =
        turns.iter().map(|it| (it.order.as_deref(), it.holder.as_deref(), it.request_id.as_deref())).collect();
    assert_eq!(reported, [(Some("o1"), Some("Mei"), Some("r-a9")), (None, None, Some("r-b9"))]);
    assert_eq!(turns[0].item.as_deref(), Some("9"));
}

async fn a_tally_is_of_one_moment_with_the_position(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(9)], vec![won("ann", 1, 5), won("bob", 2, 1)]])).await;
    write(&ledger, &batch("t", 0, vec![vec![won("ann", 1, 5)]])).await;
    let number = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale").number;
    assert_eq!(ledger.tally_at(number, "won").await, Ok((id(2), 2)));
    assert_eq!(ledger.tally_at(number, "refunded").await, Ok((id(2), 0)));
    assert_eq!(ledger.tally_at(999, "won").await, Ok((EventId::default(), 0)));
}

/// A server was paused between sealing the sale and marking it, and the sale was recovered meanwhile.
async fn a_sale_that_has_moved_on_is_not_archived(ledger: TestLedger) {
    let known = async || ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    write(&ledger, &batch("s", 0, vec![vec![opened(1)]])).await;
    let before = known().await;
    write(&ledger, &batch("s", 1, vec![vec![won("ann", 1, 5)]])).await;
    assert_eq!(ledger.archive(&before, 7, "{}").await, Ok(false), "there is more to record");
    let before = known().await;
    assert_eq!(ledger.begin_generation(&before, id(9), &Recovery::default()).await, Ok(true));
    assert_eq!(ledger.archive(&before, 7, "{}").await, Ok(false), "it was recovered");
    assert_eq!(known().await.archived_at, None);
    assert_eq!(ledger.archive(&known().await, 7, "{}").await, Ok(true));
    assert_eq!(ledger.archive(&known().await, 8, "{}").await, Ok(false), "it is already");
    assert_eq!(known().await.archived_at, Some(7));
}

async fn entries_that_the_ledger_has_lost_are_counted_once(ledger: TestLedger) {
    let known = async || ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    write(&ledger, &batch("s", 0, vec![vec![opened(1)], vec![won("ann", 1, 5)]])).await;
    let position = known().await.position;
    for _ in 0..2 {
        ledger.note_missing(KIND, "s", position, 12).await.expect("noted");
        let known = known().await;
        assert_eq!((known.missing, known.position.entries, known.position.event_id), (10, 12, position.event_id));
    }
    assert_eq!(ledger.has_event(known().await.number, id(2)).await, Ok(true));
    assert_eq!(ledger.has_event(known().await.number, id(3)).await, Ok(false));
    let set_aside = RejectedEntry { entry: (id(3).to_string(), Fields::default()), reason: "?".into(), at: 1 };
    write(&ledger, &Batch { dead_letters: vec![set_aside], moves: None, ..batch("s", 0, vec![]) }).await;
    assert_eq!(ledger.has_event(known().await.number, id(3)).await, Ok(true), "it was set aside");
}

/// As where its disk is full, SQLite ends the transaction by itself; the connection must not be used again.
#[tokio::test]
async fn a_generation_that_sqlite_rolled_back_keeps_none_from_beginning() {
    let home = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::connect(Place::Folder(home.path())).await.expect("a ledger");
    assert_eq!(ledger.apply(&[&batch("s", 0, vec![vec![opened(1)]])]).await, Ok(Applied::Done));
    let known = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    let mut beside = sqlite(home.path()).await;
    beside
        .execute(
            "CREATE TRIGGER full BEFORE UPDATE OF generation_ms ON sales
             BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END",
        )
        .await
        .expect("a trigger");
    let generation = known.position.event_id.next().expect("an id");
    let error = ledger.begin_generation(&known, generation, &Recovery::default()).await.expect_err("refused");
    assert_eq!(error.code, Code::LedgerUnavailable);
    beside.execute("DROP TRIGGER full").await.expect("no trigger");
    assert_eq!(ledger.begin_generation(&known, generation, &Recovery::default()).await, Ok(true));
}
