//! Connecting: the schema is made, and every problem is reported in one sentence.

use super::{batch, everything, found, on_both, opened, search, text, won, write};
use crate::support::{
    ledger::{Base, TestLedger},
    within,
};
use ledger::{
    apply::Batch,
    database::{Ledger, Place},
    kind::Change,
};
use model::{error::Code, ledger::Search};
use std::path::Path;

on_both!(
    who_connects_again_finds_the_same_ledger_and_the_same_schema,
    a_newer_schema_is_refused_in_one_sentence,
    a_schema_that_somebody_has_changed_is_refused_in_one_sentence,
    who_only_reads_changes_nothing_and_finds_all,
    the_rows_of_an_older_program_get_places_in_the_order_of_recording,
    the_quantities_that_an_older_program_recorded_are_added_up,
);

/// Tables, columns and indexes, as the database itself describes them.
async fn schema(base: &Base) -> Vec<(String, String)> {
    base.rows(match base {
        Base::Sqlite(_) => "SELECT name, COALESCE(sql, '') FROM sqlite_master ORDER BY name",
        Base::Postgres(_) => {
            "SELECT table_name::text, column_name::text || ' ' || data_type::text || is_nullable::text
                || COALESCE(collation_name, '')::text FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT indexname::text, indexdef::text FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2"
        }
    })
    .await
}

async fn who_connects_again_finds_the_same_ledger_and_the_same_schema(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(1)]])).await;
    let before = (schema(&ledger.base).await, everything(&ledger).await);
    assert!(before.0.iter().any(|(name, _)| name == "history_by_user"), "{before:?}");
    let again = ledger.base.connect().await.expect("a second connection");
    assert_eq!(again.identity(), ledger.identity());
    assert!(again.identity().len() == 36, "{}", again.identity());
    assert_eq!((schema(&ledger.base).await, everything(&ledger).await), before);
    let other = Base::sqlite().ledger().await;
    assert_ne!(other.identity(), ledger.identity());
}

async fn the_rows_of_an_older_program_get_places_in_the_order_of_recording(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(1)], vec![won("ann", 1, 5), won("bob", 2, 5)]])).await;
    let rows = ledger.recorded(&search(), 0, 9).await.expect("rows");
    let base = ledger.into_base();
    base.run(
        "DROP INDEX history_by_recorded; ALTER TABLE history DROP COLUMN recorded; DROP TABLE recordings;
        DELETE FROM _sqlx_migrations WHERE version = 2",
    )
    .await;
    let ledger = base.ledger().await;
    assert_eq!(ledger.recorded(&search(), 0, 9).await, Ok(rows));
    write(&ledger, &batch("t", 0, vec![vec![opened(1)]])).await;
    assert_eq!(ledger.last_recorded().await, Ok(4));
}

async fn the_quantities_that_an_older_program_recorded_are_added_up(ledger: TestLedger) {
    let won = |quantity: i64| Change {
        outcome: "won",
        item: Some(quantity.to_string()),
        quantity: Some(quantity),
        ..Change::default()
    };
    for sale in ["s", "t"] {
        write(&ledger, &Batch { kind: "stock".to_owned(), ..batch(sale, 0, vec![vec![won(3)], vec![won(4)]]) }).await;
    }
    write(&ledger, &batch("other", 0, vec![vec![opened(1)]])).await;
    let base = ledger.into_base();
    base.run("ALTER TABLE tallies DROP COLUMN quantity; DELETE FROM _sqlx_migrations WHERE version = 3").await;
    let ledger = base.ledger().await;
    for (sale, quantity) in [(None, 14), (text("s"), 7)] {
        let won = Search { sale, outcome: text("won"), ..search() };
        let sums = ledger.search(&won, None, None).await.expect("a page").sums;
        assert_eq!(sums.iter().map(|sum| sum.quantity).collect::<Vec<_>>(), [Some(quantity)]);
    }
    let opened = Search { outcome: text("opened"), ..search() };
    assert_eq!(ledger.search(&opened, None, None).await.expect("a page").sums[0].quantity, None);
}

async fn who_only_reads_changes_nothing_and_finds_all(ledger: TestLedger) {
    write(&ledger, &batch("s", 0, vec![vec![opened(1)], vec![won("ann", 1, 5)]])).await;
    let place = |base: &Base| match base {
        Base::Sqlite(folder) => folder.path().display().to_string(),
        Base::Postgres(server) => server.url(),
    };
    let place = place(&ledger.base);
    let to_read = async || {
        let place = if place.contains("://") { Place::Url(&place) } else { Place::Folder(Path::new(&place)) };
        Ledger::connect_to_read(place).await
    };
    let reader = to_read().await.expect("a ledger");
    assert_eq!(reader.identity(), ledger.identity());
    let page = reader.search(&search(), None, None).await.expect("a page");
    assert_eq!(page.rows, found(&ledger, &search(), 9).await);
    let known = reader.sale("red_packet", "s").await.expect("an answer").expect("a sale");
    let refused = reader.archive(&known, 1, "{}").await.expect_err("it only reads");
    assert_eq!(refused.code, Code::LedgerUnavailable);

    let before = (schema(&ledger.base).await, everything(&ledger).await);
    let base = ledger.into_base();
    base.run("UPDATE _sqlx_migrations SET version = 99 WHERE version = 2").await;
    let sentence = refusal(to_read()).await;
    assert!(sentence.contains("has schema version 99, but this program knows only "), "{sentence}");
    base.run("DELETE FROM _sqlx_migrations").await;
    let sentence = refusal(to_read()).await;
    assert!(sentence.contains("start a server, which completes it"), "{sentence}");
    assert_eq!(schema(&base).await, before.0);
}

#[tokio::test]
async fn connecting_only_to_read_makes_no_ledger() {
    let folder = tempfile::tempdir().expect("a folder");
    let sentence = refusal(Ledger::connect_to_read(Place::Folder(folder.path()))).await;
    assert!(sentence.starts_with("There is no ledger in ") && sentence.contains("--database"), "{sentence}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    let sentence =
        refusal(Ledger::connect_to_read(Place::Url(&crate::support::postgres::Postgres::start().url()))).await;
    assert!(sentence.contains("cannot be read"), "{sentence}");
}

async fn refusal(connecting: impl Future<Output = anyhow::Result<Ledger>>) -> String {
    let Err(error) = connecting.await else { panic!("it connected") };
    let sentence = format!("{error:#}");
    assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
    sentence
}

async fn a_newer_schema_is_refused_in_one_sentence(ledger: TestLedger) {
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        SELECT 999, 'later', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
    ledger.base.run(newer).await;
    let sentence = refusal(ledger.base.connect()).await;
    assert!(sentence.contains("has schema version 999, but this program knows only "), "{sentence}");
    assert!(sentence.contains("Use a newer program, or another ledger."), "{sentence}");
}

async fn a_schema_that_somebody_has_changed_is_refused_in_one_sentence(ledger: TestLedger) {
    let changed = match ledger.base {
        Base::Sqlite(_) => "UPDATE _sqlx_migrations SET checksum = X'00'",
        Base::Postgres(_) => "UPDATE _sqlx_migrations SET checksum = '\\x00'",
    };
    ledger.base.run(changed).await;
    let sentence = refusal(ledger.base.connect()).await;
    assert!(sentence.contains("cannot be migrated") && sentence.contains("migration 1"), "{sentence}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named_in_one_sentence() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| dir.path().join(name);
    let refusal = async |folder: &Path| refusal(Ledger::connect(Place::Folder(folder))).await;

    std::fs::write(at("file"), "a file").expect("a file");
    let sentence = refusal(&at("file")).await;
    assert!(sentence.starts_with(&format!("The data folder {} cannot be created", at("file").display())), "{sentence}");
    assert!(sentence.contains("--data-dir"), "{sentence}");

    std::fs::create_dir_all(at("taken/ledger.sqlite")).expect("a folder");
    let sentence = refusal(&at("taken")).await;
    let names = format!("The ledger {} cannot be used", at("taken/ledger.sqlite").display());
    assert!(sentence.starts_with(&names) && sentence.contains("--data-dir"), "{sentence}");

    std::fs::create_dir(at("other")).expect("a folder");
    std::fs::write(at("other/ledger.sqlite"), "no database, but as long as the header of one: ".repeat(20))
        .expect("a file");
    let sentence = refusal(&at("other")).await;
    assert!(sentence.contains("cannot be used") && sentence.contains("--data-dir"), "{sentence}");
}

/// `flock FOLDER stampede serve` holds the lock of the folder while the program runs.
#[tokio::test]
async fn a_lock_on_the_folder_itself_is_somebody_elses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = std::fs::File::open(folder.path()).expect("a folder");
    file.lock().expect("a lock");
    within("a ledger", Ledger::connect(Place::Folder(folder.path()))).await.expect("a ledger");
}

#[tokio::test]
async fn a_url_that_leads_nowhere_is_named_in_one_sentence_without_its_password() {
    let refusal = async |url: &str| refusal(Ledger::connect(Place::Url(url))).await;
    for url in ["mysql://localhost/stampede", "ledger.sqlite", ""] {
        let sentence = refusal(url).await;
        assert!(
            sentence.starts_with("What --database gives is not a PostgreSQL URL; one looks like postgres://"),
            "{sentence}"
        );
    }
    let sentence = refusal("postgres://localhost:port/stampede").await;
    assert!(sentence.starts_with("What --database gives is not a PostgreSQL URL (error"), "{sentence}");
    let free = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let sentence = refusal(&format!("postgres://me:secret@127.0.0.1:{free}/stampede")).await;
    assert!(sentence.starts_with(&format!("PostgreSQL at 127.0.0.1:{free} cannot be reached")), "{sentence}");
    assert!(sentence.contains("--database") && !sentence.contains("secret"), "{sentence}");
}

/// The sentence with which a database of this server refuses a user.
async fn refused_by(base: &Base, user: &str, database: &str) -> String {
    let Base::Postgres(server) = base else { panic!("this is SQLite") };
    let url = server.url().replace("stampede@", &format!("{user}@")).replace("/postgres?", &format!("/{database}?"));
    refusal(Ledger::connect(Place::Url(&url))).await
}

#[tokio::test]
async fn a_postgresql_that_cannot_hold_a_ledger_says_so_in_one_sentence() {
    let base = Base::postgres();
    for encoding in ["LATIN1", "SQL_ASCII", "EUC_CN"] {
        let name = encoding.to_lowercase();
        let create = format!("CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'");
        base.run(&create).await;
        let sentence = refused_by(&base, "stampede", &name).await;
        assert!(sentence.contains(&format!("has the encoding {encoding},")), "{sentence}");
    }
    base.run("CREATE DATABASE fixed").await;
    base.run("ALTER DATABASE fixed SET default_transaction_read_only = on").await;
    assert!(refused_by(&base, "stampede", "fixed").await.contains("is read-only"));
    base.run("CREATE DATABASE bare").await;
    base.run("CREATE ROLE clerk LOGIN").await;
    let sentence = refused_by(&base, "clerk", "bare").await;
    assert!(sentence.contains("may not create tables in the schema public"), "{sentence}");
    base.run("ALTER ROLE clerk SET search_path = nowhere").await;
    assert!(refused_by(&base, "clerk", "bare").await.contains("has no schema"));
    base.run("ALTER ROLE clerk RESET search_path").await;
    let ledger = base.ledger().await;
    ledger.base.run("GRANT CREATE ON SCHEMA public TO clerk").await;
    ledger.base.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk").await;
    let sentence = refused_by(&ledger.base, "clerk", "postgres").await;
    assert!(sentence.contains("may not write to these tables") && sentence.contains("history"), "{sentence}");
    ledger.base.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk").await;
    let Base::Postgres(server) = &ledger.base else { panic!("this is SQLite") };
    let as_clerk = server.url().replace("stampede@", "clerk@");
    Ledger::connect(Place::Url(&as_clerk)).await.expect("a user who may write, and no more");
}

/// Streams are trimmed up to what is committed, so that must be on the disk.
#[tokio::test]
async fn a_commit_waits_for_the_disk_whatever_the_server_is_set_to() {
    let base = Base::postgres();
    base.run("ALTER SYSTEM SET synchronous_commit = off").await;
    base.run("ALTER ROLE stampede SET synchronous_commit = off").await;
    base.run("SELECT pg_reload_conf()").await;
    let ledger = base.ledger().await;
    ledger.base.run("CREATE TABLE commits (setting text)").await;
    ledger
        .base
        .run(
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
            CREATE TRIGGER note AFTER INSERT ON history EXECUTE FUNCTION note()",
        )
        .await;
    write(&ledger, &batch("s", 0, vec![vec![opened(1)]])).await;
    let commits: Vec<(String,)> = ledger.base.rows("SELECT DISTINCT setting FROM commits").await;
    assert_eq!(commits, [("on".to_owned(),)]);
}
