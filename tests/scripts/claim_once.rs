//! `ledger/claim_streams.lua` and `store/claim_format.lua`, alone: what a server notes when it starts.

use crate::support::redis::{Raw, TestRedis};
use ledger::scripts::CLAIM_STREAMS;
use redis::{FromRedisValue, ToRedisArgs, Value, from_redis_value};
use store::{fitness::CLAIM_FORMAT, keys, script::Script};

async fn claim<T: FromRedisValue>(redis: &Raw, script: &Script, keys: &[&str], args: impl ToRedisArgs) -> T {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let reply = redis.script(script, &keys, &args.to_redis_args()).await.expect("a reply");
    from_redis_value(reply).expect("values")
}

#[tokio::test]
async fn the_streams_feed_one_ledger_until_another_is_noted() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let fed = async || redis.run::<Option<String>>("GET", keys::LEDGER.one).await;
    let streams = async |identity: &str, mode: &str, id: &str, replaced: &str| -> Vec<Value> {
        claim(&redis, &CLAIM_STREAMS, &[keys::LEDGER.one, keys::REDIS.one], (identity, mode, id, replaced)).await
    };
    let reply = |code: i64| vec![Value::Int(code), Value::BulkString(b"first".to_vec())];
    assert_eq!((streams("one", "look", "first", "").await, fed().await), (reply(0), None));
    assert_eq!((streams("one", "claim", "second", "").await, fed().await.as_deref()), (reply(0), Some("one")));
    assert_eq!((streams("one", "look", "third", "").await, fed().await.as_deref()), (reply(500), Some("one")));
    assert_eq!((streams("other", "look", "fourth", "").await, fed().await.as_deref()), (reply(1010), Some("one")));
    // Both may have looked before either has claimed.
    assert_eq!((streams("other", "claim", "fifth", "").await, fed().await.as_deref()), (reply(1010), Some("one")));
    assert_eq!((streams("other", "claim", "sixth", "one").await, fed().await.as_deref()), (reply(0), Some("other")));
    assert_eq!(
        (streams("other", "claim", "seventh", "one").await, fed().await.as_deref()),
        (reply(500), Some("other"))
    );
    // This one has seen the first as well, and comes late.
    assert_eq!(
        (streams("third", "claim", "eighth", "one").await, fed().await.as_deref()),
        (reply(1010), Some("other"))
    );
    // What is only looked at is not replaced.
    assert_eq!(
        (streams("third", "look", "ninth", "other").await, fed().await.as_deref()),
        (reply(1010), Some("other"))
    );
    // Nobody's ledger is replaced where there is none any more.
    redis.run::<i64>("DEL", keys::LEDGER.one).await;
    assert_eq!((streams("third", "claim", "tenth", "other").await, fed().await.as_deref()), (reply(0), Some("third")));
}

#[tokio::test]
async fn the_version_is_never_lowered() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let noted = async || redis.run::<u32>("GET", keys::FORMAT.one).await;
    let format = async |version: u32| -> Vec<i64> { claim(&redis, &CLAIM_FORMAT, &[keys::FORMAT.one], version).await };
    assert_eq!((format(2).await, noted().await), (vec![0, 2], 2));
    assert_eq!((format(2).await, noted().await), (vec![500, 2], 2));
    assert_eq!((format(1).await, noted().await), (vec![1026, 2], 2));
    assert_eq!((format(10).await, noted().await), (vec![0, 10], 10));
    assert_eq!((format(9).await, noted().await), (vec![1026, 10], 10));
}
