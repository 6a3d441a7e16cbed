//! Mistakes seen in public flash-sale projects, those that cached stock could make.

use super::{cached, deduct, give_back, stock, terms, with_sale};
use crate::support::{app::TestApp, redis::TestRedis};
use engine::stock::scripts::DEDUCT;
use futures::future::join_all;
use model::{
    Verdict,
    stock::{Adjusted, DeductionState, GivenBack, Outcome},
};

/// Mistake 1: stock deducted before the duplicate check. A double click deducts once.
#[tokio::test]
async fn a_double_click_deducts_once() {
    let (_redis, _app, sales) = with_sale(terms(10)).await;
    let clicks = join_all((0..50).map(|_| deduct(&sales, "ann", "1", 2))).await;
    let won = clicks.iter().filter(|outcome| **outcome == Outcome::Won { left: 8 }).count();
    let repeats = clicks
        .iter()
        .filter(|outcome| **outcome == Outcome::Repeat { left: 8, state: DeductionState::Deducted, due: None })
        .count();
    assert_eq!((won, repeats), (1, 49));
}

/// Mistake 4: a cancellation replayed restores stock twice.
#[tokio::test]
async fn giving_back_again_adds_nothing() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 4).await;
    let answers = join_all((0..20).map(|_| give_back(&sales, "1"))).await;
    assert_eq!(answers.iter().filter(|given| matches!(given, GivenBack::Returned { .. })).count(), 1);
    assert_eq!(cached(&redis.raw().await).await, Some(10));
}

/// Mistake 6: the same item twice in one batch, each checked against the undecremented count. Nor does it go below zero.
#[tokio::test]
async fn it_never_goes_below_zero() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    let answers = join_all((0..100).map(|nth| {
        let sales = sales.clone();
        async move { deduct(&sales, "ann", &nth.to_string(), 3).await }
    }))
    .await;
    assert_eq!(answers.iter().filter(|outcome| matches!(outcome, Outcome::Won { .. })).count(), 3);
    assert!(answers.iter().all(|outcome| !matches!(outcome, Outcome::NotEnough { left: 3.. })));
    assert_eq!(cached(&redis.raw().await).await, Some(1));
}

/// Mistake 9: adding stock during the sale overwrites concurrent deductions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restocking_and_correcting_overwrite_no_deduction() {
    let (redis, _app, sales) = with_sale(terms(1_000)).await;
    deduct(&sales, "ann", "first", 1).await;
    let buys = (0..500).map(|nth| {
        let sales = sales.clone();
        async move { deduct(&sales, "ann", &nth.to_string(), 1).await }
    });
    let changes = (0..20_u64).map(|nth| {
        let sales = sales.clone();
        async move {
            let changed = if nth % 2 == 0 {
                sales.restock("s", 10, None).await
            } else {
                // Three fewer than there should have been when they were counted, whatever went since.
                sales.correct("s", 997, Some(1_000), None).await
            };
            assert!(matches!(changed, Ok(Adjusted::Restocked { .. } | Adjusted::Corrected { change: -3, .. })));
        }
    });
    tokio::join!(join_all(buys), join_all(changes));
    assert_eq!(cached(&redis.raw().await).await, Some(1_000 - 1 - 500 + 100 - 30));
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Mistake 10, in the way of caches: what is not cached is taken for sold out.
#[tokio::test]
async fn missing_is_not_sold_out() {
    let (_redis, _app, sales) = with_sale(terms(2)).await;
    assert_eq!(deduct(&sales, "ann", "1", 1).await, Outcome::Won { left: 1 });
    sales.expire("s").await.expect("expired");
    assert_eq!(deduct(&sales, "bob", "2", 1).await, Outcome::Won { left: 0 });
    sales.expire("s").await.expect("expired");
    // And the other way round: what is sold out does not come back by being loaded.
    assert_eq!(deduct(&sales, "cid", "3", 1).await, Outcome::NotEnough { left: 0 });
}

/// Mistake 15: SCRIPT FLUSH in the middle of a sale reaches the user.
#[tokio::test]
async fn a_forgotten_script_is_sent_again_by_the_same_call() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = stock(&app);
    sales.open(terms(9)).await.expect("a sale");
    redis.raw().await.run::<String>("SCRIPT", "FLUSH").await;
    assert_eq!(deduct(&sales, "ann", "1", 1).await, Outcome::Won { left: 8 });
    assert_eq!(app.store.healed(&DEDUCT).await, Ok(1));
}
