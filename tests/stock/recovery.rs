//! Redis has lost a sale: it is rebuilt from the ledger, and continues.

use super::{cached, catch_up, deduct, give_back, stock, terms};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    proxy::{FaultProxy, Hold},
    redis::{Raw, TestRedis},
};
use engine::{
    kind::KindService,
    stock::{
        scripts::{OPEN, PARTS, RequestRecord, key},
        service::Stock,
    },
};
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::Code,
    stock::{Adjusted, DeductionState, GivenBack, Outcome, State, Terms},
};
use sqlx::Executor;
use std::collections::BTreeMap;

type Hash = BTreeMap<String, Vec<u8>>;

/// All that stands in Redis of the sale, but its streams and its cache.
async fn stored(redis: &Raw) -> (Hash, Hash, BTreeMap<String, RequestRecord>) {
    let mut meta: Hash = redis.run("HGETALL", key("s", "meta")).await;
    // A recovery begins another generation, and loads anew.
    meta.retain(|name, _| !["generation", "recent", "rebuilds"].contains(&name.as_str()));
    let mut stats: Hash = redis.run("HGETALL", key("s", "stats")).await;
    // Counts of what changed nothing begin anew.
    stats.retain(|name, _| {
        ["won", "deducted", "returned", "restocked", "corrected", "crossings"].contains(&name.as_str())
    });
    let requests: Hash = redis.run("HGETALL", key("s", "requests")).await;
    let requests = requests.into_iter().map(|(id, record)| (id, rmp_serde::from_slice(&record).expect("a record")));
    (meta, stats, requests.collect())
}

/// A sale with a past, all of it in the ledger: 1,000 opened, 60 deducted, 20 given back, 7 added, 2 found missing.
async fn with_past() -> (TestRedis, Raw, TestApp, Stock) {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = stock(&app);
    sales.open(Terms { low_mark: Some(950), ..terms(1_000) }).await.expect("a sale");
    for nth in 0..6 {
        deduct(&sales, if nth % 2 == 0 { "ann" } else { "小梅" }, &nth.to_string(), 10).await;
    }
    give_back(&sales, "0").await;
    give_back(&sales, "1").await;
    sales.restock("s", 7, Some("a".to_owned())).await.expect("restocked");
    sales.correct("s", 965, Some(967), Some("c".to_owned())).await.expect("corrected");
    catch_up(&app).await;
    (redis, raw, app, sales)
}

async fn lose(redis: &Raw) {
    redis.run::<i64>("DEL", PARTS.map(|part| key("s", part)).to_vec()).await;
}

#[tokio::test]
async fn everything_stands_as_before() {
    let (_redis, raw, app, sales) = with_past().await;
    let before = stored(&raw).await;
    lose(&raw).await;
    assert_eq!(sales.snapshot("s").await.map_err(|error| error.code).err(), Some(Code::SaleLost));
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting, recovered.conflicts, recovered.unseen), (6, 965, vec![], 0));
    assert_eq!(stored(&raw).await, before);
    assert_eq!(cached(&raw).await, None, "it is loaded by the first who wants some");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    // Requests get their answers, and the quantity goes on.
    assert_eq!(
        deduct(&sales, "ann", "2", 10).await,
        Outcome::Repeat { left: 970, state: DeductionState::Deducted, due: None }
    );
    assert!(matches!(give_back(&sales, "0").await, GivenBack::Repeat { .. }));
    assert_eq!(sales.restock("s", 7, Some("a".to_owned())).await, Ok(Adjusted::Repeat { left: 967, change: 7 }));
    assert_eq!(deduct(&sales, "ann", "new", 5).await, Outcome::Won { left: 960 });
    // And once more before the ledger has anything of the new generation, and after.
    for left in [959, 958] {
        sales.expire("s").await.expect("expired");
        assert_eq!(deduct(&sales, "ann", &left.to_string(), 1).await, Outcome::Won { left });
        catch_up(&app).await;
    }
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").ledger, Some(958));
    assert_eq!(sales.recover("s", DeadLetters::Refuse).await.expect_err("it lives").code, Code::SaleExists);
}

/// What the ledger never saw is gone, and the same request tries again.
#[tokio::test]
async fn what_the_ledger_never_saw_is_there_again() {
    let (_redis, raw, _app, sales) = with_past().await;
    assert_eq!(deduct(&sales, "cid", "late", 5).await, Outcome::Won { left: 960 });
    lose(&raw).await;
    sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(deduct(&sales, "cid", "late", 5).await, Outcome::Won { left: 960 });
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_closed_sale_comes_back_closed() {
    let (_redis, raw, app, sales) = with_past().await;
    sales.close("s").await.expect("closed");
    catch_up(&app).await;
    let before = stored(&raw).await;
    lose(&raw).await;
    sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(stored(&raw).await, before);
    assert!(matches!(deduct(&sales, "dan", "d", 1).await, Outcome::Closed { .. }));
    assert!(matches!(give_back(&sales, "2").await, GivenBack::Returned { .. }));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").state, State::Closed);
}

/// Rows that contradict each other: the earlier one stands.
#[tokio::test]
async fn conflicts_are_settled_by_the_earlier_row_and_named() {
    let (redis, raw, _app, sales) = with_past().await;
    let mut ledger = sqlite(redis.folder()).await;
    ledger.execute("UPDATE history SET request_id = '2' WHERE request_id = '3'").await.expect("updated");
    ledger
        .execute("UPDATE history SET request_id = '0', user_id = 'ann' WHERE request_id = '1' AND outcome = 'returned'")
        .await
        .expect("updated");
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert!(recovered.conflicts.iter().any(|line| line.contains("request 2 of ann stands")), "{recovered:?}");
    assert!(recovered.conflicts.iter().any(|line| line.contains("request 0 of ann stays given back")), "{recovered:?}");
}

/// What two Redis servers have sold is more than there was: it stays sold, and who got what was no longer there is named.
#[tokio::test]
async fn what_was_sold_twice_is_named() {
    let (redis, raw, _app, sales) = with_past().await;
    let more = "UPDATE history SET item = '981' WHERE request_id = '2' AND outcome = 'won'";
    sqlite(redis.folder()).await.execute(more).await.expect("updated");
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(
        recovered.conflicts,
        [
            "request 2 of ann was confirmed, though only 980 were left",
            "request 3 of 小梅 was confirmed, though only 0 were left",
            "request 4 of ann was confirmed, though only 0 were left",
            "request 5 of 小梅 was confirmed, though only 0 were left",
            "request c was confirmed, though only 0 were left",
        ]
    );
    assert_eq!(deduct(&sales, "dan", "d", 1).await, Outcome::NotEnough { left: 0 });
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Broken);
    // What is delivered is added to what is missing, and a count sets it right.
    let oversold = async || sales.snapshot("s").await.expect("a snapshot").oversold;
    assert_eq!(oversold().await, 6);
    let negative = async || sales.audit("s").await.expect("an audit").excess("negative");
    let before = negative().await;
    assert_eq!(sales.restock("s", 5, None).await, Ok(Adjusted::Restocked { left: 0, change: 5 }));
    assert_eq!(oversold().await, 1);
    assert_eq!(negative().await, before, "a delivery takes nothing");
    assert_eq!(sales.correct("s", 3, Some(-1), None).await, Ok(Adjusted::Corrected { left: 3, change: 4 }));
    assert_eq!(deduct(&sales, "dan", "d", 3).await, Outcome::Won { left: 0 });
}

/// Somebody has deleted the entry of a deduction by hand before it was recorded; then it is given back.
#[tokio::test]
async fn what_was_given_back_without_its_deduction_stays_given_back() {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = stock(&app);
    sales.open(terms(100)).await.expect("a sale");
    deduct(&sales, "ann", "r", 10).await;
    let deduction = raw.last_entry(&key("s", "events")).await.expect("the deduction");
    raw.run::<i64>("XDEL", (key("s", "events"), deduction)).await;
    assert!(matches!(give_back(&sales, "r").await, GivenBack::Returned { .. }));
    catch_up(&app).await;
    lose(&raw).await;
    sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert!(matches!(give_back(&sales, "r").await, GivenBack::Repeat { .. }), "once");
    let again = sales.deduct("s", "ann".into(), 10, Some("r".to_owned())).await;
    assert!(matches!(again, Ok(Outcome::Repeat { .. })), "{again:?}");
}

/// A server opens it that has asked before whether the id is free: there is no more of it for being opened twice.
#[tokio::test]
async fn what_is_opened_anew_after_it_was_lost_is_recovered_as_it_was() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let other = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    let (sales, stalled) = (stock(&app), stock(&other));
    wire.hold(Hold::Command, OPEN.sha());
    let late = tokio::spawn(async move { stalled.open(terms(10)).await.map(drop) });
    wire.holds().await;
    sales.open(terms(10)).await.expect("a sale");
    deduct(&sales, "ann", "r", 4).await;
    catch_up(&app).await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
    wire.heal();
    assert_eq!(late.await.expect("an end").expect_err("it is lost").code, Code::SaleSuspended);
    catch_up(&app).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.waiting), (1, 6));
    catch_up(&app).await;
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}
