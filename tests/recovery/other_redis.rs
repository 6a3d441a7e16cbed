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

    // A server whose ledger was replaced all the same gives nothing away and records nothing.
    let raw = redis.raw().await;
    let identity: String = raw.run("GET", keys::LEDGER).await;
    raw.run::<String>("SET", (keys::LEDGER, "another")).await;
    eventually("nothing is given away", async || (try_claim(&server, "s", "late").await.0 == 503).then_some(())).await;
    let (_, answer) = try_claim(&server, "s", "later").await;
    assert_eq!(answer["error"]["code"], "store_refused", "{answer}");
    assert_eq!(server.get("/readyz").await, 503);
    let lease = async || raw.run::<Option<String>>("GET", keys::WRITER).await;
    eventually("the lease is free", async || lease().await.is_none().then_some(())).await;
    raw.run::<String>("SET", (keys::LEDGER, identity)).await;
    eventually("all goes on", async || (try_claim(&server, "s", "later").await.0 == 200).then_some(())).await;
    assert_eq!(server.get("/readyz").await, 200);
}

/// The writer's lease passes from a killed server to another, which takes some seconds; no other Redis takes its place
/// meanwhile.
#[tokio::test]
async fn a_server_that_is_killed_leaves_the_ledger_to_the_others_of_its_redis() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let stand = Stand::on(&first.url());
    let (one, other) = (stand.serve().await, stand.serve().await);
    open(&one, "s", 20).await;
    caught_up(&one, "s").await;
    let raw = first.raw().await;
    let (killed, left) = match writer(&raw, &[&one, &other]).await.pid() == one.pid() {
        true => (one, other),
        false => (other, one),
    };
    killed.kill().await;
    let why = refused(&stand, &second.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
    win(&left, "s", "u", 0..5).await;
    stand.agrees(&left, "s", 5).await;
}
