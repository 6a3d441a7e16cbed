//! A host that vanishes: nothing comes back and nothing is closed. A wire that swallows everything stands for it.

use crate::support::{
    app::TestApp,
    postgres::Postgres,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{clock, terms},
};
use futures::future::join_all;
use stampede::{
    error::{Code, Error},
    ledger::{
        Search,
        database::{Ledger, Place},
    },
};
use std::time::Duration;

/// What is promised: nothing waits any longer.
const PROMISED: Duration = Duration::from_secs(10);

async fn in_time<T>(what: &str, happening: impl Future<Output = T>) -> T {
    tokio::time::timeout(PROMISED, happening).await.unwrap_or_else(|_| panic!("{what}: not within 10 s"))
}

fn unavailable<T: std::fmt::Debug>(answer: Result<T, Error>) {
    assert_eq!(answer.expect_err("the database is gone").code, Code::LedgerUnavailable);
}

#[tokio::test]
async fn a_postgresql_that_vanishes_in_the_middle_of_a_query_holds_nothing_up_and_all_goes_in_once() {
    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let proxy = FaultProxy::to(postgres.socket()).await;
    let url = format!("postgres://stampede@{}/postgres?sslmode=disable", proxy.address);
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
