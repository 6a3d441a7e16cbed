//! The way to the ledger, in either database: deltas are added up, and what is left is of the very entry that was recorded
//! last.

use super::{deduct, give_back, stock, terms};
use crate::support::{app::TestApp, ledger::Base, redis::TestRedis, sale::clock};
use stampede::sales::stock::{Outcome, Terms, scripts::key};

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
