//! The change feed: each row once, in the order of recording, as soon as it is there, at whichever server it is read.

use crate::support::{
    api::{DOCUMENT, faults, validator},
    app::{Server, TestApp},
    eventually,
    postgres::Postgres,
    redis::{Raw, TestRedis},
    sale::{clock, terms},
    within,
};
use ledger::database::{Ledger, Place};
use model::ledger::{Row, Search};
use serde_json::{Value, json};
use stampede::server::limits::MAX_FEED_READERS;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Two servers on one Redis and one ledger.
struct Bench {
    servers: [Arc<Server>; 2],
    redis: Raw,
    _redis: TestRedis,
    _postgres: Option<Postgres>,
}

/// Runs each of these functions as a test on SQLite and as one on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(super::Bench::on(None).await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let postgres = crate::support::postgres::Postgres::start();
                super::$name(super::Bench::on(Some(postgres)).await).await;
            })*
        }
    };
}

on_both!(
    each_row_is_given_once_however_late_it_is_recorded,
    a_request_at_the_end_waits_for_a_row_that_any_server_records,
    nothing_is_skipped_or_given_twice_while_servers_take_turns_at_recording,
);

impl Bench {
    async fn on(postgres: Option<Postgres>) -> Self {
        let (redis, time) = (TestRedis::start().await, clock());
        let server = async |seed| {
            let url = postgres.as_ref().map(|postgres| postgres.url());
            let place = url.as_deref().map_or(Place::Folder(redis.folder()), Place::Url);
            let ledger = Ledger::connect(place).await.expect("a ledger");
            Arc::new(TestApp::with(&redis.url(), ledger, time.clone(), seed, 10_000).await.serve().await)
        };
        let servers = [server(1).await, server(2).await];
        Self { servers, redis: redis.raw().await, _redis: redis, _postgres: postgres }
    }

    async fn ok(&self, path: &str, body: Value) {
        let (status, answer) = self.servers[0].post(path, &body).await;
        assert_eq!(status, 200, "{answer}");
    }

    /// Has this server record everything.
    async fn record(&self, server: usize) {
        let mut writer = self.servers[server].app.writer("one");
        writer.catch_up().await.expect("the ledger is written");
        writer.give_up().await;
    }

    /// A part of the feed: its rows, and its `next`.
    async fn part(&self, query: &str) -> (Vec<String>, u64) {
        part(&self.servers[0], query).await
    }
}

async fn part(server: &Server, query: &str) -> (Vec<String>, u64) {
    let (status, answer) = server.get(&format!("/api/ledger/changes?{query}")).await;
    assert_eq!(status, 200, "{answer}");
    let described = &DOCUMENT["paths"]["/api/ledger/changes"]["get"]["responses"]["200"]["content"];
    assert_eq!(faults(&validator(&described["application/json"]["schema"]), &answer), [""; 0], "{answer}");
    let rows: Vec<Row> = serde_json::from_value(answer["rows"].clone()).expect("rows");
    (rows.iter().map(text).collect(), answer["next"].as_u64().expect("a place"))
}

fn text(row: &Row) -> String {
    format!("{} {} {} {}", row.recorded, row.sale, row.outcome, row.user.as_deref().unwrap_or_default())
}

async fn each_row_is_given_once_however_late_it_is_recorded(bench: Bench) {
    assert_eq!(bench.part("").await, (vec![], 0));
    for sale in ["late", "prompt"] {
        bench.ok("/api/stock/open", json!({ "id": sale, "quantity": 10 })).await;
    }
    bench.record(0).await;
    bench.ok("/api/stock/pause", json!({ "sale": "late", "seconds": 60 })).await;
    for (sale, user) in [("late", "ann"), ("prompt", "bob"), ("prompt", "cid")] {
        bench.ok("/api/stock/deduct", json!({ "sale": sale, "user": user, "quantity": 1 })).await;
    }
    bench.record(1).await;
    let all = ["1 late opened ", "2 prompt opened ", "3 prompt won bob", "4 prompt won cid"];
    assert_eq!(bench.part("").await, (all.map(str::to_owned).into(), 4));
    assert_eq!(bench.part("limit=3&after=").await, (all[..3].iter().map(ToString::to_string).collect(), 3));
    assert_eq!(bench.part("limit=3&after=3").await, (vec![all[3].to_owned()], 4));
    // It happened before the last two, and is recorded after them.
    bench.ok("/api/stock/pause", json!({ "sale": "late", "seconds": 0 })).await;
    bench.record(0).await;
    let late = "5 late won ann".to_owned();
    assert_eq!(bench.part("after=4").await, (vec![late.clone()], 5));
    assert_eq!(bench.part("after=5").await, (vec![], 5));

    // What is left out need not be looked at again.
    assert_eq!(bench.part("sale=prompt&limit=3").await, (all[1..].iter().map(ToString::to_string).collect(), 4));
    assert_eq!(bench.part("sale=prompt&after=4").await, (vec![], 5));
    assert_eq!(bench.part("outcome=won&limit=2").await, (vec![all[2].to_owned(), all[3].to_owned()], 4));
    assert_eq!(bench.part("kind=stock&sale=late&outcome=won&after=1").await, (vec![late], 5));
    assert_eq!(bench.part("kind=ticket").await, (vec![], 5));

    let wrong = [
        ("after=6", "after", "`after` is 6, but the ledger has recorded only 5 rows. "),
        ("after=-1", "after", "`after` is \"-1\", which is no place in the change feed; "),
        ("after=18446744073709551615", "after", "`after` is 18446744073709551615, but "),
        ("limit=0", "limit", "`limit` is 0; it must be 1 to 1000."),
        ("limit=1001", "limit", "`limit` is 1001; it must be 1 to 1000."),
        ("wait_s=31", "wait_s", "`wait_s` is 31; it must be 0 to 30 seconds."),
        ("wait_s=soon", "wait_s", "`wait_s` is \"soon\"; give a whole number."),
        ("kind=raffle", "kind", ""),
        ("outcome=Won", "outcome", "There is no outcome \"Won\"; "),
        ("sale=%00", "sale", ""),
        ("user=ann", "user", "There is no parameter `user`; "),
    ];
    for (query, field, why) in wrong {
        let (status, answer) = bench.servers[0].get(&format!("/api/ledger/changes?{query}")).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"], &error["field"]), (400, &json!("bad_request"), &json!(field)), "{query}");
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with(why)), "{query}: {answer}");
    }
}

/// A request that has come to its server, and waits there.
async fn waiting(server: &Arc<Server>, query: &'static str) -> JoinHandle<(Vec<String>, u64)> {
    let free = || server.app.limits.free("/api/ledger/changes");
    let (before, reader) = (free(), server.clone());
    let request = tokio::spawn(async move { part(&reader, query).await });
    eventually("the request has come", async || (free() < before).then_some(())).await;
    request
}

async fn a_request_at_the_end_waits_for_a_row_that_any_server_records(bench: Bench) {
    bench.ok("/api/stock/open", json!({ "id": "s", "quantity": 10 })).await;
    bench.record(0).await;
    // Two at one server, of which one looks for both, and one at another.
    let waiting = [
        waiting(&bench.servers[0], "after=1&wait_s=30").await,
        waiting(&bench.servers[0], "after=1&wait_s=30&outcome=won").await,
        waiting(&bench.servers[1], "after=1&wait_s=30").await,
    ];
    bench.ok("/api/stock/restock", json!({ "sale": "s", "quantity": 5, "request_id": "r" })).await;
    bench.record(1).await;
    let [first, won, other] = waiting;
    for request in [first, other] {
        let (rows, next) = within("an answer", request).await.expect("no panic");
        assert_eq!((rows, next), (vec!["2 s restocked ".to_owned()], 2));
    }
    assert!(!won.is_finished(), "what came is not what it waits for");
    bench.ok("/api/stock/deduct", json!({ "sale": "s", "user": "ann", "quantity": 1 })).await;
    bench.record(0).await;
    assert_eq!(within("an answer", won).await.expect("no panic"), (vec!["3 s won ann".to_owned()], 3));
    // Once the time is over, it says from where to go on.
    assert_eq!(bench.part("after=3&wait_s=1").await, (vec![], 3));
    assert_eq!(bench.part("after=1&wait_s=1&sale=none").await, (vec![], 3));
}

/// Servers record in turn, and now and then at once, as the lease is torn away from them all the time.
async fn nothing_is_skipped_or_given_twice_while_servers_take_turns_at_recording(bench: Bench) {
    const SALES: [&str; 3] = ["a", "b", "c"];
    const PACKETS: u32 = 200;
    let stop = CancellationToken::new();
    let app = &bench.servers[0].app;
    for sale in SALES {
        app.red_packet.open(terms(sale, 2_000, PACKETS.into())).await.expect("a sale");
    }
    let writers = [0, 1]
        .map(|nth: usize| tokio::spawn(bench.servers[nth].app.writer(&format!("writer {nth}")).run(stop.clone())));
    let wanted = SALES.len() * (PACKETS as usize + 1);
    // One takes whatever there is, one a few rows at a time, and one only those of a sale.
    let readers = [(0, 1_000, None), (1, 7, None), (1, 5, Some("b"))].map(|(nth, limit, sale)| {
        let server: Arc<Server> = bench.servers[nth].clone();
        tokio::spawn(async move {
            let (mut rows, mut after) = (Vec::new(), 0);
            let wanted = if sale.is_some() { wanted / SALES.len() } else { wanted };
            let of_sale = sale.map(|sale: &str| format!("&sale={sale}")).unwrap_or_default();
            while rows.len() < wanted {
                let (more, next) = part(&server, &format!("after={after}&limit={limit}&wait_s=30{of_sale}")).await;
                assert!(more.len() <= limit && next >= after);
                rows.extend(more);
                after = next;
            }
            rows
        })
    });
    for user in (0..PACKETS).collect::<Vec<_>>().chunks(10) {
        bench.redis.run::<i64>("DEL", "stampede:writer").await;
        let claims =
            user.iter().flat_map(|user| SALES.map(|sale| app.red_packet.claim(sale, format!("u{user}"), None)));
        for outcome in futures::future::join_all(claims).await {
            outcome.expect("an outcome");
        }
    }
    let mut found = Vec::new();
    for reader in readers {
        found.push(within("the feed has every row", reader).await.expect("no panic"));
    }
    stop.cancel();
    for writer in writers {
        within("the writer ends", writer).await.expect("no panic");
    }
    let mut recorded = app.ledger.rows(&Search::default(), 1_000, None).await.expect("rows");
    assert_eq!(recorded.len(), wanted);
    recorded.sort_unstable_by_key(|row| row.recorded);
    assert!((1..).zip(&recorded).all(|(place, row)| row.recorded == place), "places have no gaps");
    let all: Vec<String> = recorded.iter().map(text).collect();
    let of_b: Vec<String> = recorded.iter().filter(|row| row.sale == "b").map(text).collect();
    assert_eq!(found, [all.clone(), all, of_b]);
}

#[tokio::test]
async fn whoever_waits_is_answered_when_the_server_stops() {
    let redis = TestRedis::start().await;
    let server = Arc::new(TestApp::on(&redis).await.serve().await);
    let request = waiting(&server, "wait_s=30").await;
    server.app.shutdown.cancel();
    assert_eq!(within("an answer", request).await.expect("no panic"), (vec![], 0));
    let server = Arc::into_inner(server).expect("nobody else has the server");
    server.stop().await;
}

#[tokio::test]
async fn a_hundred_wait_at_a_time_and_more_are_refused() {
    let redis = TestRedis::start().await;
    let server = Arc::new(TestApp::on(&redis).await.serve().await);
    // Concurrently, so that the first ones still wait when the last ones have come.
    let request = |_| {
        let reader = server.clone();
        tokio::spawn(async move { part(&reader, "wait_s=30").await })
    };
    let mut requests: Vec<_> = (0..MAX_FEED_READERS).map(request).collect();
    let free = || server.app.limits.free("/api/ledger/changes");
    eventually("all have come", async || (free() == 0).then_some(())).await;
    let (status, answer) = server.get("/api/ledger/changes").await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("busy")), "{answer}");
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with(&format!("{MAX_FEED_READERS} readers of the change feed")), "{message}");
    // Who leaves makes room.
    for request in requests.drain(..2) {
        request.abort();
    }
    eventually("there is room", async || (server.get("/api/ledger/changes").await.0 == 200).then_some(())).await;
    server.app.shutdown.cancel();
    for request in requests {
        assert_eq!(within("an answer", request).await.expect("no panic"), (vec![], 0));
    }
}
