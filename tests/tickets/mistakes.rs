//! Mistakes found in public flash-sale projects, as far as they apply to tickets. The ninth concerns only stock.
//! (`contracts.rs` also checks every script for keys built inside it and for EXPIRE with an instant.)

use super::{book::rows, chosen, held, picked, small, terms};
use crate::support::{
    app::TestApp,
    eventually,
    proxy::FaultProxy,
    redis::{Raw, TestRedis},
    sale::{START, clock},
};
use engine::{
    kind::KindService,
    ticket::{
        scripts::{EXPIRE, KIND, PARTS, RESERVE, SCRIPTS, key},
        service::Tickets,
    },
};
use futures::{future::join_all, join};
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::Code,
    ticket::{Cancelled, Extended, HeldSeat, Left, OrderState, Outcome, Paid, SeatRequest},
};
use std::collections::HashSet;

const HOLD: i64 = 60_000;

/// A server with the sale "s" of 34 seats.
struct Bench {
    app: TestApp,
    redis: Raw,
    server: TestRedis,
}

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        let app = TestApp::on(&server).await;
        app.tickets.open(terms("s", small())).await.expect("a sale");
        Self { app, redis: server.raw().await, server }
    }

    fn sales(&self) -> &Tickets {
        &self.app.tickets
    }

    /// Free, held and sold seats of both categories.
    async fn seats(&self) -> (u32, u32, u32) {
        let snapshot = self.sales().snapshot("s").await.expect("a snapshot");
        let sum = |of: std::collections::BTreeMap<String, u32>| of.values().sum();
        (sum(snapshot.remaining), sum(snapshot.held), sum(snapshot.sold))
    }

    async fn assert_holds(&self) {
        let audit = self.sales().audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    }
}

async fn reserve(sales: &Tickets, user: &str, request: &str, seat_request: SeatRequest) -> Outcome {
    sales.reserve("s", user.to_owned(), Some(request.to_owned()), seat_request).await.expect("an outcome")
}

/// 1: stock deducted before the duplicate check, so that a double click drains it.
#[tokio::test]
async fn a_double_click_takes_one_order() {
    let bench = Bench::new().await;
    let clicks = (0..100).map(|_| reserve(bench.sales(), "ann", "r", picked("near", 2)));
    let outcomes = join_all(clicks).await;
    let held: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Held(_))).collect();
    assert_eq!(held.len(), 1);
    let Outcome::Held(order) = held[0] else { panic!("{held:?}") };
    assert!(outcomes.iter().all(|it| it == held[0] || *it == Outcome::Repeat(order.clone())), "{outcomes:?}");
    assert_eq!(bench.seats().await, (32, 2, 0));
    // It does not count towards the limit of six either.
    held_more(&bench, 4).await;
    bench.assert_holds().await;
}

async fn held_more(bench: &Bench, count: u32) {
    held(bench.sales(), "ann", picked("far", count)).await;
}

/// 2: Redis said yes, the answer was lost on its way or the ledger failed, and the winner is lost.
#[tokio::test]
async fn redis_said_yes_and_the_ledger_failed_and_the_winner_keeps_the_seats() {
    let bench = Bench::new().await;
    let wire = FaultProxy::before(&bench.server).await;
    let cut_off = TestApp::at(&bench.server, &wire.url, bench.app.time.clone(), 2).await;
    cut_off.tickets.snapshot("s").await.expect("it knows the hall");
    wire.cut_before_the_next_answer();
    let lost = cut_off.tickets.reserve("s", "ann".into(), Some("r1".into()), picked("near", 2)).await;
    assert_eq!(lost.expect_err("nobody heard").code, Code::Unavailable);
    let Outcome::Repeat(order) = reserve(bench.sales(), "ann", "r1", picked("near", 2)).await else {
        panic!("held by the first try")
    };
    // The writer dies before writing; another one writes it, once.
    let mut dying = cut_off.writer("dying");
    wire.cut();
    dying.catch_up().await.expect_err("out of reach");
    bench.app.writer("next").catch_up().await.expect("the ledger");
    let rows = rows(&bench.app).await;
    let of_ann: Vec<_> = rows.iter().filter(|row| row.user.as_deref() == Some("ann")).collect();
    assert_eq!(of_ann.len(), 2, "{rows:?}");
    assert!(of_ann.iter().all(|row| row.order.as_deref() == Some(&order.order) && row.outcome == "held"));
    bench.assert_holds().await;
}

/// 3: a payment after the timeout, oversold or kept.
#[tokio::test]
async fn a_payment_after_the_timeout_is_refunded_and_the_seat_is_the_next_ones() {
    let bench = Bench::new().await;
    let ann = held(bench.sales(), "ann", chosen(&["A-01-01"])).await.order;
    bench.app.time.advance(HOLD);
    // Not swept yet, but late nevertheless.
    assert!(matches!(bench.sales().pay("s", ann.clone(), None).await, Ok(Paid::Refunded(_))));
    // A payment that was late once stays late, even if a server's clock is behind.
    bench.app.time.advance(-1);
    assert!(matches!(bench.sales().pay("s", ann.clone(), None).await, Ok(Paid::Refunded(_))));
    bench.app.time.advance(1);
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(1));
    let bob = held(bench.sales(), "bob", chosen(&["A-01-01"])).await.order;
    assert!(matches!(bench.sales().pay("s", ann.clone(), None).await, Ok(Paid::Refunded(_))));
    assert!(matches!(bench.sales().pay("s", bob, None).await, Ok(Paid::Paid(_))));
    let outcomes = bench.sales().snapshot("s").await.expect("a snapshot").outcomes;
    assert_eq!((outcomes.paid, outcomes.late), (1, 1), "refunded once, however often it was sent");
    bench.assert_holds().await;
}

/// 4: cancel replayed, stock restored twice.
#[tokio::test]
async fn cancel_replayed_puts_seats_back_once() {
    let bench = Bench::new().await;
    let ann = held(bench.sales(), "ann", chosen(&["A-01-01", "A-01-02"])).await.order;
    assert!(matches!(bench.sales().cancel("s", ann.clone(), String::new(), None).await, Ok(Cancelled::Cancelled(_))));
    held(bench.sales(), "bob", chosen(&["A-01-01", "A-01-02"])).await;
    let replays = join_all((0..20).map(|_| bench.sales().cancel("s", ann.clone(), String::new(), None))).await;
    assert!(replays.iter().all(|replay| matches!(replay, Ok(Cancelled::Repeat(_)))), "{replays:?}");
    assert_eq!(bench.seats().await, (32, 2, 0), "bob's seats are bob's");
    bench.app.time.advance(HOLD);
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(1), "bob's, and not what had ended before");
    assert_eq!(bench.seats().await, (34, 0, 0));
    bench.assert_holds().await;
}

/// 5: cancel and pay under different locks, so that both win.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_pay_and_cancel_racing_one_wins() {
    let bench = Bench::new().await;
    let other = TestApp::at(&bench.server, &bench.server.url(), bench.app.time.clone(), 2).await;
    let (mut paid_first, mut cancelled_first) = (0, 0);
    for round in 0..60 {
        let order = held(bench.sales(), &format!("u{round}"), picked("near", 2)).await.order;
        // Two servers, each of which is first in turn.
        let (one, two) = if round % 2 == 0 { (&bench.app, &other) } else { (&other, &bench.app) };
        let (paid, cancelled) = join!(
            one.tickets.pay("s", order.clone(), None),
            two.tickets.cancel("s", order.clone(), String::new(), None)
        );
        match (paid.expect("an answer"), cancelled.expect("an answer")) {
            (Paid::Paid(_), Cancelled::Refunded(_)) => paid_first += 1,
            (Paid::Refunded(_), Cancelled::Cancelled(_)) => cancelled_first += 1,
            both => panic!("{both:?}"),
        }
    }
    println!("{paid_first} paid first, {cancelled_first} cancelled first");
    assert_eq!(bench.seats().await, (34, 0, 0));
    bench.assert_holds().await;
}

/// 5: and of pay and expiry. One server's clock is past the deadline, the other's is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_pay_and_expiry_racing_one_wins() {
    let bench = Bench::new().await;
    let late = TestApp::at(&bench.server, &bench.server.url(), clock(), 2).await;
    late.time.advance(HOLD);
    let mut won = HashSet::new();
    for round in 0..60 {
        let order = held(bench.sales(), &format!("u{round}"), picked("far", 1)).await.order;
        let (paid, ended) = join!(bench.sales().pay("s", order.clone(), None), late.tickets.expire("s"));
        let state = bench.sales().order("s", &order).await.expect("an order").state;
        match (paid.expect("an answer"), ended.expect("an answer").0) {
            (Paid::Paid(_), 0) => assert_eq!(state, OrderState::Paid),
            (Paid::Refunded(_), 1) => assert_eq!(state, OrderState::Expired),
            both => panic!("{both:?}"),
        }
        won.insert(state == OrderState::Paid);
        if state == OrderState::Paid {
            bench.sales().cancel("s", order, String::new(), None).await.expect("refunded");
        }
    }
    println!("both ways seen: {}", won.len() == 2);
    assert_eq!(bench.seats().await, (34, 0, 0));
    bench.assert_holds().await;
}

/// 6: the same item twice in one batch, each checked against the undecremented count.
#[tokio::test]
async fn the_last_seat_is_not_given_twice_within_a_batch() {
    let bench = Bench::new().await;
    for user in 0..3 {
        held(bench.sales(), &format!("first{user}"), picked("far", 5)).await;
    }
    // One far seat is left, and while one batch is in flight the rest wait for the next.
    let users: Vec<String> = (0..40).map(|user| format!("u{user}")).collect();
    let outcomes = join_all(users.iter().map(|user| reserve(bench.sales(), user, user, picked("far", 1)))).await;
    let none = Outcome::NotEnoughSeats { left: vec![Left { category: "far".into(), left: 0 }] };
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Held(_))).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == none).count(), 39);
    let calls: u64 = bench.redis.run("HGET", (key("s", "stats"), "calls")).await;
    assert!(calls < 43, "{calls} calls: there was no batch");
    // One user's tickets are counted in the batch, too.
    let greedy = (0..4).map(|nth| async move { format!("g{nth}") });
    let requests = join_all(greedy).await;
    let outcomes =
        join_all(requests.iter().map(|request| reserve(bench.sales(), "eve", request, picked("near", 3)))).await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Held(_))).count(), 2);
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::LimitReached { left: 0 })).count(), 2);
    bench.assert_holds().await;
}

/// 7: an error cached under a key shared by all, so that one failure refuses everyone.
#[tokio::test]
async fn one_users_failure_refuses_nobody_else() {
    let bench = Bench::new().await;
    let wire = FaultProxy::before(&bench.server).await;
    let other = TestApp::at(&bench.server, &wire.url, bench.app.time.clone(), 2).await;
    wire.cut();
    other.tickets.reserve("s", "ann".into(), None, picked("near", 1)).await.expect_err("out of reach");
    wire.heal();
    let zoe = async || other.tickets.reserve("s", "zoe".into(), Some("r".into()), picked("far", 1)).await.ok();
    eventually("it is connected again", zoe).await;
    // The same server, the same user, and another.
    held(&other.tickets, "ann", picked("near", 1)).await;
    held(&other.tickets, "bob", picked("near", 1)).await;
    // What others send beside a good payment in the same batch.
    let good = held(bench.sales(), "dan", picked("near", 1)).await.order;
    let orders = ["", &good, "no such order", &good];
    let paid = join_all(orders.map(|order| bench.sales().pay("s", order.to_owned(), Some("p".to_owned())))).await;
    assert!(matches!(&paid[..], [Err(_), Ok(Paid::Paid(_)), Err(_), Ok(Paid::Repeat(_))]), "{paid:?}");
    bench.assert_holds().await;
}

/// 8: a request before the start deducts.
#[tokio::test]
async fn before_the_start_nothing_is_taken() {
    let bench = Bench::new().await;
    for _ in 0..3 {
        let error = bench.sales().reserve("later", "ann".into(), Some("r".into()), picked("near", 1)).await;
        assert_eq!(error.expect_err("not open").code, Code::UnknownSale);
        for ended in [
            bench.sales().pay("later", "o".into(), None).await.map(drop),
            bench.sales().cancel("later", "o".into(), String::new(), None).await.map(drop),
        ] {
            assert_eq!(ended.expect_err("not open").code, Code::UnknownSale);
        }
    }
    assert_eq!(bench.redis.run::<i64>("EXISTS", PARTS.map(|part| key("later", part)).to_vec()).await, 0);
    bench.sales().open(terms("later", small())).await.expect("a sale");
    let first = bench.sales().reserve("later", "ann".into(), Some("r".into()), picked("near", 1)).await;
    assert!(matches!(first, Ok(Outcome::Held(_))), "{first:?}");
}

/// 10: "already taken", "sold out" and "too many" answered alike.
#[tokio::test]
async fn every_refusal_has_its_own_name_and_says_what_is_left() {
    let bench = Bench::new().await;
    let ann = held(bench.sales(), "ann", chosen(&["A-01-01"])).await;
    bench.sales().pay("s", ann.order, None).await.expect("paid");
    let bob = held(bench.sales(), "bob", chosen(&["A-01-02"])).await;
    for user in 0..3 {
        held(bench.sales(), &format!("u{user}"), picked("far", 5)).await;
    }
    let taken = chosen(&["A-01-01", "A-01-02", "A-01-03"]);
    let seats = vec!["A-01-01".to_owned(), "A-01-02".to_owned()];
    let until = HeldSeat { seat: "A-01-02".to_owned(), held_until: bob.held_until };
    let cases = [
        ("cid", taken, Outcome::SeatTaken { seats, held: vec![until] }),
        ("cid", picked("far", 2), Outcome::NotEnoughSeats { left: vec![Left { category: "far".into(), left: 1 }] }),
        ("ann", picked("near", 6), Outcome::LimitReached { left: 5 }),
    ];
    for (user, seat_request, refusal) in cases {
        assert_eq!(reserve(bench.sales(), user, "again", seat_request).await, refusal);
    }
    // A refusal is not remembered: the same request may be sent again when it can be served.
    assert!(matches!(reserve(bench.sales(), "cid", "again", picked("near", 1)).await, Outcome::Held(_)));
    bench.assert_holds().await;
}

/// 11: keys built inside a script, from what a client chose. Whatever names are chosen, the sale has its keys and
/// no other.
#[tokio::test]
async fn no_name_that_a_client_chose_becomes_a_key() {
    let bench = Bench::new().await;
    for odd in ["{ticket:t}:orders", "}:seats", "*", "ann\u{1f39f}", "KEYS *", "a:b"] {
        let seat_request = SeatRequest { holders: vec![odd.to_owned()], ..picked("near", 1) };
        let order = match reserve(bench.sales(), odd, odd, seat_request).await {
            Outcome::Held(order) => order,
            other => panic!("{other:?}"),
        };
        bench.sales().pay("s", odd.to_owned(), Some(odd.to_owned())).await.expect_err("no such order");
        bench.sales().pay("s", order.order, Some(odd.to_owned())).await.expect("paid");
    }
    let mut found: Vec<String> = bench.redis.run("KEYS", "*").await;
    found.retain(|key| !key.starts_with("stampede:"));
    let known: HashSet<String> = PARTS.into_iter().map(|part| key("s", part)).collect();
    assert!(found.iter().all(|key| known.contains(key)), "{found:?}");
    bench.assert_holds().await;
}

/// 12: an EXPIRE given an instant. What an order has is an instant, and no key of a sale expires.
#[tokio::test]
async fn a_deadline_is_an_instant_and_no_key_of_a_sale_expires() {
    let bench = Bench::new().await;
    let order = held(bench.sales(), "ann", picked("near", 1)).await;
    assert_eq!(order.held_until, START + HOLD);
    let due: f64 = bench.redis.run("ZSCORE", (key("s", "deadlines"), order.order)).await;
    assert_eq!(due as i64, START + HOLD, "epoch milliseconds");
    for part in PARTS {
        let ttl: i64 = bench.redis.run("PTTL", key("s", part)).await;
        assert!(ttl < 0, "{part} expires in {ttl} ms");
    }
}

/// 13: a consumer that logs an exception and skips the order, or stops: seats stay held forever. What cannot be read
/// suspends the sale, and its recovery ends what is due.
#[tokio::test]
async fn an_order_that_cannot_be_read_suspends_the_sale_and_is_ended_once_it_is_recovered() {
    let bench = Bench::new().await;
    let torn = held(bench.sales(), "ann", picked("near", 2)).await.order;
    held(bench.sales(), "bob", picked("near", 2)).await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.redis.run::<i64>("HSET", (key("s", "orders"), &torn, "torn")).await;
    let before = bench.seats().await;
    bench.app.time.advance(HOLD);
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(0));
    let state: String = bench.redis.run("HGET", (key("s", "meta"), "state")).await;
    assert_eq!((state.as_str(), bench.seats().await), ("suspended", before), "nothing is half done");
    bench.sales().recover("s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(bench.app.ledger_service.sweep().await, Ok(2));
    assert_eq!(bench.sales().order("s", &torn).await.expect("an order").state, OrderState::Expired);
    bench.assert_holds().await;
}

/// 14: a lock that expires before its holder is done, so that there are two owners. There is no lock: two sweepers
/// process each order once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sweepers_without_a_lock_end_each_order_once() {
    let bench = Bench::new().await;
    let other = TestApp::at(&bench.server, &bench.server.url(), bench.app.time.clone(), 2).await;
    for round in 0..10 {
        for user in 0..15 {
            held(bench.sales(), &format!("u{round}-{user}"), picked("near", 1)).await;
        }
        bench.app.time.advance(HOLD);
        let (one, two) = (&bench.app.tickets, &other.tickets);
        let ended = join!(one.expire("s"), two.expire("s"), one.expire("s"), two.expire("s"));
        let ended = [ended.0, ended.1, ended.2, ended.3].map(|ended| ended.expect("an answer").0);
        assert_eq!(ended.iter().sum::<u64>(), 15, "{ended:?}");
    }
    assert_eq!(bench.seats().await, (34, 0, 0));
    bench.assert_holds().await;
}

/// 15: SCRIPT FLUSH in the middle of a sale reaches the user.
#[tokio::test]
async fn scripts_flushed_in_mid_sale_are_not_felt() {
    let bench = Bench::new().await;
    let flush = async || bench.redis.run::<()>("SCRIPT", "FLUSH").await;
    for round in 0..5 {
        flush().await;
        let ann = held(bench.sales(), &format!("ann{round}"), picked("near", 1)).await.order;
        let bob = held(bench.sales(), &format!("bob{round}"), picked("near", 1)).await.order;
        flush().await;
        assert!(matches!(bench.sales().pay("s", ann.clone(), None).await, Ok(Paid::Paid(_))));
        flush().await;
        assert!(matches!(bench.sales().cancel("s", ann, String::new(), None).await, Ok(Cancelled::Refunded(_))));
        flush().await;
        let extended = bench.sales().extend("s", bob.clone(), String::new(), None).await;
        assert!(matches!(extended, Ok(Extended::NotExtendable(_))), "{extended:?}");
        flush().await;
        bench.app.time.advance(HOLD);
        assert_eq!(bench.app.ledger_service.sweep().await, Ok(1), "{bob}");
    }
    flush().await;
    bench.sales().open(terms("t", small())).await.expect("a sale");
    bench.sales().block("t", &["A-01-01".to_owned()], String::new(), None).await.expect("blocked");
    bench.sales().snapshot("t").await.expect("a snapshot");
    bench.assert_holds().await;
    // Lost, and rebuilt from the ledger.
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.redis.run::<i64>("DEL", key("s", "meta")).await;
    flush().await;
    bench.app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("a recovery");
    bench.assert_holds().await;
    bench.sales().close("t").await.expect("an end");
    for script in SCRIPTS {
        assert!(bench.app.store.healed(script).await.expect("a count") >= 1, "{}", script.name);
    }
    assert_eq!(bench.app.store.healed(&RESERVE).await, Ok(5));
    assert!(bench.app.store.healed(&EXPIRE).await.expect("a count") >= 5);
}

/// Not from an article: an index that contradicts the counts.
#[tokio::test]
async fn a_broken_index_suspends_the_sale_and_holds_nothing() {
    let bench = Bench::new().await;
    held(bench.sales(), "ann", picked("near", 2)).await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    let before = bench.seats().await;
    // Of rows that have no such seats: every bit is set.
    let index: Vec<u8> = bench.redis.run("GET", key("s", "free")).await;
    let seats: Vec<u8> = bench.redis.run("GET", key("s", "seats")).await;
    bench.redis.run::<()>("SET", (key("s", "seats"), vec![b'2'; seats.len()])).await;
    bench.redis.run::<()>("SET", (key("s", "free"), vec![0xff_u8; index.len()])).await;
    let refused = bench.sales().reserve("s", "bob".into(), None, picked("near", 2)).await.expect_err("no such row");
    assert_eq!((refused.code, bench.seats().await), (Code::SaleSuspended, before));
    bench.sales().recover("s", DeadLetters::Refuse).await.expect("recovered");
    held_more(&bench, 4).await;
    bench.assert_holds().await;
}
