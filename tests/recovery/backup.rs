//! `stampede backup` and `stampede restore`: of a machine that is gone, everything that was answered before the backup
//! comes back on another one.

use super::*;
use crate::support::{
    kinds::samples,
    ledger::sqlite,
    postgres::Postgres,
    program::{complaint, embedded, gone},
    redis::TestRedis,
};
use futures::future::join_all;
use ledger::{backup, webhooks::StoredWebhook};
use rustix::process::Signal;
use sqlx::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};

/// A place for backups, outside of the folder of any server.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder"))
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("today")
    }
}

/// Runs `stampede backup` or `stampede restore` with a folder, for the data folder of this home.
async fn run(home: &Home, name: &str, folder: &Path) -> Said {
    run_with(home, name, folder, &[]).await
}

async fn run_with(home: &Home, name: &str, folder: &Path, flags: &[&str]) -> Said {
    let mut command = home.command(name);
    command.arg("--data-dir").arg(home.data()).args(flags);
    Said::by(command, &folder.display().to_string()).await
}

/// A server with its own Redis that has sold something, and its backup.
async fn backed_up(shelf: &Shelf) -> (Home, Running) {
    let home = Home::new();
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 20).await;
    win(&server, "s", "u", 0..5).await;
    let said = run(&home, "backup", &shelf.folder()).await;
    assert_eq!(said.code, 0, "{said:?}");
    (home, server)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The drill: while a crowd buys, a backup is taken; then the machine is gone with all that was on it.
#[tokio::test]
async fn a_backup_under_load_comes_back_on_a_new_machine() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let server = Running::start(home.serve_with_data()).await;
    for sample in samples() {
        sample.open(&server, sample.kind).await;
        let (status, answer) = sample.attempt(&server, sample.kind, "ann").await;
        assert_eq!(status, 200, "{answer}");
    }
    open(&server, "s", 100_000).await;
    let mut webhook = home.command("webhook");
    webhook.args(["add", "--data-dir"]).arg(home.data());
    let said = Said::by(webhook, "http://127.0.0.1:1/token").await;
    assert_eq!(said.code, 0, "{said:?}");
    let before = win(&server, "s", "before", 0..200).await;
    let (folder, mut round) = (shelf.folder(), 0);
    let said = {
        let mut backup = pin!(run(&home, "backup", &folder));
        loop {
            tokio::select! {
                said = &mut backup => break said,
                _won = win(&server, "s", "during", round * 50..(round + 1) * 50) => round += 1,
            }
        }
    };
    assert_eq!(said.code, 0, "{said:?}");
    assert!(round > 0, "the crowd bought meanwhile");
    assert_eq!(names(&folder), ["ledger.sqlite", "manifest.json"], "complete files, and nothing beside them");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).expect("a manifest")).expect("JSON");
    assert_eq!(manifest["sales"].as_array().map(Vec::len), Some(5), "{manifest}");
    assert!(manifest["rows"].as_u64().is_some_and(|rows| rows > 200), "{manifest}");
    let after = win(&server, "s", "after", 0..5).await;
    let (redis, _) = embedded(&home.data()).await;
    server.kill().await;
    gone(redis).await;
    drop(home);

    let new = Home::new();
    let said = run(&new, "restore", &folder).await;
    assert_eq!((said.code, &said.report["verdict"]), (0, &json!("holds")), "{said:?}");
    assert_eq!(said.report["at"], manifest["at"], "it says which time it went back to");
    assert_eq!(said.report["webhooks_removed"], json!(["http://127.0.0.1:1"]), "a copy sends nothing");
    assert_eq!(said.report["sales"].as_array().map(Vec::len), Some(5), "{said:?}");
    let server = Running::start(new.serve_with_data()).await;
    all_get_the_original(&server, "s", &before).await;
    for sample in samples() {
        let (status, answer) = sample.attempt(&server, sample.kind, "ann").await;
        assert_eq!((status, &answer["outcome"]), (200, &json!("repeat")), "{}: {answer}", sample.kind);
    }
    // What was won after the backup is not in it.
    for user in after.keys() {
        assert_eq!(claim(&server, "s", user).await["outcome"], "won");
    }
    caught_up(&server, "s").await;
    let (_, socket) = embedded(&new.data()).await;
    let stand = Stand { home: new, ..Stand::on(&format!("redis+unix://{}", socket.display())) };
    for sale in samples().iter().map(|sample| sample.kind).chain(["s"]) {
        let audit = stand.audit(sale).await;
        assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{sale}: {audit:?}");
    }
}

/// Whenever a restore is interrupted, a ledger that is in place sends nothing.
#[tokio::test]
async fn a_ledger_is_put_in_place_without_webhooks() {
    let (home, new, shelf) = (Home::new(), Home::new(), Shelf::new());
    let original = Ledger::connect(Place::Folder(&home.data())).await.expect("a ledger");
    let webhook = StoredWebhook {
        id: "w".to_owned(),
        url: "http://127.0.0.1:1/token".to_owned(),
        secret: "whsec_AAAA".to_owned(),
        kinds: Vec::new(),
        outcomes: Vec::new(),
        created_at: 1,
        sent: 0,
        version: 0,
    };
    original.add_webhook(&webhook).await.expect("it is added");
    fs::create_dir(shelf.folder()).expect("a folder");
    let copy = shelf.folder().join("ledger.sqlite");
    backup::copy(&home.data(), &copy).await.expect("a copy");
    let removed = backup::put(&copy, &new.data()).await.expect("it is put in place");
    assert_eq!(removed, [webhook]);
    assert_eq!(names(&new.data()), ["ledger.sqlite"], "nothing is left beside it");
    let restored = Ledger::connect(Place::Folder(&new.data())).await.expect("a ledger");
    assert_eq!(restored.identity(), original.identity());
    assert_eq!(restored.webhooks().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_backup_waits_for_what_the_ledger_has_not_recorded_yet() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 50).await;
    caught_up(&server, "s").await;
    let mut other = sqlite(&home.data()).await;
    let lock = other.begin_with("BEGIN IMMEDIATE").await.expect("the lock of who writes");
    win(&server, "s", "u", 0..20).await;
    let mut command = home.command("backup");
    let mut child = command.arg(shelf.folder()).arg("--data-dir").arg(home.data()).spawn().expect("it starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
    let line = within("it says why it waits", log.next_line()).await.expect("text").expect("a line");
    assert_eq!(line, "waiting for the ledger; sales with events that it has not recorded: 1");
    assert!(!shelf.folder().exists(), "nothing is written yet");
    lock.rollback().await.expect("the end");
    let status = within("it ends", child.wait()).await.expect("a status");
    assert!(status.success(), "{status}");
    let copy = Ledger::open_copy(&shelf.folder().join("ledger.sqlite")).await.expect("a ledger");
    assert_eq!(ledger_wins(&copy, "s").await.len(), 20);
}

#[tokio::test]
async fn a_damaged_backup_is_refused_and_nothing_is_restored() {
    let shelf = Shelf::new();
    let (home, server) = backed_up(&shelf).await;
    server.stop().await;
    drop(home);
    let (new, file) = (Home::new(), shelf.folder().join("ledger.sqlite"));
    let whole = fs::read(&file).expect("the ledger");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for (bytes, why) in [(&damaged[..], "another bit"), (&whole[..middle], "a part")] {
        fs::write(&file, bytes).expect("the ledger");
        let said = run(&new, "restore", &shelf.folder()).await;
        said.assert_refused("ledger.sqlite is damaged: its length or checksum is not the one in manifest.json");
        assert!(!new.data().exists(), "{why}");
    }
    fs::write(&file, whole).expect("the ledger");
    let manifest = shelf.folder().join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("the manifest");
    fs::write(&manifest, &text[..text.len() / 2]).expect("the manifest");
    run(&new, "restore", &shelf.folder()).await.assert_refused("manifest.json is damaged");
    fs::write(&manifest, text.replacen("\"format\": 1", "\"format\": 2", 1)).expect("the manifest");
    run(&new, "restore", &shelf.folder()).await.assert_refused("use a newer program");
    fs::remove_file(&manifest).expect("the manifest");
    run(&new, "restore", &shelf.folder()).await.assert_refused("There is no complete backup in");
    fs::write(&manifest, text).expect("the manifest");
    let said = run(&new, "restore", &shelf.folder()).await;
    assert_eq!(said.code, 0, "{said:?}");
}

#[tokio::test]
async fn a_backup_overwrites_nothing() {
    let shelf = Shelf::new();
    let (home, server) = backed_up(&shelf).await;
    let before = fs::read(shelf.folder().join("manifest.json")).expect("the manifest");
    win(&server, "s", "v", 0..1).await;
    run(&home, "backup", &shelf.folder()).await.assert_refused("is not empty, and a backup overwrites nothing");
    assert_eq!(fs::read(shelf.folder().join("manifest.json")).expect("the manifest"), before);
    run(&home, "backup", &home.data()).await.assert_refused("is not empty");
    let other = Shelf::new();
    fs::create_dir(other.folder()).expect("an empty folder");
    let said = run(&home, "backup", &other.folder()).await;
    assert_eq!((said.code, &said.report["rows"]), (0, &json!(7)), "the opening and six wins: {said:?}");
}

/// Each finds the folder empty.
#[tokio::test]
async fn of_backups_into_one_folder_at_a_time_one_is_written() {
    let shelf = Shelf::new();
    let (home, _server) = backed_up(&shelf).await;
    let folder = shelf.0.path().join("tomorrow");
    let said = join_all((0..8).map(|_| run(&home, "backup", &folder))).await;
    let refused: Vec<_> = said.iter().filter(|said| said.code != 0).collect();
    assert_eq!(refused.len(), 7, "{said:?}");
    for said in refused {
        said.assert_refused("is not empty, and a backup overwrites nothing");
    }
    assert_eq!(names(&folder), ["ledger.sqlite", "manifest.json"]);
    backup::check(&folder.join("ledger.sqlite")).await.expect("the copy");
}

/// It does not know what the ledger has not recorded yet.
#[tokio::test]
async fn of_a_redis_that_does_not_feed_the_ledger_no_backup_is_made() {
    let (redis, shelf) = (TestRedis::start().await, Shelf::new());
    let (home, _server) = backed_up(&shelf).await;
    let other = shelf.0.path().join("other");
    let said = run_with(&home, "backup", &other, &["--redis", &redis.url()]).await;
    said.assert_refused("is not the one that feeds the ledger");
    assert!(!other.exists());
}

/// The new ledger lacks the terms of what was opened before.
#[tokio::test]
async fn after_a_new_ledger_a_backup_names_what_cannot_be_restored_from_it() {
    let (redis, shelf) = (TestRedis::start().await, Shelf::new());
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    for number in 0..70 {
        win(&server, "s", "u", number..number + 1).await;
    }
    let raw = redis.raw().await;
    let is_trimmed =
        async || (raw.run::<i64>("XLEN", keys::sale("red_packet", "s", "events")).await == 64).then_some(());
    eventually("the stream is trimmed", is_trimmed).await;
    server.stop().await;
    fs::remove_file(stand.home.data().join("ledger.sqlite")).expect("the ledger");
    let mut serve = stand.command(&stand.redis, "serve");
    serve.arg("--new-ledger");
    let server = Running::start(serve).await;
    open(&server, "new", 20).await;
    let said = run_with(&stand.home, "backup", &shelf.folder(), &["--redis", &stand.redis]).await;
    assert_eq!((said.code, &said.report["not_restorable"]), (1, &json!(["s"])), "{said:?}");
}

#[tokio::test]
async fn a_restore_overwrites_nothing() {
    let shelf = Shelf::new();
    let (home, server) = backed_up(&shelf).await;
    let served = run(&home, "restore", &shelf.folder()).await;
    served.assert_refused("A server runs on");
    server.stop().await;
    let ledger = fs::read(home.data().join("ledger.sqlite")).expect("the ledger");
    let there = run(&home, "restore", &shelf.folder()).await;
    there.assert_refused("There is a ledger in");
    assert_eq!(fs::read(home.data().join("ledger.sqlite")).expect("the ledger"), ledger);

    // A Redis that sells, for another ledger.
    let (redis, new) = (TestRedis::start().await, Home::new());
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 10).await;
    let said = run_with(&new, "restore", &shelf.folder(), &["--redis", &redis.url()]).await;
    said.assert_refused("This Redis has the data of other sales");
    assert!(!new.data().exists(), "no ledger is put in place");
    stand.agrees(&server, "s", 0).await;
    let said = run_with(&new, "restore", &shelf.folder(), &["--database", "postgres://me@127.0.0.1:1/none"]).await;
    said.assert_refused("leave out --database");
}

/// The servers and their Redis are there, the disk of the ledger is not. Its copy goes on from what the streams have.
#[tokio::test]
async fn a_ledger_whose_redis_still_sells_is_put_back_by_hand() {
    let (redis, shelf) = (TestRedis::start().await, Shelf::new());
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    win(&server, "s", "before", 0..5).await;
    let flags = ["--redis", &stand.redis];
    let said = run_with(&stand.home, "backup", &shelf.folder(), &flags).await;
    assert_eq!(said.code, 0, "{said:?}");
    win(&server, "s", "after", 0..3).await;
    caught_up(&server, "s").await;
    server.stop().await;
    fs::remove_dir_all(stand.home.data()).expect("the ledger");
    run_with(&stand.home, "restore", &shelf.folder(), &flags).await.assert_refused("This Redis has the data");
    fs::create_dir_all(stand.home.data()).expect("a folder");
    // A start without it makes none, which would be in its way.
    let mut command = stand.command(&stand.redis, "serve");
    command.stderr(Stdio::piped());
    let why = complaint(command).await;
    assert!(why.starts_with("This Redis feeds another ledger, and there is none in"), "{why}");
    assert!(!names(&stand.home.data()).iter().any(|name| name.starts_with("ledger.sqlite")));
    fs::copy(shelf.folder().join("ledger.sqlite"), stand.home.data().join("ledger.sqlite")).expect("the ledger");
    let server = stand.serve().await;
    stand.agrees(&server, "s", 8).await;
}

/// Its own tools write and read the dump, by the commands that the backup prints.
#[tokio::test]
async fn of_postgresql_it_names_the_commands_and_does_the_rest() {
    let (redis, postgres, shelf) = (TestRedis::start().await, Postgres::start(), Shelf::new());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    let before = win(&server, "s", "before", 0..20).await;
    let mut webhook = stand.home.command("webhook");
    webhook.args(["add", "--redis", &stand.redis, "--database", &postgres.url()]);
    let said = Said::by(webhook, "http://127.0.0.1:1/token").await;
    assert_eq!(said.code, 0, "{said:?}");
    let said = Said::by(stand.command(&stand.redis, "backup"), &shelf.folder().display().to_string()).await;
    assert_eq!((said.code, &said.report["ledger"]["file"]), (1, &Value::Null), "the dump is still to be run: {said:?}");
    let [dump, restore] = [0_usize, 1].map(|at| said.report["commands"][at].as_str().expect("a command").to_owned());
    assert!(dump.starts_with("pg_dump ") && restore.starts_with("pg_restore "), "{said:?}");
    shell(&dump).await;
    assert_eq!(names(&shelf.folder()), ["ledger.dump", "manifest.json"]);
    win(&server, "s", "after", 0..5).await;
    server.signal(Signal::KILL);
    drop((server, redis, postgres));

    let (redis, postgres) = (TestRedis::start().await, Postgres::start());
    let stand = Stand { database: Some(postgres.url()), ..Stand::on(&redis.url()) };
    let folder = shelf.folder().display().to_string();
    let early = Said::by(stand.command(&stand.redis, "restore"), &folder).await;
    early.assert_refused("put its dump into an empty database first");
    shell(&restore.replace("--dbname=URL", &format!("--dbname='{}'", postgres.url()))).await;
    // Whoever names the database of running servers by mistake must not take it from them.
    let mut command = stand.command(&stand.redis, "restore");
    let mut child = command.args(["--json", &folder]).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
    let line = within("it says that it waits", log.next_line()).await.expect("text").expect("a line");
    assert!(line.contains("another Redis has fed this ledger; waiting for"), "{line}");
    // 20 s of it are the look at the database, so it may take longer than other things.
    let output = tokio::time::timeout(Duration::from_secs(90), child.wait_with_output());
    let output = output.await.expect("it ends").expect("it ran");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((output.status.code(), &report["verdict"]), (Some(0), &json!("holds")), "{report}");
    assert_eq!(report["webhooks_removed"], json!(["http://127.0.0.1:1"]));
    let server = stand.serve().await;
    all_get_the_original(&server, "s", &before).await;
    assert_eq!(claim(&server, "s", "after-0").await["outcome"], "won");
    stand.agrees(&server, "s", 21).await;
}

/// Runs a command as an operator would, in a shell.
async fn shell(command: &str) {
    let output = Command::new("sh").args(["-c", command]).output();
    let output = within("the command ends", output).await.expect("a shell");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}
