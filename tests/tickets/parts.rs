//! Parts of orders that come back, and holds that are extended.

use super::{chosen, held, named, picked, recovery::stored, small, terms};
use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::ticket::{
    scripts::{KIND, key},
    service::Tickets,
};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::{Code, Error},
    ledger::{Row, Search},
    life::{HoldClock, Paused, Resumed},
    ticket::{Cancellation, Cancelled, Extended, Order, OrderState, Outcome, Paid, Terms, outcome},
};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use store::{format::FORMAT, keys};

const HOLD: i64 = 60_000;

async fn with_sale(terms: Terms) -> (TestRedis, Raw, TestApp) {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    app.tickets.open(terms).await.expect("a sale");
    (redis, raw, app)
}

fn extendable() -> Terms {
    Terms { extendable: true, ..terms("s", small()) }
}

async fn part(sales: &Tickets, order: &str, seats: &[&str], request: Option<&str>) -> Result<Cancelled, Error> {
    let seats = seats.iter().map(|seat| (*seat).to_owned()).collect();
    sales.cancel_part("s", order.to_owned(), seats, String::new(), request.map(str::to_owned)).await
}

async fn extend(sales: &Tickets, order: &Order, request: &str) -> Extended {
    sales.extend("s", order.order.clone(), String::new(), Some(request.to_owned())).await.expect("an answer")
}

async fn assert_holds(app: &TestApp) {
    let audit = app.tickets.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

/// An order after these seats came back, which cost this much.
fn after(order: &Order, back: &[&str], cancelled_cents: i64) -> Cancellation {
    let cancelled_seats = back.iter().map(|seat| (*seat).to_owned()).collect();
    Cancellation { order: order.clone(), cancelled_seats, cancelled_cents }
}

fn with_seats(order: &Order, seats: &[&str], cents: i64) -> Order {
    Order { seats: seats.iter().map(|seat| (*seat).to_owned()).collect(), cents, ..order.clone() }
}

#[tokio::test]
async fn a_part_comes_back_once_and_the_order_goes_on_with_the_rest() {
    let (_redis, raw, app) = with_sale(terms("s", small())).await;
    let sales = &app.tickets;
    let request = named(chosen(&["A-01-01", "A-01-02", "L-01-01", "L-01-02"]), &["Ann", "Mei", "Li", "Bo"]);
    let order = match sales.reserve("s", "ann".into(), Some("r".into()), request.clone()).await {
        Ok(Outcome::Held(order)) => order,
        other => panic!("{other:?}"),
    };
    let three = with_seats(&order, &["A-01-01", "L-01-01", "L-01-02"], 1_100);
    let id = order.order.as_str();
    assert_eq!(
        part(sales, id, &["A-01-02"], Some("c-1")).await,
        Ok(Cancelled::Cancelled(after(&three, &["A-01-02"], 500)))
    );
    assert_eq!(
        part(sales, id, &["A-01-02"], Some("c-1")).await,
        Ok(Cancelled::Repeat(after(&three, &["A-01-02"], 500)))
    );
    assert_eq!(sales.order("s", id).await, Ok(three.clone()));
    // The same request gets the order in its current state; another one does not.
    let again = sales.reserve("s", "ann".into(), Some("r".into()), request).await;
    assert_eq!(again, Ok(Outcome::Repeat(three.clone())));
    // The seat is free, and no longer counts for the user.
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.held["near"], snapshot.remaining["near"], snapshot.outcomes.cancelled), (1, 17, 1));
    held(sales, "bob", chosen(&["A-01-02"])).await;
    assert_eq!(raw.run::<u32>("HGET", (key("s", "bought"), "ann")).await, 3);

    // What is left is paid, and a part of it is refunded, its seats named in any order.
    assert_eq!(
        sales.pay("s", id.to_owned(), None).await,
        Ok(Paid::Paid(Order { state: OrderState::Paid, ..three.clone() }))
    );
    let one = Order { state: OrderState::Paid, ..with_seats(&order, &["L-01-01"], 300) };
    let back = after(&one, &["A-01-01", "L-01-02"], 800);
    assert_eq!(part(sales, id, &["L-01-02", "A-01-01"], Some("c-2")).await, Ok(Cancelled::Refunded(back.clone())));
    assert_eq!(part(sales, id, &["L-01-02", "A-01-01"], None).await, Ok(Cancelled::Repeat(back)), "by its seats");
    assert_holds(&app).await;
    // The last one ends the order.
    let over = Order { state: OrderState::Refunded, ..one };
    assert_eq!(part(sales, id, &["L-01-01"], None).await, Ok(Cancelled::Refunded(after(&over, &["L-01-01"], 300))));
    // Nothing is left for a cancellation of the whole: whoever refunds what it says refunds nothing twice.
    assert_eq!(
        sales.cancel("s", id.to_owned(), String::new(), None).await,
        Ok(Cancelled::Repeat(after(&over, &[], 0)))
    );
    assert_eq!(sales.order("s", id).await, Ok(over));
    assert_eq!(raw.run::<u32>("HGET", (key("s", "bought"), "ann")).await, 0);
    assert_holds(&app).await;
}

#[tokio::test]
async fn what_is_not_a_part_of_the_order_changes_nothing() {
    let (_redis, _, app) = with_sale(terms("s", small())).await;
    let sales = &app.tickets;
    let order = held(sales, "ann", chosen(&["A-01-01", "A-01-02", "A-01-03"])).await;
    held(sales, "bob", chosen(&["L-01-01"])).await;
    let id = order.order.as_str();
    part(sales, id, &["A-01-01"], Some("c-1")).await.expect("a part");
    let before = sales.snapshot("s").await.expect("a snapshot");
    let eleven: Vec<String> = (1..=11).map(|seat| format!("A-01-{seat:02}")).collect();
    let eleven: Vec<&str> = eleven.iter().map(String::as_str).collect();
    let cases: [(&[&str], Option<&str>, Code, &str); 8] = [
        (&[], None, Code::BadRequest, "seats"),
        (&["A-01-02", "A-01-02"], None, Code::BadRequest, "seats"),
        (&eleven, None, Code::BadRequest, "seats"),
        (&["Z-01-01"], None, Code::BadRequest, "seats"),
        (&["L-01-01"], None, Code::BadRequest, "seats"),
        // It came back before, with another part.
        (&["A-01-01", "A-01-02"], None, Code::BadRequest, "seats"),
        (&["A-01-02"], Some("c-1"), Code::RequestReused, "request_id"),
        (&["A-01-02"], Some("\u{7}"), Code::BadRequest, "request_id"),
    ];
    for (seats, request, code, field) in cases {
        let error = part(sales, id, seats, request).await.expect_err("no part");
        assert_eq!((error.code, error.field.as_deref()), (code, Some(field)), "{seats:?} {error:?}");
    }
    let unknown = part(sales, "nope", &["A-01-01"], None).await.expect_err("no order");
    assert_eq!(unknown.code, Code::UnknownOrder);
    assert_eq!(sales.snapshot("s").await, Ok(before));
    // The end of an order is no error: what it had is back.
    app.time.advance(HOLD);
    assert_eq!(app.ledger_service.sweep().await, Ok(2));
    let over = Order { state: OrderState::Expired, ..with_seats(&order, &["A-01-02", "A-01-03"], 1_000) };
    assert_eq!(part(sales, id, &["A-01-02"], None).await, Ok(Cancelled::Repeat(after(&over, &[], 0))));
    assert_holds(&app).await;
}

/// A part, the whole, and a payment at the same time: every seat comes back once, and none is paid for that came back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_parts_and_payments_at_the_same_time_every_seat_comes_back_once() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let (one, other) = (&apps[0].tickets, &apps[1].tickets);
    one.open(terms("s", small())).await.expect("a sale");
    for round in 0..20 {
        let order = held(one, &format!("u{round}"), chosen(&["A-01-01", "A-01-02"])).await.order;
        let first = part(one, &order, &["A-01-01"], Some("c-1"));
        let again = part(other, &order, &["A-01-01"], Some("c-1"));
        let second = part(other, &order, &["A-01-02"], Some("c-2"));
        let (first, again, second, paid) = tokio::join!(first, again, second, one.pay("s", order.clone(), None));
        let answers = [first, again, second].map(|answer| answer.expect("an answer"));
        let repeats = answers.iter().filter(|answer| matches!(answer, Cancelled::Repeat(_))).count();
        assert_eq!(repeats, 1, "{answers:?}");
        let state = one.order("s", &order).await.expect("an order").state;
        if let Ok(Paid::Paid(order)) = &paid {
            assert_eq!(order.cents, 500 * order.seats.len() as i64);
            let released = answers.iter().filter_map(|answer| match answer {
                Cancelled::Cancelled(cancellation) => Some(&cancellation.cancelled_seats),
                _ => None,
            });
            assert!(released.flatten().all(|seat| !order.seats.contains(seat)), "{order:?} {answers:?}");
        }
        let was_paid = matches!(paid, Ok(Paid::Paid(_)));
        assert_eq!(state, if was_paid { OrderState::Refunded } else { OrderState::Cancelled }, "{paid:?}");
        let snapshot = one.snapshot("s").await.expect("a snapshot");
        assert_eq!(snapshot.remaining["near"], 18, "{answers:?}");
    }
    assert_holds(&apps[0]).await;
}

/// A row in short: outcome, seat, cents, request.
fn reported(rows: &[Row]) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
    let row = |row: &Row| format!("{} {} {} {}", row.outcome, text(&row.item), row.cents, text(&row.request_id));
    rows.iter().map(row).collect()
}

#[tokio::test]
async fn parts_and_extensions_are_rows_with_their_requests_and_are_recovered() {
    let (redis, raw, app) = with_sale(extendable()).await;
    let sales = &app.tickets;
    let order = held(sales, "ann", chosen(&["A-01-01", "A-01-02", "A-01-03"])).await;
    let id = order.order.as_str();
    assert!(matches!(extend(sales, &order, "e-1").await, Extended::Extended(_)));
    part(sales, id, &["A-01-02"], Some("c-1")).await.expect("a part");
    sales.pay("s", id.to_owned(), Some("p-1".into())).await.expect("paid");
    part(sales, id, &["A-01-03"], Some("c-2")).await.expect("a part");
    let bob = held(sales, "bob", chosen(&["A-01-02", "A-01-03"])).await;
    let cid = held(sales, "cid", chosen(&["L-01-01", "L-01-02"])).await;
    part(sales, &cid.order, &["L-01-01", "L-01-02"], Some("c-3")).await.expect("all of it");
    extend(sales, &bob, "e-2").await;
    app.writer("one").catch_up().await.expect("the ledger");
    let search = Search { sale: Some("s".to_owned()), order: Some(id.to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 100, None).await.expect("the rows");
    rows.sort_by_key(|row| row.id);
    let held_by = rows[0].request_id.clone().expect("a request");
    let expected = [
        format!("held A-01-01 500 {held_by}"),
        format!("held A-01-02 500 {held_by}"),
        format!("held A-01-03 500 {held_by}"),
        "extended - 0 e-1".to_owned(),
        "cancelled A-01-02 500 c-1".to_owned(),
        "paid A-01-01 500 p-1".to_owned(),
        "paid A-01-03 500 p-1".to_owned(),
        "refunded A-01-03 500 c-2".to_owned(),
    ];
    assert_eq!(reported(&rows), expected);
    assert_holds(&app).await;

    let before = stored(&raw).await;
    raw.run::<()>("FLUSHALL", "SYNC").await;
    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    let sales = &app.tickets;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(stored(&raw).await, before);
    assert_holds(&app).await;
    // What was answered is answered again, and nothing comes back or is extended once more.
    assert!(matches!(part(sales, id, &["A-01-02"], Some("c-1")).await, Ok(Cancelled::Repeat(_))));
    assert!(matches!(part(sales, id, &["A-01-03"], None).await, Ok(Cancelled::Repeat(_))));
    let reused = part(sales, id, &["A-01-01"], Some("c-2")).await.expect_err("of another part");
    assert_eq!(reused.code, Code::RequestReused);
    assert!(matches!(part(sales, &cid.order, &["L-01-01", "L-01-02"], Some("c-3")).await, Ok(Cancelled::Repeat(_))));
    assert!(matches!(extend(sales, &bob, "e-2").await, Extended::Repeat(_)));
    assert!(matches!(extend(sales, &bob, "e-3").await, Extended::AlreadyExtended(_)));
    app.time.advance(2 * HOLD);
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "bob's");
    assert_holds(&app).await;
}

#[tokio::test]
async fn a_hold_is_extended_once_if_the_sale_allows_it() {
    let (_redis, raw, app) = with_sale(extendable()).await;
    let sales = &app.tickets;
    let order = held(sales, "ann", picked("near", 2)).await;
    assert!(order.extendable);
    app.time.advance(50_000);
    let longer = Order { held_until: START + 2 * HOLD, extendable: false, ..order.clone() };
    assert_eq!(extend(sales, &order, "e-1").await, Extended::Extended(longer.clone()), "from the present deadline");
    assert_eq!(extend(sales, &order, "e-1").await, Extended::Repeat(longer.clone()));
    assert_eq!(extend(sales, &order, "e-2").await, Extended::AlreadyExtended(longer.clone()));
    assert_eq!(sales.order("s", &order.order).await, Ok(longer.clone()));
    assert_eq!(raw.run::<i64>("ZSCORE", (key("s", "deadlines"), &order.order)).await, START + 2 * HOLD);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").outcomes.extended, 1);
    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(0), "it would be due by now");
    let paid = Order { state: OrderState::Paid, ..longer };
    assert_eq!(sales.pay("s", order.order.clone(), None).await, Ok(Paid::Paid(paid.clone())));
    assert_eq!(extend(sales, &order, "e-3").await, Extended::Late(paid.clone()));
    assert_eq!(extend(sales, &order, "e-1").await, Extended::Repeat(paid), "whatever became of it");

    let late = held(sales, "bob", picked("far", 1)).await;
    app.time.advance(HOLD);
    assert!(matches!(extend(sales, &late, "e-1").await, Extended::Late(order) if order.state == OrderState::Held));
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    assert!(matches!(extend(sales, &late, "e-1").await, Extended::Late(order) if order.state == OrderState::Expired));
    let unknown = sales.extend("s", "nope".into(), String::new(), None).await.expect_err("no order");
    assert_eq!((unknown.code, unknown.field.as_deref()), (Code::UnknownOrder, Some("order")));
    assert_holds(&app).await;
    assert_eq!(sales.open(terms("s", small())).await.expect_err("other terms").code, Code::SaleExists);
}

#[tokio::test]
async fn a_sale_that_does_not_allow_it_has_no_field_for_it_and_extends_nothing() {
    let (_redis, raw, app) = with_sale(terms("s", small())).await;
    let order = held(&app.tickets, "ann", picked("near", 1)).await;
    assert!(!order.extendable);
    assert_eq!(extend(&app.tickets, &order, "e-1").await, Extended::NotExtendable(order.clone()));
    assert!(!raw.run::<bool>("HEXISTS", (key("s", "meta"), "extendable")).await);
    app.time.advance(HOLD);
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    assert_holds(&app).await;
}

/// Deadlines are stored in hold time.
#[tokio::test]
async fn a_pause_that_stops_hold_time_moves_an_extended_deadline_as_well() {
    let (_redis, raw, app) = with_sale(extendable()).await;
    let order = held(&app.tickets, "ann", picked("near", 2)).await;
    let id = order.order.as_str();
    pause(&app, "p-1").await;
    app.time.advance(1_000);
    let Extended::Extended(longer) = extend(&app.tickets, &order, "e-1").await else { panic!("time stands") };
    assert_eq!(longer.held_until, START + 2 * HOLD + 1_000);
    assert_eq!(raw.run::<i64>("ZSCORE", (key("s", "deadlines"), id)).await, START + 2 * HOLD);
    // What goes on is reported by the clock, too.
    let seat = longer.seats[0].as_str();
    let Ok(Cancelled::Cancelled(cancelled)) = part(&app.tickets, id, &[seat], None).await else { panic!("a part") };
    assert_eq!(cancelled.order.held_until, START + 2 * HOLD + 1_000);
    app.time.advance(1_000);
    resume(&app, "p-2").await;
    assert_eq!(app.tickets.order("s", id).await.expect("an order").held_until, START + 2 * HOLD + 2_000);
    assert_holds(&app).await;
    app.writer("one").catch_up().await.expect("the ledger");
    assert_holds(&app).await;
}

async fn pause(app: &TestApp, request: &str) -> Paused {
    app.services
        .life
        .pause(KIND, "s", String::new(), HoldClock::Stops, Some(request.into()))
        .await
        .expect("paused")
        .outcome
}

async fn resume(app: &TestApp, request: &str) -> Resumed {
    app.services.life.resume(KIND, "s", Some(request.into())).await.expect("resumed").outcome
}

#[tokio::test]
async fn an_audit_finds_a_part_and_an_extension_that_were_changed_by_hand() {
    let (_redis, raw, app) = with_sale(extendable()).await;
    let sales = &app.tickets;
    let order = held(sales, "ann", chosen(&["A-01-01", "A-01-02"])).await.order;
    extend(sales, &sales.order("s", &order).await.expect("an order"), "e-1").await;
    part(sales, &order, &["A-01-02"], Some("c-1")).await.expect("a part");
    sales.pay("s", order.clone(), Some("p-1".into())).await.expect("paid");
    assert_holds(&app).await;
    let broken = async || -> Vec<String> {
        let audit = sales.audit("s").await.expect("an audit");
        audit.invariants.into_iter().filter(|it| !it.holds()).map(|it| it.name).collect()
    };
    let record = async |cents: i64, returns: &[(&str, [u32; 2])], extended_by: &str| {
        let record =
            ("ann", "paid", cents, START + 2 * HOLD, [0, 0, 0, 1], ["p-1"], [""; 0], [0; 0], returns, extended_by);
        let record = rmp_serde::to_vec(&record).expect("packed");
        raw.run::<i64>("HSET", (key("s", "orders"), &order, record)).await;
    };
    record(500, &[("c-1", [0, 1])], "e-1").await;
    assert_eq!(broken().await, Vec::<String>::new());
    record(500, &[("c-2", [0, 1])], "e-1").await;
    assert_eq!(broken().await, ["lost"]);
    record(500, &[("c-1", [0, 1])], "e-2").await;
    assert_eq!(broken().await, ["lost"]);
    record(1_000, &[], "e-1").await;
    assert_eq!(broken().await, ["lost", "money"]);
    record(500, &[("c-1", [0, 1])], "e-1").await;
    for count in ["extended", "cancelled"] {
        raw.run::<i64>("HINCRBY", (key("s", "stats"), count, 1)).await;
        assert_eq!(broken().await, ["events"], "{count}");
        raw.run::<i64>("HINCRBY", (key("s", "stats"), count, -1)).await;
    }
    assert_holds(&app).await;
    raw.run::<i64>("HDEL", (key("s", "meta"), "extendable")).await;
    app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(broken().await, ["terms"]);
}

/// An older program would take the seats of a part back once more.
#[tokio::test]
async fn a_part_raises_the_format_of_a_sale_that_an_older_program_has_opened() {
    let (_redis, raw, app) = with_sale(terms("s", small())).await;
    raw.run::<i64>("HSET", (key("s", "meta"), "format", FORMAT - 1)).await;
    let format = async || raw.run::<u32>("HGET", (key("s", "meta"), "format")).await;
    let order = held(&app.tickets, "ann", picked("near", 3)).await;
    let whole = held(&app.tickets, "bob", picked("near", 1)).await;
    app.tickets.cancel("s", whole.order, String::new(), None).await.expect("cancelled");
    assert_eq!(format().await, FORMAT - 1);
    part(&app.tickets, &order.order, &[&order.seats[0]], None).await.expect("a part");
    assert_eq!(format().await, FORMAT);
    let entries: Vec<(String, Vec<String>)> = {
        let mut last = store::command("XREVRANGE");
        last.arg((key("s", "events"), "+", "-", "COUNT", 1));
        let entries: Vec<(String, Vec<Vec<u8>>)> = raw.send(&last).await;
        let text = |field: Vec<u8>| String::from_utf8_lossy(&field).into_owned();
        entries.into_iter().map(|(id, fields)| (id, fields.into_iter().map(text).collect())).collect()
    };
    assert!(entries[0].1.windows(2).any(|pair| pair == ["format", &FORMAT.to_string()]), "{entries:?}");
}

/// Whatever happens in whatever order, the audit holds, and what is built from the ledger is what was there.
#[tokio::test]
async fn random_changes_are_audited_replayed_and_recovered() {
    let seeds = [1, 2, 3];
    join_all(seeds.map(play)).await;
}

async fn play(seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (redis, raw, mut app) = with_sale(extendable()).await;
    let mut orders: Vec<Order> = Vec::new();
    // By request, or by order where that identifies the change.
    let mut reasons: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut is_paused = false;
    for step in 1..=150_usize {
        let request = format!("c{step}");
        match random.random_range(0..14) {
            0..4 => {
                let category = if random.random() { "near" } else { "far" };
                let user = format!("u{}", random.random_range(0..6));
                let outcome = app.tickets.reserve("s", user, None, picked(category, random.random_range(1..=4))).await;
                orders.extend(outcome.expect("an outcome").order());
            }
            4 => app.time.advance(random.random_range(1..HOLD / 2)),
            5 => _ = app.ledger_service.sweep().await.expect("a sweep"),
            6 if random.random_ratio(1, 3) => {
                if is_paused {
                    resume(&app, &request).await;
                } else {
                    pause(&app, &request).await;
                }
                is_paused = !is_paused;
            }
            what @ (12 | 13) => {
                // Not all of them may be free, or blocked.
                let row = random.random_range(1..=3);
                let seats: Vec<String> = (1..=2).map(|seat| format!("a-{row:02}-{seat:02}")).collect();
                let (reason, id) = ("Camera".to_owned(), Some(request));
                match what {
                    12 => _ = app.tickets.block("s", &seats, reason, id).await.expect("an answer"),
                    _ => _ = app.tickets.unblock("s", &seats, reason, id).await.expect("an answer"),
                }
            }
            what => {
                let Some(order) = orders.choose(&mut random) else { continue };
                let id = order.order.clone();
                let reason = if random.random() { format!("why {step}") } else { String::new() };
                let given = Some(reason.clone()).filter(|reason| !reason.is_empty());
                match what {
                    7 => _ = app.tickets.pay("s", id, Some(request)).await.expect("an answer"),
                    8 => {
                        let answer = app.tickets.cancel("s", id.clone(), reason, None).await.expect("an answer");
                        if !matches!(answer, Cancelled::Repeat(_)) {
                            reasons.insert(id, given);
                        }
                    }
                    9 => {
                        reasons.insert(request.clone(), given);
                        app.tickets.extend("s", id, reason, Some(request)).await.expect("an answer");
                    }
                    _ => {
                        let count = random.random_range(1..=order.seats.len());
                        let seats: Vec<&str> =
                            order.seats.choose_multiple(&mut random, count).map(String::as_str).collect();
                        reasons.insert(request.clone(), given);
                        let seats = seats.into_iter().map(str::to_owned).collect();
                        let answer = app.tickets.cancel_part("s", id, seats, reason, Some(request)).await;
                        // Some of them may have come back.
                        let is_other = |error: Error| error.field.as_deref() != Some("seats");
                        assert!(!answer.is_err_and(is_other), "seed {seed}, step {step}");
                    }
                }
            }
        }
        if step % 10 == 0 {
            assert_holds(&app).await;
        }
        if step % 25 == 0 {
            raw.run::<i64>("DEL", keys::WRITER.one).await;
            app.writer("one").catch_up().await.expect("the ledger");
            assert_holds(&app).await;
            assert_reasons(&app, &reasons).await;
            let before = stored(&raw).await;
            raw.run::<()>("FLUSHALL", "SYNC").await;
            app = TestApp::at(&redis, &redis.url(), app.time.clone(), seed + 100 + step as u64).await;
            app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
            assert_eq!(stored(&raw).await, before, "seed {seed}, step {step}");
            assert_holds(&app).await;
        }
    }
}

/// The rows of the changes of orders have the reasons that were given with them, and no others.
async fn assert_reasons(app: &TestApp, reasons: &BTreeMap<String, Option<String>>) {
    let search = Search { sale: Some("s".to_owned()), ..Search::default() };
    let rows = app.ledger.rows(&search, 10_000, None).await.expect("the rows");
    for row in rows.into_iter().filter(|row| row.order.is_some()) {
        let of = match row.outcome.as_str() {
            outcome::EXTENDED => row.request_id.clone(),
            outcome::CANCELLED | outcome::REFUNDED => row.request_id.clone().or(row.order.clone()),
            _ => None,
        };
        let given = of.and_then(|of| reasons.get(&of).cloned()).flatten();
        assert_eq!(row.reason, given, "{row:?}");
    }
}
