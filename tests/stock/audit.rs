//! The audit: it holds for a sound sale, and reports everything that was corrupted on purpose, and by how much.

use super::{catch_up, deduct, give_back, stock, terms};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::{Raw, TestRedis},
    sale::START,
};
use engine::stock::{
    scripts::{RequestRecord, RequestState, key},
    service::Stock,
};
use model::{Audit, Verdict, stock::Outcome};
use serde::Serialize;
use sqlx::Executor;

/// Of 100: ann got 10 and keeps them, bob gave 5 back; 20 were added, 3 were missing on the shelf. 107 are left.
struct Bench {
    server: TestRedis,
    redis: Raw,
    app: TestApp,
    sales: Stock,
}

impl Bench {
    async fn new() -> Self {
        let server = TestRedis::start().await;
        let (redis, app) = (server.raw().await, TestApp::on(&server).await);
        let sales = stock(&app);
        sales.open(terms(100)).await.expect("a sale");
        deduct(&sales, "ann", "1", 10).await;
        deduct(&sales, "bob", "2", 5).await;
        give_back(&sales, "2").await;
        sales.restock("s", 20, Some("a".to_owned())).await.expect("restocked");
        sales.correct("s", 107, Some(110), Some("c".to_owned())).await.expect("corrected");
        Self { server, redis, app, sales }
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

    async fn record(&self, request: &str) -> RequestRecord {
        let record: Vec<u8> = self.redis.run("HGET", (key("s", "requests"), request)).await;
        rmp_serde::from_slice(&record).expect("a record")
    }

    async fn set_record(&self, request: &str, record: &RequestRecord) {
        let record = rmp_serde::to_vec(record).expect("packed");
        self.redis.run::<i64>("HSET", (key("s", "requests"), request, record)).await;
    }

    /// An event that no script has written, which leaves everything else as it is.
    async fn forge(&self, event: &str, delta: i64, data: impl Serialize) {
        let data = rmp_serde::to_vec(&data).expect("packed");
        let mut command = store::command("XADD");
        command.arg(key("s", "events")).arg(("*", "type", event, "at", START, "n", 1, "delta", delta, "sum", 0));
        self.redis.send::<String>(command.arg("data").arg(data)).await;
    }
}

#[tokio::test]
async fn a_sound_sale_holds_with_every_figure_named() {
    let bench = Bench::new().await;
    for is_recorded in [false, true] {
        if is_recorded {
            catch_up(&bench.app).await;
        }
        let audit = bench.audit().await;
        assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
        let figures: Vec<(&str, i64)> =
            audit.invariants.iter().map(|invariant| (invariant.name.as_str(), invariant.found)).collect();
        assert_eq!(
            figures[..18],
            [
                ("quantity", 107),
                ("cached", 107),
                ("ledger_quantity", if is_recorded { 107 } else { 0 }),
                ("events", 2),
                ("deducted", 15),
                ("returned", 5),
                ("restocked", 20),
                ("corrected", -3),
                ("requests", 4),
                ("negative", 0),
                ("doubled", 0),
                ("returned_twice", 0),
                ("lost", 0),
                ("unexpected", 0),
                ("ledger", if is_recorded { 4 } else { 0 }),
                ("state", 0),
                ("life", 0),
                ("terms", 0),
            ]
        );
    }
}

#[tokio::test]
async fn a_quantity_that_differs_anywhere_is_found() {
    let bench = Bench::new().await;
    catch_up(&bench.app).await;
    bench.redis.run::<i64>("INCRBY", (key("s", "quantity"), 2)).await;
    bench.assert_broken(&[("cached", 107, 109)]).await;
    // What is not cached cannot be wrong.
    bench.redis.run::<i64>("DEL", key("s", "quantity")).await;
    assert_eq!(bench.audit().await.verdict, Verdict::Holds);
    bench.redis.run::<i64>("HINCRBY", (key("s", "meta"), "sum", -1)).await;
    bench.assert_broken(&[("quantity", 107, 106)]).await;
    bench.redis.run::<i64>("HINCRBY", (key("s", "meta"), "sum", 1)).await;
    let mut ledger = sqlite(bench.server.folder()).await;
    ledger.execute("UPDATE sales SET quantity = quantity + 7").await.expect("changed");
    bench.assert_broken(&[("ledger_quantity", 107, 114)]).await;
}

#[tokio::test]
async fn counts_that_are_wrong_are_named() {
    let bench = Bench::new().await;
    for (field, name, wrong) in [
        ("won", "events", 4),
        ("deducted", "deducted", 16),
        ("returned", "returned", 0),
        ("restocked", "restocked", 19),
        ("corrected", "corrected", 3),
    ] {
        let right: i64 = bench.redis.run("HGET", (key("s", "stats"), field)).await;
        bench.redis.run::<i64>("HSET", (key("s", "stats"), field, wrong)).await;
        bench.assert_broken(&[(name, wrong, right)]).await;
        bench.redis.run::<i64>("HSET", (key("s", "stats"), field, right)).await;
    }
}

#[tokio::test]
async fn a_request_that_is_gone_or_differs_is_lost() {
    let bench = Bench::new().await;
    let right = bench.record("1").await;
    let changes: [fn(&mut RequestRecord); 4] = [
        |record| record.user = "eve".to_owned(),
        |record| record.quantity += 1,
        |record| record.state = RequestState::Returned,
        |record| record.left -= 1,
    ];
    for change in changes {
        let mut record = right.clone();
        change(&mut record);
        bench.set_record("1", &record).await;
        bench.assert_broken(&[("lost", 0, 1)]).await;
    }
    bench.redis.run::<i64>("HSET", (key("s", "requests"), "1", "?")).await;
    bench.assert_broken(&[("lost", 0, 1)]).await;
    bench.redis.run::<i64>("HDEL", (key("s", "requests"), "1")).await;
    bench.assert_broken(&[("requests", 4, 3), ("lost", 0, 1)]).await;
    catch_up(&bench.app).await;
    bench.assert_broken(&[("requests", 4, 3), ("lost", 0, 1), ("ledger", 4, 3)]).await;
}

#[tokio::test]
async fn a_request_from_nowhere_is_unexpected() {
    let bench = Bench::new().await;
    let record = bench.record("1").await;
    bench.set_record("9", &record).await;
    bench.assert_broken(&[("requests", 4, 5), ("unexpected", 0, 1)]).await;
}

#[tokio::test]
async fn a_request_that_got_or_gave_back_twice_is_found() {
    let bench = Bench::new().await;
    bench.forge("deducted", -1, ("ann", "1", 1, 106)).await;
    bench
        .assert_broken(&[
            ("quantity", 106, 107),
            ("cached", 106, 107),
            ("events", 2, 3),
            ("deducted", 15, 16),
            ("doubled", 0, 1),
        ])
        .await;
    let bench = Bench::new().await;
    bench.forge("returned", 5, ("bob", "2", 5)).await;
    bench
        .assert_broken(&[("quantity", 112, 107), ("cached", 112, 107), ("returned", 5, 10), ("returned_twice", 0, 1)])
        .await;
    let bench = Bench::new().await;
    bench.forge("returned", 5, ("eve", "9", 5)).await;
    bench
        .assert_broken(&[
            ("quantity", 112, 107),
            ("cached", 112, 107),
            ("returned", 5, 10),
            ("requests", 5, 4),
            ("lost", 0, 1),
            ("unexpected", 0, 1),
        ])
        .await;
}

#[tokio::test]
async fn going_below_zero_is_found_even_if_it_was_made_good() {
    let bench = Bench::new().await;
    bench.forge("deducted", -200, ("eve", "8", 200, -88)).await;
    bench.sales.restock("s", 500, None).await.expect("restocked");
    let audit = bench.audit().await;
    let negative = audit.invariants.iter().find(|invariant| invariant.name == "negative").expect("an invariant");
    assert_eq!((negative.expected, negative.found), (0, 1));
    catch_up(&bench.app).await;
    let audit = bench.audit().await;
    assert_eq!(audit.excess("negative"), 1, "the ledger says the same");
}

/// While users come and the quantity expires, the audit is exact all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_under_load_holds() {
    let server = TestRedis::start().await;
    let app = TestApp::on(&server).await;
    let sales = stock(&app);
    sales.open(terms(100_000)).await.expect("a sale");
    let busy = {
        let (sales, mut writer) = (sales.clone(), app.writer("one"));
        tokio::spawn(async move {
            for nth in 0..3_000_u64 {
                let request = nth.to_string();
                let outcome = deduct(&sales, "ann", &request, 1 + nth % 3).await;
                assert!(matches!(outcome, Outcome::Won { .. }));
                match nth % 100 {
                    0..=30 => drop(give_back(&sales, &request).await),
                    31 => drop(sales.expire("s").await.expect("expired")),
                    32 => writer.catch_up().await.expect("the ledger"),
                    _ => {}
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

#[tokio::test]
async fn a_deduction_that_only_the_ledger_has_is_ahead() {
    let bench = Bench::new().await;
    catch_up(&bench.app).await;
    let before = bench.redis.dump(&key("s", "*")).await;
    deduct(&bench.sales, "cid", "4", 7).await;
    catch_up(&bench.app).await;
    bench.redis.restore(before).await;
    bench.assert_broken(&[("ledger_ahead", 0, 1)]).await;
}

#[tokio::test]
async fn an_entry_that_is_set_aside_is_named() {
    let bench = Bench::new().await;
    bench.redis.run::<String>("XADD", (key("s", "events"), "*", "type", "stolen", "at", 1)).await;
    catch_up(&bench.app).await;
    bench.assert_broken(&[("set_aside", 0, 1)]).await;
}

#[tokio::test]
async fn a_row_that_is_gone_from_the_ledger_is_found() {
    let bench = Bench::new().await;
    catch_up(&bench.app).await;
    let mut ledger = sqlite(bench.server.folder()).await;
    ledger.execute("DELETE FROM history WHERE outcome = 'won' AND user_id = 'ann'").await.expect("deleted");
    // Without ann's ten, every later answer says ten less than the history.
    bench
        .assert_broken(&[
            ("quantity", 117, 107),
            ("cached", 117, 107),
            ("ledger_quantity", 117, 107),
            ("events", 2, 1),
            ("deducted", 15, 5),
            ("requests", 3, 4),
            ("lost", 0, 3),
            ("unexpected", 0, 1),
            ("ledger", 3, 0),
            ("ledger_rows", 6, 5),
        ])
        .await;
}
