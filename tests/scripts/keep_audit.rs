//! `ledger/keep_audit.lua`, alone.

use crate::support::redis::TestRedis;
use ledger::scripts::KEEP_AUDIT;
use model::{Audit, EventId, Millis};
use redis::{ToRedisArgs, from_redis_value};
use store::keys;

const NAME: &str = "red_packet:s";

/// An audit of this event at this time.
fn audit(event_id: &str, at: Millis) -> String {
    let event_id: EventId = event_id.parse().expect("an event id");
    serde_json::to_string(&Audit { event_id, ..Audit::unknown("why", at) }).expect("JSON")
}

#[tokio::test]
async fn an_audit_replaces_what_it_has_seen_and_of_others_only_older_ones() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let keep = async |seen: &str, audit: &str| {
        let args = (NAME, seen, audit).to_redis_args();
        let reply = redis.script(&KEEP_AUDIT, &[keys::AUDITS.one.to_owned()], &args).await.expect("a reply");
        let kept: String = redis.run("HGET", (keys::AUDITS.one, NAME)).await;
        (from_redis_value::<Vec<i64>>(reply).expect("a code")[0], kept)
    };
    let first = audit("9-9", 5);
    assert_eq!(keep("", &first).await, (0, first.clone()), "the first one");
    for (given, code) in [
        (audit("9-9", 4), 1011),
        (audit("9-10", 4), 1011),
        (audit("9-9", 5), 0),
        (audit("9-9", 6), 0),
        // Numbers, not texts.
        (audit("9-9", 10), 0),
        // After a loss, the last event is an earlier one. Where nothing could be read, it is none.
        (audit("9-8", 6), 0),
        (audit("0-0", 6), 0),
    ] {
        redis.run::<i64>("HSET", (keys::AUDITS.one, NAME, &first)).await;
        for seen in ["", "another"] {
            let kept = if code == 0 { &given } else { &first };
            assert_eq!(keep(seen, &given).await, (code, kept.clone()), "{given}");
        }
        // Nobody else has audited meanwhile, whatever the clocks show.
        redis.run::<i64>("HSET", (keys::AUDITS.one, NAME, &first)).await;
        assert_eq!(keep(&first, &given).await, (0, given.clone()), "{given}");
    }
    // What was stored by hand is replaced.
    redis.run::<i64>("HSET", (keys::AUDITS.one, NAME, "?")).await;
    assert_eq!(keep("?", &first).await, (0, first.clone()));
}
