//! Searching: a page at a time, newest first, with exact totals.

use super::{batch, found, id, on_both, opened, search, text, won, write};
use crate::support::ledger::TestLedger;
use ledger::{apply::Batch, kind::Change};
use model::{
    Cents,
    error::Code,
    ledger::{HistoryCursor, OutcomeSum, Search},
};

on_both!(
    an_empty_ledger_finds_nothing,
    pages_have_neither_gap_nor_double_while_rows_are_added,
    the_rows_of_one_user_are_counted_up_to_ten_thousand,
    what_a_search_finds_is_added_up_by_kind_and_outcome,
    a_bad_field_or_limit_is_named,
    times_share_out_the_history_and_a_row_is_where_its_event_is,
    only_what_is_exactly_so_is_found,
    rows_of_several_kinds_and_sales_are_found_and_counted_together,
    an_order_is_found_with_all_its_rows_and_a_row_by_its_id,
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
        let (mut rows, mut after, mut added) = (Vec::new(), None::<HistoryCursor>, entries);
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
    let sums = async |search: &Search| ledger.search(search, Some(1), None).await.expect("a page").sums;
    assert_eq!(sums(&by_ann).await, [], "nothing is said of a part");
    assert_eq!(sums(&search()).await, [sum(super::KIND, "won", 10_005, 10_005, None)]);
}

fn sum(kind: &str, outcome: &str, rows: u64, cents: Cents, quantity: Option<i64>) -> OutcomeSum {
    OutcomeSum { kind: kind.to_owned(), outcome: outcome.to_owned(), rows, cents, quantity }
}

/// By the tallies and by the rows alike.
async fn what_a_search_finds_is_added_up_by_kind_and_outcome(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(100)], vec![won("ann", 1, 30), won("bob", 2, 20)]])).await;
    let counted = |outcome, quantity: i64| Change {
        outcome,
        user: text("ann"),
        item: Some(quantity.to_string()),
        quantity: Some(quantity),
        ..Change::default()
    };
    let closed = Change { outcome: "closed", ..Change::default() };
    let first = vec![vec![counted("opened", 50)], vec![counted("won", 3), counted("won", 4)]];
    let then = vec![vec![counted("won", 5)], vec![counted("corrected", -2)], vec![closed]];
    for (from, rows) in [(0, first), (2, then)] {
        write(&ledger, &Batch { kind: "stock".to_owned(), ..batch("t", from, rows) }).await;
    }
    let sums = async |search: &Search| ledger.search(search, Some(1), None).await.expect("a page").sums;
    let packets = [sum(super::KIND, "opened", 1, 100, None), sum(super::KIND, "won", 2, 50, None)];
    let stock = [
        sum("stock", "closed", 1, 0, None),
        sum("stock", "corrected", 1, 0, Some(-2)),
        sum("stock", "opened", 1, 0, Some(50)),
        sum("stock", "won", 3, 0, Some(12)),
    ];
    let all: Vec<OutcomeSum> = packets.iter().chain(&stock).cloned().collect();
    for (search, expected) in [
        (search(), all.clone()),
        (Search { sale: text("s"), ..search() }, packets.to_vec()),
        (Search { kind: text("stock"), ..search() }, stock.to_vec()),
        (Search { outcome: text("won"), ..search() }, vec![packets[1].clone(), stock[3].clone()]),
        (Search { sale: text("nowhere"), ..search() }, Vec::new()),
    ] {
        assert_eq!(sums(&search).await, expected, "{search:?}");
        // Of a time there are no tallies.
        assert_eq!(sums(&Search { from: Some(0), ..search.clone() }).await, expected, "{search:?}, row by row");
    }
    let of_ann = [
        sum(super::KIND, "won", 1, 30, None),
        sum("stock", "corrected", 1, 0, Some(-2)),
        sum("stock", "opened", 1, 0, Some(50)),
        sum("stock", "won", 3, 0, Some(12)),
    ];
    assert_eq!(sums(&Search { user: text("ann"), ..search() }).await, of_ann);
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
    let between = HistoryCursor { event_id: id(2), sale_no: i64::MAX, place: i64::MAX };
    let page = ledger.search(&search(), None, Some(between)).await.expect("a page");
    assert_eq!(page.rows.iter().map(|row| row.event_id).collect::<Vec<_>>(), [id(2), id(1)]);
}

async fn times_share_out_the_history_and_a_row_is_where_its_event_is(ledger: TestLedger) {
    // Ten entries a millisecond.
    write(&ledger, &batch("s", 0, (0..60).map(|_| vec![won("ann", 1, 1), opened(1)]).collect())).await;
    let all = found(&ledger, &search(), 1_000).await;
    let first = id(1).millis.cast_signed();
    for narrowed in [
        search(),
        Search { sale: text("s"), ..search() },
        Search { user: text("ann"), ..search() },
        Search { kind: text(super::KIND), ..search() },
        Search { outcome: text("opened"), ..search() },
        Search { sale: text("s"), outcome: text("won"), ..search() },
    ] {
        let whole = found(&ledger, &narrowed, 1_000).await;
        let mut parts = Vec::new();
        for millis in (first..first + 7).rev() {
            let part = Search { from: Some(millis), to: Some(millis + 1), ..narrowed.clone() };
            let rows = found(&ledger, &part, 7).await;
            assert!(rows.iter().all(|row| row.event_id.millis.cast_signed() == millis), "{part:?}");
            let page = ledger.search(&part, Some(1), None).await.expect("a page");
            assert_eq!((page.total, page.total_is_at_least), (rows.len() as u64, false), "{part:?}");
            parts.extend(rows);
        }
        assert_eq!(parts, whole, "no row is in two parts, and none in neither");
    }
    // From is included, to is not.
    let at = all[0].event_id.millis.cast_signed();
    let total = async |search: &Search| ledger.search(search, None, None).await.expect("a page").total;
    assert_eq!(total(&Search { from: Some(at), ..search() }).await, 2);
    assert_eq!(total(&Search { to: Some(at), ..search() }).await, all.len() as u64 - 2);
}

async fn only_what_is_exactly_so_is_found(ledger: TestLedger) {
    write(&ledger, &batch("demo", 0, vec![vec![won("ann", 1, 1), won("anna", 1, 1), won("ann*", 1, 1)]])).await;
    write(&ledger, &batch("demo*", 0, vec![vec![won("ann", 1, 1)]])).await;
    let total = async |search| ledger.search(&search, None, None).await.expect("a page").total;
    for (user, rows) in [("ann", 2), ("an", 0), ("an*", 0), ("ann*", 1), ("ANN", 0)] {
        assert_eq!(total(Search { user: text(user), ..search() }).await, rows, "{user}");
    }
    for (sale, rows) in [("demo", 3), ("dem", 0), ("dem*", 0), ("demo*", 1)] {
        assert_eq!(total(Search { sale: text(sale), ..search() }).await, rows, "{sale}");
    }
}

/// They are in different lists, each in its own order.
async fn rows_of_several_kinds_and_sales_are_found_and_counted_together(ledger: TestLedger) {
    for (kind, sale) in [(super::KIND, "s"), ("ticket", "s"), ("ticket", "t")] {
        let rows = (0..20).map(|nth| vec![won("ann", nth, 1), opened(1)]).collect();
        write(&ledger, &Batch { kind: kind.to_owned(), ..batch(sale, 0, rows) }).await;
    }
    let ticket = Search { kind: text("ticket"), ..search() };
    for (search, total) in [
        (search(), 120),
        (ticket.clone(), 80),
        (Search { outcome: text("opened"), ..search() }, 60),
        (Search { outcome: text("opened"), ..ticket.clone() }, 40),
        (Search { sale: text("s"), ..search() }, 80),
        (Search { sale: text("s"), ..ticket.clone() }, 40),
        (Search { user: text("ann"), ..ticket }, 40),
        (Search { kind: text("stock"), ..search() }, 0),
        (Search { kind: text("stock"), sale: text("s"), ..search() }, 0),
    ] {
        let rows = found(&ledger, &search, 7).await;
        assert_eq!(rows.len(), total, "{search:?}");
        assert!(rows.is_sorted_by(|newer, older| newer.id > older.id), "{search:?}");
        assert!(rows.iter().all(|row| search.kind.as_ref().is_none_or(|kind| *kind == row.kind)), "{search:?}");
        let page = ledger.search(&search, Some(1), None).await.expect("a page");
        assert_eq!((page.total, page.total_is_at_least), (total as u64, false), "{search:?}");
    }
}

async fn an_order_is_found_with_all_its_rows_and_a_row_by_its_id(ledger: TestLedger) {
    let of = |order: &str, outcome| Change { outcome, order: text(order), user: text("ann"), ..Change::default() };
    let rows = vec![vec![of("o1", "held"), of("o2", "held"), of("o1", "held")], vec![of("o1", "paid")]];
    write(&ledger, &batch("s", 0, rows)).await;
    let outcomes = async |search: &Search| -> Vec<String> {
        found(&ledger, search, 2).await.into_iter().map(|row| row.outcome).collect()
    };
    let order = Search { order: text("o1"), ..search() };
    assert_eq!(outcomes(&order).await, ["paid", "held", "held"]);
    assert_eq!(outcomes(&Search { outcome: text("held"), user: text("ann"), ..order.clone() }).await, ["held", "held"]);
    assert_eq!(outcomes(&Search { order: text("o"), ..search() }).await, [""; 0]);
    for row in found(&ledger, &search(), 9).await {
        assert_eq!(ledger.row(row.id).await, Ok(Some(row)));
    }
    for nowhere in ["0-0-0-0", "1-2-3-4", "18446744073709551615-0-1-9223372036854775807"] {
        assert_eq!(ledger.row(nowhere.parse().expect("a cursor")).await, Ok(None));
    }
}
