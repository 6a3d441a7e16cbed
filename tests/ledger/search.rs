//! Searching: a page at a time, newest first, with exact totals.

use super::{batch, found, id, on_both, opened, search, text, won, write};
use crate::support::ledger::TestLedger;
use stampede::{
    error::Code,
    ledger::{Cursor, Search, kind::Change},
};

on_both!(
    an_empty_ledger_finds_nothing,
    pages_have_neither_gap_nor_double_while_rows_are_added,
    the_rows_of_one_user_are_counted_up_to_ten_thousand,
    a_bad_field_or_limit_is_named,
);

async fn an_empty_ledger_finds_nothing(ledger: TestLedger) {
    for search in [search(), Search { sale: text("s"), ..search() }, Search { user: text("ann"), ..search() }] {
        let page = ledger.search(&search, None, None).await.expect("a page");
        assert_eq!((page.rows.len(), page.total, page.total_is_at_least, page.next), (0, 0, false, None));
    }
}

async fn pages_have_neither_gap_nor_double_while_rows_are_added(ledger: TestLedger) {
    let claims = |from: u64, entries: u64| -> Vec<Vec<Change>> {
        (from..from + entries).map(|nth| (0..3).map(|place| won(&format!("u{nth}-{place}"), 1, 1)).collect()).collect()
    };
    write(&ledger, &batch("s", 0, claims(0, 20))).await;
    write(&ledger, &batch("t", 0, claims(0, 20))).await;
    for search in [search(), Search { sale: text("s"), ..search() }, Search { outcome: text("won"), ..search() }] {
        let entries = ledger.sale(super::KIND, "s").await.expect("an answer").expect("the sale").position.entries;
        let before = found(&ledger, &search, 1_000).await;
        let (mut rows, mut after, mut added) = (Vec::new(), None::<Cursor>, entries);
        loop {
            let page = ledger.search(&search, Some(7), after).await.expect("a page");
            rows.extend(page.rows);
            after = page.next;
            write(&ledger, &batch("s", added, claims(added, 2))).await;
            added += 2;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(rows, before, "what was there when the first page was read");
    }
}

async fn the_rows_of_one_user_are_counted_up_to_ten_thousand(ledger: TestLedger) {
    let by_ann = Search { user: text("ann"), ..search() };
    let by_request = Search { request_id: text("r-ann"), outcome: text("won"), sale: text("s"), ..search() };
    let counted = async |search: &Search| {
        let page = ledger.search(search, Some(1), None).await.expect("a page");
        (page.total, page.total_is_at_least)
    };
    write(&ledger, &batch("s", 0, vec![vec![won("ann", 1, 1); 10_000]])).await;
    assert_eq!((counted(&by_ann).await, counted(&by_request).await), ((10_000, false), (10_000, false)));
    write(&ledger, &batch("s", 1, vec![vec![won("ann", 1, 1); 5]])).await;
    assert_eq!((counted(&by_ann).await, counted(&by_request).await), ((10_000, true), (10_000, true)));
    assert_eq!(counted(&search()).await, (10_005, false), "of all there is an exact count");
}

async fn a_bad_field_or_limit_is_named(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, (0..150).map(|_| vec![opened(1)]).collect())).await;
    let refused = async |search: &Search, limit| {
        let error = ledger.search(search, limit, None).await.expect_err("refused");
        assert_eq!(error.code, Code::BadRequest);
        error.field.expect("a field")
    };
    assert_eq!(refused(&search(), Some(0)).await, "limit");
    assert_eq!(refused(&search(), Some(1_001)).await, "limit");
    let long = "x".repeat(65);
    for bad in ["", " ", "a\nb", "a\0b", long.as_str()] {
        assert_eq!(refused(&Search { sale: text(bad), ..search() }, None).await, "sale");
        assert_eq!(refused(&Search { user: text(bad), ..search() }, None).await, "user");
        assert_eq!(refused(&Search { request_id: text(bad), ..search() }, None).await, "request_id");
        assert_eq!(refused(&Search { outcome: text(bad), ..search() }, None).await, "outcome");
    }
    let rows = async |limit| ledger.search(&search(), limit, None).await.expect("a page").rows.len();
    assert_eq!((rows(None).await, rows(Some(1_000)).await, rows(Some(1)).await), (100, 150, 1));
    // A cursor that no row has stands between rows.
    let between = Cursor { event_id: id(2), sale_no: i64::MAX, place: i64::MAX };
    let page = ledger.search(&search(), None, Some(between)).await.expect("a page");
    assert_eq!(page.rows.iter().map(|row| row.event_id).collect::<Vec<_>>(), [id(2), id(1)]);
}
