//! The way to the ledger, in either database: deltas are added up, and what is left is of the very entry that was recorded
//! last.

use super::{deduct, give_back, stock, terms};
use crate::support::{app::TestApp, ledger::Base, redis::TestRedis, sale::clock};
use engine::stock::{scripts::key, service::Stock};
use model::{
    error::Code,
    stock::{Outcome, Terms},
};
use store::runtime::Clock;

/// Notes every UPDATE of a sale's quantity, with the position that the sale has after it.
const NOTE: [&str; 2] = [
    "CREATE TABLE updates (sale TEXT, delta BIGINT, quantity BIGINT, ms BIGINT, seq BIGINT);
     CREATE TRIGGER note AFTER UPDATE ON sales WHEN NEW.quantity <> OLD.quantity BEGIN
         INSERT INTO updates VALUES (NEW.sale, NEW.quantity - OLD.quantity, NEW.quantity, NEW.applied_ms, NEW.applied_seq);
     END",
    "CREATE TABLE updates (sale TEXT, delta BIGINT, quantity BIGINT, ms BIGINT, seq BIGINT);
     CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO updates VALUES (NEW.sale, NEW.quantity - OLD.quantity, NEW.quantity, NEW.applied_ms, NEW.applied_seq);
         RETURN NULL;
     END $$;
     CREATE TRIGGER note AFTER UPDATE ON sales FOR EACH ROW WHEN (NEW.quantity <> OLD.quantity)
         EXECUTE FUNCTION note()",
];

/// Sale, delta, quantity and position.
type Update = (String, i64, i64, i64, i64);

async fn one_update_takes_all_deltas_of_a_sale(base: Base) {
    let redis = TestRedis::start().await;
    let ledger = base.connect().await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    let sales = stock(&app);
    for sale in ["s", "t", "u"] {
        sales.open(Terms { sale: sale.to_owned(), ..terms(1_000) }).await.expect("a sale");
    }
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    base.run(NOTE[usize::from(matches!(base, Base::Postgres(_)))]).await;
    let before = writer.updates();
    // Fifteen entries, each of its own batch.
    for nth in 0..12 {
        assert!(matches!(deduct(&sales, "ann", &format!("r{nth}"), 3).await, Outcome::Won { .. }));
    }
    give_back(&sales, "r0").await;
    sales.restock("s", 50, None).await.expect("restocked");
    sales.correct("s", 10, Some(20), None).await.expect("corrected");
    sales.deduct("t", "ann".to_owned(), 7, None).await.expect("an outcome");
    writer.catch_up().await.expect("the ledger");
    assert_eq!(writer.updates() - before, 2, "one for each sale of which there was something");
    let last = redis.raw().await.last_entry(&key("s", "events")).await.expect("an entry");
    let (ms, seq) = last.split_once('-').expect("an id");
    let updates: Vec<Update> = base.rows("SELECT * FROM updates WHERE sale = 's'").await;
    let (ms, seq) = (ms.parse().expect("a number"), seq.parse().expect("a number"));
    assert_eq!(updates, [("s".to_owned(), -36 + 3 + 50 - 10, 1_007, ms, seq)]);
    let updates: Vec<Update> = base.rows("SELECT * FROM updates WHERE sale = 't'").await;
    assert_eq!(updates.iter().map(|update| (update.1, update.2)).collect::<Vec<_>>(), [(-7, 993)]);
}

#[tokio::test]
async fn sqlite_takes_one_update_for_all_deltas_of_a_sale() {
    one_update_takes_all_deltas_of_a_sale(Base::sqlite()).await;
}

#[tokio::test]
async fn postgresql_takes_one_update_for_all_deltas_of_a_sale() {
    one_update_takes_all_deltas_of_a_sale(Base::postgres()).await;
}

/// What is left at the first and at the last point of the course, which goes forward.
async fn ends_of_course(sales: &Stock) -> Option<(u64, u64)> {
    let course = sales.course("s").await.expect("a course");
    assert!(course.is_sorted_by(|one, next| one.at < next.at), "{course:?}");
    Some((course.first()?.left, course.last()?.left))
}

async fn a_course_is_walked_back_from_what_is_left(base: Base) {
    let (redis, time) = (TestRedis::start().await, clock());
    let app = TestApp::with(&redis.url(), base.connect().await.expect("a ledger"), time.clone(), 1, 10_000).await;
    let sales = stock(&app);
    sales.open(terms(1_000)).await.expect("a sale");
    assert_eq!(sales.course("s").await, Ok(Vec::new()), "nothing is recorded yet");
    assert_eq!(sales.course("t").await.map_err(|error| error.code), Err(Code::UnknownSale));
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    assert_eq!(ends_of_course(&sales).await, None, "nothing has changed the quantity");
    for nth in 0..4 {
        deduct(&sales, "ann", &format!("r{nth}"), 3).await;
    }
    give_back(&sales, "r0").await;
    sales.restock("s", 50, None).await.expect("restocked");
    sales.correct("s", 10, Some(20), None).await.expect("corrected");
    writer.catch_up().await.expect("the ledger");
    assert_eq!(ends_of_course(&sales).await, Some((1_000, 1_031)));

    // Older rows, a second apart, and among them something that was added: 20,000 of each outcome are read, and where
    // those of one begin, the others do as well.
    let insert = "INSERT INTO history (event_ms, event_seq, sale_no, place, at, kind, outcome, item, cents)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        SELECT event_ms - 1000 * i, 0, sale_no, 0, at, kind, 'won', '1', 0 FROM n, (SELECT * FROM history WHERE outcome = 'opened') h
        UNION ALL SELECT event_ms - 29000000, 1, sale_no, 0, at, kind, 'restocked', '500', 0 FROM history WHERE outcome = 'opened'";
    base.run(insert).await;
    time.advance(1_000);
    let (first, last) = ends_of_course(&sales).await.expect("a course");
    // The four that are newer are read as well, a slot that is not whole is left out, and so are some of many points.
    let before = 1_000 + 20_000 - 4 - 1;
    assert!((before - 100..=before).contains(&first) && last == 1_031, "{first} to {last}");

    // Events have the time of Redis.
    let newest: Vec<(i64,)> = base.rows("SELECT MAX(event_ms) FROM history").await;
    time.advance(newest[0].0 - time.now());
    let (first, last) = ends_of_course(&sales).await.expect("a course");
    assert!((1_590..=1_600).contains(&first) && last == 1_031, "ten minutes of one a second: {first} to {last}");
    time.advance(601_000);
    assert_eq!(ends_of_course(&sales).await, None, "it was longer ago");
}

#[tokio::test]
async fn sqlite_has_the_course_of_a_quantity() {
    a_course_is_walked_back_from_what_is_left(Base::sqlite()).await;
}

#[tokio::test]
async fn postgresql_has_the_course_of_a_quantity() {
    a_course_is_walked_back_from_what_is_left(Base::postgres()).await;
}
