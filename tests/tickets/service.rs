//! Tickets through the service: bad input, racing users, late payments.

use super::{chosen, held, picked, small, terms, tickets};
use crate::support::{app::TestApp, redis::TestRedis};
use engine::ticket::{
    scripts::{PARTS, key},
    service::Tickets,
};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::Code,
    ledger::Search,
    ticket::{Cancelled, HallChoice, Opened, OrderState, Outcome, Paid, SeatRequest, Terms, halls::HallName},
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

async fn hold(sales: &Tickets, user: &str, seat_request: SeatRequest) -> Outcome {
    sales.reserve("s", user.to_owned(), None, seat_request).await.expect("an outcome")
}

#[tokio::test]
async fn a_request_that_breaks_a_limit_is_told_which_and_takes_nothing() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let holders = |names: &[&str]| SeatRequest {
        holders: names.iter().map(|name| (*name).to_owned()).collect(),
        ..chosen(&["A-01-01", "A-01-02"])
    };
    let requests = [
        (SeatRequest::default(), "seats"),
        (SeatRequest { pick: picked("near", 1).pick, ..chosen(&["A-01-01"]) }, "pick"),
        (picked("near", 0), "pick"),
        (picked("near", 11), "pick"),
        (picked("gold", 1), "pick"),
        (
            SeatRequest { pick: [picked("near", 1).pick, picked("near", 2).pick].concat(), ..SeatRequest::default() },
            "pick",
        ),
        (chosen(&["A-01-01", "A-01-01"]), "seats"),
        (chosen(&["A-09-01"]), "seats"),
        (holders(&["ann"]), "holders"),
        (holders(&["ann", ""]), "holders"),
    ];
    assert!(holders(&["Wang Wei", "Wang Wei"]).check().is_ok(), "two people may have the same name");
    for (seat_request, field) in requests {
        let error = sales.reserve("s", "ann".to_owned(), None, seat_request.clone()).await.expect_err("no outcome");
        assert_eq!(
            (error.code, error.field.as_deref()),
            (Code::BadRequest, Some(field)),
            "{seat_request:?}: {}",
            error.message
        );
    }
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.remaining, BTreeMap::from([("far".to_owned(), 16), ("near".to_owned(), 18)]));
    let error = sales.reserve("t", "ann".to_owned(), None, picked("near", 1)).await.expect_err("no outcome");
    assert_eq!(error.code, Code::UnknownSale);
    assert_eq!(sales.pay("s", "nope".to_owned(), None).await.expect_err("no order").code, Code::UnknownOrder);
    assert_eq!(sales.order("s", "nope").await.expect_err("no order").code, Code::UnknownOrder);
}

#[tokio::test]
async fn the_terms_of_a_sale_are_checked() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    type Change = fn(&mut Terms);
    let with = |change: Change| {
        let mut terms = terms("s", small());
        change(&mut terms);
        terms
    };
    let cases: [(Change, &str); 6] = [
        (|it| it.limit_per_user = 0, "limit_per_user"),
        (|it| it.hold_s = 0, "hold_s"),
        (|it| it.hold_s = 7_201, "hold_s"),
        (|it| _ = it.prices.remove("far"), "prices"),
        (|it| _ = it.prices.insert("gold".to_owned(), 1), "prices"),
        (|it| _ = it.prices.insert("far".to_owned(), -1), "prices"),
    ];
    for (change, field) in cases {
        let error = sales.open(with(change)).await.expect_err("no sale");
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{}", error.message);
    }
    let opened = sales.open(terms("s", small())).await.expect("a sale");
    let again = sales.open(terms("s", small())).await.expect("the same");
    assert_eq!((again.existed, Opened { existed: false, ..again }), (true, opened));
    let other = sales.open(with(|it| it.hold_s = 61)).await.expect_err("taken");
    assert_eq!(other.code, Code::SaleExists);
    let named = Terms {
        sale: "t".to_owned(),
        hall: HallChoice::Hall(HallName::Theatre),
        prices: BTreeMap::new(),
        ..terms("t", small())
    };
    let opened = sales.open(named).await.expect("a sale");
    assert_eq!(opened.categories.iter().map(|it| it.capacity).sum::<u32>(), 596);
}

/// A seat has one owner, however many users want it at the same time.
#[tokio::test]
async fn a_hundred_users_who_want_one_seat_get_it_once() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let users: Vec<String> = (0..100).map(|user| format!("u{user}")).collect();
    let outcomes = join_all(users.iter().map(|user| hold(&sales, user, chosen(&["A-02-03"])))).await;
    let held = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Held(_))).count();
    let taken =
        outcomes.iter().filter(|outcome| matches!(outcome, Outcome::SeatTaken { held, .. } if held.len() == 1)).count();
    assert_eq!((held, taken), (1, 99));
}

/// Pickers and choosers of the same hall, until nothing is left: every seat once, all or nothing.
#[tokio::test]
async fn a_hall_is_sold_out_to_the_last_seat_and_not_beyond() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    let theatre = Terms { hall: HallChoice::Hall(HallName::Theatre), prices: BTreeMap::new(), ..terms("s", small()) };
    sales.open(theatre).await.expect("a sale");
    let attempts = (0..1_000_u32).map(|user| {
        let sales = &sales;
        async move {
            let category = ["stalls", "circle", "balcony"][user as usize % 3];
            hold(sales, &format!("u{user}"), picked(category, user % 6 + 1)).await
        }
    });
    let mut seats = HashSet::new();
    for outcome in join_all(attempts).await {
        if let Outcome::Held(order) = outcome {
            assert!(order.seats.into_iter().all(|seat| seats.insert(seat)), "a seat twice");
        }
    }
    // Singles fill what groups left.
    for category in ["stalls", "circle", "balcony"] {
        for user in 0.. {
            match hold(&sales, &format!("single-{category}-{user}"), picked(category, 1)).await {
                Outcome::Held(order) => assert!(seats.insert(order.seats[0].clone())),
                Outcome::NotEnoughSeats { .. } => break,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(seats.len(), 596);
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.remaining.values().sum::<u32>(), 0);
    assert_eq!(snapshot.held.values().sum::<u32>(), 596);
}

/// 3, 4, 5: a payment after the end is refunded, a cancellation replayed gives nothing back, and of pay and
/// cancel at the same time one wins.
#[tokio::test]
async fn an_order_ends_once() {
    let redis = TestRedis::start().await;
    let (sales, time) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let late = held(&sales, "ann", picked("near", 2)).await;
    time.advance(60_000);
    assert!(matches!(sales.pay("s", late.order.clone(), None).await, Ok(Paid::Refunded(_))), "nobody has swept yet");
    assert_eq!(sales.expire("s").await.expect("a sweep"), (1, None));
    assert!(matches!(sales.pay("s", late.order.clone(), None).await, Ok(Paid::Refunded(_))));
    assert!(matches!(sales.cancel("s", late.order, String::new(), None).await, Ok(Cancelled::Repeat(_))));

    for round in 0..20 {
        let order = held(&sales, &format!("bob{round}"), picked("near", 1)).await.order;
        let (paid, cancelled) =
            tokio::join!(sales.pay("s", order.clone(), None), sales.cancel("s", order.clone(), String::new(), None));
        match (paid.expect("an answer"), cancelled.expect("an answer")) {
            (Paid::Paid(_), Cancelled::Refunded(_)) | (Paid::Refunded(_), Cancelled::Cancelled(_)) => {}
            other => panic!("{other:?}"),
        }
        assert!(matches!(sales.cancel("s", order, String::new(), None).await, Ok(Cancelled::Repeat(_))));
    }
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.remaining["near"], 18, "every seat is back once");
}

/// A payment is known by its request id, whatever has become of its order since.
#[tokio::test]
async fn the_same_payment_gets_the_same_answer_and_any_other_is_refunded_once() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.tickets;
    sales.open(terms("s", small())).await.expect("a sale");
    let order = held(sales, "ann", picked("near", 1)).await.order;
    let pay = async |request: &str| sales.pay("s", order.clone(), Some(request.to_owned())).await.expect("an answer");
    assert!(matches!(pay("p-1").await, Paid::Paid(_)));
    assert!(matches!(pay("p-1").await, Paid::Repeat(_)));
    for _ in 0..2 {
        let Paid::Refunded(reported) = pay("p-2").await else { panic!("it is paid already") };
        assert_eq!(reported.state, OrderState::Paid, "by the first payment");
    }
    assert!(matches!(sales.cancel("s", order.clone(), String::new(), None).await, Ok(Cancelled::Refunded(_))));
    let Paid::Repeat(reported) = pay("p-1").await else { panic!("it was accepted once, and is nothing new") };
    assert_eq!(reported.state, OrderState::Refunded);
    for request in ["p-2", "p-3", "p-3"] {
        assert!(matches!(pay(request).await, Paid::Refunded(_)), "{request}");
    }
    let outcomes = sales.snapshot("s").await.expect("a snapshot").outcomes;
    assert_eq!((outcomes.paid, outcomes.late, outcomes.refunded), (1, 2, 1));

    // Each is a row with its request.
    app.writer("one").catch_up().await.expect("the ledger");
    for (request, outcome) in [("p-1", "paid"), ("p-2", "late"), ("p-3", "late")] {
        let search = Search { request_id: Some(request.to_owned()), ..Search::default() };
        let rows = app.ledger.rows(&search, 10, None).await.expect("rows");
        assert_eq!(rows.iter().map(|row| row.outcome.as_str()).collect::<Vec<_>>(), [outcome], "{request}");
    }
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);

    // A sale that is rebuilt knows them as well.
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
    app.ledger_service.recover("ticket", "s", DeadLetters::Refuse).await.expect("recovered");
    assert!(matches!(pay("p-1").await, Paid::Repeat(_)));
    assert!(matches!(pay("p-3").await, Paid::Refunded(_)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").outcomes.late, 2, "and books none of them again");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Each refunded payment is remembered, so there is an end to them.
#[tokio::test]
async fn of_one_order_a_hundred_payments_are_refunded_and_no_more_are_taken() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let order = held(&sales, "ann", picked("near", 1)).await.order;
    let pay = async |number: u32| sales.pay("s", order.clone(), Some(format!("p-{number}"))).await;
    assert!(matches!(pay(0).await, Ok(Paid::Paid(_))));
    for number in 1..=100 {
        assert!(matches!(pay(number).await, Ok(Paid::Refunded(_))), "{number}");
    }
    let error = pay(101).await.expect_err("too many");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("order")));
    assert!(matches!((pay(0).await, pay(100).await), (Ok(Paid::Repeat(_)), Ok(Paid::Refunded(_)))), "known ones");
}

/// A request id that comes with a different request, or from somebody else, is a mistake of its sender.
#[tokio::test]
async fn a_request_id_belongs_to_one_user_and_one_selection() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let ask = async |user: &str, seat_request: SeatRequest| {
        sales.reserve("s", user.into(), Some("r".into()), seat_request).await
    };
    let seat_request = SeatRequest { holders: vec!["Ann".into(), "Bob".into()], ..picked("near", 2) };
    let Ok(Outcome::Held(order)) = ask("ann", seat_request.clone()).await else { panic!("seats are free") };
    assert!(matches!(ask("ann", seat_request.clone()).await, Ok(Outcome::Repeat(_))));
    let seats: Vec<&str> = order.seats.iter().map(String::as_str).collect();
    let mut apart = seat_request.clone();
    apart.pick[0].adjacent = false;
    let others = [
        ("eve", seat_request.clone()),
        // The order fits these, too.
        ("ann", apart),
        ("ann", SeatRequest { holders: seat_request.holders.clone(), ..chosen(&seats) }),
        ("ann", SeatRequest { holders: vec!["Ann".into(), "Eve".into()], ..seat_request.clone() }),
        ("ann", SeatRequest { holders: Vec::new(), ..seat_request.clone() }),
        ("ann", SeatRequest { holders: Vec::new(), ..picked("near", 1) }),
        ("ann", SeatRequest { holders: seat_request.holders.clone(), ..picked("far", 2) }),
        ("ann", chosen(&["L-01-01", "L-01-02"])),
    ];
    for (user, other) in others {
        let error = ask(user, other.clone()).await.expect_err("used already");
        assert_eq!((error.code, error.field.as_deref()), (Code::RequestReused, Some("request_id")), "{user} {other:?}");
        assert_eq!(error.code.status(), 409);
    }
    // In one batch as well.
    let ask = |seat_request: SeatRequest| sales.reserve("s", "cid".into(), Some("c".into()), seat_request);
    let mut apart = picked("near", 1);
    apart.pick[0].adjacent = false;
    let answers = tokio::join!(ask(picked("near", 1)), ask(apart), ask(picked("near", 1)));
    let reused =
        |answer: &model::error::Result<Outcome>| answer.as_ref().is_err_and(|error| error.code == Code::RequestReused);
    let answers = [answers.0, answers.1, answers.2];
    assert!(answers.iter().any(|answer| matches!(answer, Ok(Outcome::Held(_)))), "{answers:?}");
    assert!(answers.iter().any(reused), "{answers:?}");
}

#[tokio::test]
async fn tickets_given_back_may_be_bought_again() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let six = held(&sales, "ann", picked("near", 6)).await;
    assert_eq!(hold(&sales, "ann", picked("far", 1)).await, Outcome::LimitReached { left: 0 });
    sales.pay("s", six.order.clone(), None).await.expect("paid");
    assert_eq!(hold(&sales, "ann", picked("far", 1)).await, Outcome::LimitReached { left: 0 });
    sales.cancel("s", six.order, String::new(), None).await.expect("refunded");
    held(&sales, "ann", picked("far", 4)).await;
}

/// A sold seat takes at most 350 bytes in Redis, with ids of realistic length.
#[tokio::test]
async fn a_seat_takes_little_memory() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let (sales, _) = tickets(&redis).await;
    let arena = Terms { hall: HallChoice::Hall(HallName::Arena), prices: BTreeMap::new(), ..terms("s", small()) };
    sales.open(arena).await.expect("a sale");
    let before: i64 = raw.info("memory", "used_memory").await;
    let uuid = |kind: u32, user: u32| format!("{kind:08x}-0000-7000-8000-{user:012}");
    // Groups of 1 to 6, as a crowd has them; then singles, until nothing is left.
    for group in [None, Some(1)] {
        for users in (0..6_000_u32).collect::<Vec<_>>().chunks(500) {
            let visits = users.iter().map(|user| {
                let sales = &sales;
                async move {
                    let category = ["floor", "lower", "upper"][*user as usize % 3];
                    let seat_request = picked(category, group.unwrap_or(user / 3 % 6 + 1));
                    let (name, request) = (uuid(group.unwrap_or(7), *user), uuid(9 + group.unwrap_or(7), *user));
                    let outcome = sales.reserve("s", name, Some(request), seat_request).await.expect("an outcome");
                    if let Outcome::Held(order) = outcome {
                        sales.pay("s", order.order, None).await.expect("paid");
                    }
                }
            });
            join_all(visits).await;
        }
    }
    let sold: u32 = sales.snapshot("s").await.expect("a snapshot").sold.values().sum();
    assert_eq!(sold, 12_000);
    for part in PARTS {
        let bytes: Option<i64> = raw.run("MEMORY", ("USAGE", key("s", part), "SAMPLES", 0)).await;
        println!("{part}: {} bytes a seat", bytes.unwrap_or(0) / i64::from(sold));
    }
    // The ledger trims the events; without a writer they would be counted.
    raw.run::<i64>("DEL", key("s", "events")).await;
    let after: i64 = raw.info("memory", "used_memory").await;
    let bytes = (after - before) / i64::from(sold);
    println!("{bytes} bytes a seat");
    assert!(bytes <= 350, "{bytes} bytes a seat");
}

/// However many ask at the same time for a hall that is not in memory, it is read and built once.
#[tokio::test]
async fn a_hall_is_built_once() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    raw.run::<()>("CONFIG", "RESETSTAT").await;
    let venues = join_all((0..100).map(|_| sales.venue("s"))).await;
    assert!(venues.iter().all(Result::is_ok));
    let stats: String = raw.run("INFO", "commandstats").await;
    let reads = stats.lines().find_map(|line| line.strip_prefix("cmdstat_hmget:calls=")?.split(',').next());
    assert_eq!(reads, Some("1"), "{stats}");
}

/// Only so many halls are in memory; of them, one that is in use stays.
#[tokio::test]
async fn a_hall_in_use_stays_in_memory_while_many_others_come_and_go() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    let venue = async |sale: &str| sales.venue(sale).await.expect("a hall");
    sales.open(terms("s", small())).await.expect("a sale");
    let in_use = venue("s").await;
    let mut others = Vec::new();
    for number in 0..400 {
        let other = format!("other-{number}");
        sales.open(terms(&other, small())).await.expect("a sale");
        others.push((venue(&other).await, other));
        assert!(Arc::ptr_eq(&venue("s").await, &in_use), "it was built anew after {number} others");
    }
    let mut kept = 0;
    for (hall, other) in &others {
        kept += usize::from(Arc::ptr_eq(&venue(other).await, hall));
    }
    // Those over the limit go in bundles.
    assert!(kept < others.len() / 2, "{kept} others are still in memory");
}
