//! `crowd/keep.lua` and `crowd/publish.lua`, alone.

use crate::support::redis::{Raw, TestRedis};
use engine::{
    crowd::scripts::{KEEP, PUBLISH},
    red_packet::scripts::{KIND, key},
};
use redis::from_redis_value;

async fn publish(redis: &Raw, run: &str, status: &str) -> i64 {
    let args = [run, status, "60"].map(|arg| arg.as_bytes().to_vec());
    let reply = redis.script(&PUBLISH, &PUBLISH.keys(KIND, "s"), &args).await.expect("a reply");
    from_redis_value::<Vec<i64>>(reply).expect("a code")[0]
}

#[tokio::test]
async fn a_status_is_kept_as_long_as_was_asked_for() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for (text, for_s) in [("one", 60), ("other", 600)] {
        let args = [text.as_bytes().to_vec(), for_s.to_string().into_bytes()];
        redis.script(&KEEP, &["crowd:run".to_owned()], &args).await.expect("a reply");
        assert_eq!(redis.run::<String>("GET", "crowd:run").await, text);
        let left: i64 = redis.run("TTL", "crowd:run").await;
        assert!((for_s - 30..=for_s).contains(&left), "{left}");
    }
}

#[tokio::test]
async fn only_the_run_whose_sale_it_is_publishes_there() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let published = async || redis.run::<Option<String>>("GET", key("s", "crowd")).await;
    assert_eq!((publish(&redis, "one", "{1}").await, published().await), (1010, None), "it is nobody's");
    redis.run::<String>("SET", (key("s", "crowd_lock"), "one")).await;
    assert_eq!((publish(&redis, "one", "{1}").await, published().await.as_deref()), (0, Some("{1}")));
    redis.run::<String>("SET", (key("s", "crowd_lock"), "other")).await;
    assert_eq!((publish(&redis, "one", "{2}").await, published().await.as_deref()), (1010, Some("{1}")));
    assert_eq!((publish(&redis, "other", "{3}").await, published().await.as_deref()), (0, Some("{3}")));
    let left: i64 = redis.run("TTL", key("s", "crowd")).await;
    assert!((1..=60).contains(&left), "{left}");
}
