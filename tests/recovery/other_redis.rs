//! One ledger is fed by one Redis at a time, and one Redis feeds one ledger.

use super::*;
use crate::support::{program::complaint, redis::TestRedis};

/// What the program says of this Redis beside the same ledger, with this flag.
async fn refused(stand: &Stand, redis: &str, flags: &[&str]) -> String {
    let mut command = stand.command(redis, "serve");
    command.args(flags).stderr(Stdio::piped());
    complaint(command).await
}

/// What the second Redis does not have looks lost; it must not be rebuilt there while the first one goes on selling it.
#[tokio::test]
async fn a_second_redis_is_refused_while_the_first_feeds_the_ledger_and_may_take_over_later() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let stand = Stand::on(&first.url());
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    let reported = win(&server, "s", "u", 0..5).await;
    caught_up(&server, "s").await;
    let why = refused(&stand, &second.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
    let recovery = Said::by(stand.command(&second.url(), "recover"), "s").await;
    assert_eq!(recovery.code, 2, "{recovery:?}");
    assert!(recovery.complaint.contains("Another Redis feeds this ledger"), "{recovery:?}");
    win(&server, "s", "v", 0..1).await;
    caught_up(&server, "s").await;
    server.stop().await;

    let stand = Stand { redis: second.url(), ..stand };
    let server = stand.serve().await;
    stand.recover("s").await.assert_back();
    all_get_the_original(&server, "s", &reported).await;
    stand.agrees(&server, "s", 6).await;
    // Now the first one is refused.
    let why = refused(&stand, &first.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
}

/// The server would go on with the first ledger, and trim the streams behind it.
#[tokio::test]
async fn another_ledger_is_refused_while_a_server_writes_the_first() {
    let redis = TestRedis::start().await;
    let (stand, other) = (Stand::on(&redis.url()), Stand::on(&redis.url()));
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    caught_up(&server, "s").await;
    let why = refused(&other, &redis.url(), &["--new-ledger"]).await;
    assert!(why.contains("records this Redis in the other ledger. Stop it before"), "{why}");
    win(&server, "s", "u", 0..5).await;
    stand.agrees(&server, "s", 5).await;

    // A writer whose ledger was replaced all the same records nothing more.
    let raw = redis.raw().await;
    raw.run::<String>("SET", (keys::LEDGER, "another")).await;
    eventually("the lease is free", async || {
        raw.run::<Option<String>>("GET", keys::WRITER).await.is_none().then_some(())
    })
    .await;
    win(&server, "s", "v", 0..1).await;
    assert_eq!(ledger_wins(&stand.ledger().await, "s").await.len(), 5);
}
