//! Caching the quantity again: once for all who want it, exactly, however late the ledger is and whoever dies.

use super::{cached, catch_up, deduct, stock, terms, with_sale};
use crate::support::{
    app::TestApp,
    eventually,
    ledger::{Base, sqlite},
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::clock,
};
use engine::stock::{rebuild::MOST_WAITING, scripts::key, service::Stock};
use futures::{
    future::join_all,
    stream::{FuturesUnordered, StreamExt},
};
use ledger::database::{Ledger, Place};
use model::{
    Verdict,
    error::Code,
    stock::{Adjusted, DeductionState, Outcome, Terms},
};
use sqlx::{AssertSqlSafe, Executor};
use store::keys;
use tempfile::TempDir;

/// Ten thousand attempts at once on what is not cached cause one read of the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cold_start_reads_the_ledger_once() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [stock(&apps[0]), stock(&apps[1])];
    servers[0].open(terms(100_000)).await.expect("a sale");
    catch_up(&apps[0]).await;
    let answers = join_all((0..10_000_usize).map(|nth| {
        let sales = servers[nth % 2].clone();
        async move { sales.deduct("s", format!("u{nth}"), 1, Some(format!("r{nth}"))).await }
    }))
    .await;
    assert!(answers.iter().all(|answer| matches!(answer, Ok(Outcome::Won { .. }))));
    assert_eq!(servers[0].rebuilder().reads() + servers[1].rebuilder().reads(), 1);
    let snapshot = servers[1].snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.cached, snapshot.rebuilds, snapshot.rebuilt.len()), (Some(90_000), 1, 1));
    assert_eq!(snapshot.rebuilt[0].quantity, 100_000);
    let loader = usize::from(servers[1].rebuilder().reads() > 0);
    assert_eq!(snapshot.rebuilt[0].server, apps[loader].ids.process());
}

/// Whether the ledger has everything, nothing, or the beginning, the load is exact.
#[tokio::test]
async fn a_load_is_exact_however_late_the_ledger_is() {
    let (redis, app, sales) = with_sale(terms(1_000)).await;
    let raw = redis.raw().await;
    let mut left = 1_000;
    for round in 0..6 {
        for nth in 0..40_u64 {
            let quantity = 1 + nth % 3;
            left -= quantity;
            let answer = deduct(&sales, "ann", &format!("r{round}-{nth}"), quantity).await;
            assert_eq!(answer, Outcome::Won { left });
        }
        if round % 2 == 1 {
            catch_up(&app).await;
        }
        raw.run::<i64>("DEL", key("s", "quantity")).await;
        left -= 1;
        assert_eq!(deduct(&sales, "ann", &format!("last-{round}"), 1).await, Outcome::Won { left }, "round {round}");
        assert_eq!(cached(&raw).await, Some(left.cast_signed()));
    }
    // By now the stream has been trimmed behind the ledger.
    let length: u64 = raw.run("XLEN", key("s", "events")).await;
    assert!(length < 240, "{length}");
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// A server that dies while it rebuilds holds the lock; it expires, and whoever waits takes over.
#[tokio::test]
async fn a_rebuild_that_died_keeps_nobody_for_ever() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    let raw = redis.raw().await;
    raw.run::<String>("SET", (key("s", "rebuild"), "dead", "PX", 200)).await;
    assert_eq!(deduct(&sales, "ann", "1", 4).await, Outcome::Won { left: 6 });
    assert_eq!(sales.rebuilder().reads(), 1);
}

/// A server that is stopped in the middle of a load, and goes on when another has loaded and sold, changes nothing: its
/// load is of the past. Its own users get what is left.
#[tokio::test]
async fn a_load_that_comes_late_overwrites_nothing() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let proxy = FaultProxy::before(&redis).await;
    let slow = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    let quick = TestApp::at(&redis, &redis.url(), clock(), 2).await;
    // Only a load names its process.
    let load = slow.ids.process().to_owned();
    let (slow, quick) = (stock(&slow), stock(&quick));
    slow.open(terms(10)).await.expect("a sale");
    proxy.hold(Hold::Command, &load);
    let waits = {
        let slow = slow.clone();
        tokio::spawn(async move { deduct(&slow, "ann", "1", 4).await })
    };
    proxy.holds().await;
    // Its lock expires.
    raw.run::<i64>("DEL", key("s", "rebuild")).await;
    assert_eq!(deduct(&quick, "bob", "2", 5).await, Outcome::Won { left: 5 });
    proxy.heal();
    assert_eq!(waits.await.expect("no panic"), Outcome::Won { left: 1 });
    assert_eq!((cached(&raw).await, slow.rebuilder().reads(), quick.rebuilder().reads()), (Some(1), 1, 1));
    assert_eq!(quick.snapshot("s").await.expect("a snapshot").rebuilds, 1);
}

/// A server that is gone in the middle of a load: its lock expires by itself, and another one loads meanwhile.
#[tokio::test]
async fn a_server_that_dies_in_a_load_keeps_nobody_from_loading() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let dying = TestApp::at(&redis, &proxy.url, clock(), 1).await;
    let other = TestApp::at(&redis, &redis.url(), clock(), 2).await;
    let load = dying.ids.process().to_owned();
    let (dying, other) = (stock(&dying), stock(&other));
    dying.open(terms(10)).await.expect("a sale");
    proxy.hold(Hold::Command, &load);
    let waits = {
        let dying = dying.clone();
        tokio::spawn(async move { deduct(&dying, "ann", "1", 4).await })
    };
    proxy.holds().await;
    waits.abort();
    assert!(redis.raw().await.run::<bool>("EXISTS", key("s", "rebuild")).await, "it holds the lock");
    assert_eq!(deduct(&other, "bob", "2", 5).await, Outcome::Won { left: 5 });
    assert_eq!((dying.rebuilder().reads(), other.rebuilder().reads()), (1, 1));
    assert_eq!(other.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Those who wait take what another has loaded.
#[tokio::test]
async fn who_waits_takes_what_another_has_loaded() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    let raw = redis.raw().await;
    raw.run::<String>("SET", (key("s", "rebuild"), "other", "PX", 60_000)).await;
    let waits = {
        let sales = sales.clone();
        tokio::spawn(async move { deduct(&sales, "ann", "1", 4).await })
    };
    raw.run::<String>("SET", (key("s", "quantity"), 10, "PX", 60_000)).await;
    assert_eq!(waits.await.expect("no panic"), Outcome::Won { left: 6 });
    assert_eq!(sales.rebuilder().reads(), 0);
}

/// A ledger that was restored from an older backup lacks what the stream no longer has: nothing is sold again, before its
/// writer goes on and after, and who loads notes by how much the ledger differs.
#[tokio::test]
async fn a_restored_ledger_sells_nothing_again() {
    let (redis, app, sales) = with_sale(terms(200)).await;
    catch_up(&app).await;
    let backup = backup(&redis).await;
    for nth in 0..150 {
        deduct(&sales, "ann", &nth.to_string(), 1).await;
    }
    catch_up(&app).await;
    let length: u64 = redis.raw().await.run("XLEN", key("s", "events")).await;
    assert!(length < 150, "{length}");

    let restored = Ledger::connect(Place::Folder(backup.path())).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), restored, clock(), 2, 10_000).await;
    let sales = stock(&app);
    sales.expire("s").await.expect("expired");
    assert_eq!(deduct(&sales, "bob", "x", 51).await, Outcome::NotEnough { left: 50 });
    assert_eq!(differences(&sales).await[0], None, "the stream no longer says what was there");
    catch_up(&app).await;
    sales.expire("s").await.expect("expired");
    assert_eq!(deduct(&sales, "bob", "x", 51).await, Outcome::NotEnough { left: 50 });
    let lacks = 150 - length.cast_signed();
    assert_eq!(differences(&sales).await[0], Some(lacks));
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Broken);
    assert_eq!(deduct(&sales, "bob", "y", 50).await, Outcome::Won { left: 0 });
}

/// A ledger that was begun anew, of which the opening is missing.
#[tokio::test]
async fn a_new_ledger_changes_no_quantity() {
    let (redis, app, sales) = with_sale(terms(200)).await;
    for nth in 0..150 {
        deduct(&sales, "ann", &nth.to_string(), 1).await;
    }
    catch_up(&app).await;
    let base = Base::sqlite();
    let app = TestApp::with(&redis.url(), base.connect().await.expect("a ledger"), clock(), 2, 10_000).await;
    let sales = stock(&app);
    // The first server is gone.
    redis.raw().await.run::<i64>("DEL", keys::WRITER.one).await;
    app.ledger_service.claim_streams(true).await.expect("adopted");
    for is_compared in [false, true] {
        sales.expire("s").await.expect("expired");
        assert_eq!(deduct(&sales, "bob", "x", 51).await, Outcome::NotEnough { left: 50 });
        assert_eq!(differences(&sales).await[0].is_some(), is_compared);
        catch_up(&app).await;
    }
}

/// A Redis that has lost what the ledger has loads nothing, also for a server that has seen nothing of it: the sum is of
/// before.
#[tokio::test]
async fn a_redis_behind_the_ledger_loads_nothing() {
    let (mut redis, app, sales) = with_sale(terms(10)).await;
    deduct(&sales, "ann", "1", 1).await;
    deduct(&sales, "ann", "late-1", 4).await;
    catch_up(&app).await;
    redis.crash_without_its_end("late-").await;
    let other = stock(&TestApp::at(&redis, &redis.url(), clock(), 2).await);
    other.expire("s").await.expect("expired");
    let error = other.deduct("s", "bob".to_owned(), 1, None).await.expect_err("no outcome");
    assert_eq!((error.code, cached(&redis.raw().await).await), (Code::SaleSuspended, None));
}

/// The ledger as it is now, in a folder of its own.
async fn backup(redis: &TestRedis) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = format!("VACUUM INTO '{}'", folder.path().join("ledger.sqlite").display());
    sqlx::raw_sql(AssertSqlSafe(copy)).execute(&mut sqlite(redis.folder()).await).await.expect("a backup");
    folder
}

/// By how much the ledger differed at each of the newest loads, newest first.
async fn differences(sales: &Stock) -> Vec<Option<i64>> {
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    snapshot.rebuilt.iter().map(|rebuild| rebuild.ledger_difference).collect()
}

/// While a quantity cannot be loaded, what needs none passes those that wait for it, at the same sale and at others.
#[tokio::test]
async fn who_waits_for_a_quantity_keeps_nobody_waiting() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    let raw = redis.raw().await;
    sales.open(Terms { sale: "other".to_owned(), ..terms(5) }).await.expect("another sale");
    assert_eq!(deduct(&sales, "ann", "1", 4).await, Outcome::Won { left: 6 });
    sales.expire("s").await.expect("expired");
    raw.run::<String>("SET", (key("s", "rebuild"), "other", "PX", 60_000)).await;
    let calls = async || sales.snapshot("s").await.expect("a snapshot").calls;
    let before = calls().await;
    let waits: Vec<_> = (0..8)
        .map(|nth| {
            let sales = sales.clone();
            tokio::spawn(async move { deduct(&sales, "bob", &format!("b{nth}"), 1).await })
        })
        .collect();
    eventually("they have asked", async || (calls().await > before).then_some(())).await;
    assert_eq!(
        deduct(&sales, "ann", "1", 4).await,
        Outcome::Repeat { left: 6, state: DeductionState::Deducted, due: None }
    );
    let other = sales.deduct("other", "ann".to_owned(), 1, None).await;
    assert_eq!(other, Ok(Outcome::Won { left: 4 }));
    assert!(waits.iter().all(|wait| !wait.is_finished()));
    raw.run::<String>("SET", (key("s", "quantity"), 6, "PX", 60_000)).await;
    let won = join_all(waits).await.into_iter().filter(|reported| matches!(reported, Ok(Outcome::Won { .. }))).count();
    assert_eq!((won, sales.rebuilder().reads()), (6, 2), "once for each sale, at first");
}

/// A ledger that cannot be read is asked once for all; who comes a moment later gets the same answer without asking.
#[tokio::test]
async fn a_failed_rebuild_is_told_to_all_and_remembered_for_a_moment() {
    let (redis, app, sales) = with_sale(terms(1_000)).await;
    let mut ledger = sqlite(redis.folder()).await;
    ledger.execute("ALTER TABLE sales RENAME TO away").await.expect("no table");
    let burst = async |name: &str| {
        let attempts = (0..500).map(|nth| sales.deduct("s", "ann".to_owned(), 1, Some(format!("{name}{nth}"))));
        join_all(attempts).await.into_iter().map(|reported| reported.map_err(|error| error.code)).collect::<Vec<_>>()
    };
    for name in ["a", "b"] {
        assert_eq!(burst(name).await, vec![Err(Code::LedgerUnavailable); 500]);
        assert_eq!(sales.rebuilder().reads(), 1);
    }
    // An operator's changes need no quantity in the cache.
    assert_eq!(sales.restock("s", 10, None).await, Ok(Adjusted::Restocked { left: 1_010, change: 10 }));
    assert_eq!(sales.correct("s", 1_000, None, None).await, Ok(Adjusted::Corrected { left: 1_000, change: -10 }));
    ledger.execute("ALTER TABLE away RENAME TO sales").await.expect("a table");
    app.time.advance(1_000);
    assert!(burst("c").await.iter().all(|reported| matches!(reported, Ok(Outcome::Won { .. }))));
    assert_eq!(sales.rebuilder().reads(), 2);
}

/// Nothing is cached, and Redis is full: nothing can be.
#[tokio::test]
async fn an_operator_corrects_a_quantity_that_redis_has_no_room_for() {
    let (redis, _app, sales) = with_sale(terms(10)).await;
    redis.raw().await.run::<String>("CONFIG", ("SET", "maxmemory", "1mb")).await;
    let refused = sales.deduct("s", "ann".to_owned(), 1, None).await;
    assert_eq!(refused.map_err(|error| error.code), Err(Code::Busy));
    assert_eq!(sales.correct("s", 7, None, None).await, Ok(Adjusted::Corrected { left: 7, change: -3 }));
}

/// No more wait than there are places for; who finds none is refused at once.
#[tokio::test]
async fn who_waits_for_a_quantity_has_a_place() {
    let (redis, _app, sales) = with_sale(terms(100_000)).await;
    let raw = redis.raw().await;
    raw.run::<String>("SET", (key("s", "rebuild"), "other", "PX", 60_000)).await;
    let mut attempts: FuturesUnordered<_> =
        (0..MOST_WAITING + 5).map(|nth| sales.deduct("s", "ann".to_owned(), 1, Some(nth.to_string()))).collect();
    for _ in 0..5 {
        let refused = attempts.next().await.expect("an answer");
        assert_eq!(refused.map_err(|error| error.code), Err(Code::Busy));
    }
    raw.run::<String>("SET", (key("s", "quantity"), 100_000, "PX", 60_000)).await;
    let reported: Vec<_> = attempts.collect().await;
    assert!(reported.iter().all(|reported| matches!(reported, Ok(Outcome::Won { .. }))));
}

/// What the database refuses is set aside; it has happened all the same.
#[tokio::test]
async fn what_was_set_aside_is_not_sold_again() {
    let (redis, app, sales) = with_sale(terms(10)).await;
    catch_up(&app).await;
    let mut ledger = sqlite(redis.folder()).await;
    ledger
        .execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON history WHEN NEW.request_id = 'bad'
             BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .await
        .expect("a trigger");
    assert_eq!(deduct(&sales, "ann", "bad", 4).await, Outcome::Won { left: 6 });
    assert_eq!(deduct(&sales, "bob", "good", 1).await, Outcome::Won { left: 5 });
    catch_up(&app).await;
    let known = app.ledger.sale("stock", "s").await.expect("the ledger").expect("a sale");
    assert_eq!((known.quantity, known.dead_letters), (9, 1));
    sales.expire("s").await.expect("expired");
    assert_eq!(deduct(&sales, "cid", "2", 1).await, Outcome::Won { left: 4 });
    assert_eq!(differences(&sales).await, [None, Some(0)], "the ledger itself names what it lacks");
    // It is recorded after all, and counted once.
    ledger.execute("DROP TRIGGER refuse").await.expect("no trigger");
    let retried = app.ledger_service.retry(Some("stock"), Some("s")).await.expect("retried");
    assert_eq!((retried.applied, retried.still_set_aside), (1, 0));
    catch_up(&app).await;
    let known = app.ledger.sale("stock", "s").await.expect("the ledger").expect("a sale");
    assert_eq!((known.quantity, known.dead_letters), (4, 0));
    sales.expire("s").await.expect("expired");
    assert_eq!(deduct(&sales, "dan", "3", 1).await, Outcome::Won { left: 3 });
    assert_eq!(differences(&sales).await[0], Some(0));
}
