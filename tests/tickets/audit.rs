//! The audit: it holds for a sound sale, and reports everything that was corrupted on purpose, and by how much.

mod ledger;
mod load;

use super::{chosen, held, named, picked, small, terms};
use crate::support::{
    app::TestApp,
    proxy::FaultProxy,
    redis::{Raw, TestRedis},
    sale::{START, clock},
};
use engine::ticket::scripts::key;
use model::{Audit, Verdict, error::Code};
use serde::Serialize;

/// A sale of 34 seats: ann has paid A-01-01 and A-01-02 (seats 0 and 1), bob holds L-01-01 (18), cid has cancelled.
struct Bench {
    server: TestRedis,
    redis: Raw,
    app: TestApp,
    ann: String,
    bob: String,
    cid: String,
}

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        let (redis, app) = (server.raw().await, TestApp::on(&server).await);
        let sales = &app.tickets;
        sales.open(terms("s", small())).await.expect("a sale");
        let ann = held(sales, "ann", named(chosen(&["A-01-01", "A-01-02"]), &["Ann", "Mei"])).await.order;
        let bob = held(sales, "bob", chosen(&["L-01-01"])).await.order;
        let cid = held(sales, "cid", picked("near", 2)).await.order;
        sales.pay("s", ann.clone(), None).await.expect("paid");
        sales.cancel("s", cid.clone(), String::new(), None).await.expect("cancelled");
        Self { server, redis, app, ann, bob, cid }
    }

    async fn audit(&self) -> Audit {
        self.app.tickets.audit("s").await.expect("an audit")
    }

    /// Asserts that exactly these invariants are broken: name, expected, found.
    async fn assert_broken(&self, broken: &[(&str, i64, i64)]) {
        let audit = self.audit().await;
        let found: Vec<(&str, i64, i64)> = audit
            .invariants
            .iter()
            .filter(|invariant| !invariant.holds())
            .map(|invariant| (invariant.name.as_str(), invariant.expected, invariant.found))
            .collect();
        assert_eq!(found, broken);
        assert_eq!(audit.verdict, Verdict::Broken);
    }

    async fn set_seat(&self, seat: u32, sign: &str) {
        self.redis.run::<i64>("SETRANGE", (key("s", "seats"), seat, sign)).await;
    }

    async fn set_order(&self, order: &str, record: impl Serialize) {
        let record = rmp_serde::to_vec(&record).expect("packed");
        self.redis.run::<i64>("HSET", (key("s", "orders"), order, record)).await;
    }

    async fn count(&self, part: &str, field: &str, by: i64) {
        self.redis.run::<i64>("HINCRBY", (key("s", part), field, by)).await;
    }

    /// An event that no script has written.
    async fn forge(&self, event: &str, data: impl Serialize) {
        let data = rmp_serde::to_vec(&data).expect("packed");
        let mut command = store::command("XADD");
        command.arg(key("s", "events")).arg(("*", "type", event, "at", START, "n", 1)).arg("data").arg(data);
        self.redis.send::<String>(&command).await;
    }
}

const DUE: i64 = START + 60_000;
const NOBODY: [&str; 0] = [];
/// No payments.
const UNPAID: [&str; 0] = [];
/// No picks.
const CHOSEN: [u32; 0] = [];

#[tokio::test]
async fn a_sound_sale_holds_with_every_figure_named() {
    let bench = Bench::new().await;
    let audit = bench.audit().await;
    let figures: Vec<(&str, i64, i64)> =
        audit.invariants.iter().map(|it| (it.name.as_str(), it.expected, it.found)).collect();
    assert_eq!(
        figures,
        [
            ("seats", 34, 34),
            ("remaining", 31, 31),
            ("held", 1, 1),
            ("sold", 2, 2),
            ("blocked", 0, 0),
            ("doubled", 0, 0),
            ("half_done", 0, 0),
            ("index", 7, 7),
            ("holders", 3, 3),
            ("limits", 0, 0),
            ("deadlines", 1, 1),
            ("lost", 0, 0),
            ("unexpected", 0, 0),
            ("money", 1_000, 1_000),
            ("events", 5, 5),
            ("ledger", 0, 0),
            ("state", 0, 0),
            ("life", 0, 0),
            ("terms", 0, 0),
            ("ledger_rows", 0, 0),
            ("ledger_ahead", 0, 0),
            ("set_aside", 0, 0),
        ]
    );
    assert_eq!((audit.verdict, audit.at, &audit.reason), (Verdict::Holds, START, &None));
    let snapshot = bench.app.tickets.snapshot("s").await.expect("a snapshot");
    assert_eq!(audit.event_id, snapshot.event_id);
}

#[tokio::test]
async fn whatever_an_order_went_through_it_holds() {
    let bench = Bench::new().await;
    let sales = &bench.app.tickets;
    bench.app.time.advance(60_000);
    sales.pay("s", bench.bob.clone(), None).await.expect("refunded: too late");
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    bench.app.ledger_service.sweep().await.expect("a sweep");
    sales.cancel("s", bench.ann.clone(), String::new(), None).await.expect("refunded");
    // The same seats again, by others.
    let dan = held(sales, "dan", chosen(&["A-01-01", "L-01-01"])).await.order;
    sales.pay("s", dan, None).await.expect("paid");
    let audit = bench.audit().await;
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn a_count_that_is_not_of_the_seats_breaks_seats_and_remaining() {
    let bench = Bench::new().await;
    bench.count("counts", "free:2", 1).await;
    bench.assert_broken(&[("seats", 34, 35), ("remaining", 31, 32)]).await;
    // A surplus in one category does not make up for a shortage in another.
    bench.count("counts", "free:1", -1).await;
    bench.assert_broken(&[("seats", 34, 36), ("remaining", 31, 33)]).await;
}

#[tokio::test]
async fn counts_of_held_and_sold_seats_are_compared_with_the_seats() {
    let bench = Bench::new().await;
    bench.count("counts", "held:2", -1).await;
    bench.count("counts", "sold:2", 1).await;
    bench.assert_broken(&[("held", 1, 0), ("sold", 2, 3)]).await;
}

#[tokio::test]
async fn a_seat_that_became_free_is_lost_and_its_order_half_done() {
    let bench = Bench::new().await;
    bench.set_seat(0, "0").await;
    bench
        .assert_broken(&[
            ("remaining", 32, 31),
            ("sold", 1, 2),
            ("half_done", 0, 1),
            ("index", 7, 6),
            ("lost", 0, 1),
            ("money", 500, 1_000),
        ])
        .await;
}

#[tokio::test]
async fn a_seat_in_another_state_than_its_order_is_half_done() {
    let bench = Bench::new().await;
    bench.set_seat(1, "1").await;
    bench.assert_broken(&[("held", 2, 1), ("sold", 1, 2), ("half_done", 0, 1), ("money", 500, 1_000)]).await;
}

#[tokio::test]
async fn a_seat_that_is_taken_by_no_order_is_unexpected() {
    let bench = Bench::new().await;
    bench.set_seat(30, "1").await;
    bench.assert_broken(&[("remaining", 30, 31), ("held", 2, 1), ("index", 7, 6), ("unexpected", 0, 1)]).await;
}

/// Two seats of the second row of `near` are blocked, and one of them is unblocked.
async fn with_a_blocked_seat() -> Bench {
    let bench = Bench::new().await;
    let seats = ["A-02-01".to_owned(), "A-02-02".to_owned()];
    let sales = &bench.app.tickets;
    sales.block("s", &seats, "Camera".to_owned(), None).await.expect("blocked");
    sales.unblock("s", &seats[1..], String::new(), None).await.expect("unblocked");
    bench
}

#[tokio::test]
async fn blocked_seats_are_compared_with_the_history() {
    let bench = with_a_blocked_seat().await;
    let audit = bench.audit().await;
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    let found = audit.invariants.iter().find(|invariant| invariant.name == "blocked").expect("it");
    assert_eq!((found.expected, found.found), (1, 1));
    // The seat that is blocked is for sale, by its state: then by its count, too.
    bench.set_seat(5, "0").await;
    bench.assert_broken(&[("remaining", 31, 30), ("blocked", 1, 0), ("index", 7, 6)]).await;
    bench.set_seat(5, "3").await;
    bench.count("counts", "blocked:1", 1).await;
    bench.assert_broken(&[("seats", 34, 35), ("blocked", 1, 2)]).await;
    bench.count("counts", "blocked:1", -1).await;
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_seat_that_nobody_has_blocked_is_unexpected() {
    let bench = Bench::new().await;
    bench.set_seat(30, "3").await;
    bench.assert_broken(&[("remaining", 30, 31), ("blocked", 0, 1), ("index", 7, 6), ("unexpected", 0, 1)]).await;
}

/// Without the layout no seat can be reserved, and without the index no best seat is found.
#[tokio::test]
async fn rows_that_the_layout_or_the_index_tells_wrongly_are_counted() {
    let bench = Bench::new().await;
    // Where the second row begins, and whether one seat is free in the first row of the first category.
    bench.redis.run::<i64>("SETRANGE", (key("s", "layout"), 6, "\u{1}")).await;
    bench.assert_broken(&[("index", 7, 6)]).await;
    let free = bench.redis.run::<i64>("GETBIT", (key("s", "free"), 20 * 8)).await;
    bench.redis.run::<i64>("SETBIT", (key("s", "free"), 20 * 8, 1 - free)).await;
    bench.assert_broken(&[("index", 7, 5)]).await;
    bench.redis.run::<i64>("DEL", key("s", "layout")).await;
    bench.assert_broken(&[("index", 7, 0)]).await;
}

#[tokio::test]
async fn a_seat_given_to_two_orders_is_doubled() {
    let bench = Bench::new().await;
    // By the events, eve has bob's seat.
    let eve = ("eve", "r", "o-eve", 300, DUE, [3, 0], NOBODY, CHOSEN);
    bench.forge("reserved", [eve]).await;
    bench
        .assert_broken(&[
            ("doubled", 0, 1),
            ("holders", 3, 2),
            ("limits", 0, 1),
            ("deadlines", 2, 1),
            ("lost", 0, 1),
            ("events", 5, 6),
        ])
        .await;
}

#[tokio::test]
async fn an_order_that_has_anothers_seat_in_redis_is_doubled_and_lost() {
    let bench = Bench::new().await;
    bench.set_order(&bench.bob, ("bob", "held", 300, DUE, [0, 0], UNPAID, NOBODY, CHOSEN)).await;
    bench.assert_broken(&[("doubled", 0, 1), ("lost", 0, 1)]).await;
}

#[tokio::test]
async fn holders_that_are_missing_wrong_or_too_many_are_named() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HDEL", (key("s", "holders"), 18)).await;
    bench.assert_broken(&[("holders", 3, 2)]).await;
    bench.redis.run::<i64>("HSET", (key("s", "holders"), 30, &bench.bob)).await;
    bench.assert_broken(&[("holders", 3, 1)]).await;
    bench.redis.run::<i64>("HDEL", (key("s", "holders"), 30)).await;
    bench.redis.run::<i64>("HSET", (key("s", "holders"), 18, &bench.ann)).await;
    bench.assert_broken(&[("holders", 3, 1)]).await;
}

#[tokio::test]
async fn a_user_over_the_limit_and_one_whose_tickets_are_miscounted_break_the_limits() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HSET", (key("s", "meta"), "limit", 1)).await;
    bench.assert_broken(&[("limits", 0, 1)]).await;
    bench.redis.run::<i64>("HSET", (key("s", "meta"), "limit", 2)).await;
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    bench.count("bought", "ann", -1).await;
    bench.assert_broken(&[("limits", 0, 1)]).await;
    bench.redis.run::<i64>("HDEL", (key("s", "bought"), "bob")).await;
    bench.assert_broken(&[("limits", 0, 2)]).await;
}

#[tokio::test]
async fn a_held_order_without_its_deadline_and_a_deadline_of_no_held_order_are_named() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("ZREM", (key("s", "deadlines"), &bench.bob)).await;
    bench.assert_broken(&[("deadlines", 1, 0)]).await;
    bench.redis.run::<i64>("ZADD", (key("s", "deadlines"), DUE, &bench.ann)).await;
    bench.assert_broken(&[("deadlines", 1, -1)]).await;
    bench.redis.run::<i64>("ZREM", (key("s", "deadlines"), &bench.ann)).await;
    bench.redis.run::<i64>("ZADD", (key("s", "deadlines"), DUE + 1, &bench.bob)).await;
    bench.assert_broken(&[("deadlines", 1, -1)]).await;
}

#[tokio::test]
async fn an_order_that_vanished_or_changed_or_cannot_be_read_is_lost() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HDEL", (key("s", "orders"), &bench.bob)).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    let bob = ("bob", "held", 300, DUE, [3, 0], UNPAID, NOBODY, CHOSEN);
    bench.set_order(&bench.bob, bob).await;
    assert_eq!(bench.audit().await.verdict, Verdict::Holds, "as the script wrote it");
    for changed in [
        ("eve", "held", 300, DUE, [3, 0], UNPAID, NOBODY, CHOSEN),
        ("bob", "paid", 300, DUE, [3, 0], UNPAID, NOBODY, CHOSEN),
        ("bob", "held", 301, DUE, [3, 0], UNPAID, NOBODY, CHOSEN),
        ("bob", "held", 300, DUE + 1, [3, 0], UNPAID, NOBODY, CHOSEN),
        ("bob", "held", 300, DUE, [3, 1], UNPAID, NOBODY, CHOSEN),
    ] {
        bench.set_order(&bench.bob, changed).await;
        bench.assert_broken(&[("lost", 0, 1)]).await;
    }
    bench.set_order(&bench.bob, ("bob", "held", 300, DUE, [3, 0], ["", "late"], NOBODY, CHOSEN)).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    bench.set_order(&bench.bob, ("bob", "held", 300, DUE, [3, 0], UNPAID, NOBODY, [2, 1, 1])).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    bench.redis.run::<i64>("HSET", (key("s", "orders"), &bench.bob, "torn")).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
}

#[tokio::test]
async fn a_request_that_vanished_is_lost_and_one_of_nobody_unexpected() {
    let bench = Bench::new().await;
    let requests: Vec<(String, String)> = bench.redis.run("HGETALL", key("s", "requests")).await;
    let bobs = requests.iter().find(|(_, order)| *order == bench.bob).expect("a request");
    bench.redis.run::<i64>("HDEL", (key("s", "requests"), &bobs.0)).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    bench.redis.run::<i64>("HSET", (key("s", "requests"), "r", &bench.bob)).await;
    bench.assert_broken(&[("lost", 0, 1), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn an_order_that_nobody_was_told_of_is_unexpected() {
    let bench = Bench::new().await;
    bench.set_order("o-eve", ("eve", "held", 300, DUE, [3, 1], UNPAID, NOBODY, CHOSEN)).await;
    bench.assert_broken(&[("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn an_end_of_an_order_that_had_ended_is_unexpected() {
    let bench = Bench::new().await;
    bench.forge("expired", [("cid", &bench.cid, 1_000, [1, 2, 1, 3])]).await;
    bench.assert_broken(&[("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn money_of_an_order_that_contradicts_its_seats_is_broken() {
    let bench = Bench::new().await;
    bench.set_order(&bench.ann, ("ann", "paid", 1_001, DUE, [0, 0, 0, 1], UNPAID, ["Ann", "Mei"], CHOSEN)).await;
    bench.assert_broken(&[("lost", 0, 1), ("money", 1_000, 1_001)]).await;
}

#[tokio::test]
async fn counts_of_orders_that_contradict_the_events_are_broken() {
    let bench = Bench::new().await;
    bench.count("stats", "paid", 1).await;
    bench.assert_broken(&[("events", 6, 5)]).await;
    bench.count("stats", "cancelled", -1).await;
    bench.assert_broken(&[("events", 5, 7)]).await;
}

#[tokio::test]
async fn an_unknown_sale_cannot_be_audited_and_one_out_of_reach_is_unknown() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    assert_eq!(app.tickets.audit("nope").await.expect_err("no audit").code, Code::UnknownSale);
    app.tickets.open(terms("s", small())).await.expect("a sale");
    proxy.cut();
    let audit = app.tickets.audit("s").await.expect("an answer");
    assert_eq!((audit.verdict, audit.invariants.len()), (Verdict::Unknown, 0));
    assert!(audit.reason.expect("a reason").contains("Redis did not answer"));
}
