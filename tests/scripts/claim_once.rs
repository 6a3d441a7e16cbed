//! `ledger/claim_streams.lua` and `store/claim_format.lua`, alone: what a server notes when it starts.

use super::refuses_other_numbers;
use crate::support::redis::{Raw, TestRedis};
use redis::{ToRedisArgs, from_redis_value};
use stampede::{
    ledger::scripts::CLAIM_STREAMS,
    store::{fitness::CLAIM_FORMAT, keys, script::Script},
};

async fn claim(redis: &Raw, script: &Script, key: &str, args: impl ToRedisArgs) -> Vec<i64> {
    let reply = redis.script(script, &[key.to_owned()], &args.to_redis_args()).await.expect("a reply");
    from_redis_value(reply).expect("numbers")
}

#[tokio::test]
async fn the_streams_are_fed_to_one_ledger_until_another_is_to_go_on() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let fed = async || redis.run::<String>("GET", keys::LEDGER).await;
    let streams = async |identity: &str, adopt: u8| claim(&redis, &CLAIM_STREAMS, keys::LEDGER, (identity, adopt)).await;
    assert_eq!((streams("one", 0).await, fed().await.as_str()), (vec![0], "one"));
    assert_eq!((streams("one", 0).await, fed().await.as_str()), (vec![500], "one"));
    assert_eq!((streams("other", 0).await, fed().await.as_str()), (vec![1010], "one"));
    assert_eq!((streams("other", 1).await, fed().await.as_str()), (vec![0], "other"));
    assert_eq!((streams("other", 1).await, fed().await.as_str()), (vec![500], "other"));
}

#[tokio::test]
async fn the_version_is_never_lowered() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let noted = async || redis.run::<u32>("GET", keys::FORMAT).await;
    let format = async |version: u32| claim(&redis, &CLAIM_FORMAT, keys::FORMAT, version).await;
    assert_eq!((format(2).await, noted().await), (vec![0, 2], 2));
    assert_eq!((format(2).await, noted().await), (vec![500, 2], 2));
    assert_eq!((format(1).await, noted().await), (vec![1026, 2], 2));
    assert_eq!((format(10).await, noted().await), (vec![0, 10], 10));
    assert_eq!((format(9).await, noted().await), (vec![1026, 10], 10));
}

#[tokio::test]
async fn calls_with_other_numbers_of_keys_or_arguments_change_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for (script, args, wrong) in [(&CLAIM_STREAMS, 2, [1, 3]), (&CLAIM_FORMAT, 1, [2, 3])] {
        let args = vec![b"1".to_vec(); args];
        refuses_other_numbers(&redis, script, &["key".to_owned()], &args, &wrong).await;
    }
}
