//! The record of a sale, its `meta`, changed by hand: what the ledger knows otherwise is found.

use crate::support::{app::TestApp, kinds::samples, redis::TestRedis};
use model::Verdict;
use std::collections::BTreeSet;
use store::keys;

/// A field of the record, another value than it has, and the invariant that names it.
type Wrong = (&'static str, &'static str, &'static str);

/// Fields of the record of a kind's sale, with another value than they have.
fn wrong_fields(kind: &str) -> &'static [Wrong] {
    match kind {
        "red_packet" => &[
            ("expires_at", "1700000000001", "terms"),
            ("total_cents", "301", "terms"),
            ("count", "4", "terms"),
            ("splitter", "double_mean", "terms"),
            ("seed", "1", "terms"),
            ("life_s", "1", "terms"),
            ("bucket_cents", "7", "terms"),
            ("opened_at", "1", "terms"),
        ],
        "ticket" => &[
            ("limit", "1000", "terms"),
            ("hold_ms", "1", "terms"),
            ("prices", "[1,1,1]", "terms"),
            ("hall", "{}", "terms"),
            ("opened_at", "1", "terms"),
        ],
        "coupon" => &[
            ("terms", "Asia/Shanghai 1", "terms"),
            ("basis", "Asia/Tokyo key", "terms"),
            ("given_back_counts", "1", "terms"),
            ("validity", "1 2", "terms"),
            ("table", "x", "terms"),
            ("opened_at", "1", "terms"),
            ("limit:total", "11", "limits"),
            ("window:per_user_per_day", "1", "limits"),
        ],
        "stock" => &[
            ("ttl_ms", "1", "terms"),
            ("low_mark", "9", "terms"),
            ("quantity", "11", "terms"),
            ("terms", "10 1 2", "terms"),
            ("opened_at", "1", "terms"),
            ("sum", "99", "quantity"),
        ],
        _ => unreachable!("there is no kind {kind}"),
    }
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
async fn a_record_that_says_something_else_is_found() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    let server = app.serve().await;
    for sample in samples() {
        let (kind, fields) = (sample.kind, wrong_fields(sample.kind));
        let (path, terms) = sample.open_request("s");
        let (status, answer) = server.post(&path, &terms).await;
        assert_eq!(status, 200, "{answer}");
        let (path, attempt) = sample.attempt_request("s", "ann");
        assert_eq!(server.post(&path, &attempt).await.0, 200);
        server.app.writer("one").catch_up().await.expect("the ledger");
        assert_eq!(broken(&server.app, kind).await, [""; 0], "{kind}");

        let meta = keys::sale(kind, "s", "meta");
        let set = async |field: &str, value: &[u8]| _ = raw.run::<i64>("HSET", (&meta, field, value)).await;
        let of_all = [
            ("state", "closed", "state"),
            ("state", "opening", "state"),
            ("state", "x", "state"),
            ("state", "", "state"),
            ("generation", "9999999999999-0", "terms"),
            ("generation", "1", "terms"),
            ("generation", "18446744073709551616-0", "terms"),
            ("generation", "", "terms"),
        ];
        for (field, value, named) in fields.iter().chain(&of_all) {
            let stored: Vec<u8> = raw.run("HGET", (&meta, field)).await;
            set(field, value.as_bytes()).await;
            let found = broken(&server.app, kind).await;
            assert!(
                found.iter().any(|name| name == named),
                "{kind}: {field} is {value:?}, and the audit names {found:?}"
            );
            set(field, &stored).await;
            assert_eq!(broken(&server.app, kind).await, [""; 0], "{kind}: {field} as it was, and nothing was given");
        }
        let names: BTreeSet<&str> = fields.iter().chain(&of_all).map(|(field, ..)| *field).collect();
        for field in names {
            let stored: Vec<u8> = raw.run("HGET", (&meta, field)).await;
            raw.run::<i64>("HDEL", (&meta, field)).await;
            assert_ne!(broken(&server.app, kind).await, [""; 0], "{kind} without {field}");
            set(field, &stored).await;
        }
    }
}
