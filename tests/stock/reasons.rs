//! The reasons that operators give for taking units back, and for confirming reservations.

use super::{catch_up, deduct, stock, terms, with_sale};
use crate::support::{app::TestApp, redis::TestRedis};
use engine::stock::scripts::KIND;
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    ledger::Search,
    stock::{ConfirmAnswer, Confirmed, GivenBack, Item, ItemsConfirmed, Return, ReturnAnswer, Terms},
};

/// The rows of a sale that have a reason, in short and oldest first: outcome, request, units, reason.
async fn reasons(app: &TestApp, sale: &str) -> Vec<String> {
    let search = Search { sale: Some(sale.to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 100, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let rows = rows.into_iter().filter_map(|row| Some((row.outcome, row.request_id?, row.item?, row.reason?)));
    rows.map(|(outcome, request, units, reason)| format!("{outcome} {request} {units} {reason}")).collect()
}

fn all_of(request: &str, why: &str) -> Return {
    Return { reason: why.to_owned(), ..Return::of_all(request.to_owned()) }
}

#[tokio::test]
async fn a_reason_is_in_the_row_of_its_request_alone_and_outlives_a_recovery() {
    let (redis, app, sales) = with_sale(Terms { hold_s: Some(60), ..terms(20) }).await;
    for nth in 1..=4 {
        deduct(&sales, "ann", &nth.to_string(), 3).await;
    }
    let confirm = async |request: &str, why: &str| sales.confirm("s", why.to_owned(), request.to_owned()).await;
    // The first leaves at once, and the others leave together once it is back.
    let confirmed = join_all([confirm("1", ""), confirm("2", "Paid in cash"), confirm("3", "")]).await;
    assert!(confirmed.iter().all(|answer| matches!(answer, Ok(Confirmed::Confirmed { .. }))), "{confirmed:?}");
    assert!(matches!(confirm("2", "Another").await, Ok(Confirmed::Repeat { .. })));
    let part = Return { quantity: Some(1), return_id: Some("a".to_owned()), ..all_of("2", "One is broken") };
    let backs = [part.clone(), all_of("1", ""), all_of("4", "雨天")].map(|back| sales.give_back("s", back));
    let backs = join_all(backs).await;
    assert!(backs.iter().all(|answer| matches!(answer, Ok(GivenBack::Returned { .. }))), "{backs:?}");
    let again = sales.give_back("s", Return { reason: "Another".to_owned(), ..part }).await;
    assert!(matches!(again, Ok(GivenBack::Repeat { .. })), "{again:?}");
    catch_up(&app).await;
    let expected = ["confirmed 2 3 Paid in cash", "returned 2 1 One is broken", "returned 4 3 雨天"];
    assert_eq!(reasons(&app, "s").await, expected);

    redis.raw().await.run::<()>("FLUSHALL", "SYNC").await;
    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(reasons(&app, "s").await, expected);
    let audit = stock(&app).audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn what_is_done_to_several_sales_has_its_reason_in_each() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = stock(&app);
    let ids = ["a", "b"].map(str::to_owned);
    for sale in ids.clone() {
        let terms = Terms { sale, group: Some("g".to_owned()), hold_s: Some(60), ..terms(10) };
        sales.open(terms).await.expect("a sale");
    }
    for request in ["1", "2"] {
        let items = ids.clone().map(|sale| Item { sale, quantity: 2 }).to_vec();
        sales.deduct_items(items, "ann".to_owned(), Some(request.to_owned())).await.expect("an answer");
    }
    let confirmed = sales.confirm_items(&ids, "Paid in cash".to_owned(), "1".to_owned()).await;
    assert!(matches!(confirmed, Ok(ConfirmAnswer::Items { outcome: ItemsConfirmed::Confirmed, .. })), "{confirmed:?}");
    let confirmed = sales.confirm_items(&ids, String::new(), "2".to_owned()).await;
    assert!(matches!(confirmed, Ok(ConfirmAnswer::Items { outcome: ItemsConfirmed::Confirmed, .. })), "{confirmed:?}");
    let back = sales.give_back_items(&ids, all_of("1", "Wrong size")).await;
    assert!(matches!(back, Ok(ReturnAnswer::Items { .. })), "{back:?}");
    catch_up(&app).await;
    for sale in &ids {
        assert_eq!(reasons(&app, sale).await, ["confirmed 1 2 Paid in cash", "returned 1 2 Wrong size"], "{sale}");
        let audit = sales.audit(sale).await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    }
}
