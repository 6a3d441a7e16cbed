//! The database is unreachable: sales continue, the lag is shown, and the ledger catches up automatically.

use super::*;
use crate::support::{
    ledger::{postgres, sqlite},
    postgres::Postgres,
    redis::TestRedis,
};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use sqlx::Executor;
use std::time::UNIX_EPOCH;

/// Opens a sale whose id the server generates.
async fn open_new(server: &Running, packets: u64) -> String {
    let mut terms = terms("", packets, 3_600);
    terms.as_object_mut().expect("an object").remove("id");
    let (status, answer) = server.post("/api/red-packet/open", &terms).await;
    assert_eq!(status, 200, "{answer}");
    answer["sale"].as_str().expect("an id").to_owned()
}

/// While the ledger is unreachable, all of these users win, and the lag is shown.
async fn sales_go_on(server: &Running, claims: std::ops::Range<u32>) -> BTreeMap<String, String> {
    let reported = win(server, "s", "away", claims).await;
    eventually("the lag shows", async || {
        (status(server, "s").await["sales"][0]["lag_events"].as_u64() > Some(0)).then_some(())
    })
    .await;
    reported
}

#[tokio::test]
async fn a_postgres_that_is_stopped_and_started_again() {
    let (redis, mut server) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(server.url()), ..Stand::on(&redis.url()) };
    let running = stand.serve().await;
    open(&running, "s", 100).await;
    let mut reported = win(&running, "s", "before", 0..10).await;
    caught_up(&running, "s").await;

    server.stop();
    reported.extend(sales_go_on(&running, 0..20).await);
    assert!(status(&running, "s").await["unreachable"].is_string());
    eventually("it says that the ledger is silent", async || {
        let answer = reqwest::get(format!("{}/readyz", running.url)).await.expect("an answer");
        assert_eq!(answer.status(), 200, "sales go on");
        answer.json::<Value>().await.expect("JSON")["ledger_silent_s"].as_u64().filter(|silent| *silent >= 5)
    })
    .await;
    let (_, audit) = running.post("/api/red-packet/audit", &json!({ "sale": "s" })).await;
    assert_eq!(audit["verdict"], "unknown", "{audit}");
    assert!(audit["reason"].as_str().is_some_and(|reason| reason.contains("The ledger did not answer")), "{audit}");
    // A new sale does not wait for it either, unless its id may be that of a sale which Redis has lost.
    let (status, answer) = running.post("/api/red-packet/open", &terms("chosen", 5, 3_600)).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("ledger_unavailable")), "{answer}");
    // Who repeats a request that opened one is not told to leave the request id out.
    let mut terms = terms("", 5, 3_600);
    terms.as_object_mut().expect("an object").remove("id");
    terms["request_id"] = json!("of an hour ago");
    let (status, answer) = running.post("/api/red-packet/open", &terms).await;
    assert_eq!((status, &answer["error"]["field"]), (503, &json!("request_id")), "{answer}");
    assert!(
        answer["error"]["message"].as_str().is_some_and(|why| why.contains("Send the same request again")),
        "{answer}"
    );
    let new = &open_new(&running, 5).await;
    win(&running, new, "u", 0..5).await;

    server.start_again().expect("PostgreSQL starts");
    stand.agrees(&running, "s", 30).await;
    stand.agrees(&running, new, 5).await;
    all_get_the_original(&running, "s", &reported).await;
}

/// While the database is away, Redis loses its newest data too: nobody can look into the ledger, and nothing is given
/// away again all the same.
#[tokio::test]
async fn a_redis_that_lost_its_end_meanwhile_gives_nothing_away() {
    let (mut redis, mut postgres) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let (one, other) = (stand.serve().await, stand.serve().await);
    open(&one, "s", 100).await;
    let mut reported = win(&one, "s", "early", 0..10).await;
    reported.extend(win(&other, "s", "late", 0..10).await);
    caught_up(&one, "s").await;

    postgres.stop();
    redis.crash_without_its_end("late-").await;
    let refused = async |server: &Running| {
        eventually("an answer", async || {
            let (status, answer) = try_claim(server, "s", "new").await;
            let code = answer["error"]["code"].clone();
            (code != "unavailable").then_some((status, code))
        })
        .await
    };
    for server in [&other, &one] {
        assert_eq!(refused(server).await, (503, json!("sale_suspended")));
        let (_, page) = eventually("a page", async || {
            let answer = server.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
            (answer.0 == 200).then_some(answer)
        })
        .await;
        assert_eq!(page["state"], "suspended");
    }
    assert_eq!(holdings(&redis.raw().await, "s").await.len(), 10, "nobody was given anything");

    postgres.start_again().expect("PostgreSQL starts");
    stand.recover("s").await.assert_back();
    all_get_the_original(&one, "s", &reported).await;
    win(&other, "s", "new", 0..1).await;
    stand.agrees(&one, "s", 21).await;
}

/// While the database is away, Redis loses the end of a sale's opening: whoever opens it again does not get a new one
/// under the old id, whose packets were given away.
#[tokio::test]
async fn a_redis_that_lost_the_end_of_an_opening_meanwhile_is_not_opened_anew() {
    const PACKETS: u64 = 5_000; // loaded in two chunks
    // An id of the client, though a new one.
    let now = UNIX_EPOCH.elapsed().expect("a time").as_millis();
    let sale = &uuid::Builder::from_unix_timestamp_millis(now as u64, &[7; 10]).into_uuid().to_string();
    let (mut redis, mut postgres) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let server = stand.serve().await;
    open(&server, sale, PACKETS).await;
    let reported = win(&server, sale, "early", 0..10).await;
    caught_up(&server, sale).await;

    postgres.stop();
    redis.crash_without_its_end("$6\r\nopened\r\n").await;
    let open_again = async || {
        eventually("an answer", async || {
            let (status, answer) = server.post("/api/red-packet/open", &terms(sale, PACKETS, 3_600)).await;
            let code = answer["error"]["code"].clone();
            (code != "unavailable").then_some((status, code))
        })
        .await
    };
    assert_eq!(open_again().await, (503, json!("ledger_unavailable")));
    let raw = redis.raw().await;
    let state: String = raw.run("HGET", (engine::red_packet::scripts::key(sale, "meta"), "state")).await;
    assert_eq!(state, "opening", "as the crash left it");

    postgres.start_again().expect("PostgreSQL starts");
    eventually("the ledger is asked", async || (open_again().await == (503, json!("sale_suspended"))).then_some(()))
        .await;
    stand.recover(sale).await.assert_back();
    all_get_the_original(&server, sale, &reported).await;
    stand.agrees(&server, sale, 10).await;
}

/// The same where Redis has lost all of the sale: that the id looks as if it was generated a moment ago proves nothing.
#[tokio::test]
async fn a_redis_that_lost_a_new_sale_meanwhile_does_not_open_it_anew() {
    let (mut redis, mut postgres) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let server = stand.serve().await;
    let sale = &open_new(&server, 5).await;
    let reported = win(&server, sale, "early", 0..3).await;
    caught_up(&server, sale).await;

    postgres.stop();
    redis.crash_without_its_end(sale).await;
    let (status, answer) = eventually("an answer", async || {
        let answer = server.post("/api/red-packet/open", &terms(sale, 5, 3_600)).await;
        (answer.1["error"]["code"] != "unavailable").then_some(answer)
    })
    .await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("ledger_unavailable")), "{answer}");

    postgres.start_again().expect("PostgreSQL starts");
    eventually("it is back", async || (stand.recover(sale).await.code == 0).then_some(())).await;
    all_get_the_original(&server, sale, &reported).await;
    stand.agrees(&server, sale, 3).await;
}

/// Its processes exist, but none of them answers.
#[tokio::test]
async fn a_postgres_that_says_nothing_any_more() {
    let (redis, server) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(server.url()), ..Stand::on(&redis.url()) };
    let running = stand.serve().await;
    open(&running, "s", 100).await;
    win(&running, "s", "before", 0..10).await;
    caught_up(&running, "s").await;

    let halted = Halted::all_of(&server).await;
    sales_go_on(&running, 0..20).await;
    assert!(status(&running, "s").await["unreachable"].is_string());
    let new = &open_new(&running, 5).await;
    win(&running, new, "u", 0..5).await;
    // Ids that nobody has do not queue up before the ledger, and nobody says that there are no such sales.
    let unknown = join_all((0..500).map(|number| {
        let (running, sale) = (&running, format!("no-{number}"));
        async move { try_claim(running, &sale, "ann").await.0 }
    }));
    assert!(unknown.await.into_iter().all(|status| status == 503));
    drop(halted);
    stand.agrees(&running, "s", 30).await;
    stand.agrees(&running, new, 5).await;
}

/// Processes that are stopped until this is dropped.
struct Halted(Vec<Pid>);

impl Halted {
    async fn all_of(server: &Postgres) -> Self {
        // Those that serve us, and the one that would start others.
        const CLIENTS: &str = "SELECT pid FROM pg_stat_activity WHERE application_name = 'stampede'";
        const FIRST: &str = "SELECT (string_to_array(pg_read_file('postmaster.pid'), chr(10)))[1]::int";
        let mut connection = postgres(server).await;
        let mut pids: Vec<i32> = sqlx::query_scalar(CLIENTS).fetch_all(&mut connection).await.expect("processes");
        pids.push(sqlx::query_scalar(FIRST).fetch_one(&mut connection).await.expect("a process"));
        let pids: Vec<Pid> = pids.into_iter().map(|pid| Pid::from_raw(pid).expect("a process id")).collect();
        for pid in &pids {
            kill_process(*pid, Signal::STOP).expect("a signal");
        }
        Self(pids)
    }
}

impl Drop for Halted {
    fn drop(&mut self) {
        for pid in &self.0 {
            kill_process(*pid, Signal::CONT).ok();
        }
    }
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

/// To the process that writes it, a file that may not grow looks like a full disk.
#[tokio::test]
async fn a_disk_that_is_full() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let serve = stand.command(&stand.redis, "serve");
    // The accompanying signal would end the program; a full disk sends none.
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
