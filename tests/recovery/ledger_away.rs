//! The database is out of reach: sales go on, the lag shows, and the ledger catches up by itself.

use super::*;
use crate::support::{ledger::sqlite, postgres::Postgres, redis::TestRedis};
use rustix::process::{Resource, Rlimit, prlimit};
use sqlx::Executor;

/// While the ledger is away all of these win, and the lag shows.
async fn sales_go_on(server: &Running, claims: std::ops::Range<u32>) -> BTreeMap<String, String> {
    let told = win(server, "s", "away", claims).await;
    eventually("the lag shows", async || {
        (status(server, "s").await["sales"][0]["lag_events"].as_u64() > Some(0)).then_some(())
    })
    .await;
    told
}

#[tokio::test]
async fn a_postgres_that_is_stopped_and_started_again() {
    let (redis, mut postgres) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    let mut told = win(&server, "s", "before", 0..10).await;
    caught_up(&server, "s").await;

    postgres.stop();
    told.extend(sales_go_on(&server, 0..20).await);
    assert!(status(&server, "s").await["unreachable"].is_string());
    let (_, audit) = server.post("/api/red-packet/audit", &json!({ "sale": "s" })).await;
    assert_eq!(audit["verdict"], "unknown", "{audit}");
    assert!(audit["reason"].as_str().is_some_and(|reason| reason.contains("The ledger did not answer")), "{audit}");
    // Nor does a new sale wait for it.
    open(&server, "new", 5).await;
    win(&server, "new", "u", 0..5).await;

    postgres.start_again().expect("PostgreSQL starts");
    stand.agrees(&server, "s", 30).await;
    stand.agrees(&server, "new", 5).await;
    all_get_the_original(&server, "s", &told).await;
}

#[tokio::test]
async fn a_sqlite_that_another_process_has_locked() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    win(&server, "s", "before", 0..10).await;
    caught_up(&server, "s").await;

    let mut lock = sqlite(&stand.home.data()).await;
    lock.execute("BEGIN IMMEDIATE").await.expect("a lock");
    sales_go_on(&server, 0..20).await;
    lock.execute("ROLLBACK").await.expect("an end");
    stand.agrees(&server, "s", 30).await;
}

/// A file that may not grow is what a full disk looks like to whoever writes to it.
#[tokio::test]
async fn a_disk_that_is_full() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let serve = stand.command(&stand.redis, "serve");
    // The signal that comes with it would end the program; a full disk sends none.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(serve.as_std().get_program());
    command.args(serve.as_std().get_args()).current_dir(stand.home.folder());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
    for (name, value) in serve.as_std().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let server = Running::start(command).await;
    open(&server, "s", 1_000).await;
    win(&server, "s", "before", 0..10).await;
    caught_up(&server, "s").await;

    let limit = |current| prlimit(Some(server.pid()), Resource::Fsize, Rlimit { current, maximum: None });
    let before = limit(Some(0)).expect("a limit").current;
    sales_go_on(&server, 0..200).await;
    limit(before).expect("no limit");
    stand.agrees(&server, "s", 210).await;
}
