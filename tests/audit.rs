//! The audit: it holds for a sound sale, and reports everything that was corrupted on purpose, and by how much.

mod ledger;
mod load;
mod record;
mod thread;
mod trimming;

use crate::support::{
    app::TestApp,
    proxy::FaultProxy,
    redis::{Raw, TestRedis},
    sale::{Chunk, LIFE_S, START, claim, clock, open, stored, terms},
};
use engine::red_packet::scripts::key;
use model::{Audit, EventId, Verdict, error::Code};

/// A sale of five packets worth 15 cents: ann has 1:5, bob 2:4, and 3:3, 4:2, 5:1 wait.
struct Bench {
    server: TestRedis,
    redis: Raw,
    app: TestApp,
}

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        let (redis, app) = (server.raw().await, TestApp::on(&server).await);
        open(&redis, "s", &[5, 4, 3, 2, 1]).await;
        claim(&redis, "s", &["ann", "bob"]).await;
        Self { server, redis, app }
    }

    async fn audit(&self) -> Audit {
        self.app.red_packet.audit("s").await.expect("an audit")
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

    async fn forge_claim(&self, claims: &[&str]) {
        let pairs: Vec<&str> = claims.chunks(3).flat_map(|claim| [claim[0], claim[2]]).collect();
        let data = rmp_serde::to_vec(&pairs).expect("packed");
        let n = claims.len() / 3;
        let at = START.to_string();
        let fields = ("*", "type", "claimed", "at", &at, "n", n);
        let mut command = store::command("XADD");
        command.arg(key("s", "events")).arg(fields).arg("data").arg(data);
        self.redis.send::<String>(&command).await;
    }
}

#[tokio::test]
async fn a_sound_sale_holds_with_every_figure_named() {
    let bench = Bench::new().await;
    let audit = bench.audit().await;
    let figures: Vec<(&str, i64, i64)> =
        audit.invariants.iter().map(|it| (it.name.as_str(), it.expected, it.found)).collect();
    assert_eq!(
        figures,
        [
            ("packets", 5, 5),
            ("money", 15, 15),
            ("events", 2, 2),
            ("claimed_cents", 9, 9),
            ("doubled", 0, 0),
            ("twice", 0, 0),
            ("lost", 0, 0),
            ("unexpected", 0, 0),
            ("ledger", 0, 0),
            ("ledger_cents", 0, 0),
            ("state", 0, 0),
            ("life", 0, 0),
            ("terms", 0, 0),
            ("ledger_rows", 0, 0),
            ("ledger_ahead", 0, 0),
            ("set_aside", 0, 0),
        ]
    );
    assert_eq!((audit.verdict, audit.at, &audit.reason), (Verdict::Holds, START, &None));
    let last = stored(&bench.redis, "s").await.events[1].id.clone();
    assert_eq!(audit.event_id, last.parse::<EventId>().expect("an id"));
}

#[tokio::test]
async fn a_refunded_and_a_sold_out_sale_hold() {
    let bench = Bench::new().await;
    bench.app.time.advance(LIFE_S * 1_000);
    bench.app.red_packet.refund("s").await.expect("a refund");
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);

    open(&bench.redis, "t", &[2, 1]).await;
    claim(&bench.redis, "t", &["ann", "bob", "cid"]).await;
    assert_eq!(bench.app.red_packet.audit("t").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_claimant_that_vanished_is_lost() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HDEL", (key("s", "claimants"), "bob")).await;
    bench.assert_broken(&[("packets", 5, 4), ("lost", 0, 1)]).await;
}

#[tokio::test]
async fn a_claimant_with_another_packet_than_it_won_is_lost_and_unexpected() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HSET", (key("s", "claimants"), "bob", "3:3")).await;
    bench.assert_broken(&[("lost", 0, 1), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_claimant_whose_packet_changed_its_worth_is_lost_and_unexpected() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HSET", (key("s", "claimants"), "bob", "2:400")).await;
    bench.assert_broken(&[("lost", 0, 1), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_stranger_among_the_claimants_is_unexpected() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HSET", (key("s", "claimants"), "eve", "3:3")).await;
    bench.assert_broken(&[("packets", 5, 6), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_packet_in_the_queue_twice_is_doubled() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("RPUSH", (key("s", "pending"), "4:2")).await;
    bench.assert_broken(&[("packets", 5, 6), ("doubled", 0, 1)]).await;
}

#[tokio::test]
async fn a_won_packet_back_in_the_queue_is_doubled() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("LPUSH", (key("s", "pending"), "1:5")).await;
    bench.assert_broken(&[("packets", 5, 6), ("doubled", 0, 1)]).await;
}

#[tokio::test]
async fn a_packet_that_the_sale_never_had_is_unexpected() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("RPUSH", (key("s", "pending"), "6:1")).await;
    bench.assert_broken(&[("packets", 5, 6), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_packet_that_vanished_from_the_queue_is_missing_in_packets_and_money() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("LREM", (key("s", "pending"), 1, "4:2")).await;
    bench.assert_broken(&[("packets", 5, 4), ("money", 15, 13)]).await;
}

#[tokio::test]
async fn a_packet_that_grew_in_the_queue_is_money_too_much() {
    let bench = Bench::new().await;
    bench.redis.run::<()>("LSET", (key("s", "pending"), 0, "3:300")).await;
    bench.assert_broken(&[("money", 15, 312)]).await;
}

#[tokio::test]
async fn a_count_of_wins_that_contradicts_the_events_is_broken() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HINCRBY", (key("s", "stats"), "won", 1)).await;
    bench.assert_broken(&[("events", 3, 2)]).await;
}

#[tokio::test]
async fn claimed_cents_that_contradict_the_events_are_broken() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HINCRBY", (key("s", "stats"), "claimed_cents", -4)).await;
    bench.assert_broken(&[("claimed_cents", 5, 9)]).await;
}

#[tokio::test]
async fn a_forged_event_is_a_lost_packet_that_is_doubled() {
    let bench = Bench::new().await;
    // Packet 3 still waits in the queue, and eve is no claimant.
    bench.forge_claim(&["eve", "r", "3:3"]).await;
    bench.assert_broken(&[("events", 2, 3), ("claimed_cents", 9, 12), ("doubled", 0, 1), ("lost", 0, 1)]).await;
}

#[tokio::test]
async fn a_packet_won_by_two_users_is_doubled() {
    let bench = Bench::new().await;
    bench.forge_claim(&["eve", "r", "2:4"]).await;
    bench.assert_broken(&[("events", 2, 3), ("claimed_cents", 9, 13), ("doubled", 0, 1)]).await;
}

#[tokio::test]
async fn a_user_with_two_packets_is_twice() {
    let bench = Bench::new().await;
    let packet: String = bench.redis.run("LPOP", key("s", "pending")).await;
    bench.forge_claim(&["ann", "r", &packet]).await;
    bench
        .assert_broken(&[
            ("packets", 5, 4),
            ("events", 2, 3),
            ("claimed_cents", 9, 12),
            ("twice", 0, 1),
            ("lost", 0, 1),
        ])
        .await;
}

#[tokio::test]
async fn an_event_that_vanished_leaves_its_claimant_unexpected() {
    let bench = Bench::new().await;
    claim(&bench.redis, "s", &["cid"]).await;
    let id = stored(&bench.redis, "s").await.events[2].id.clone();
    bench.redis.run::<i64>("XDEL", (key("s", "events"), id)).await;
    bench.assert_broken(&[("money", 15, 12), ("events", 3, 2), ("claimed_cents", 12, 9), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_refund_of_another_sum_is_money_too_much_or_too_little() {
    let bench = Bench::new().await;
    bench.app.time.advance(LIFE_S * 1_000);
    bench.app.red_packet.refund("s").await.expect("a refund");
    let at = START.to_string();
    let forged = (key("s", "events"), "*", "type", "refunded", "at", at);
    let mut command = store::command("XADD");
    command.arg(forged).arg(("cents", 6, "packets", 3));
    bench.redis.send::<String>(&command).await;
    bench.assert_broken(&[("money", 15, 21)]).await;
}

#[tokio::test]
async fn an_unknown_and_a_half_opened_sale_cannot_be_audited() {
    let bench = Bench::new().await;
    let code = async |sale: &str| bench.app.red_packet.audit(sale).await.expect_err("no audit").code;
    assert_eq!(code("nope").await, Code::UnknownSale);
    Chunk::whole(&[2, 1]).part(1, 1).send(&bench.redis, "half").await;
    assert_eq!(code("half").await, Code::SaleOpening);
}

/// Whatever stands there: the audit says that the sale is broken, or that it could not look.
#[tokio::test]
async fn a_count_of_packets_that_no_sale_has_is_found() {
    let bench = Bench::new().await;
    for count in ["-1", "9007199254740993", "9223372036854775807", "1e300", "0.5", "nan", "many", ""] {
        bench.redis.run::<i64>("HSET", (key("s", "meta"), "count", count)).await;
        let audit = bench.audit().await;
        assert_ne!(audit.verdict, Verdict::Holds, "{count:?}: {audit:?}");
    }
}

#[tokio::test]
async fn an_audit_that_cannot_look_says_unknown_and_why() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    open(&redis.raw().await, "s", &[2, 1]).await;
    proxy.cut();
    let audit = app.red_packet.audit("s").await.expect("an answer");
    assert_eq!((audit.verdict, audit.invariants.len()), (Verdict::Unknown, 0));
    assert!(audit.reason.expect("a reason").contains("Redis did not answer"));
}

/// The sale changes during the audit, in every place that it reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_holds_while_claims_are_running() {
    const PACKETS: u64 = 12_000;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100_000, PACKETS)).await.expect("a sale");
    let red_packet = app.red_packet.clone();
    let claims = tokio::spawn(async move {
        for first in (0..PACKETS).step_by(100) {
            let users = first..first + 100;
            let attempts = users.map(|user| red_packet.claim("s", format!("u{user}"), None));
            for outcome in futures::future::join_all(attempts).await {
                outcome.expect("an outcome");
            }
        }
    });
    let mut in_mid_run = 0;
    while !claims.is_finished() {
        let audit = app.red_packet.audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let won = audit.invariants.iter().find(|it| it.name == "events").expect("events").found;
        in_mid_run += u32::from(won > 0 && won < PACKETS as i64);
    }
    claims.await.expect("no panic");
    assert!(in_mid_run >= 1, "the audit never met a claim");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}
