//! Stock through the service: attempts, changes in the middle of a sale, racing users, two servers.

use super::{cached, catch_up, deduct, give_back, stock, terms, with_sale};
use crate::support::{app::TestApp, redis::TestRedis, sale::START};
use engine::{kind::KindService, stock::scripts::key};
use futures::future::join_all;
use model::{
    SaleState, Verdict,
    closing::Closed,
    error::Code,
    ledger::Search,
    snapshot::SaleSnapshot,
    stock::{Adjusted, DeductionState, Expired, GivenBack, MAX_IN_ALL, Outcome, Paused, Terms},
};

#[tokio::test]
async fn an_attempt_gets_all_that_it_wants_or_nothing() {
    let (_redis, _app, sales) = with_sale(terms(10)).await;
    assert_eq!(deduct(&sales, "ann", "1", 3).await, Outcome::Won { left: 7 });
    assert_eq!(
        deduct(&sales, "ann", "1", 3).await,
        Outcome::Repeat { left: 7, state: DeductionState::Deducted, due: None }
    );
    assert_eq!(deduct(&sales, "bob", "2", 8).await, Outcome::NotEnough { left: 7 });
    assert_eq!(deduct(&sales, "bob", "2", 7).await, Outcome::Won { left: 0 }, "a refusal is not kept");
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.sale_state(), snapshot.cached, snapshot.left), (SaleState::SoldOut, Some(0), 0));
    assert_eq!((snapshot.outcomes.won, snapshot.outcomes.repeat, snapshot.outcomes.not_enough), (2, 1, 1));
    let latest: Vec<_> = snapshot.latest.iter().map(|deduction| (deduction.quantity, deduction.left)).collect();
    assert_eq!((latest, snapshot.declined.len()), (vec![(7, 0), (3, 7)], 2));
}

#[tokio::test]
async fn a_request_id_belongs_to_one_user_and_quantity() {
    let (_redis, _app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 3).await;
    for (user, quantity) in [("bob", 3), ("ann", 4)] {
        let error = sales.deduct("s", user.to_owned(), quantity, Some("1".to_owned())).await.expect_err("no outcome");
        assert_eq!(
            (error.code, error.code.status(), error.field.as_deref()),
            (Code::RequestReused, 409, Some("request_id"))
        );
    }
    let error = sales.restock("s", 3, Some("1".to_owned())).await.expect_err("no restock");
    assert_eq!(error.code, Code::RequestReused);
}

#[tokio::test]
async fn a_failed_order_gives_back_once() {
    let (_redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 4).await;
    let user = || "ann".to_owned();
    assert_eq!(give_back(&sales, "1").await, GivenBack::Returned { user: user(), quantity: 4, kept: 0 });
    assert_eq!(give_back(&sales, "1").await, GivenBack::Repeat { user: user(), quantity: 4, kept: 0 });
    assert_eq!(give_back(&sales, "2").await, GivenBack::UnknownRequest);
    assert_eq!(deduct(&sales, "bob", "3", 10).await, Outcome::Won { left: 0 });
    catch_up(&app).await;
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn the_ledger_has_every_change_and_what_is_left() {
    let (_redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 4).await;
    give_back(&sales, "1").await;
    assert_eq!(sales.restock("s", 5, Some("a".to_owned())).await, Ok(Adjusted::Restocked { left: 15, change: 5 }));
    assert_eq!(
        sales.correct("s", 12, None, Some("b".to_owned())).await,
        Ok(Adjusted::Corrected { left: 12, change: -3 })
    );
    let before = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((before.ledger, before.pending), (Some(0), Some(12)));
    catch_up(&app).await;
    let after = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((after.ledger, after.pending, after.cached), (Some(12), Some(0), Some(12)));
    assert_eq!(app.ledger.sale("stock", "s").await.expect("the ledger").expect("a sale").quantity, 12);
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 10, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let rows: Vec<(&str, Option<&str>)> = rows.iter().map(|row| (row.outcome.as_str(), row.item.as_deref())).collect();
    assert_eq!(
        rows,
        [
            ("opened", Some("10")),
            ("won", Some("4")),
            ("returned", Some("4")),
            ("restocked", Some("5")),
            ("corrected", Some("-3")),
        ]
    );
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_change_to_more_than_a_sale_may_have_is_refused() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    redis.raw().await.run::<i64>("HSET", (key("s", "meta"), "sum", MAX_IN_ALL - 5)).await;
    let restocked = sales.restock("s", 6, None).await.expect_err("too much");
    let corrected = sales.correct("s", 7, Some(1), None).await.expect_err("too much");
    for error in [restocked, corrected] {
        // By no field: each number is right by itself.
        assert_eq!((error.code, error.field), (Code::BadRequest, None));
        assert!(error.message.contains("nothing was changed"), "{}", error.message);
        assert!(error.message.contains("more than 9007199254740991"), "{}", error.message);
    }
    let change = Adjusted::Restocked { left: MAX_IN_ALL, change: 5 };
    assert_eq!(sales.restock("s", 5, None).await, Ok(change));
}

#[tokio::test]
async fn a_closed_sale_gives_nothing_and_takes_back_everything() {
    let (_redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 4).await;
    app.time.advance(7);
    assert_eq!(sales.close("s").await, Ok(Closed::Closed));
    assert_eq!(sales.close("s").await, Ok(Closed::Repeat));
    assert_eq!(deduct(&sales, "bob", "2", 1).await, Outcome::Closed { closed_at: START + 7 });
    assert_eq!(
        deduct(&sales, "ann", "1", 4).await,
        Outcome::Repeat { left: 6, state: DeductionState::Deducted, due: None }
    );
    assert_eq!(sales.restock("s", 5, None).await, Ok(Adjusted::Closed));
    assert!(matches!(give_back(&sales, "1").await, GivenBack::Returned { .. }));
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn the_low_mark_is_shown_while_it_is_low() {
    let (_redis, _app, sales) = with_sale(Terms { low_mark: Some(5), ..terms(10) }).await;
    deduct(&sales, "ann", "1", 4).await;
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").crossings, 0);
    deduct(&sales, "ann", "2", 2).await;
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.crossings, snapshot.low_at, snapshot.low_mark), (1, Some(START), Some(5)));
}

/// Pausing the writer of one sale keeps none of the others from the ledger, and ends by itself.
#[tokio::test]
async fn a_paused_ledger_falls_behind_and_heals() {
    let (redis, app, sales) = with_sale(terms(10)).await;
    sales.open(Terms { sale: "other".to_owned(), ..terms(5) }).await.expect("another sale");
    catch_up(&app).await;
    assert_eq!(sales.pause("s", 30).await, Ok(Paused::Paused { seconds: 30 }));
    deduct(&sales, "ann", "1", 4).await;
    sales.deduct("other", "ann".to_owned(), 2, None).await.expect("an outcome");
    catch_up(&app).await;
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.cached, snapshot.ledger, snapshot.pending), (Some(6), Some(10), Some(-4)));
    assert!(snapshot.paused_ms.is_some_and(|ms| (1..=30_000).contains(&ms)), "{:?}", snapshot.paused_ms);
    assert_eq!(sales.snapshot("other").await.expect("a snapshot").ledger, Some(3));
    // What has expired meanwhile comes back exactly.
    assert_eq!(sales.expire("s").await, Ok(Expired::Expired));
    assert_eq!(sales.expire("s").await, Ok(Expired::NotCached));
    assert_eq!(deduct(&sales, "bob", "2", 1).await, Outcome::Won { left: 5 });
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    // The pause is a key that expires.
    let ttl: i64 = redis.raw().await.run("TTL", "{stock:s}:paused").await;
    assert!((1..=30).contains(&ttl), "{ttl}");
    assert_eq!(sales.pause("s", 0).await, Ok(Paused::Resumed));
    catch_up(&app).await;
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.ledger, snapshot.pending, snapshot.paused_ms), (Some(5), Some(0), None));
}

/// A key that lives longer than any pause lasts was set before Redis' clock went back: the ledger goes on.
#[tokio::test]
async fn a_clock_that_goes_back_makes_no_pause_longer() {
    let (redis, app, sales) = with_sale(terms(10)).await;
    sales.pause("s", 60).await.expect("paused");
    redis.raw().await.run::<i64>("PEXPIRE", ("{stock:s}:paused", 3_000_000)).await;
    catch_up(&app).await;
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.ledger, snapshot.paused_ms), (Some(10), None));
}

/// Two servers, whose requests come in batches, share the quantity, while it expires again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_users_at_two_servers_get_no_more_than_there_is() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [stock(&apps[0]), stock(&apps[1])];
    servers[0].open(terms(1_500)).await.expect("a sale");
    let attempts = (0..2_000_usize).map(|nth| {
        let sales = servers[nth % 2].clone();
        async move {
            if nth % 97 == 0 {
                sales.expire("s").await.expect("expired");
            }
            let quantity = 1 + (nth % 3) as u64;
            loop {
                let answer = sales.deduct("s", format!("u{nth}"), quantity, Some(format!("r{nth}"))).await;
                // It may expire again each time that it is cached; then nothing was tried, and the user tries again. The
                // loop ends, as the number of times that it expires is finite.
                if !matches!(&answer, Err(error) if error.code == Code::Busy) {
                    return (quantity, answer);
                }
            }
        }
    });
    let mut got = 0;
    for (quantity, answer) in join_all(attempts).await {
        match answer {
            Ok(Outcome::Won { .. }) => got += quantity,
            Ok(Outcome::NotEnough { left }) => assert!(left < quantity),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(got, 1_500);
    assert_eq!(servers[1].audit("s").await.expect("an audit").verdict, Verdict::Holds);
    catch_up(&apps[0]).await;
    assert_eq!(servers[1].audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(servers[0].snapshot("s").await.expect("a snapshot").ledger, Some(0));
}

/// What restocks add up to can be counted, corrected and audited.
#[tokio::test]
async fn a_quantity_beyond_one_restock_can_be_corrected() {
    let (_redis, app, sales) = with_sale(terms(1_000_000)).await;
    sales.restock("s", 1_000_000, None).await.expect("restocked");
    let left = 2_000_000_u64;
    assert_eq!(
        sales.correct("s", left - 1, Some(left.cast_signed()), None).await,
        Ok(Adjusted::Corrected { left: left - 1, change: -1 })
    );
    let most = 1_000_000_000_000_u64;
    assert!(matches!(sales.correct("s", most, None, None).await, Ok(Adjusted::Corrected { left, .. }) if left == most));
    sales.restock("s", 1_000_000, None).await.expect("restocked");
    let left = most + 1_000_000;
    assert_eq!(deduct(&sales, "ann", "1", 1_000_000).await, Outcome::Won { left: left - 1_000_000 });
    give_back(&sales, "1").await;
    sales.expire("s").await.expect("expired");
    assert_eq!(
        sales.correct("s", most, Some(left.cast_signed()), None).await,
        Ok(Adjusted::Corrected { left: most, change: -1_000_000 })
    );
    catch_up(&app).await;
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    let error = sales.correct("s", most + 1, None, None).await.expect_err("too much");
    assert_eq!(error.field.as_deref(), Some("counted"));
}

#[tokio::test]
async fn bad_terms_are_refused_by_field() {
    let redis = TestRedis::start().await;
    let sales = stock(&TestApp::on(&redis).await);
    let bad = [
        (Terms { sale: " ".to_owned(), ..terms(1) }, "id"),
        (terms(0), "quantity"),
        (terms(1_000_000_001), "quantity"),
        (Terms { ttl_s: 0, ..terms(1) }, "ttl_s"),
        (Terms { ttl_s: 86_401, ..terms(1) }, "ttl_s"),
        (Terms { low_mark: Some(0), ..terms(1) }, "low_mark"),
        (Terms { limit_per_user: Some(0), ..terms(1) }, "limit_per_user"),
        (Terms { limit_per_user: Some(1_000_001), ..terms(1) }, "limit_per_user"),
        (Terms { hold_s: Some(0), ..terms(1) }, "hold_s"),
        (Terms { hold_s: Some(604_801), ..terms(1) }, "hold_s"),
        (Terms { group: Some(String::new()), ..terms(1) }, "group"),
        (Terms { group: Some(" g".to_owned()), ..terms(1) }, "group"),
    ];
    for (terms, field) in bad {
        let error = sales.open(terms).await.expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{}", error.message);
    }
    sales.open(terms(1)).await.expect("a sale");
    sales.open(terms(1)).await.expect("the same sale");
    assert_eq!(sales.open(terms(2)).await.map_err(|error| error.code), Err(Code::SaleExists));
    let raw = redis.raw().await;
    assert_eq!(cached(&raw).await, None, "nothing is cached of what nobody wants");
}
