//! A host that vanishes: nothing comes back and nothing is closed. A wire that swallows everything stands for it.

use crate::support::{
    self,
    app::TestApp,
    eventually,
    postgres::Postgres,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{clock, terms},
    within,
};
use futures::future::join_all;
use ledger::database::{Ledger, Place};
use model::{
    error::{Code, Error},
    lab::{
        Settings,
        run::{Phase, Run},
    },
    ledger::Search,
    runs::RunStatus,
};
use std::{collections::BTreeMap, time::Duration};
use store::{KEEPALIVE, Store, clock::RedisClock};
use tokio::{io::AsyncReadExt, net::UnixStream};
use tokio_util::sync::CancellationToken;

/// What is promised: nothing waits any longer.
const PROMISED: Duration = Duration::from_secs(10);

async fn in_time<T>(what: &str, happening: impl Future<Output = T>) -> T {
    tokio::time::timeout(PROMISED, happening).await.unwrap_or_else(|_| panic!("{what}: not within 10 s"))
}

/// A proxy in front of a PostgreSQL, and the URL that leads through it.
async fn through_a_proxy(postgres: &Postgres) -> (FaultProxy, String) {
    let proxy = FaultProxy::to(postgres.socket()).await;
    let url = format!("postgres://stampede@{}/postgres?sslmode=disable", proxy.address);
    (proxy, url)
}

fn unavailable<T: std::fmt::Debug>(answer: Result<T, Error>) {
    assert_eq!(answer.expect_err("the database is gone").code, Code::LedgerUnavailable);
}

#[tokio::test]
async fn a_postgresql_that_vanishes_in_the_middle_of_a_query_holds_nothing_up_and_all_goes_in_once() {
    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let (proxy, url) = through_a_proxy(&postgres).await;
    let ledger = Ledger::connect(Place::Url(&url)).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    app.red_packet.open(terms("s", 1_000, 100)).await.expect("a sale");
    for user in 0..50 {
        app.red_packet.claim("s", format!("u{user}"), None).await.expect("an outcome");
    }
    let everything = Search::default();
    let search = || app.ledger.search(&everything, None, None);
    search().await.expect("a page");

    // The rows are inserted, and whether they stay is never heard.
    proxy.hold(Hold::Answer, "INSERT INTO history");
    let mut writer = app.writer("one");
    let (written, ()) = tokio::join!(in_time("the writer", writer.step(Duration::ZERO)), async {
        proxy.holds().await;
        proxy.vanish();
        // More of them than there are connections.
        for answer in join_all((0..8).map(|_| in_time("a search", search()))).await {
            unavailable(answer);
        }
    });
    unavailable(written);
    app.red_packet.claim("s", "meanwhile".to_owned(), None).await.expect("sales go on");
    unavailable(in_time("the writer again", writer.step(Duration::ZERO)).await);

    // It is back, but what was said on the old connections never arrives.
    proxy.heal();
    let caught_up = async { while writer.catch_up().await.is_err() {} };
    in_time("the ledger is written again", caught_up).await;
    let page = in_time("a search", search()).await.expect("a page");
    assert_eq!((page.total, page.rows.len()), (52, 52), "the opening and 51 claims, each once");
}

/// A migration may take minutes, but not on a host that is gone.
#[tokio::test]
async fn a_postgresql_that_vanishes_while_its_schema_is_brought_up_to_date_does_not_hold_up_the_start() {
    let postgres = Postgres::start();
    let (proxy, url) = through_a_proxy(&postgres).await;
    proxy.hold(Hold::Answer, "CREATE TABLE");
    let (connected, ()) = tokio::join!(in_time("the start", Ledger::connect(Place::Url(&url))), async {
        proxy.holds().await;
        proxy.vanish();
    });
    let why = connected.err().expect("the host is gone").to_string();
    assert!(why.contains(&proxy.address.to_string()) && why.contains("no answer within"), "{why}");

    // What was cut off is done by the next start.
    proxy.heal();
    let ledger = eventually("the start", async || Ledger::connect(Place::Url(&url)).await.ok()).await;
    let page = ledger.search(&Search::default(), None, None).await.expect("a page");
    assert_eq!(page.total, 0);
}

/// PostgreSQL itself ends what takes too long, and lets go of what a vanished client holds.
#[tokio::test]
async fn the_connections_that_write_tell_postgresql_how_long_to_wait() {
    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    let mut beside = support::ledger::postgres(&postgres).await;
    sqlx::raw_sql(
        "CREATE TABLE settings_of_writer (name TEXT, setting TEXT);
        CREATE FUNCTION note_settings() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO settings_of_writer SELECT name, setting FROM pg_settings WHERE source = 'client';
            RETURN NULL;
        END $$;
        CREATE TRIGGER note_settings AFTER INSERT ON history FOR EACH STATEMENT EXECUTE FUNCTION note_settings()",
    )
    .execute(&mut beside)
    .await
    .expect("a trigger");
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    app.writer("one").catch_up().await.expect("the ledger");
    let settings: Vec<(String, String)> =
        sqlx::query_as("SELECT name, setting FROM settings_of_writer").fetch_all(&mut beside).await.expect("rows");
    let settings: BTreeMap<String, String> = settings.into_iter().collect();
    assert_eq!(settings["statement_timeout"], "5000", "{settings:?}");
    assert_eq!(settings["idle_in_transaction_session_timeout"], "10000", "{settings:?}");
    // On a unix socket, PostgreSQL takes them, and shows 0.
    for name in ["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"] {
        assert!(settings.contains_key(name), "{name}: {settings:?}");
    }
}

/// A run of the lab whose database vanishes where it waits for the answer to this statement, and the next one.
async fn a_run_of_the_lab_ends_without_its_database_at(statement: &str) {
    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let (proxy, url) = through_a_proxy(&postgres).await;
    let ledger = Ledger::connect(Place::Url(&url)).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    let settings = Settings { strategies: vec!["select-for-update".to_owned()], ..Settings::default() };
    proxy.hold(Hold::Answer, statement);
    let run = app.lab.start(settings.clone()).await.expect("a run").run;
    proxy.holds().await;
    proxy.vanish();
    let ended = in_time("the run", is_over(&app, &run)).await;
    assert_eq!(ended.phase, Phase::Failed);
    let why = ended.reason.expect("a reason");
    assert!(why.contains("The lab's database failed; the server's log says how. Start again once it works."), "{why}");

    // Nothing of it holds up the next one, or stays.
    proxy.heal();
    let settings = Settings { users: 20, stock: 5, ..settings };
    let next = eventually("the next run", async || app.lab.start(settings.clone()).await.ok()).await.run;
    let ended = is_over(&app, &next).await;
    assert_eq!((ended.phase, ended.reason), (Phase::Done, None));
    let left = sqlx::query_scalar::<_, String>("SELECT sale FROM lab_stock UNION ALL SELECT sale FROM lab_claims");
    let left = left.fetch_all(&mut support::ledger::postgres(&postgres).await).await.expect("rows");
    assert_eq!(left, [""; 0]);
}

async fn is_over(app: &TestApp, run: &str) -> Run {
    eventually("the run is over", async || app.lab.find(run).await.ok().filter(|run| run.is_over())).await
}

#[tokio::test]
async fn a_postgresql_that_vanishes_while_the_lab_makes_its_tables_ends_the_run_and_the_next_can_start() {
    a_run_of_the_lab_ends_without_its_database_at("CREATE TABLE IF NOT EXISTS lab_stock").await;
}

#[tokio::test]
async fn a_postgresql_that_vanishes_before_a_strategy_of_the_lab_ends_the_run_and_the_next_can_start() {
    a_run_of_the_lab_ends_without_its_database_at("INSERT INTO lab_stock").await;
}

/// An attempt has locked the row, and the others wait for it, which they may do for longer.
#[tokio::test]
async fn a_postgresql_that_vanishes_in_the_middle_of_attempts_ends_the_run_of_the_lab_and_the_next_can_start() {
    a_run_of_the_lab_ends_without_its_database_at("UPDATE lab_stock").await;
}

/// A statement that waits for a lock gets no answer either, but the database is there.
#[tokio::test]
async fn an_attempt_that_waits_long_for_a_lock_does_not_end_the_run_of_the_lab() {
    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let (proxy, url) = through_a_proxy(&postgres).await;
    let ledger = Ledger::connect(Place::Url(&url)).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    let strategies = vec!["select-for-update".to_owned()];
    let settings = Settings { stock: 5, users: 5, concurrency: 1, repeat_rate: 0.0, strategies, ..Settings::default() };
    let (mut holder, mut beside) =
        (support::ledger::postgres(&postgres).await, support::ledger::postgres(&postgres).await);
    proxy.hold(Hold::Command, "SELECT remaining FROM lab_stock");
    let run = app.lab.start(settings).await.expect("a run").run;
    proxy.holds().await;
    sqlx::raw_sql("BEGIN; SELECT 1 FROM lab_stock FOR UPDATE").execute(&mut holder).await.expect("the lock");
    proxy.heal();
    // Longer than it takes to notice that a host is gone.
    let long =
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND clock_timestamp() - query_start > '8 s'";
    eventually("an attempt has waited long", async || {
        sqlx::query(long).fetch_optional(&mut beside).await.expect("the activity")
    })
    .await;
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.expect("the lock is free");
    let ended = is_over(&app, &run).await;
    assert_eq!((ended.phase, ended.reason), (Phase::Done, None));
    assert_eq!(ended.strategies[0].given, 5);
}

/// A Redis whose host vanishes while nothing is sent is noticed, because the kernel asks for it: each connection has its
/// timer, of seconds, not of the two hours that are usual.
#[tokio::test]
async fn idle_connections_to_redis_are_tested() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let store = Store::connect(&proxy.url, stampede::server::scripts()).await.expect("a store");
    let _reader = store.reader(&store.address(), Duration::from_secs(1)).await.expect("a reader");
    let port = proxy.address.port();
    eventually("a timer at each of three connections", async || {
        let timers = keepalive_timers(port);
        (timers.len() == 3 && timers.iter().all(Option::is_some)).then_some(())
    })
    .await;
    for left in keepalive_timers(port) {
        assert!(left.is_some_and(|left| left <= KEEPALIVE), "{left:?}");
    }
}

/// The open connections of this machine to a port, each with the time until the kernel tests it, if it does so
/// (`/proc/net/tcp`: remote address, state, which timer runs, and how long it still does, in hundredths of a second).
fn keepalive_timers(port: u16) -> Vec<Option<Duration>> {
    let (established, keepalive_timer) = ("01", "02");
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the table of connections");
    let to_port = table.lines().filter_map(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [_, _, remote, state, _, timer, ..] = columns.as_slice() else { return None };
        let leads_there = remote.ends_with(&format!(":{port:04X}")) && *state == established;
        leads_there.then(|| timer.split_once(':'))
    });
    let left = |timer: Option<(&str, &str)>| {
        let (_, left) = timer.filter(|(timer, _)| *timer == keepalive_timer)?;
        Some(Duration::from_millis(10 * u64::from_str_radix(left, 16).ok()?))
    };
    to_port.map(left).collect()
}

/// As Redis does where `timeout` is set, and proxies that forget a connection at which nothing happens.
#[tokio::test]
async fn a_redis_that_closes_idle_connections_closes_none_of_a_server() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    redis.raw().await.run::<()>("CONFIG", ("SET", "timeout", 2)).await;
    let clock = RedisClock::of(&app.store).await.expect("an answer");
    let (store, shutdown) = (app.store.clone(), CancellationToken::new());
    let following = tokio::spawn(clock.follow(store, shutdown.clone()));
    let mut idle = UnixStream::connect(redis.socket()).await.expect("a connection");
    let ended = within("an idle connection is closed", idle.read(&mut [0])).await;
    assert_eq!(ended.expect("the end"), 0);
    assert!(app.red_packet.claim("s", "ann".into(), None).await.is_ok());
    shutdown.cancel();
    following.await.expect("the clock");
}
