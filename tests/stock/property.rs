//! The invariant of stock, after whatever steps; a failure is reduced to the fewest that show it.

use super::{catch_up, stock, terms};
use crate::support::{
    app::TestApp,
    property::{holds_async, runtime},
    redis::TestRedis,
};
use engine::stock::service::Stock;
use model::{
    Verdict,
    stock::{Adjusted, GivenBack, Outcome, Return, Terms},
};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use std::cell::Cell;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    Deduct(u64),
    /// An order fails: the one at this place among all requests, or none.
    GiveBack(usize),
    Restock(u64),
    Correct(u64),
    Expire,
    /// The ledger's writer comes by.
    Record,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..30_u64).prop_map(Step::Deduct),
        3 => (0..12_usize).prop_map(Step::GiveBack),
        1 => (1..50_u64).prop_map(Step::Restock),
        1 => (0..120_u64).prop_map(Step::Correct),
        2 => Just(Step::Expire),
        2 => Just(Step::Record),
    ]
}

/// Plays the steps at a sale of its own.
async fn adds_up(app: &TestApp, sales: &Stock, sale: &str, opened: u64, steps: Vec<Step>) -> Result<(), TestCaseError> {
    sales.open(Terms { sale: sale.to_owned(), ..terms(opened) }).await.expect("a sale");
    let mut left = opened;
    let mut requests: Vec<(u64, bool)> = Vec::new();
    for step in steps {
        match step {
            Step::Deduct(quantity) => {
                let request = Some(requests.len().to_string());
                let outcome = sales.deduct(sale, "ann".to_owned(), quantity, request).await.expect("an outcome");
                if quantity <= left {
                    left -= quantity;
                    prop_assert_eq!(outcome, Outcome::Won { left });
                    requests.push((quantity, false));
                } else {
                    prop_assert_eq!(outcome, Outcome::NotEnough { left });
                }
            }
            Step::GiveBack(nth) => {
                let given_back = sales.give_back(sale, Return::of_all(nth.to_string())).await.expect("an outcome");
                let user = || "ann".to_owned();
                let expected = match requests.get_mut(nth) {
                    None => GivenBack::UnknownRequest,
                    Some(&mut (quantity, true)) => GivenBack::Repeat { user: user(), quantity, kept: 0 },
                    Some((quantity, is_returned)) => {
                        *is_returned = true;
                        left += *quantity;
                        GivenBack::Returned { user: user(), quantity: *quantity, kept: 0 }
                    }
                };
                prop_assert_eq!(given_back, expected);
            }
            Step::Restock(quantity) => {
                left += quantity;
                let change = quantity.cast_signed();
                prop_assert_eq!(sales.restock(sale, quantity, None).await, Ok(Adjusted::Restocked { left, change }));
            }
            Step::Correct(counted) => {
                let change = counted.cast_signed() - left.cast_signed();
                left = counted;
                prop_assert_eq!(
                    sales.correct(sale, counted, None, None).await,
                    Ok(Adjusted::Corrected { left, change })
                );
            }
            Step::Expire => _ = sales.expire(sale).await.expect("an answer"),
            Step::Record => catch_up(app).await,
        }
        let now = sales.snapshot(sale).await.expect("a snapshot");
        prop_assert_eq!(now.left, left);
        prop_assert!(now.cached.is_none_or(|cached| cached == left), "{:?}", now.cached);
        prop_assert_eq!(
            now.ledger.zip(now.pending).map(|(ledger, pending)| ledger + pending),
            Some(left.cast_signed())
        );
    }
    catch_up(app).await;
    let now = sales.snapshot(sale).await.expect("a snapshot");
    prop_assert_eq!((now.ledger, now.pending), (Some(left.cast_signed()), Some(0)));
    prop_assert_eq!(sales.audit(sale).await.expect("an audit").verdict, Verdict::Holds);
    Ok(())
}

#[test]
fn what_is_opened_and_added_less_what_is_deducted_is_what_is_left_everywhere() {
    let runtime = runtime();
    let (_redis, app) = runtime.block_on(async {
        let redis = TestRedis::start().await;
        let app = TestApp::on(&redis).await;
        (redis, app)
    });
    let (sales, nth) = (stock(&app), Cell::new(0));
    holds_async(48, (1..100_u64, vec(step(), 1..30)), &runtime, async |(opened, steps): (u64, Vec<Step>)| {
        nth.set(nth.get() + 1);
        adds_up(&app, &sales, &format!("s{}", nth.get()), opened, steps).await
    });
}
