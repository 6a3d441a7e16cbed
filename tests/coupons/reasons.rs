//! The reasons that operators give for taking coupons and redemptions back.

use super::{coupons, limits, redeem, terms, with_sale, won};
use crate::support::app::TestApp;
use engine::coupon::scripts::KIND;
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    coupon::{End, List, Lists, Part, Terms},
    ledger::Search,
};

/// The rows that have a reason, in short and oldest first: outcome, code, reason.
async fn reasons(app: &TestApp) -> Vec<String> {
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 100, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let rows = rows.into_iter().filter_map(|row| Some((row.outcome, row.item?, row.reason?)));
    rows.map(|(outcome, code, reason)| format!("{outcome} {code} {reason}")).collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn a_reason_is_in_the_row_of_its_coupon_alone_and_outlives_a_recovery() {
    let (redis, app, sales) = with_sale(terms(limits(10, 0, 0))).await;
    let mut codes = Vec::new();
    for nth in 1..=4 {
        codes.push(won(&sales, "ann", &format!("r{nth}")).await);
    }
    // The first leaves at once, and the others leave together once it is back.
    let whys = ["", "", "A friend is ill", ""];
    let backs = codes.iter().zip(whys).map(|(code, why)| sales.give_back("s", code, text(why), Some(text("b"))));
    for answer in join_all(backs).await {
        assert!(matches!(answer, Ok(End::Returned(_))), "{answer:?}");
    }
    let again = sales.give_back("s", &codes[2], text("Another"), Some(text("b"))).await;
    assert!(matches!(again, Ok(End::Repeat(_))), "{again:?}");
    let redeemed = won(&sales, "bob", "r5").await;
    redeem(&sales, &redeemed, "till").await;
    let voided = sales.void("s", &redeemed, text("雨天"), text("till")).await;
    assert!(matches!(voided, Ok(End::Voided(_))), "{voided:?}");
    let again = sales.void("s", &redeemed, text("Another"), text("till")).await;
    assert!(matches!(again, Ok(End::Repeat(_))), "{again:?}");
    app.writer("one").catch_up().await.expect("the ledger");
    let expected = [format!("returned {} A friend is ill", codes[2]), format!("voided {redeemed} 雨天")];
    assert_eq!(reasons(&app).await, expected);

    redis.raw().await.run::<()>("FLUSHALL", "SYNC").await;
    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(reasons(&app).await, expected);
    let audit = coupons(&app).audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

/// The row has the code as it is spelled.
#[tokio::test]
async fn an_own_code_is_given_back_for_a_reason() {
    let own = Terms { lists: Lists::of(1, 0), ..terms(limits(10, 0, 0)) };
    let (_redis, app, sales) = with_sale(own).await;
    let part = Part { list: List::Codes, first: 1, entries: vec![text("Summer-26")] };
    sales.upload("s", part).await.expect("uploaded");
    let code = won(&sales, "ann", "r1").await;
    let back = sales.give_back("s", "SUMMER26", text("Wrong shop"), None).await;
    assert!(matches!(back, Ok(End::Returned(_))), "{back:?}");
    app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(reasons(&app).await, [format!("returned {code} Wrong shop")]);
}
