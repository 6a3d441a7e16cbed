//! The order of recording: each row has a place in it, and who reads by place misses none.

use super::{batch, on_both, opened, search, text, won, write};
use crate::support::{
    eventually,
    ledger::{Base, TestLedger},
};
use ledger::apply::Applied;
use model::ledger::{Row, Search};

on_both!(
    rows_have_places_in_the_order_in_which_they_are_recorded,
    a_transaction_that_writes_nothing_leaves_no_gap,
    a_search_leaves_rows_out_and_keeps_the_order,
);

fn places(rows: &[Row]) -> Vec<(u64, &str, &str)> {
    rows.iter().map(|row| (row.recorded, row.sale.as_str(), row.user.as_deref().unwrap_or(""))).collect()
}

async fn rows_have_places_in_the_order_in_which_they_are_recorded(ledger: TestLedger) {
    assert_eq!(ledger.last_recorded().await, Ok(0));
    write(&ledger, &batch("late", 0, vec![vec![opened(1)]])).await;
    write(&ledger, &batch("prompt", 0, vec![vec![opened(1)], vec![won("bob", 1, 1), won("cid", 2, 1)]])).await;
    let before = ledger.last_recorded().await.expect("a place");
    // What happened first, and is recorded last.
    write(&ledger, &batch("late", 1, vec![vec![won("ann", 1, 1)]])).await;
    let rows = ledger.recorded(&search(), 0, before).await.expect("rows");
    assert_eq!(places(&rows), [(1, "late", ""), (2, "prompt", ""), (3, "prompt", "bob"), (4, "prompt", "cid")]);
    let last = ledger.last_recorded().await.expect("a place");
    let rows = ledger.recorded(&search(), before, last).await.expect("rows");
    assert_eq!(places(&rows), [(5, "late", "ann")]);
    assert_eq!(ledger.recorded(&search(), 1, 2).await.expect("rows").len(), 1);
}

async fn a_transaction_that_writes_nothing_leaves_no_gap(ledger: TestLedger) {
    let first = batch("s", 0, vec![vec![opened(1)]]);
    write(&ledger, &first).await;
    assert_eq!(ledger.apply(&[&first]).await, Ok(Applied::Overtaken));
    let mut refused = batch("s", 1, vec![vec![won("ann", 1, 1)]]);
    refused.rows.push(refused.rows[0].clone());
    assert!(matches!(ledger.apply(&[&refused]).await, Ok(Applied::Refused(_))));
    write(&ledger, &batch("s", 1, vec![vec![won("ann", 1, 1)]])).await;
    let rows = ledger.recorded(&search(), 0, 9).await.expect("rows");
    assert_eq!(places(&rows), [(1, "s", ""), (2, "s", "ann")]);
    assert_eq!(ledger.last_recorded().await, Ok(2));
}

async fn a_search_leaves_rows_out_and_keeps_the_order(ledger: TestLedger) {
    for sale in ["a", "b"] {
        write(&ledger, &batch(sale, 0, vec![vec![opened(1)], vec![won("ann", 1, 1)], vec![won("bob", 2, 1)]])).await;
    }
    let narrowed = async |search: Search| {
        let rows = ledger.recorded(&search, 0, 9).await.expect("rows");
        rows.iter().map(|row| row.recorded).collect::<Vec<_>>()
    };
    assert_eq!(narrowed(Search { sale: text("b"), ..search() }).await, [4, 5, 6]);
    assert_eq!(narrowed(Search { user: text("ann"), ..search() }).await, [2, 5]);
    assert_eq!(narrowed(Search { outcome: text("won"), sale: text("a"), ..search() }).await, [2, 3]);
    assert_eq!(narrowed(Search { request_id: text("r-bob"), kind: text("red_packet"), ..search() }).await, [3, 6]);
    assert_eq!(narrowed(Search { kind: text("stock"), ..search() }).await, [0; 0]);
    let from = super::id(3).millis.cast_signed();
    assert_eq!(narrowed(Search { from: Some(from), ..search() }).await.len(), 6);
    assert_eq!(narrowed(Search { to: Some(from), ..search() }).await, [0; 0]);
}

/// Two servers may write at once, for example when a dead letter is retried. The place of the first is not visible yet
/// when the second is done, unless the second waits.
#[tokio::test]
async fn a_reader_misses_nothing_while_transactions_end_in_another_order() {
    let first = Base::postgres().ledger().await;
    let second = first.base.connect().await.expect("another server");
    // The first transaction stops after its rows, before its end.
    first
        .base
        .run(
            "CREATE FUNCTION wait() RETURNS TRIGGER LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$;
            CREATE TRIGGER wait AFTER INSERT ON history FOR EACH ROW WHEN (NEW.user_id = 'slow')
                EXECUTE FUNCTION wait()",
        )
        .await;
    let Base::Postgres(server) = &first.base else { panic!("this is SQLite") };
    let mut holder = crate::support::ledger::postgres(server).await;
    sqlx::raw_sql("SELECT pg_advisory_lock(7)").execute(&mut holder).await.expect("the lock");
    let waiting = async || {
        const WAITING: &str = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted";
        first.base.rows::<(i64,)>(WAITING).await[0].0
    };
    let slow = batch("slow", 0, vec![vec![won("slow", 1, 1)]]);
    let quick = batch("quick", 0, vec![vec![won("quick", 1, 1)]]);
    let read = async {
        eventually("the first waits", async || (waiting().await == 1).then_some(())).await;
        let quick = tokio::spawn(async move { second.apply(&[&quick]).await });
        // If it did not wait as well, it would be done, and be seen before the first.
        let begun = async || (waiting().await == 2 || quick.is_finished()).then_some(());
        eventually("the second waits or is done", begun).await;
        let seen = first.last_recorded().await.expect("a place");
        let rows = first.recorded(&search(), 0, seen).await.expect("rows");
        sqlx::raw_sql("SELECT pg_advisory_unlock(7)").execute(&mut holder).await.expect("no lock");
        assert_eq!(quick.await.expect("no panic"), Ok(Applied::Done));
        (seen, rows)
    };
    let batches = [&slow];
    let (done, (seen, mut rows)) = tokio::join!(first.apply(&batches), read);
    assert_eq!(done, Ok(Applied::Done));
    let last = first.last_recorded().await.expect("a place");
    rows.extend(first.recorded(&search(), seen, last).await.expect("rows"));
    assert_eq!(places(&rows), [(1, "slow", "slow"), (2, "quick", "quick")]);
}
