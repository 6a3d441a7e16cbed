//! Writing: all or nothing, and exactly once.

use super::{KIND, at, batch, everything, found, id, on_both, opened, search, text, won, write};
use crate::support::ledger::TestLedger;
use ledger::{
    apply::{Applied, Batch, RejectedEntry},
    kind::Change,
};
use model::ledger::Search;
use store::fields::Fields;

on_both!(
    a_batch_is_written_whole_and_moves_the_position,
    the_terms_stay_those_of_the_opening_and_a_closed_sale_stays_closed,
    the_quantity_changes_with_the_position,
    an_overtaken_writer_writes_nothing,
    of_two_that_write_the_same_at_once_one_is_overtaken,
    a_row_that_is_there_already_is_refused_with_all_that_came_with_it,
    a_value_that_the_database_cannot_hold_is_refused_with_all_that_came_with_it,
    batches_of_every_size_go_in_whole,
    several_sales_are_written_in_one_step,
);

async fn a_batch_is_written_whole_and_moves_the_position(ledger: TestLedger) {
    let mut opening = batch("s", 0, vec![vec![opened(15)], vec![won("ann", 1, 5), won("bob", 2, 4)]]);
    opening.terms = text("{}");
    write(&ledger, &opening).await;

    let account = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!((account.kind.as_str(), account.sale.as_str(), account.dead_letters), (KIND, "s", 0));
    assert_eq!((account.position, account.seen, account.seen_at), (at(2), at(2), 9_000));
    assert_eq!((account.terms.as_deref(), account.closed), (Some("{}"), false));

    let rows = found(&ledger, &search(), 100).await;
    let reported: Vec<_> = rows
        .iter()
        .map(|row| (row.event_id, row.place, row.outcome.as_str(), row.user.as_deref(), row.cents))
        .collect();
    assert_eq!(
        reported,
        [(id(2), 1, "won", Some("bob"), 4), (id(2), 0, "won", Some("ann"), 5), (id(1), 0, "opened", None, 15),]
    );
    let ann = &rows[1];
    assert_eq!((ann.request_id.as_deref(), ann.item.as_deref(), ann.at), (Some("r-ann"), Some("1"), 7_002));
    assert_eq!((ann.kind.as_str(), ann.sale.as_str()), (KIND, "s"));
    assert_eq!(ledger.tally_at(account.number, "won").await, Ok((id(2), 2)));
}

async fn the_terms_stay_those_of_the_opening_and_a_closed_sale_stays_closed(ledger: TestLedger) {
    let with = |from, terms: Option<&str>, closes| Batch {
        terms: terms.map(str::to_owned),
        closes,
        ..batch("s", from, vec![vec![opened(1)]])
    };
    for (from, terms, closes) in [(0, None, false), (1, Some("first"), true), (2, Some("second"), false)] {
        write(&ledger, &with(from, terms, closes)).await;
    }
    let account = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!((account.terms.as_deref(), account.closed), (Some("first"), true));
}

/// In one transaction: whoever reads both in one row knows which entries the quantity is of.
async fn the_quantity_changes_with_the_position(ledger: TestLedger) {
    for (from, delta, quantity) in [(0, 100, 100), (1, -30, 70), (2, 0, 70), (3, -80, -10)] {
        write(&ledger, &Batch { delta, ..batch("s", from, vec![vec![opened(1)]]) }).await;
        let sale = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
        assert_eq!((sale.quantity, sale.position), (quantity, at(from + 1)));
    }
    assert_eq!(ledger.sale(KIND, "t").await, Ok(None));
}

/// Rows, quantities, tallies, terms, set aside entries, and all of it of the other sale of the same step.
async fn an_overtaken_writer_writes_nothing(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(9)], vec![won("ann", 1, 5)]])).await;
    let before = everything(&ledger).await;
    let entry = (id(3).to_string(), Fields::default());
    for from in [0, 1, 3] {
        let mut late = batch("s", from, vec![vec![won("eve", 2, 4)]]);
        late.terms = text("other terms");
        late.closes = true;
        late.delta = -5;
        late.dead_letters = vec![RejectedEntry { entry: entry.clone(), reason: "unreadable".into(), at: 1 }];
        let other = batch("t", 0, vec![vec![opened(1)]]);
        assert_eq!(ledger.apply(&[&other, &late]).await, Ok(Applied::Overtaken), "from {from}");
        assert_eq!(everything(&ledger).await, before, "from {from}");
    }
    write(&ledger, &batch("s", 2, vec![vec![won("eve", 2, 4)]])).await;
}

async fn of_two_that_write_the_same_at_once_one_is_overtaken(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(100)]])).await;
    let other = ledger.base.connect().await.expect("a second process");
    for from in 1..20 {
        let both = batch("s", from, vec![vec![won(&format!("u{from}"), from as u32, 1)]]);
        let (batches, too) = ([&both], [&both]);
        let answers = futures::join!(ledger.apply(&batches), other.apply(&too));
        let answers = [answers.0.expect("an answer"), answers.1.expect("an answer")];
        assert!(
            answers.contains(&Applied::Done) && answers.contains(&Applied::Overtaken),
            "after entry {from}: {answers:?}"
        );
    }
    assert_eq!(ledger.search(&search(), None, None).await.expect("a page").total, 20);
}

async fn a_row_that_is_there_already_is_refused_with_all_that_came_with_it(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(9)], vec![won("ann", 1, 5)]])).await;
    let before = everything(&ledger).await;
    // Entry 3 has a row with the key of entry 2.
    let mut doubled = batch("s", 2, vec![vec![won("bob", 2, 4)]]);
    doubled.rows[0].event_id = id(2);
    let other = batch("t", 0, vec![vec![opened(1)]]);
    let applied = ledger.apply(&[&other, &doubled]).await;
    assert!(matches!(&applied, Ok(Applied::Refused(why)) if !why.is_empty()), "{applied:?}");
    assert_eq!(everything(&ledger).await, before);
}

async fn a_value_that_the_database_cannot_hold_is_refused_with_all_that_came_with_it(ledger: TestLedger) {
    let mut refused = batch("s", 0, vec![vec![opened(9)], vec![won("ann", 1, 5)]]);
    match ledger.engine() {
        // SQLite accepts any text, but not two rows with the same place in one entry.
        "SQLite" => refused.rows[1].event_id = id(1),
        _ => refused.rows[1].change.user = text("a\0b"),
    }
    let other = batch("t", 0, vec![vec![opened(1)]]);
    let applied = ledger.apply(&[&other, &refused]).await;
    assert!(matches!(&applied, Ok(Applied::Refused(why)) if !why.is_empty()), "{applied:?}");
    assert_eq!(everything(&ledger).await, []);
    write(&ledger, &other).await;
}

async fn batches_of_every_size_go_in_whole(ledger: TestLedger) {
    let mut written = 0;
    for size in [0, 1, 2, 3, 255, 511, 512, 513, 1_300] {
        let lines: Vec<Change> = (0..size).map(|nth| won(&format!("u{}", written + nth), nth as u32, 1)).collect();
        write(&ledger, &batch(&format!("s{size}"), 0, vec![lines])).await;
        written += size;
        let page = ledger.search(&search(), Some(1), None).await.expect("a page");
        assert_eq!(page.total, written as u64);
    }
    let rows = found(&ledger, &Search { outcome: text("won"), ..search() }, 1_000).await;
    let mut users: Vec<String> = rows.into_iter().filter_map(|row| row.user).collect();
    users.sort_by_key(|user| user[1..].parse::<usize>().expect("a number"));
    assert!(users.into_iter().eq((0..written).map(|user| format!("u{user}"))));
}

async fn several_sales_are_written_in_one_step(ledger: TestLedger) {
    let batches: Vec<Batch> =
        (0..30).map(|nth| batch(&format!("s{nth}"), 0, vec![vec![opened(nth)], vec![won("ann", 1, nth)]])).collect();
    assert_eq!(ledger.apply(&batches.iter().collect::<Vec<_>>()).await, Ok(Applied::Done));
    for nth in 0..30 {
        let of_sale = Search { sale: Some(format!("s{nth}")), ..search() };
        let page = ledger.search(&of_sale, None, None).await.expect("a page");
        assert_eq!(page.rows.iter().map(|row| row.cents).collect::<Vec<_>>(), [nth, nth]);
    }
    assert_eq!(ledger.search(&search(), None, None).await.expect("a page").total, 60);
}
