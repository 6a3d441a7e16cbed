//! A server is killed: its current operation is either not done or done once, never twice.

use super::*;
use crate::support::{
    ledger::postgres,
    postgres::Postgres,
    program::{embedded, gone},
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
};
use engine::red_packet::scripts::{CLAIM, KIND};
use futures::StreamExt;
use ledger::scripts::{ACK_AND_TRIM, stream_position};
use rustix::process::Signal;
use sqlx::{Connection, Executor};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::JoinHandle,
};

#[tokio::test]
async fn between_script_and_answer_the_same_request_gets_the_original_answer_from_the_next() {
    let redis = TestRedis::start().await;
    let (stand, wire) = (Stand::on(&redis.url()), FaultProxy::before(&redis).await);
    let server = stand.serve_through(&wire.url).await;
    open(&server, "s", 10).await;

    wire.hold(Hold::Answer, CLAIM.sha());
    let asking = attempt("s", "ann");
    let asking = server.try_post("/api/red-packet/claim", &asking);
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => panic!("{answer:?}"),
        () = wire.holds() => {}
    }
    let given = stream_wins(&redis.raw().await, "s").await;
    assert_eq!(given.len(), 1, "Redis has done it");
    server.signal(Signal::KILL);
    within("the connection breaks", asking).await.expect_err("nobody answers");

    let server = stand.serve().await;
    let reported = packet(&claim(&server, "s", "ann").await, "repeat");
    assert_eq!(given, [("ann".to_owned(), "r-ann".to_owned(), reported)]);
    stand.agrees(&server, "s", 1).await;
}

#[tokio::test]
async fn between_insert_and_acknowledgement_no_row_is_written_twice() {
    let redis = TestRedis::start().await;
    written_once_although_killed_at_the_mark(&redis, Hold::Command).await;
}

#[tokio::test]
async fn between_acknowledgement_and_its_answer_no_row_is_written_twice() {
    let redis = TestRedis::start().await;
    written_once_although_killed_at_the_mark(&redis, Hold::Answer).await;
}

/// The rows are in the database; Redis may have got the acknowledgement or not, and the server never learns which.
async fn written_once_although_killed_at_the_mark(redis: &TestRedis, hold: Hold) {
    let (stand, wire) = (Stand::on(&redis.url()), FaultProxy::before(redis).await);
    let server = stand.serve_through(&wire.url).await;
    open(&server, "s", 100).await;
    caught_up(&server, "s").await;

    wire.hold(hold, ACK_AND_TRIM.sha());
    win(&server, "s", "u", 0..30).await;
    wire.holds().await;
    let ledger = stand.ledger().await;
    let account = ledger.sale(KIND, "s").await.expect("an answer").expect("a sale");
    let store = redis.store().await;
    let marked =
        || async { stream_position(&store, KIND, "s", None).await.expect("an answer").expect("a sale").acknowledged };
    assert!(account.position.entries > 1, "the database has rows of the claims");
    match hold {
        Hold::Command => assert_eq!(marked().await.entries, 1, "and Redis knows only of the opening"),
        // The answer to another command may have come first.
        Hold::Answer => {
            eventually("Redis knows as much", async || (marked().await == account.position).then_some(())).await;
        }
    }
    server.kill().await;

    let server = stand.serve().await;
    win(&server, "s", "v", 0..5).await;
    stand.agrees(&server, "s", 35).await;
}

#[tokio::test]
async fn in_the_middle_of_a_transaction_nothing_of_it_is_in_the_ledger_and_the_next_writes_all_of_it() {
    let (redis, postgres_server) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres_server.url()), ..Stand::on(&redis.url()) };
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    win(&server, "s", "u", 0..3).await;
    caught_up(&server, "s").await;

    // The rows are inserted, but then the tallies are locked.
    let mut lock = postgres(&postgres_server).await;
    let mut lock = lock.begin().await.expect("a transaction");
    lock.execute("LOCK TABLE tallies IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    win(&server, "s", "v", 0..30).await;
    let mut other = postgres(&postgres_server).await;
    eventually("the writer waits in its transaction", async || {
        const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO tallies%'";
        let waiting: i64 = sqlx::query_scalar(WAITING).fetch_one(&mut other).await.expect("a number");
        (waiting == 1).then_some(())
    })
    .await;
    server.kill().await;
    lock.rollback().await.expect("an end");

    let ledger = stand.ledger().await;
    assert_eq!(ledger_wins(&ledger, "s").await.len(), 3, "all or nothing");
    let server = stand.serve().await;
    stand.agrees(&server, "s", 33).await;
}

#[tokio::test]
async fn with_its_redis_under_load_everyone_who_was_told_gets_the_same_from_the_next() {
    let home = Home::new();
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 400).await;
    let (redis, _) = embedded(&home.data()).await;
    let mut reported = BTreeMap::new();
    let claims = (0..400).map(|number| {
        let (server, user) = (&server, format!("u-{number}"));
        async move { (user.clone(), server.try_post("/api/red-packet/claim", &attempt("s", &user)).await) }
    });
    let mut claims = futures::stream::iter(claims).buffer_unordered(16);
    let mut unanswered = 0;
    while let Some((user, answer)) = within("an answer, or none", claims.next()).await {
        match answer {
            Ok((200, answer)) => _ = reported.insert(user, packet(&answer, "won")),
            Ok((_, answer)) => panic!("{answer}"),
            Err(_) => unanswered += 1,
        }
        if reported.len() == 100 {
            server.signal(Signal::KILL);
        }
    }
    drop(claims);
    assert!(unanswered > 0, "the kill was felt");
    server.kill().await;
    gone(redis).await;

    let server = Running::start(home.serve_with_data()).await;
    all_get_the_original(&server, "s", &reported).await;
    for number in 0..400 {
        let answer = claim(&server, "s", &format!("u-{number}")).await;
        assert!(answer["outcome"] == "won" || answer["outcome"] == "repeat", "{answer}");
    }
    let (_, socket) = embedded(&home.data()).await;
    let stand = Stand { home, ..Stand::on(&format!("redis+unix://{}", socket.display())) };
    stand.agrees(&server, "s", 400).await;
}

/// The Redis of a killed server ends a moment later; the next server starts before that.
#[tokio::test]
async fn killed_and_started_again_at_once_there_are_never_two_redis_on_one_folder() {
    killed_and_started_again(5).await;
}

#[tokio::test]
#[ignore = "long"]
async fn killed_and_started_again_at_once_thirty_times_there_are_never_two_redis_on_one_folder() {
    killed_and_started_again(30).await;
}

async fn killed_and_started_again(rounds: usize) {
    let home = Home::new();
    let watch = RedisWatch::on(&home);
    let mut reported = BTreeMap::new();
    let mut server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 10_000).await;
    for round in 0..rounds {
        let claims = (0..200).map(|number| {
            let (server, user) = (&server, format!("u-{round}-{number}"));
            async move { (user.clone(), server.try_post("/api/red-packet/claim", &attempt("s", &user)).await) }
        });
        let mut claims = futures::stream::iter(claims).buffer_unordered(16);
        let mut answered = 0;
        while let Some((user, answer)) = within("an answer, or none", claims.next()).await {
            if let Ok((status, answer)) = answer {
                assert_eq!(status, 200, "{answer}");
                reported.insert(user, packet(&answer, "won"));
                answered += 1;
            }
            if answered == 50 {
                server.signal(Signal::KILL);
            }
        }
        drop(claims);
        server.kill().await;
        server = Running::start(home.serve_with_data()).await;
    }
    assert_eq!(watch.most(), 1, "there was one Redis at a time");
    assert!(reported.len() >= 50 * rounds);
    all_get_the_original(&server, "s", &reported).await;
    server.stop().await;
}

/// Counts, all the time, the Redis servers that live on the folder of a program.
struct RedisWatch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl RedisWatch {
    fn on(home: &Home) -> Self {
        let folder = home.folder().canonicalize().expect("a folder").join("data/redis");
        let stop = Arc::<AtomicBool>::default();
        let until = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut most = 0;
            while !until.load(Relaxed) {
                let processes = std::fs::read_dir("/proc").expect("a list of processes").flatten();
                // What is not a process, has ended or is another user's has no folder to be read. The server works in
                // another folder than its Redis.
                let lives_there = |process: &std::fs::DirEntry| {
                    std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
                };
                most = most.max(processes.filter(lives_there).count());
                std::thread::yield_now();
            }
            most
        });
        Self { stop, thread }
    }

    /// The highest number at the same time.
    fn most(self) -> usize {
        self.stop.store(true, Relaxed);
        self.thread.join().expect("it watched")
    }
}
