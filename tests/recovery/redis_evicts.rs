//! Redis has evicted a key of a sale, whatever it is told now: nothing is given twice, and the sale comes back.

use super::*;
use crate::support::redis::TestRedis;

/// A sale of each kind, an attempt at it, and the keys that it has once it has given something. Without one of the last
/// ones, attempts would be answered wrongly; without the others, the sale's figures would be wrong.
struct Case {
    kind: &'static str,
    terms: Value,
    endpoint: &'static str,
    attempt: Value,
    parts: &'static [&'static str],
}

fn cases() -> [Case; 4] {
    [
        Case {
            kind: "red_packet",
            terms: json!({ "total_cents": 300, "count": 3, "splitter": "equal" }),
            endpoint: "claim",
            attempt: json!({}),
            parts: &["events", "stats", "claimants", "pending"],
        },
        Case {
            kind: "ticket",
            terms: json!({ "hall": "theatre" }),
            endpoint: "reserve",
            attempt: json!({ "pick": [{ "category": "stalls", "count": 1 }] }),
            parts: &[
                "events",
                "stats",
                "seats",
                "layout",
                "free",
                "counts",
                "holders",
                "orders",
                "requests",
                "bought",
                "deadlines",
            ],
        },
        Case {
            kind: "coupon",
            terms: json!({ "total": 10, "per_user": 1 }),
            endpoint: "claim",
            attempt: json!({}),
            parts: &["events", "stats", "counts", "coupons"],
        },
        Case {
            kind: "stock",
            terms: json!({ "quantity": 10 }),
            endpoint: "deduct",
            attempt: json!({ "quantity": 1 }),
            parts: &["events", "stats", "requests"],
        },
    ]
}

impl Case {
    fn path(&self, endpoint: &str) -> String {
        format!("/api/{}/{endpoint}", self.kind.replace('_', "-"))
    }

    async fn open(&self, server: &Running, sale: &str) {
        let mut terms = self.terms.clone();
        terms["id"] = json!(sale);
        let (status, answer) = server.post(&self.path("open"), &terms).await;
        assert_eq!(status, 200, "{answer}");
    }

    async fn attempt(&self, server: &Running, sale: &str, user: &str) -> (u16, Value) {
        let mut attempt = self.attempt.clone();
        (attempt["sale"], attempt["user"], attempt["request_id"]) =
            (json!(sale), json!(user), json!(format!("r-{user}")));
        server.post(&self.path(self.endpoint), &attempt).await
    }

    /// A sale of which ann has something, which the ledger has recorded.
    async fn begun(&self, server: &Running, sale: &str) {
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
    for case in cases() {
        for part in case.parts {
            let sale = format!("{} {part}", case.kind);
            case.begun(&server, &sale).await;
            assert_eq!(raw.run::<i64>("DEL", keys::sale(case.kind, &sale, part)).await, 1, "{sale}");
            let before = but_for_the_state(&raw, case.kind, &sale).await;
            // Whoever has something already would get it again, and others what is somebody's.
            for user in ["ann", "bob"] {
                let (status, answer) = case.attempt(&server, &sale, user).await;
                // Only an attempt that would have to say "sold out" looks at what is left.
                if (*part, user) == ("pending", "ann") {
                    assert_eq!((status, &answer["outcome"]), (200, &json!("repeat")), "{sale}: {answer}");
                    continue;
                }
                assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{sale}: {answer}");
            }
            if *part != "pending" {
                assert_eq!(but_for_the_state(&raw, case.kind, &sale).await, before, "{sale}: nothing was changed");
            }
            stand.recover(&sale).await.assert_back();
            let (status, answer) = case.attempt(&server, &sale, "ann").await;
            assert_eq!((status, &answer["outcome"]), (200, &json!("repeat")), "{sale}: {answer}");
            let (status, answer) = case.attempt(&server, &sale, "bob").await;
            assert_eq!(status, 200, "{sale}: {answer}");
            // What was restored is as much its own as what it had: the same holds once more.
            assert_eq!(raw.run::<i64>("DEL", keys::sale(case.kind, &sale, part)).await, 1, "{sale}");
            let (_, answer) = case.attempt(&server, &sale, "cid").await;
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
    for case in cases() {
        let sale = format!("s {}", case.kind);
        case.begun(&server, &sale).await;
        raw.run::<i64>("DEL", keys::sale(case.kind, &sale, case.parts[case.parts.len() - 2])).await;
        case.begun(&server, &format!("t {}", case.kind)).await;
    }
    let mut command = stand.command(&stand.redis, "recover");
    let said = within("the command ends", command.args(["--all", "--json"]).output()).await.expect("it ran");
    let report: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let mut back: Vec<&str> =
        report["sales"].as_array().expect("sales").iter().filter_map(|one| one["sale"].as_str()).collect();
    back.sort_unstable();
    assert_eq!((back, &report["verdict"]), (vec!["s coupon", "s red_packet", "s stock", "s ticket"], &json!("holds")));
}

/// A Redis that evicts for a moment and is told not to before anybody looks.
#[tokio::test]
async fn what_was_evicted_before_anybody_noticed_is_not_given_twice() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let cases = cases();
    let sales: Vec<(&Case, String)> =
        cases.iter().flat_map(|case| (0..15).map(move |number| (case, format!("s {} {number}", case.kind)))).collect();
    join_all(sales.iter().map(|(case, sale)| case.begun(&server, sale))).await;
    let (before, used): (i64, u64) = (raw.keys().await, raw.info("memory", "used_memory").await);
    // About a quarter of the keys.
    raw.run::<String>("CONFIG", ("SET", "maxmemory-policy", "allkeys-random", "maxmemory", used - 100_000)).await;
    eventually("many keys are gone", async || (raw.keys().await < before - 60).then_some(())).await;
    raw.run::<String>("CONFIG", ("SET", "maxmemory-policy", "noeviction", "maxmemory", "0")).await;
    let mut repeats = 0;
    for (case, sale) in &sales {
        let outcome = eventually("an answer", async || {
            let (status, answer) = case.attempt(&server, sale, "ann").await;
            match (status, answer["error"]["code"].as_str()) {
                (200, _) => Some(answer["outcome"].as_str().expect("an outcome").to_owned()),
                (503, Some("sale_suspended" | "sale_lost")) => Some("suspended".to_owned()),
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
