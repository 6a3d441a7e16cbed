//! Redis has evicted a key of a sale, whatever it is told now: nothing is given twice, and the sale comes back.

use super::*;
use crate::support::{kinds::samples, redis::TestRedis};

impl Sample {
    /// Opens a sale of which ann gets something, which the ledger records.
    async fn begin(&self, server: &Running, sale: &str) {
        self.open(server, sale).await;
        let (status, answer) = self.attempt(server, sale, "ann").await;
        assert_eq!(status, 200, "{answer}");
        caught_up(server, sale).await;
    }
}

/// What Redis has of a sale but for its state.
async fn but_for_the_state(redis: &Raw, kind: &str, sale: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for key in redis.run::<Vec<String>>("KEYS", keys::sale(kind, sale, "*")).await {
        if key != keys::sale(kind, sale, "meta") {
            found.insert(key.clone(), redis.run("DUMP", &key).await);
        }
    }
    found
}

#[tokio::test]
async fn a_sale_that_lacks_a_key_is_suspended_by_the_next_attempt_and_recovered() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        for part in sample.of.needed_parts {
            let sale = format!("{} {part}", sample.kind);
            sample.begin(&server, &sale).await;
            assert_eq!(raw.run::<i64>("DEL", keys::sale(sample.kind, &sale, part)).await, 1, "{sale}");
            let before = but_for_the_state(&raw, sample.kind, &sale).await;
            // Whoever has something already would get it again, and others what is somebody's.
            for user in ["ann", "bob"] {
                let (status, answer) = sample.attempt(&server, &sale, user).await;
                // Only an attempt that would have to say "sold out" looks at what is left.
                if (*part, user) == ("pending", "ann") {
                    assert_eq!((status, &answer["outcome"]), (200, &json!("repeat")), "{sale}: {answer}");
                    continue;
                }
                assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{sale}: {answer}");
            }
            if *part != "pending" {
                assert_eq!(but_for_the_state(&raw, sample.kind, &sale).await, before, "{sale}: nothing was changed");
            }
            stand.recover(&sale).await.assert_back();
            let (status, answer) = sample.attempt(&server, &sale, "ann").await;
            assert_eq!((status, &answer["outcome"]), (200, &json!("repeat")), "{sale}: {answer}");
            let (status, answer) = sample.attempt(&server, &sale, "bob").await;
            assert_eq!(status, 200, "{sale}: {answer}");
            // What was restored is as much its own as what it had: the same holds once more.
            assert_eq!(raw.run::<i64>("DEL", keys::sale(sample.kind, &sale, part)).await, 1, "{sale}");
            let (_, answer) = sample.attempt(&server, &sale, "cid").await;
            assert_eq!(answer["error"]["code"], "sale_suspended", "{sale}: {answer}");
        }
    }
}

/// Nobody has tried anything since.
#[tokio::test]
async fn sales_that_lack_a_key_are_found_without_an_attempt() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let mut lacking = Vec::new();
    for sample in samples() {
        for part in sample.of.needed_parts {
            let sale = format!("{} {part}", sample.kind);
            sample.begin(&server, &sale).await;
            raw.run::<i64>("DEL", keys::sale(sample.kind, &sale, part)).await;
            lacking.push(sale);
        }
        sample.begin(&server, &format!("whole {}", sample.kind)).await;
    }
    // From the opening on.
    for part in ["seats", "layout", "free", "counts"] {
        let [_, tickets, ..] = samples();
        let sale = format!("new {part}");
        tickets.open(&server, &sale).await;
        caught_up(&server, &sale).await;
        raw.run::<i64>("DEL", keys::sale("ticket", &sale, part)).await;
        lacking.push(sale);
    }
    let mut command = stand.command(&stand.redis, "recover");
    let said = within("the command ends", command.args(["--all", "--json"]).output()).await.expect("it ran");
    let report: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let sales = report["sales"].as_array().expect("sales");
    let mut back: Vec<&str> = sales.iter().filter_map(|one| one["sale"].as_str()).collect();
    back.sort_unstable();
    lacking.sort_unstable();
    assert_eq!((back, &report["verdict"]), (lacking.iter().map(String::as_str).collect(), &json!("holds")));
}

/// Before anything was given, a hall without its seats would look sold out.
#[tokio::test]
async fn a_hall_that_lacks_a_key_before_its_first_order_is_suspended() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let [_, tickets, ..] = samples();
    for part in ["events", "seats", "layout", "free", "counts"] {
        tickets.open(&server, part).await;
        caught_up(&server, part).await;
        raw.run::<i64>("DEL", keys::sale("ticket", part, part)).await;
        let (status, answer) = tickets.attempt(&server, part, "ann").await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{part}: {answer}");
        stand.recover(part).await.assert_back();
        let (status, answer) = tickets.attempt(&server, part, "ann").await;
        assert_eq!((status, &answer["outcome"]), (200, &json!("held")), "{part}: {answer}");
    }
}

/// The ledger never recorded what it was about to read: nobody can restore that, but it is told.
#[tokio::test]
async fn wins_that_were_evicted_with_the_stream_are_counted() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let [.., stock] = samples();
    stock.begin(&server, "s").await;
    let (status, answer) = server.post("/api/stock/pause", &json!({ "sale": "s", "seconds": 20 })).await;
    assert_eq!(status, 200, "{answer}");
    for user in ["bob", "cid", "dan"] {
        assert_eq!(stock.attempt(&server, "s", user).await.1["outcome"], "won");
    }
    raw.run::<i64>("DEL", keys::sale("stock", "s", "events")).await;
    assert_eq!(stock.attempt(&server, "s", "bob").await.1["error"]["code"], "sale_suspended");
    let audit = stand.audit("s").await;
    assert_eq!((audit.code, audit.invariant("in_redis")), (1, (1, 0)), "{audit:?}");
    raw.run::<i64>("DEL", keys::sale("stock", "s", "paused")).await;
    let back = stand.recover("s").await;
    back.assert_back();
    assert_eq!((back.report["won"].as_u64(), back.report["lost_wins"].as_u64()), (Some(1), Some(3)), "{back:?}");
    // A second time, all that Redis has counted is recorded.
    caught_up(&server, "s").await;
    raw.run::<i64>("DEL", keys::sale("stock", "s", "events")).await;
    assert_eq!(stock.attempt(&server, "s", "ann").await.1["error"]["code"], "sale_suspended");
    assert_eq!(stand.recover("s").await.report["lost_wins"], 0);
}

/// Held seats whose deadlines are gone would never be free again.
#[tokio::test]
async fn orders_without_deadlines_are_noticed_when_the_first_is_due() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let [_, mut tickets, ..] = samples();
    // Long enough for its deadline to be deleted before it has passed.
    tickets.terms["hold_s"] = json!(5);
    tickets.begin(&server, "s").await;
    raw.run::<i64>("DEL", keys::sale("ticket", "s", "deadlines")).await;
    let state = async || raw.run::<String>("HGET", (keys::sale("ticket", "s", "meta"), "state")).await;
    eventually("it is suspended", async || (state().await == "suspended").then_some(())).await;
    stand.recover("s").await.assert_back();
}

/// A Redis that evicts for a moment and is told not to before anybody looks.
#[tokio::test]
async fn what_was_evicted_before_anybody_noticed_is_not_given_twice() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let samples = samples();
    let sales: Vec<(&Sample, String)> = samples
        .iter()
        .flat_map(|sample| (0..15).map(move |number| (sample, format!("s {} {number}", sample.kind))))
        .collect();
    join_all(sales.iter().map(|(sample, sale)| sample.begin(&server, sale))).await;
    // Of these keys, and no others.
    let mut evictable = 0;
    for (sample, sale) in &sales {
        for part in sample.of.needed_parts {
            evictable += raw.run::<i64>("PEXPIRE", (keys::sale(sample.kind, sale, part), 86_400_000)).await;
        }
    }
    let before = raw.keys().await;
    raw.run::<String>("CONFIG", ("SET", "maxmemory-policy", "volatile-random")).await;
    eventually("a quarter of them is gone", async || {
        let used: u64 = raw.info("memory", "used_memory").await;
        raw.run::<String>("CONFIG", ("SET", "maxmemory", used - 1_000)).await;
        (raw.keys().await < before - evictable / 4).then_some(())
    })
    .await;
    raw.run::<String>("CONFIG", ("SET", "maxmemory-policy", "noeviction", "maxmemory", "0")).await;
    // Before anybody tries anything, the server has looked for those that lack a key.
    eventually("some are suspended", async || {
        let mut suspended = 0;
        for (sample, sale) in &sales {
            let state: String = raw.run("HGET", (keys::sale(sample.kind, sale, "meta"), "state")).await;
            suspended += usize::from(state == "suspended");
        }
        (suspended > 0).then_some(())
    })
    .await;
    let mut repeats = 0;
    for (sample, sale) in &sales {
        let outcome = eventually("an answer", async || {
            let (status, answer) = sample.attempt(&server, sale, "ann").await;
            match (status, answer["error"]["code"].as_str()) {
                (200, _) => Some(answer["outcome"].as_str().expect("an outcome").to_owned()),
                (503, Some("sale_suspended")) => Some("suspended".to_owned()),
                // Until the server has seen that this Redis no longer evicts.
                (503, Some("busy" | "store_refused")) => None,
                _ => panic!("{sale}: {answer}"),
            }
        })
        .await;
        assert!(["repeat", "suspended"].contains(&outcome.as_str()), "{sale}: {outcome}");
        repeats += usize::from(outcome == "repeat");
    }
    assert!((1..sales.len()).contains(&repeats), "some lack nothing that matters, some do: {repeats}");
}
