//! Redis has lost a sale: it is rebuilt from the ledger, and continues.

use super::{claim, coupons, give_back, limits, move_to, redeem, refused, terms, void, won};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::{
    coupon::{
        scripts::{CouponRecord, PARTS, key},
        service::Coupons,
    },
    kind::KindService,
};
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    coupon::{End, LimitName, LimitsSet, Outcome, State, Terms, Validity},
    error::Code,
};
use sqlx::Executor;
use std::collections::BTreeMap;

type Hash = BTreeMap<String, Vec<u8>>;

/// All that stands in Redis of the sale, but its streams. Coupons are compared by content, not by bytes.
async fn stored(redis: &Raw) -> (Hash, Hash, Hash, BTreeMap<String, CouponRecord>) {
    let mut meta: Hash = redis.run("HGETALL", key("s", "meta")).await;
    // A recovery begins another generation.
    meta.retain(|name, _| name != "generation" && name != "recent");
    let mut stats: Hash = redis.run("HGETALL", key("s", "stats")).await;
    // Counts of what changed nothing begin anew.
    stats.retain(|name, _| ["won", "redeemed", "returned", "voided"].contains(&name.as_str()));
    let coupons: Hash = redis.run("HGETALL", key("s", "coupons")).await;
    let coupons = coupons.into_iter().map(|(code, record)| (code, rmp_serde::from_slice(&record).expect("a record")));
    (meta, stats, redis.run("HGETALL", key("s", "counts")).await, coupons.collect())
}

/// A sale with a past of two days, all of it in the ledger.
async fn with_past(given_back_counts: bool) -> (TestRedis, Raw, TestApp, Coupons) {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = coupons(&app);
    let validity = Validity { valid_from: Some(START), valid_until: None };
    let terms = Terms { time_zone: "Europe/Berlin".to_owned(), given_back_counts, validity, ..terms(limits(50, 9, 3)) };
    sales.open(terms).await.expect("a sale");
    for day in 0..2_i64 {
        move_to(&app, START + day * 86_400_000);
        for user in ["ann", "bob", "小梅"] {
            let one = won(&sales, user, &format!("{user}-{day}-1")).await;
            let two = won(&sales, user, &format!("{user}-{day}-2")).await;
            redeem(&sales, &one, "r").await;
            match user {
                "ann" => drop(void(&sales, &one, "r").await),
                "bob" => {
                    void(&sales, &one, "r").await;
                    redeem(&sales, &one, "r2").await;
                }
                _ => {}
            }
            if user != "bob" {
                give_back(&sales, &two, "b").await;
            }
        }
        sales.set_limits("s", limits(40, 0, 2), &[], None).await.expect("set");
    }
    app.writer("one").catch_up().await.expect("the ledger");
    (redis, raw, app, sales)
}

async fn lose(redis: &Raw) {
    redis.run::<i64>("DEL", PARTS.map(|part| key("s", part)).to_vec()).await;
}

#[tokio::test]
async fn everything_stands_as_before() {
    for given_back_counts in [false, true] {
        let (_redis, raw, app, sales) = with_past(given_back_counts).await;
        let before = stored(&raw).await;
        lose(&raw).await;
        assert_eq!(sales.snapshot("s").await.map_err(|error| error.code).err(), Some(Code::SaleLost));
        let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
        assert_eq!((recovered.won, recovered.conflicts, recovered.unseen), (12, vec![], 0));
        // Of 40, four were given back.
        assert_eq!(recovered.waiting, if given_back_counts { 28 } else { 32 });
        assert_eq!(stored(&raw).await, before);
        assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
        // Requests get their answers, and the limits go on counting.
        assert!(matches!(claim(&sales, "ann", "ann-0-1").await, Outcome::Repeat { .. }));
        assert_eq!(refused(&sales, "bob", "new").await.0, LimitName::PerUserPerDay);
        app.writer("one").catch_up().await.expect("the ledger");
        assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
        let living = sales.recover("s", DeadLetters::Refuse).await.expect_err("it lives");
        assert_eq!(living.code, Code::SaleExists);
    }
}

/// What the ledger never saw is gone; the same request gets the same code once more.
#[tokio::test]
async fn a_claim_that_was_lost_gets_its_code_again() {
    let (_redis, raw, _app, sales) = with_past(false).await;
    let lost = won(&sales, "cid", "late").await;
    lose(&raw).await;
    sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(claim(&sales, "cid", "late").await, Outcome::Won { code: lost });
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// An edit that is sent again, after another one and a recovery, does not undo that one.
#[tokio::test]
async fn an_edit_of_limits_happens_once() {
    let (_redis, raw, app, sales) = with_past(false).await;
    let set = async |total: u64, request: &str| {
        sales.set_limits("s", limits(total, 0, 0), &[], Some(request.to_owned())).await
    };
    let first = limits(31, 9, 2);
    assert_eq!(set(31, "a").await, Ok(LimitsSet::Set { limits: first }));
    assert_eq!(set(32, "b").await, Ok(LimitsSet::Set { limits: limits(32, 9, 2) }));
    app.writer("one").catch_up().await.expect("the ledger");
    for is_lost in [false, true] {
        if is_lost {
            let before = stored(&raw).await;
            lose(&raw).await;
            sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
            assert_eq!(stored(&raw).await, before);
        }
        assert_eq!(set(31, "a").await, Ok(LimitsSet::Repeat { limits: first }));
        let reused = set(33, "a").await.expect_err("another edit");
        assert_eq!((reused.code, reused.field.as_deref()), (Code::RequestReused, Some("request_id")));
        assert_eq!(sales.snapshot("s").await.expect("a snapshot").limits, limits(32, 9, 2));
    }
    let known = app.ledger.sale("coupon", "s").await.expect("the ledger").expect("a sale");
    let (number, upto) = (known.number, known.position.event_id);
    let rows = app.ledger.order_rows_between(number, "limits", Default::default(), upto, 9).await.expect("rows");
    let last = rows.last().expect("a row");
    assert_eq!((last.request_id.as_deref(), last.requested.as_deref()), (Some("b"), Some("total=32")));
}

#[tokio::test]
async fn a_closed_sale_comes_back_closed() {
    let (_redis, raw, app, sales) = with_past(false).await;
    let code = won(&sales, "cid", "c").await;
    sales.close("s").await.expect("closed");
    app.writer("one").catch_up().await.expect("the ledger");
    let before = stored(&raw).await;
    lose(&raw).await;
    sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(stored(&raw).await, before);
    assert!(matches!(claim(&sales, "dan", "d").await, Outcome::Closed { .. }));
    assert!(matches!(redeem(&sales, &code, "r").await, End::Redeemed(_)));
    assert_eq!(sales.set_limits("s", limits(1, 0, 0), &[], None).await, Ok(LimitsSet::Closed));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").state, State::Closed);
}

/// A request that is sent again after Redis has lost it gets the same code, and is in the ledger twice.
#[tokio::test]
async fn a_claim_that_was_confirmed_twice_is_no_conflict() {
    let (redis, raw, _app, sales) = with_past(false).await;
    let again =
        "INSERT INTO history (event_ms, event_seq, sale_no, place, at, kind, outcome, user_id, request_id, item, cents)
        SELECT event_ms, event_seq, sale_no, place + 1000, at, kind, outcome, user_id, request_id, item, cents FROM history
        WHERE request_id = 'bob-0-1' OR outcome = 'redeemed' AND user_id = 'bob'";
    sqlite(redis.folder()).await.execute(again).await.expect("inserted");
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.conflicts), (12, vec![]));
}

/// What was claimed after Redis had lost other claims can be beyond a limit: it stays, and is named.
#[tokio::test]
async fn claims_beyond_a_limit_are_named() {
    let (redis, raw, _app, sales) = with_past(false).await;
    let lowered = "UPDATE history SET item = 'total=7 per_user=none per_user_per_day=none' WHERE outcome = 'limits'";
    sqlite(redis.folder()).await.execute(lowered).await.expect("updated");
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    // Six on the first day, of which two were given back; of six on the second, three are within, and the fourth is again
    // after one was given back.
    assert_eq!(recovered.won, 12);
    assert!(!recovered.conflicts.is_empty(), "{recovered:?}");
    assert!(recovered.conflicts.iter().all(|line| line.contains("the limit total allowed no more")), "{recovered:?}");
}

/// Rows that contradict each other: the earlier one stands.
#[tokio::test]
async fn conflicts_are_settled_by_the_earlier_row_and_named() {
    let (redis, raw, _app, sales) = with_past(false).await;
    let held = sales.user("s", "bob".to_owned()).await.expect("a user");
    let (kept, redeemed) = (&held.coupons[0].code, &held.coupons[1].code);
    let mut ledger = sqlite(redis.folder()).await;
    // Another user was confirmed the same coupon later, and one that was redeemed was given back.
    for sql in [
        format!(
            "UPDATE history SET item = '{kept}' WHERE outcome = 'won' AND user_id = '小梅' AND request_id = '小梅-1-2'"
        ),
        format!(
            "UPDATE history SET item = '{redeemed}' WHERE outcome = 'returned' AND user_id = '小梅' AND item = (
            SELECT max(item) FROM history WHERE outcome = 'returned' AND user_id = '小梅')"
        ),
    ] {
        ledger.execute(sqlx::AssertSqlSafe(sql)).await.expect("updated");
    }
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert!(
        recovered.conflicts.iter().any(|line| line.contains(kept) && line.contains("stays with bob")),
        "{recovered:?}"
    );
    assert!(
        recovered.conflicts.iter().any(|line| line.contains(redeemed) && line.contains("redeemed")),
        "{recovered:?}"
    );
    assert_eq!(recovered.won, 11);
    assert!(matches!(redeem(&sales, kept, "r2").await, End::Redeemed(coupon) if coupon.user == "bob"));
}

/// The user has redeemed it, and must not do so once more.
#[tokio::test]
async fn a_coupon_whose_claim_is_lost_stays_redeemed() {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = coupons(&app);
    sales.open(terms(limits(50, 9, 3))).await.expect("a sale");
    app.writer("one").catch_up().await.expect("the ledger");
    let code = won(&sales, "ann", "r").await;
    let entry = raw.last_entry(&key("s", "events")).await.expect("the claim");
    raw.run::<i64>("XDEL", (key("s", "events"), entry)).await;
    redeem(&sales, &code, "e").await;
    app.writer("one").catch_up().await.expect("the ledger");
    lose(&raw).await;
    let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!((recovered.won, recovered.conflicts.len()), (1, 1), "{recovered:?}");
    assert!(recovered.conflicts[0].contains(&code), "{recovered:?}");
    let again = sales.redeem("s", &code, Some("f".to_owned())).await;
    assert!(matches!(again, Ok(End::AlreadyRedeemed(_))), "{again:?}");
    assert!(matches!(claim(&sales, "ann", "r").await, Outcome::Repeat { .. }));
    // The ledger never saw it claimed, so what it has of it stays unaccounted for.
    app.writer("one").catch_up().await.expect("the ledger");
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Broken, "{audit:?}");
}
