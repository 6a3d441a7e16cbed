//! Searching: a page at a time, newest first, with exact totals.

use super::{batch, found, id, on_both, opened, search, text, won, write};
use crate::support::ledger::TestLedger;
use ledger::{apply::Batch, kind::Change};
use model::{
    error::Code,
    ledger::{HistoryCursor, Search},
};

on_both!(
    an_empty_ledger_finds_nothing,
    pages_have_neither_gap_nor_double_while_rows_are_added,
    the_rows_of_one_user_are_counted_up_to_ten_thousand,
    a_bad_field_or_limit_is_named,
    times_share_out_the_history_and_a_row_is_where_its_event_is,
    a_prefix_finds_what_begins_so_or_asks_for_more_of_it,
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
        Search { user: text("an*"), ..search() },
        Search { outcome: text("opened"), ..search() },
        Search { sale: text("s*"), outcome: text("won"), ..search() },
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

async fn a_prefix_finds_what_begins_so_or_asks_for_more_of_it(ledger: TestLedger) {
    // Of each of 101 sales two rows; and 10,001 rows of users that begin with "u" in another.
    for sale in 0..101 {
        let rows = vec![vec![opened(1)], vec![won(&format!("ann{sale}"), 1, 1)]];
        write(&ledger, &batch(&format!("demo-{sale:03}"), 0, rows)).await;
    }
    let many = (0..10_001).map(|user| won(&format!("u{user}"), 1, 1)).collect();
    write(&ledger, &batch("large", 0, vec![many, vec![opened(1)]])).await;
    let total = async |search: &Search| ledger.search(search, Some(1), None).await.map(|page| page.total);
    assert_eq!(total(&Search { sale: text("demo-00*"), ..search() }).await, Ok(20));
    assert_eq!(total(&Search { sale: text("demo-00*"), outcome: text("won"), ..search() }).await, Ok(10));
    assert_eq!(total(&Search { user: text("ann1*"), ..search() }).await, Ok(12));
    // Of the kind with so many sales as of one with few.
    let tickets = Batch { kind: "ticket".into(), ..batch("large", 0, vec![vec![won("ann1", 1, 1), opened(1)]]) };
    write(&ledger, &tickets).await;
    for (kind, counts) in [(super::KIND, [102, 101, 1]), ("ticket", [1, 1, 1]), ("stock", [0; 3])] {
        let kind = Search { kind: text(kind), ..search() };
        let opened = Search { outcome: text("opened"), ..kind.clone() };
        assert_eq!(total(&opened).await, Ok(counts[0]), "{kind:?}");
        assert!(found(&ledger, &opened, 50).await.iter().all(|row| Some(&row.kind) == kind.kind.as_ref()));
        let timed = Search { from: Some(0), user: text("ann*"), ..kind.clone() };
        assert_eq!(total(&timed).await, Ok(counts[1]), "{kind:?}");
        assert_eq!(total(&Search { user: text("ann1"), ..kind }).await, Ok(counts[2]));
    }
    assert_eq!(total(&Search { user: text("ann1*"), sale: text("demo-01*"), ..search() }).await, Ok(10));
    assert_eq!(total(&Search { user: text("ann1"), sale: text("demo-0*"), ..search() }).await, Ok(1));
    assert_eq!(total(&Search { user: text("u100*"), ..search() }).await, Ok(12));
    assert_eq!(total(&Search { user: text("u*"), sale: text("demo-001"), ..search() }).await, Ok(0));

    // One of a hundred and one without a row.
    for nth in 0..101 {
        let changes = if nth == 0 { vec![] } else { vec![opened(1)] };
        let coupons = Batch { kind: "coupon".into(), ..batch(&format!("c-{nth:03}"), 0, vec![changes]) };
        write(&ledger, &coupons).await;
    }
    assert_eq!(total(&Search { kind: text("coupon"), ..search() }).await, Ok(100));

    let refused = async |search: Search| {
        let error = ledger.search(&search, Some(1), None).await.expect_err("it finds too much");
        assert_eq!(error.code, Code::BadRequest);
        (error.field.expect("a field"), error.message)
    };
    let (field, message) = refused(Search { sale: text("demo-*"), ..search() }).await;
    assert_eq!(field, "sale");
    assert_eq!(message, "More than 100 sales have an id that begins with \"demo-\"; give more of the id.");
    let many = "Users that begin with \"u\" have more than 10000 rows; give more of the name,";
    for unnamed in [search(), Search { outcome: text("won"), ..search() }, Search { from: Some(0), ..search() }] {
        let (field, message) = refused(Search { user: text("u*"), ..unnamed }).await;
        assert_eq!((field.as_str(), message), ("user", format!("{many} name the sale, or search in a shorter time.")));
    }
    // In a sale that the search names, they are looked for among its rows, as long as there are at most 200,000.
    let page_in = async |search: &Search| {
        ledger.search(search, Some(1), None).await.map(|page| (page.total, page.total_is_at_least))
    };
    let in_sale = |sale: &str, user: &str| Search { user: text(user), sale: text(sale), ..search() };
    for (sale, user, found) in [
        ("large", "u*", (10_000, true)),
        ("lar*", "u*", (10_000, true)),
        ("demo-001", "u*", (0, false)),
        ("demo-00*", "u*", (0, false)),
    ] {
        let named = in_sale(sale, user);
        let since = Search { from: Some(0), ..named.clone() };
        for search in [&since, &Search { outcome: text("won"), ..named.clone() }, &named] {
            assert_eq!(page_in(search).await, Ok(found), "{search:?}");
        }
    }
    let rows = ledger.rows(&in_sale("large", "u*"), 20_000, None).await.expect("rows");
    assert_eq!(rows.len(), 10_001);
    assert!(rows.is_sorted_by(|newer, older| newer.id > older.id));
    // With the three others of that name.
    ledger.base.run("UPDATE tallies SET lines = 199997 WHERE lines = 10001 AND sale_no <> 0").await;
    assert_eq!(page_in(&in_sale("large", "u*")).await, Ok((10_000, true)));
    ledger.base.run("UPDATE tallies SET lines = 199998 WHERE lines = 199997 AND sale_no <> 0").await;
    let (field, message) = refused(in_sale("large", "u*")).await;
    assert_eq!((field.as_str(), message), ("user", format!("{many} or search in a shorter time.")));
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
    assert_eq!(outcomes(&Search { outcome: text("held"), user: text("a*"), ..order.clone() }).await, ["held", "held"]);
    assert_eq!(outcomes(&Search { order: text("o"), ..search() }).await, [""; 0]);
    for row in found(&ledger, &search(), 9).await {
        assert_eq!(ledger.row(row.id).await, Ok(Some(row)));
    }
    for nowhere in ["0-0-0-0", "1-2-3-4", "18446744073709551615-0-1-9223372036854775807"] {
        assert_eq!(ledger.row(nowhere.parse().expect("a cursor")).await, Ok(None));
    }
}
