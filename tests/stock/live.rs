//! The live view: each frame is complete, and costs the ledger little.

use super::{catch_up, deduct, stock, terms, with_sale};
use crate::support::{
    app::TestApp,
    eventually,
    ledger::{Base, postgres, sqlite},
    redis::TestRedis,
    sale::clock,
};
use engine::{hub::LiveSource, stock::service::Stock};
use model::stock::Snapshot;
use sqlx::Executor;

async fn frame(sales: &Stock) -> Snapshot {
    let (_, json) = sales.frame("s").await.expect("a frame");
    serde_json::from_str(&json).expect("a snapshot")
}

#[tokio::test]
async fn the_ledger_is_read_ten_times_a_second_at_most() {
    let (redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 3).await;
    super::catch_up(&app).await;
    assert_eq!(frame(&sales).await.ledger, Some(7));
    sqlite(redis.folder()).await.execute("UPDATE sales SET quantity = 8").await.expect("changed");
    app.time.advance(99);
    let shown = frame(&sales).await;
    assert_eq!((shown.ledger, shown.pending), (Some(7), Some(0)));
    app.time.advance(1);
    eventually("a frame with what the ledger has now", async || (frame(&sales).await.ledger == Some(8)).then_some(()))
        .await;
    // After a while in which nobody has looked, the first frame is right.
    sqlite(redis.folder()).await.execute("UPDATE sales SET quantity = 7").await.expect("changed");
    app.time.advance(60_000);
    assert_eq!(frame(&sales).await.ledger, Some(7));
}

/// What the ledger had a minute ago is not taken for what it has now, while it does not answer.
#[tokio::test]
async fn an_old_answer_is_not_shown_again() {
    let (redis, base) = (TestRedis::start().await, Base::postgres());
    let app = TestApp::with(&redis.url(), base.connect().await.expect("a ledger"), clock(), 1, 10_000).await;
    let sales = stock(&app);
    sales.open(terms(10)).await.expect("a sale");
    catch_up(&app).await;
    assert_eq!(frame(&sales).await.ledger, Some(10));
    let Base::Postgres(server) = &base else { panic!("this is PostgreSQL") };
    let mut lock = postgres(server).await;
    lock.execute("BEGIN").await.expect("a transaction");
    lock.execute("LOCK TABLE sales IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    app.time.advance(60_000);
    let shown = frame(&sales).await;
    assert_eq!((shown.ledger, shown.pending), (None, None));
}
