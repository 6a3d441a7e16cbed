//! The audit: it holds for a sound sale, and reports everything that was corrupted on purpose, and by how much.

use super::{coupons, give_back, limits, redeem, terms, void, won};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::coupon::{
    scripts::{CouponRecord, key},
    service::Coupons,
};
use ledger::kind::DeadLetters;
use model::{Audit, Verdict};
use serde::Serialize;
use sqlx::Executor;

/// Ten coupons, three a user, two a day: ann has redeemed one and keeps one, bob has given one back.
struct Bench {
    server: TestRedis,
    redis: Raw,
    app: TestApp,
    sales: Coupons,
    /// Of ann: redeemed, kept. Of bob: given back.
    codes: [String; 3],
}

const DAY: i64 = START / 86_400_000 * 86_400_000;

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        let (redis, app) = (server.raw().await, TestApp::on(&server).await);
        let sales = coupons(&app);
        sales.open(terms(limits(10, 3, 2))).await.expect("a sale");
        let codes = [won(&sales, "ann", "1").await, won(&sales, "ann", "2").await, won(&sales, "bob", "3").await];
        redeem(&sales, &codes[0], "r").await;
        give_back(&sales, &codes[2], "b").await;
        Self { server, redis, app, sales, codes }
    }

    async fn audit(&self) -> Audit {
        self.sales.audit("s").await.expect("an audit")
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

    async fn record(&self, code: &str) -> CouponRecord {
        let record: Vec<u8> = self.redis.run("HGET", (key("s", "coupons"), code)).await;
        rmp_serde::from_slice(&record).expect("a record")
    }

    async fn set_record(&self, code: &str, record: &CouponRecord) {
        let record = rmp_serde::to_vec(record).expect("packed");
        self.redis.run::<i64>("HSET", (key("s", "coupons"), code, record)).await;
    }

    async fn set(&self, part: &str, field: &str, value: impl ToString) {
        self.redis.run::<i64>("HSET", (key("s", part), field, value.to_string())).await;
    }

    /// An event that no script has written.
    async fn forge(&self, event: &str, name: &str, data: impl Serialize, more: &[(&str, Vec<u8>)]) {
        let data = rmp_serde::to_vec(&data).expect("packed");
        let mut command = store::command("XADD");
        command.arg(key("s", "events")).arg(("*", "type", event, "at", START, "n", 1)).arg(name).arg(data);
        for (name, value) in more {
            command.arg(name).arg(value);
        }
        self.redis.send::<String>(&command).await;
    }

    /// A claim by an event that no script has written; with its record and its counts, as if there were no limits.
    async fn forge_claim(&self, user: &str, code: &str) {
        let places = rmp_serde::to_vec(&[1]).expect("packed");
        self.forge(
            "claimed",
            "data",
            [user, &format!("r-{code}"), code],
            &[("places", places), ("words", b"3".to_vec())],
        )
        .await;
    }
}

#[tokio::test]
async fn a_sound_sale_holds_with_every_figure_named() {
    let bench = Bench::new().await;
    for is_recorded in [false, true] {
        if is_recorded {
            bench.app.writer("one").catch_up().await.expect("the ledger");
        }
        let audit = bench.audit().await;
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let figures: Vec<(&str, i64)> =
            audit.invariants.iter().map(|invariant| (invariant.name.as_str(), invariant.found)).collect();
        assert_eq!(
            figures[..20],
            [
                ("coupons", 3),
                ("events", 3),
                ("redeemed", 1),
                ("returned", 1),
                ("voided", 0),
                ("limits", 0),
                ("beyond_total", 0),
                ("counts_total", 0),
                ("beyond_per_user", 0),
                ("counts_per_user", 0),
                ("beyond_per_user_per_day", 0),
                ("counts_per_user_per_day", 0),
                ("doubled", 0),
                ("ended_twice", 0),
                ("lost", 0),
                ("unexpected", 0),
                ("ledger", if is_recorded { 3 } else { 0 }),
                ("state", 0),
                ("life", 0),
                ("terms", 0),
            ]
        );
    }
}

#[tokio::test]
async fn a_coupon_that_is_gone_is_lost() {
    let bench = Bench::new().await;
    bench.redis.run::<i64>("HDEL", (key("s", "coupons"), &bench.codes[1])).await;
    bench.assert_broken(&[("coupons", 3, 2), ("lost", 0, 1)]).await;
    // The ledger has it.
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.assert_broken(&[("coupons", 3, 2), ("lost", 0, 1), ("ledger", 3, 2)]).await;
}

#[tokio::test]
async fn a_coupon_that_differs_in_anything_is_lost() {
    let changes: [fn(&mut CouponRecord); 8] = [
        |record| record.user = "eve".to_owned(),
        |record| record.claimed_at += 1,
        |record| record.previous = "0000-0000-0000".to_owned(),
        |record| record.windows = "per_user_per_day@0".to_owned(),
        |record| record.ended_at = record.ended_at.map(|at| at + 1),
        |record| record.ended_by = record.ended_by.clone().map(|by| by + "!"),
        |record| record.voided = vec![("v".to_owned(), START)],
        |record| record.state = model::coupon::CouponState::Returned,
    ];
    let bench = Bench::new().await;
    let right = bench.record(&bench.codes[0]).await;
    for change in changes {
        let mut record = right.clone();
        change(&mut record);
        assert_ne!(record, right);
        bench.set_record(&bench.codes[0], &record).await;
        bench.assert_broken(&[("lost", 0, 1)]).await;
        bench.set_record(&bench.codes[0], &right).await;
        assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    }
    bench.redis.run::<i64>("HSET", (key("s", "coupons"), &bench.codes[0], "?")).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
}

#[tokio::test]
async fn a_coupon_from_nowhere_is_unexpected() {
    let bench = Bench::new().await;
    let record = bench.record(&bench.codes[1]).await;
    bench.set_record("0000-0000-0000", &record).await;
    bench.assert_broken(&[("coupons", 3, 4), ("unexpected", 0, 1)]).await;
    bench.redis.run::<i64>("HDEL", (key("s", "coupons"), "0000-0000-0000")).await;
    bench.set("counts", "user:eve", "X per_user=1").await;
    bench.assert_broken(&[("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_wrong_count_is_named_by_its_limit() {
    let bench = Bench::new().await;
    let (redeemed, kept) = (&bench.codes[0], &bench.codes[1]);
    let today = format!("per_user_per_day@{DAY}");
    let of_sale: String = bench.redis.run("HGET", (key("s", "counts"), "sale:")).await;
    bench.set("counts", "sale:", of_sale.replace("total=2", "total=3")).await;
    bench.assert_broken(&[("counts_total", 0, 1)]).await;
    bench.set("counts", "sale:", &of_sale).await;
    bench.set("counts", "user:ann", format!("{kept} per_user=1 {today}=2")).await;
    bench.assert_broken(&[("counts_per_user", 0, 1)]).await;
    bench.set("counts", "user:ann", format!("{kept} per_user=2 {today}=1")).await;
    bench.assert_broken(&[("counts_per_user_per_day", 0, 1)]).await;
    // The newest coupon is another.
    bench.set("counts", "user:ann", format!("{redeemed} per_user=2 {today}=2")).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    bench.redis.run::<i64>("HDEL", (key("s", "counts"), "user:ann")).await;
    bench.assert_broken(&[("counts_per_user", 0, 1), ("counts_per_user_per_day", 0, 1)]).await;
    bench.set("counts", "user:ann", format!("{kept} per_user=2 {today}=2")).await;
    bench.redis.run::<i64>("HDEL", (key("s", "counts"), "sale:")).await;
    bench.assert_broken(&[("counts_total", 0, 1)]).await;
}

#[tokio::test]
async fn counts_of_attempts_that_are_wrong_are_named() {
    let bench = Bench::new().await;
    void(&bench.sales, &bench.codes[0], "r").await;
    redeem(&bench.sales, &bench.codes[0], "again").await;
    for (field, name, wrong) in
        [("won", "events", 4), ("redeemed", "redeemed", 2), ("returned", "returned", 0), ("voided", "voided", 0)]
    {
        let right: i64 = bench.redis.run("HGET", (key("s", "stats"), field)).await;
        bench.set("stats", field, wrong).await;
        bench.assert_broken(&[(name, wrong, right)]).await;
        bench.set("stats", field, right).await;
    }
    bench.set("meta", "limit:per_user", 9).await;
    bench.assert_broken(&[("limits", 0, 1)]).await;
}

/// A limit counts as it was when the claim was made: what was within it stays so when it is lowered, and what was beyond
/// it stays so when it is raised.
#[tokio::test]
async fn a_claim_beyond_a_limit_of_its_time_is_found() {
    let bench = Bench::new().await;
    bench.sales.set_limits("s", limits(1, 1, 1), &[], None).await.expect("lowered");
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    bench.forge_claim("ann", "AAAA-AAAA-AAAA").await;
    bench.sales.set_limits("s", limits(99, 99, 99), &[], None).await.expect("raised");
    let audit = bench.audit().await;
    let beyond: Vec<i64> = ["beyond_total", "beyond_per_user", "beyond_per_user_per_day"]
        .into_iter()
        .map(|name| audit.invariants.iter().find(|invariant| invariant.name == name).expect("an invariant").found)
        .collect();
    assert_eq!(beyond, [1, 1, 1]);
    // The ledger says the same.
    bench.app.writer("one").catch_up().await.expect("the ledger");
    let found = bench.audit().await.invariants.into_iter().filter(|invariant| invariant.name.starts_with("beyond"));
    assert_eq!(found.map(|invariant| invariant.found).collect::<Vec<_>>(), [1, 1, 1]);
}

#[tokio::test]
async fn a_code_given_out_twice_and_a_coupon_used_twice_are_found() {
    let bench = Bench::new().await;
    bench.forge_claim("eve", &bench.codes[1]).await;
    bench.assert_broken(&[("doubled", 0, 1)]).await;
    bench.forge("redeemed", "data", ["ann", &bench.codes[0], "again"], &[]).await;
    bench.assert_broken(&[("doubled", 0, 1), ("ended_twice", 0, 1)]).await;
    // The end of a coupon that nobody has, and the redemption taken back of one that is not redeemed.
    bench.forge("returned", "data", ["eve", "0000-0000-0000", "b"], &[]).await;
    bench.assert_broken(&[("doubled", 0, 1), ("ended_twice", 0, 1), ("unexpected", 0, 1)]).await;
    bench.forge("voided", "data", ["eve", "0000-0000-0000", "b"], &[]).await;
    bench.assert_broken(&[("doubled", 0, 1), ("ended_twice", 0, 1), ("unexpected", 0, 2)]).await;
}

/// Somebody has changed the key of the codes for a while, from which the code of a request follows.
#[tokio::test]
async fn a_request_with_two_coupons_is_doubled_also_after_a_recovery() {
    let bench = Bench::new().await;
    let basis: String = bench.redis.run("HGET", (key("s", "meta"), "basis")).await;
    let mut other = basis.clone();
    let last = other.pop().expect("a key");
    other.push(if last == '0' { '1' } else { '0' });
    bench.set("meta", "basis", other).await;
    assert_ne!(won(&bench.sales, "bob", "3").await, bench.codes[2], "the same request once more");
    bench.set("meta", "basis", basis).await;
    bench.assert_broken(&[("doubled", 0, 1)]).await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.app.ledger_service.suspend("coupon", "s").await.expect("suspended");
    let recovered = bench.app.ledger_service.recover("coupon", "s", DeadLetters::Refuse).await.expect("recovered");
    let [conflict] = recovered.conflicts.as_slice() else { panic!("{:?}", recovered.conflicts) };
    assert!(conflict.ends_with("of bob is a second one of the same request"), "{conflict}");
    bench.assert_broken(&[("doubled", 0, 1)]).await;
}

#[tokio::test]
async fn a_claim_that_only_the_ledger_has_is_ahead() {
    let bench = Bench::new().await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    let before = bench.redis.dump(&key("s", "*")).await;
    won(&bench.sales, "cid", "4").await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.redis.restore(before).await;
    bench.assert_broken(&[("ledger_ahead", 0, 1)]).await;
}

#[tokio::test]
async fn an_entry_that_is_set_aside_is_named() {
    let bench = Bench::new().await;
    bench.redis.run::<String>("XADD", (key("s", "events"), "*", "type", "stolen", "at", 1)).await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    bench.assert_broken(&[("set_aside", 0, 1)]).await;
}

#[tokio::test]
async fn a_row_that_is_gone_from_the_ledger_is_found() {
    let bench = Bench::new().await;
    bench.app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    let mut ledger = sqlite(bench.server.folder()).await;
    ledger.execute("DELETE FROM history WHERE outcome = 'won' AND user_id = 'bob'").await.expect("deleted");
    let audit = bench.audit().await;
    assert_eq!(audit.verdict, Verdict::Broken);
    let broken: Vec<&str> = audit
        .invariants
        .iter()
        .filter(|invariant| !invariant.holds())
        .map(|invariant| invariant.name.as_str())
        .collect();
    assert!(["coupons", "events", "unexpected", "ledger_rows"].iter().all(|name| broken.contains(name)), "{broken:?}");
}

/// While users come, the audit is exact all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_under_load_holds() {
    let server = TestRedis::start().await;
    let app = TestApp::on(&server).await;
    let sales = coupons(&app);
    sales.open(terms(limits(0, 4, 0))).await.expect("a sale");
    let busy = {
        let sales = sales.clone();
        tokio::spawn(async move {
            for nth in 0..3_000 {
                let user = format!("u{}", nth % 700);
                let outcome = sales.claim("s", user, Some(nth.to_string())).await.expect("an outcome");
                if let model::coupon::Outcome::Won { code } = outcome
                    && nth % 3 == 0
                {
                    give_back(&sales, &code, "b").await;
                }
            }
        })
    };
    let mut audits = 0;
    while !busy.is_finished() {
        let audit = sales.audit("s").await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        audits += 1;
    }
    busy.await.expect("no panic");
    assert!(audits > 2, "{audits}");
}
