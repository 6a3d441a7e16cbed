//! Coupons through the service: what each limit refuses, ends, changed limits, racing users, two servers.

use super::{claim, coupons, give_back, limits, move_to, redeem, refused, terms, void, with_sale, won};
use crate::support::{app::TestApp, redis::TestRedis, sale::START};
use engine::kind::KindService;
use futures::future::{join, join_all};
use model::{
    SaleState, Verdict,
    closing::Closed,
    coupon::{ByLimit, CouponState, End, LimitName, LimitsSet, Outcome, Refusals, State, Terms, Validity},
    error::Code,
    ledger::Search,
    snapshot::SaleSnapshot,
};
use std::collections::{HashMap, HashSet};

#[tokio::test]
async fn each_limit_refuses_by_name_and_says_what_is_left() {
    let (_redis, _app, sales) = with_sale(terms(limits(4, 3, 2))).await;
    let first = won(&sales, "ann", "1").await;
    assert_eq!(claim(&sales, "ann", "1").await, Outcome::Repeat { code: first, state: CouponState::Claimed });
    won(&sales, "ann", "2").await;
    assert_eq!(refused(&sales, "ann", "3").await, (LimitName::PerUserPerDay, zeros(2, 1, 0)));
    won(&sales, "bob", "4").await;
    won(&sales, "cid", "5").await;
    assert_eq!(refused(&sales, "dan", "6").await, (LimitName::Total, zeros(0, 3, 2)));
    let outcomes = sales.snapshot("s").await.expect("a snapshot").outcomes;
    assert_eq!(
        (outcomes.won, outcomes.repeat, outcomes.refused),
        (4, 1, Refusals { total: 1, per_user: 0, per_user_per_day: 1 })
    );
}

/// With nought as nought.
fn zeros(total: u64, per_user: u64, per_user_per_day: u64) -> ByLimit {
    ByLimit { total: Some(total), per_user: Some(per_user), per_user_per_day: Some(per_user_per_day) }
}

/// Sixty minutes are kept, each in the place of the one an hour before.
#[tokio::test]
async fn claims_of_the_last_hour_are_counted_by_the_minute() {
    const MINUTE: i64 = 60_000;
    let (_redis, app, sales) = with_sale(terms(limits(0, 0, 0))).await;
    let first = START / MINUTE * MINUTE + MINUTE;
    let minutes = async || {
        let minutes = sales.snapshot("s").await.expect("a snapshot").minutes;
        minutes.into_iter().map(|minute| ((minute.at - first) / MINUTE, minute.claims)).collect::<Vec<_>>()
    };
    move_to(&app, first);
    won(&sales, "ann", "1").await;
    move_to(&app, first + MINUTE);
    won(&sales, "ann", "2").await;
    move_to(&app, first + 2 * MINUTE - 1);
    won(&sales, "bob", "3").await;
    assert_eq!(minutes().await, [(0, 1), (1, 2)]);
    move_to(&app, first + 60 * MINUTE);
    assert_eq!(minutes().await, [(1, 2)]);
    won(&sales, "ann", "4").await;
    assert_eq!(minutes().await, [(1, 2), (60, 1)]);
    move_to(&app, first + 61 * MINUTE);
    assert_eq!(minutes().await, [(60, 1)]);
}

#[tokio::test]
async fn without_limits_nobody_is_refused() {
    let (_redis, _app, sales) = with_sale(terms(ByLimit::default())).await;
    let codes = join_all((0..500).map(|nth| {
        let sales = sales.clone();
        async move { won(&sales, "ann", &nth.to_string()).await }
    }))
    .await;
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 500);
    let held = sales.user("s", "ann".to_owned()).await.expect("a user");
    assert_eq!((held.coupons.len(), held.left), (100, ByLimit::default()));
    // The newest first.
    let times: Vec<_> = held.coupons.iter().map(|coupon| coupon.code.clone()).collect();
    assert_eq!(times.iter().collect::<HashSet<_>>().len(), 100);
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_request_id_belongs_to_one_user() {
    let (_redis, _app, sales) = with_sale(terms(limits(9, 0, 0))).await;
    won(&sales, "ann", "1").await;
    let error = sales.claim("s", "bob".to_owned(), Some("1".to_owned())).await.expect_err("no outcome");
    assert_eq!(
        (error.code, error.code.status(), error.field.as_deref()),
        (Code::RequestReused, 409, Some("request_id"))
    );
}

#[tokio::test]
async fn what_is_given_back_frees_its_place_or_goes_on_counting() {
    for counts in [false, true] {
        let terms = Terms { given_back_counts: counts, ..terms(limits(1, 1, 1)) };
        let (_redis, _app, sales) = with_sale(terms).await;
        let code = won(&sales, "ann", "1").await;
        assert!(matches!(give_back(&sales, &code, "b").await, End::Returned(coupon) if coupon.user == "ann"));
        assert!(matches!(give_back(&sales, &code, "b").await, End::Repeat(_)));
        assert!(matches!(give_back(&sales, &code, "c").await, End::AlreadyReturned(_)));
        assert!(matches!(redeem(&sales, &code, "r").await, End::AlreadyReturned(_)));
        // The claim itself is answered as it was, with what became of it.
        assert_eq!(claim(&sales, "ann", "1").await, Outcome::Repeat { code, state: CouponState::Returned });
        if counts {
            assert_eq!(refused(&sales, "ann", "2").await, (LimitName::Total, zeros(0, 0, 0)));
        } else {
            won(&sales, "ann", "2").await;
        }
        assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    }
}

#[tokio::test]
async fn a_redemption_that_is_taken_back_leaves_the_coupon_to_its_user() {
    let (_redis, app, sales) = with_sale(terms(limits(9, 0, 0))).await;
    let code = won(&sales, "ann", "1").await;
    assert_eq!(void(&sales, &code, "r").await, End::UnknownRequest { code: code.clone() });
    redeem(&sales, &code, "r").await;
    let held = async || sales.user("s", "ann".to_owned()).await.expect("a user").coupons.remove(0);
    assert_eq!(held().await.ended_by.as_deref(), Some("r"), "what it takes to take it back");
    assert_eq!(void(&sales, &code, "q").await, End::UnknownRequest { code: code.clone() });
    // However the code is typed, and however often it is sent.
    let typed = code.replace('-', "").to_lowercase();
    assert!(matches!(void(&sales, &typed, "r").await, End::Voided(coupon) if coupon.user == "ann"));
    assert!(matches!(void(&sales, &code, "r").await, End::Repeat(_)));
    let again = held().await;
    assert_eq!((again.state, again.ended_at, again.ended_by), (CouponState::Claimed, None, None));
    // A till that sends its request again does not redeem once more.
    assert!(matches!(redeem(&sales, &code, "r").await, End::AlreadyVoided(_)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").redeemed, 0);
    assert!(matches!(redeem(&sales, &code, "r2").await, End::Redeemed(_)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").redeemed, 1);
    for is_recorded in [false, true] {
        if is_recorded {
            app.writer("one").catch_up().await.expect("the ledger");
        }
        assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    }
    let unknown = "0000-0000-0000".to_owned();
    assert_eq!(void(&sales, &unknown, "r").await, End::UnknownCode { code: unknown });
}

#[tokio::test]
async fn coupons_are_redeemed_from_and_until_an_instant() {
    let validity = Validity { valid_from: Some(START + 1_000), valid_until: Some(START + 2_000) };
    let (_redis, app, sales) = with_sale(Terms { validity, ..terms(limits(9, 0, 0)) }).await;
    let code = won(&sales, "ann", "1").await;
    let early = End::NotValidYet { code: code.clone(), valid_from: START + 1_000 };
    assert_eq!(redeem(&sales, &code, "r").await, early);
    move_to(&app, START + 1_000);
    assert!(matches!(redeem(&sales, &code, "r").await, End::Redeemed(_)));
    let other = won(&sales, "ann", "2").await;
    move_to(&app, START + 2_000);
    let late = End::NoLongerValid { code: other.clone(), valid_until: START + 2_000 };
    assert_eq!(redeem(&sales, &other, "r").await, late);
    assert!(matches!(give_back(&sales, &other, "b").await, End::Returned(_)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").validity, validity);
    app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_total_of_0_stops_claims() {
    let (_redis, _app, sales) = with_sale(terms(limits(9, 0, 0))).await;
    won(&sales, "ann", "1").await;
    let stopped = ByLimit { total: Some(0), ..ByLimit::default() };
    assert_eq!(sales.set_limits("s", stopped, &[], None).await, Ok(LimitsSet::Set { limits: stopped }));
    assert_eq!(refused(&sales, "bob", "2").await, (LimitName::Total, stopped));
    assert!(sales.snapshot("s").await.expect("a snapshot").is_stopped());
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    sales.set_limits("s", limits(2, 0, 0), &[], None).await.expect("set");
    won(&sales, "bob", "2").await;
    // Of one user, it would be a typing error.
    let none = ByLimit { per_user: Some(0), ..ByLimit::default() };
    let error = sales.set_limits("s", none, &[], None).await.expect_err("0 per user");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("per_user")));
}

#[tokio::test]
async fn a_code_is_redeemed_once_however_it_is_typed() {
    let (_redis, _app, sales) = with_sale(terms(limits(9, 0, 0))).await;
    let code = won(&sales, "ann", "1").await;
    let typed = code.replace('-', " ").to_lowercase();
    assert!(matches!(redeem(&sales, &typed, "r").await, End::Redeemed(coupon) if coupon.code == code));
    assert!(matches!(redeem(&sales, &code, "r").await, End::Repeat(coupon) if coupon.ended_at == START));
    assert!(matches!(redeem(&sales, &code, "q").await, End::AlreadyRedeemed(_)));
    // Without a request id every call is another one.
    assert!(matches!(sales.redeem("s", &code, None).await, Ok(End::AlreadyRedeemed(_))));
    assert!(matches!(give_back(&sales, &code, "r").await, End::AlreadyRedeemed(_)));
    let unknown = "0000-0000-0000".to_owned();
    assert_eq!(redeem(&sales, &unknown, "r").await, End::UnknownCode { code: unknown });
    for typed in ["", "7K3", "7K3M_9Q2X_4T8W"] {
        let error = sales.redeem("s", typed, None).await.expect_err("no code");
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("code")), "{typed}");
    }
    let error = sales.redeem("t", &code, None).await.expect_err("no sale");
    assert_eq!(error.code, Code::UnknownSale);
}

#[tokio::test]
async fn a_limit_below_what_is_claimed_refuses_and_breaks_nothing() {
    let (_redis, app, sales) = with_sale(terms(limits(10, 0, 0))).await;
    let codes: Vec<String> = join_all((0..5).map(|nth| {
        let sales = sales.clone();
        async move { won(&sales, &format!("u{nth}"), &nth.to_string()).await }
    }))
    .await;
    let set = sales.set_limits("s", limits(3, 0, 0), &[], None).await;
    assert_eq!(set, Ok(LimitsSet::Set { limits: limits(3, 0, 0) }));
    assert_eq!(
        sales.set_limits("s", limits(3, 0, 0), &[], None).await,
        Ok(LimitsSet::Repeat { limits: limits(3, 0, 0) })
    );
    let left = ByLimit { total: Some(0), ..ByLimit::default() };
    assert_eq!(refused(&sales, "new", "9").await, (LimitName::Total, left));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").sale_state(), SaleState::SoldOut);
    assert!(matches!(redeem(&sales, &codes[0], "r").await, End::Redeemed(_)));
    for code in &codes[1..3] {
        assert!(matches!(give_back(&sales, code, "b").await, End::Returned(_)));
    }
    // Three count, which is as many as there may be; one less, and one more may come.
    refused(&sales, "new", "9").await;
    give_back(&sales, &codes[3], "b").await;
    won(&sales, "new", "9").await;
    let set = sales.set_limits("s", limits(0, 2, 0), &[LimitName::Total], None).await;
    assert_eq!(set, Ok(LimitsSet::Set { limits: limits(0, 2, 0) }));
    won(&sales, "new", "10").await;
    let error = sales.set_limits("s", limits(1, 0, 0), &[LimitName::Total], None).await.expect_err("both");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("total")));

    app.writer("one").catch_up().await.expect("the ledger");
    let search = Search { sale: Some("s".to_owned()), outcome: Some("limits".to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 10, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let items: Vec<_> = rows.iter().filter_map(|row| row.item.as_deref()).collect();
    // The second changed nothing; it is an edit all the same.
    let same = "total=3 per_user=none per_user_per_day=none";
    assert_eq!(items, [same, same, "total=none per_user=2 per_user_per_day=none"]);
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_closed_sale_gives_nothing_and_takes_back_everything() {
    let (_redis, app, sales) = with_sale(terms(limits(10, 0, 0))).await;
    let (one, two) = (won(&sales, "ann", "1").await, won(&sales, "ann", "2").await);
    app.time.advance(7);
    assert_eq!(sales.close("s").await, Ok(Closed::Closed));
    assert_eq!(sales.close("s").await, Ok(Closed::Repeat));
    assert_eq!(claim(&sales, "bob", "3").await, Outcome::Closed { closed_at: START + 7 });
    assert_eq!(claim(&sales, "ann", "1").await, Outcome::Repeat { code: one.clone(), state: CouponState::Claimed });
    assert!(matches!(redeem(&sales, &one, "r").await, End::Redeemed(_)));
    assert!(matches!(give_back(&sales, &two, "r").await, End::Returned(_)));
    assert_eq!(sales.set_limits("s", limits(99, 0, 0), &[], None).await, Ok(LimitsSet::Closed));
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.limits, snapshot.outcomes.closed), (State::Closed, limits(10, 0, 0), 1));
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_user_is_told_what_they_hold_newest_first() {
    let (_redis, app, sales) = with_sale(terms(limits(0, 5, 4))).await;
    let mut codes = Vec::new();
    for nth in 0..3 {
        codes.push(won(&sales, "ann", &nth.to_string()).await);
        app.time.advance(10);
    }
    won(&sales, "bob", "b").await;
    redeem(&sales, &codes[0], "r").await;
    give_back(&sales, &codes[1], "b").await;
    let held = sales.user("s", "ann".to_owned()).await.expect("a user");
    let reported: Vec<_> =
        held.coupons.iter().map(|coupon| (coupon.code.as_str(), coupon.state, coupon.claimed_at)).collect();
    assert_eq!(
        reported,
        [
            (codes[2].as_str(), CouponState::Claimed, START + 20),
            (codes[1].as_str(), CouponState::Returned, START + 10),
            (codes[0].as_str(), CouponState::Redeemed, START),
        ]
    );
    assert_eq!(held.left, ByLimit { total: None, per_user: Some(3), per_user_per_day: Some(2) });
    let nobody = sales.user("s", "nobody".to_owned()).await.expect("a user");
    assert_eq!((nobody.coupons.len(), nobody.left.per_user), (0, Some(5)));
}

/// Two servers, whose requests come in batches, share every limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_users_at_two_servers_get_no_more_than_the_limits() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [coupons(&apps[0]), coupons(&apps[1])];
    servers[0].open(terms(limits(150, 3, 2))).await.expect("a sale");
    let attempts = (0..2_000).map(|nth: usize| {
        // Each request goes to both servers.
        let (sales, user) = (servers[nth % 2].clone(), format!("u{}", nth / 2 % 100));
        async move { (user.clone(), sales.claim("s", user, Some(format!("r{}", nth / 2))).await) }
    });
    let answers = join_all(attempts).await;
    let mut codes = HashMap::new();
    for (user, answer) in answers {
        if let Outcome::Won { code } = answer.expect("an outcome") {
            assert_eq!(codes.insert(code, user), None);
        }
    }
    assert_eq!(codes.len(), 150);
    for nth in 0..100 {
        let user = format!("u{nth}");
        assert!(codes.values().filter(|whose| **whose == user).count() <= 2);
    }
    assert_eq!(servers[1].audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Each claim goes by the limit that is in force just then; the audit knows which one that was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_that_change_while_users_race_are_in_the_ledger_as_they_were_answered() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [coupons(&apps[0]), coupons(&apps[1])];
    servers[0].open(terms(limits(50, 0, 0))).await.expect("a sale");
    let claims = (0..2_000).map(|nth: usize| {
        let sales = servers[nth % 2].clone();
        async move { sales.claim("s", format!("u{nth}"), None).await.expect("an outcome") }
    });
    let edits = async {
        let mut answered = Vec::new();
        for nth in 0..20 {
            let new = limits([400, 50][nth % 2], 0, 0);
            assert_eq!(servers[nth % 2].set_limits("s", new, &[], None).await, Ok(LimitsSet::Set { limits: new }));
            answered.push(new.to_text());
        }
        answered
    };
    let (answers, answered) = join(join_all(claims), edits).await;
    let won = answers.iter().filter(|answer| matches!(answer, Outcome::Won { .. })).count();
    assert!((50..=400).contains(&won), "{won}");

    apps[0].writer("one").catch_up().await.expect("the ledger");
    let search = Search { sale: Some("s".to_owned()), outcome: Some("limits".to_owned()), ..Search::default() };
    let mut rows = apps[0].ledger.rows(&search, 50, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let recorded: Vec<String> = rows.into_iter().filter_map(|row| row.item).collect();
    assert_eq!(recorded, answered);
    assert_eq!(servers[1].audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// A server that remembers another sale of this id goes by the new one all the same.
#[tokio::test]
async fn a_sale_that_took_the_id_of_another_is_noticed_at_once() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [coupons(&apps[0]), coupons(&apps[1])];
    servers[0].open(terms(limits(9, 0, 0))).await.expect("a sale");
    let before = won(&servers[1], "ann", "1").await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
    let shanghai = Terms { time_zone: "asia/shanghai".to_owned(), ..terms(limits(9, 0, 1)) };
    servers[0].open(shanghai).await.expect("another sale");
    let after = won(&servers[1], "ann", "1").await;
    assert_ne!(before, after);
    assert_eq!(claim(&servers[0], "ann", "1").await, Outcome::Repeat { code: after, state: CouponState::Claimed });
    assert_eq!(servers[1].snapshot("s").await.expect("a snapshot").time_zone, "Asia/Shanghai");
}

#[tokio::test]
async fn bad_terms_are_refused_by_field() {
    let redis = TestRedis::start().await;
    let sales = coupons(&TestApp::on(&redis).await);
    let bad = [
        (Terms { sale: " ".to_owned(), ..terms(limits(1, 1, 1)) }, "id"),
        (terms(ByLimit { total: Some(0), ..ByLimit::default() }), "total"),
        (terms(limits(1_000_001, 0, 0)), "total"),
        (terms(limits(0, 1_000_001, 0)), "per_user"),
        (terms(limits(0, 0, 1_000_001)), "per_user_per_day"),
        (Terms { time_zone: "Mars/Olympus".to_owned(), ..terms(limits(1, 1, 1)) }, "time_zone"),
    ];
    for (terms, field) in bad {
        let error = sales.open(terms).await.expect_err(field);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{}", error.message);
    }
    sales.open(terms(limits(1, 1, 1))).await.expect("a sale");
    sales.open(terms(limits(1, 1, 1))).await.expect("the same sale");
    assert_eq!(sales.open(terms(limits(2, 1, 1))).await.map_err(|error| error.code), Err(Code::SaleExists));
}
