//! The record of a sale, its `meta`, changed by hand: scripts go by it alone, so what they cannot read they refuse, and
//! what the ledger knows otherwise is found.

use crate::support::{app::TestApp, redis::TestRedis};
use serde_json::{Value, json};
use stampede::{domain::Verdict, store::keys};

/// A sale of each kind, an attempt at it, and fields of its record with another value than they have.
fn cases() -> [(&'static str, Value, &'static str, Value, &'static [(&'static str, &'static str)]); 4] {
    [
        (
            "red_packet",
            json!({ "total_cents": 300, "count": 3, "splitter": "equal" }),
            "claim",
            json!({}),
            &[
                ("expires_at", "1700000000001"),
                ("total_cents", "301"),
                ("count", "4"),
                ("splitter", "double_mean"),
                ("seed", "1"),
                ("life_s", "1"),
                ("bucket_cents", "7"),
                ("opened_at", "1"),
            ],
        ),
        (
            "ticket",
            json!({ "hall": "theatre" }),
            "reserve",
            json!({ "pick": [{ "category": "stalls", "count": 1 }] }),
            &[("limit", "1000"), ("hold_ms", "1"), ("prices", "[1,1,1]"), ("hall", "{}"), ("opened_at", "1")],
        ),
        (
            "coupon",
            json!({ "total": 10, "per_user_per_day": 3 }),
            "claim",
            json!({}),
            &[
                ("terms", "Asia/Shanghai 1"),
                ("basis", "Asia/Tokyo key"),
                ("given_back_counts", "1"),
                ("table", "x"),
                ("opened_at", "1"),
                ("limit:total", "11"),
                ("window:per_user_per_day", "1"),
            ],
        ),
        (
            "stock",
            json!({ "quantity": 10, "low_mark": 2 }),
            "deduct",
            json!({ "quantity": 1 }),
            &[
                ("ttl_ms", "1"),
                ("low_mark", "9"),
                ("quantity", "11"),
                ("terms", "10 1 2"),
                ("opened_at", "1"),
                ("sum", "99"),
            ],
        ),
    ]
}

/// Names of the invariants that are broken.
async fn broken(app: &TestApp, kind: &str) -> Vec<String> {
    let audit = app.ledger_service.audit(kind, "s").await.expect("an audit");
    let broken: Vec<String> = audit
        .invariants
        .iter()
        .filter(|invariant| !invariant.holds())
        .map(|invariant| invariant.name.clone())
        .collect();
    assert_eq!(audit.verdict == Verdict::Holds, broken.is_empty() && audit.reason.is_none());
    // What cannot be read is no audit that holds.
    if audit.verdict == Verdict::Unknown { vec!["unknown".to_owned()] } else { broken }
}

#[tokio::test]
async fn a_record_that_says_something_else_is_found_and_what_cannot_be_read_is_refused() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    let server = app.serve().await;
    for (kind, mut terms, endpoint, mut attempt, fields) in cases() {
        let path = |endpoint: &str| format!("/api/{}/{endpoint}", kind.replace('_', "-"));
        (terms["id"], attempt["sale"]) = (json!("s"), json!("s"));
        let (status, answer) = server.post(&path("open"), &terms).await;
        assert_eq!(status, 200, "{answer}");
        let mut users = 0;
        let mut attempt = async || {
            users += 1;
            attempt["user"] = json!(format!("u{users}"));
            server.post(&path(endpoint), &attempt).await
        };
        assert_eq!(attempt().await.0, 200);
        server.app.writer("one").catch_up().await.expect("the ledger");
        assert_eq!(broken(&server.app, kind).await, [""; 0], "{kind}");

        let meta = keys::sale(kind, "s", "meta");
        let own = fields.iter().map(|(field, value)| (*field, *value, None));
        let of_all = [
            ("state", "closed", Some("state")),
            ("state", "x", Some("state")),
            ("state", "", Some("state")),
            ("generation", "1", Some("terms")),
            ("generation", "", Some("terms")),
        ];
        for (field, value, named) in own.chain(of_all) {
            let stored: Vec<u8> = raw.run("HGET", (&meta, field)).await;
            raw.run::<i64>("HSET", (&meta, field, value)).await;
            let found = broken(&server.app, kind).await;
            assert!(!found.is_empty(), "{kind}: {field} is {value:?}, and the audit holds");
            if let Some(named) = named {
                assert_eq!(found, [named], "{kind}: {field} is {value:?}");
                // No script can go by it, and nothing was tried.
                if value != "closed" {
                    let (status, answer) = attempt().await;
                    assert_eq!(
                        (status, &answer["error"]["code"]),
                        (503, &json!("store_refused")),
                        "{kind} {field}: {answer}"
                    );
                }
            }
            raw.run::<i64>("HSET", (&meta, field, stored)).await;
            assert_eq!(broken(&server.app, kind).await, [""; 0], "{kind}: {field} as it was");
            // Without it.
            let stored: Vec<u8> = raw.run("HGET", (&meta, field)).await;
            raw.run::<i64>("HDEL", (&meta, field)).await;
            assert!(!broken(&server.app, kind).await.is_empty(), "{kind} without {field}, and the audit holds");
            raw.run::<i64>("HSET", (&meta, field, stored)).await;
        }
    }
}
