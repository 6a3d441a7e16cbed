//! Mistakes seen in public flash-sale projects, those that coupons could make.

use super::{claim, coupons, give_back, limits, redeem, refused, terms, with_sale, won};
use crate::support::{app::TestApp, redis::TestRedis};
use engine::coupon::scripts::CLAIM;
use futures::future::join_all;
use model::{
    Verdict,
    coupon::{CouponState, End, LimitName, Outcome},
};

/// Mistake 1: stock deducted before the duplicate check. A double click takes one coupon.
#[tokio::test]
async fn a_double_click_takes_one_coupon() {
    let (_redis, _app, sales) = with_sale(terms(limits(2, 0, 0))).await;
    let clicks = join_all((0..50).map(|_| claim(&sales, "ann", "1"))).await;
    let won = clicks.iter().filter(|outcome| matches!(outcome, Outcome::Won { .. })).count();
    let repeats = clicks.iter().filter(|outcome| matches!(outcome, Outcome::Repeat { .. })).count();
    assert_eq!((won, repeats), (1, 49));
    let left = sales.user("s", "bob".to_owned()).await.expect("a user").left.total;
    assert_eq!(left, Some(1));
}

/// Mistake 4: a cancellation replayed restores stock twice.
#[tokio::test]
async fn giving_back_again_frees_no_second_place() {
    let (_redis, _app, sales) = with_sale(terms(limits(2, 0, 0))).await;
    let code = won(&sales, "ann", "1").await;
    won(&sales, "bob", "2").await;
    let answers =
        join_all((0..20).map(|nth| give_back(&sales, &code, if nth % 2 == 0 { "same" } else { "other" }))).await;
    assert_eq!(answers.iter().filter(|end| matches!(end, End::Returned(_))).count(), 1);
    won(&sales, "cid", "3").await;
    assert_eq!(refused(&sales, "dan", "4").await.0, LimitName::Total);
}

/// Mistake 5: cancel and pay under different locks. Whoever redeems and whoever gives back, one of them does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_redeeming_and_giving_back_one_happens() {
    let (_redis, _app, sales) = with_sale(terms(limits(0, 0, 0))).await;
    for nth in 0..50 {
        let code = won(&sales, "ann", &nth.to_string()).await;
        let (redeemed, returned) = futures::join!(redeem(&sales, &code, "r"), give_back(&sales, &code, "b"));
        match (redeemed, returned) {
            (End::Redeemed(_), End::AlreadyRedeemed(_)) | (End::AlreadyReturned(_), End::Returned(_)) => {}
            both => panic!("{both:?}"),
        }
    }
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Mistake 7: an error cached under a key shared by all. One refused user refuses nobody else.
#[tokio::test]
async fn one_users_refusal_is_nobody_elses() {
    let (_redis, _app, sales) = with_sale(terms(limits(9, 1, 0))).await;
    won(&sales, "ann", "1").await;
    assert_eq!(refused(&sales, "ann", "2").await.0, LimitName::PerUser);
    won(&sales, "bob", "3").await;
}

/// Mistake 10: "already claimed" and "sold out" answered alike.
#[tokio::test]
async fn already_claimed_and_sold_out_are_two_answers() {
    let (_redis, _app, sales) = with_sale(terms(limits(1, 1, 0))).await;
    let code = won(&sales, "ann", "1").await;
    assert_eq!(claim(&sales, "ann", "1").await, Outcome::Repeat { code, state: CouponState::Claimed });
    assert_eq!(refused(&sales, "bob", "2").await.0, LimitName::Total);
}

/// Mistake 15: SCRIPT FLUSH in the middle of a sale reaches the user.
#[tokio::test]
async fn a_forgotten_script_is_sent_again_by_the_same_call() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = coupons(&app);
    sales.open(terms(limits(9, 0, 0))).await.expect("a sale");
    redis.raw().await.run::<String>("SCRIPT", "FLUSH").await;
    let code = won(&sales, "ann", "1").await;
    assert!(matches!(redeem(&sales, &code, "r").await, End::Redeemed(_)));
    assert_eq!(app.store.healed(&CLAIM).await, Ok(1));
}
