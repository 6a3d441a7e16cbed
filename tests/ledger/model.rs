//! Searching, compared with a filter over a list: every combination, with values that are easily confused.

use super::{batch, found, search};
use crate::support::{
    ledger::{Base, TestLedger},
    property::{holds_async, runtime},
};
use ledger::{
    apply::{Applied, Batch},
    kind::Change,
};
use model::{
    EventId,
    ledger::{Row, Search},
    life::Currency,
};
use proptest::{prelude::*, sample::select};
use rand::{Rng, SeedableRng, rngs::StdRng};

const OUTCOMES: [&str; 4] = ["opened", "won", "refunded", "recovered"];

/// Ids that a careless statement would confuse with each other, or with SQL.
fn ids() -> Vec<String> {
    let long = "x".repeat(64);
    let almost = format!("{}y", "x".repeat(63));
    ["ann", "Ann", "ANN", "an%", "a_n", "' OR ''='", "\"", "\\", "$1", "?", "é", "è", "红包 #1", "NULL", "0", "00"]
        .map(str::to_owned)
        .into_iter()
        .chain(["ann*", "an", r"an\", "é\u{301}"].map(str::to_owned))
        .chain([long, almost, "\u{1f9e7}".repeat(16)])
        .collect()
}

/// Three hundred entries of six sales, two ids of which two kinds share; the rows as the ledger must tell them.
async fn fill(ledger: &TestLedger) -> Vec<Row> {
    let mut random = StdRng::seed_from_u64(11);
    let ids = ids();
    let sales = [
        ("red_packet", "s"),
        ("ticket", "s"),
        ("red_packet", "' OR ''='"),
        ("ticket", "' OR ''='"),
        ("a", "é"),
        ("b", "S"),
    ];
    let mut positions = [0; 6];
    let mut batches: Vec<Batch> = Vec::new();
    for _ in 0..300 {
        let nth = random.random_range(0..sales.len());
        let mut some = |share| random.random_bool(share).then(|| ids[random.random_range(0..ids.len())].clone());
        let lines = (0..3)
            .map(|_| Change {
                outcome: "",
                user: some(0.8),
                request_id: some(0.8),
                item: some(0.5),
                order: some(0.3),
                holder: some(0.3),
                reason: some(0.1),
                ..Change::default()
            })
            .collect::<Vec<_>>();
        let lines = lines.into_iter().map(|line| Change {
            outcome: OUTCOMES[random.random_range(0..OUTCOMES.len())],
            cents: random.random_range(0..1_000),
            ..line
        });
        let (kind, sale) = sales[nth];
        batches.push(Batch { kind: kind.to_owned(), ..batch(sale, positions[nth], vec![lines.collect()]) });
        positions[nth] += 1;
    }
    for batch in &batches {
        assert_eq!(ledger.apply(&[batch]).await, Ok(Applied::Done));
    }
    let accounts = ledger.sales().await.expect("the sales");
    let (mut rows, mut recorded): (Vec<Row>, _) = (Vec::new(), 1..);
    for Batch { kind, sale, rows: new, .. } in batches {
        let account = accounts.iter().find(|account| account.kind == kind && account.sale == sale).expect("the sale");
        rows.extend(new.into_iter().map(|row| Row {
            id: model::ledger::HistoryCursor {
                event_id: row.event_id,
                sale_no: account.number,
                place: row.place.into(),
            },
            kind: kind.clone(),
            sale: sale.clone(),
            event_id: row.event_id,
            place: row.place,
            at: row.at,
            outcome: row.change.outcome.to_owned(),
            user: row.change.user,
            request_id: row.change.request_id,
            item: row.change.item,
            cents: row.change.cents,
            currency: Currency::CNY,
            order: row.change.order,
            holder: row.change.holder,
            reason: row.change.reason,
            recorded: recorded.next().expect("a place"),
        }));
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    rows
}

fn searches() -> impl Strategy<Value = (Search, u32)> {
    let id = || proptest::option::of(prop_oneof![9 => select(ids()), 1 => Just("nobody".to_owned())]);
    let sale = proptest::option::of(select(vec!["s", "S", "' OR ''='", "é", "è", "nowhere", "s*"]));
    let outcome = proptest::option::of(select(vec!["opened", "won", "refunded", "recovered", "Won", "lost"]));
    // All entries lie within thirty milliseconds, up to ten in one.
    let time = || proptest::option::weighted(0.3, id_of(0..=300).prop_map(|id| id.millis.cast_signed()));
    let kind = proptest::option::weighted(0.3, select(vec![super::KIND, "ticket", "stock"]));
    let search = (kind, sale, id(), id(), proptest::option::weighted(0.2, select(ids())), outcome, time(), time())
        .prop_map(|(kind, sale, user, request_id, order, outcome, from, to)| Search {
            kind: kind.map(str::to_owned),
            sale: sale.map(str::to_owned),
            user,
            request_id,
            order,
            outcome: outcome.map(str::to_owned),
            from,
            to: to.map(|to| from.map_or(to, |from| to.max(from + 1))),
        });
    (search, prop_oneof![1..6_u32, 20..1_001_u32])
}

fn id_of(numbers: std::ops::RangeInclusive<u64>) -> impl Strategy<Value = EventId> {
    numbers.prop_map(super::id)
}

fn finds(search: &Search, row: &Row) -> bool {
    let at = row.event_id.millis.cast_signed();
    let same = |wanted: &Option<String>, found: Option<&String>| wanted.is_none() || wanted.as_ref() == found;
    same(&search.sale, Some(&row.sale))
        && same(&search.user, row.user.as_ref())
        && same(&search.order, row.order.as_ref())
        && search.from.is_none_or(|from| at >= from)
        && search.to.is_none_or(|to| at < to)
        && same(&search.kind, Some(&row.kind))
        && same(&search.request_id, row.request_id.as_ref())
        && same(&search.outcome, Some(&row.outcome))
}

fn a_search_finds_what_a_filter_finds(base: Base, cases: u32) {
    let runtime = runtime();
    let ledger = runtime.block_on(base.ledger());
    let all = runtime.block_on(fill(&ledger));
    assert_eq!(all.len(), 900);
    let (mut found_some, mut by_two) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    holds_async(cases, searches(), &runtime, async |(search, limit)| {
        let expected: Vec<Row> = all.iter().filter(|row| finds(&search, row)).cloned().collect();
        let page = ledger.search(&search, Some(limit), None).await.expect("a page");
        prop_assert_eq!((page.total, page.total_is_at_least), (expected.len() as u64, false));
        let cents: i64 = page.sums.iter().map(|sum| sum.cents).sum();
        prop_assert_eq!(cents, expected.iter().map(|row| row.cents).sum::<i64>());
        prop_assert_eq!(&found(&ledger, &search, limit).await, &expected);
        let mut in_order = expected.clone();
        in_order.sort_by_key(|row| row.recorded);
        prop_assert_eq!(ledger.recorded(&search, 0, 900).await, Ok(in_order));
        found_some.set(found_some.get() + u32::from(!expected.is_empty()));
        let narrowed = search.user.is_some() && search.request_id.is_some();
        by_two.set(by_two.get() + u32::from(narrowed && !expected.is_empty()));
        Ok(())
    });
    // A property that never finds anything proves nothing.
    assert!(*found_some.get_mut() > cases / 4 && *by_two.get_mut() > 0, "{found_some:?}, {by_two:?} of {cases}");
    let page = runtime.block_on(ledger.search(&search(), Some(1_000), None)).expect("a page");
    assert_eq!((page.rows, page.next), (all, None));
}

#[test]
fn a_search_of_sqlite_finds_what_a_filter_finds() {
    a_search_finds_what_a_filter_finds(Base::sqlite(), 400);
}

#[test]
fn a_search_of_postgresql_finds_what_a_filter_finds() {
    a_search_finds_what_a_filter_finds(Base::postgres(), 400);
}
