//! The Redis that a server starts itself: how long its start waits, and what is said when it waited in vain; damaged files, and
//! full disks.

use crate::support::{
    eventually,
    program::{Home, Running, embedded},
    redis::Raw,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    pin::pin,
    process::Command,
    time::Duration,
};
use store::{
    Store,
    embedded::{Embedded, Fsync, Patience},
};

use tokio::time::timeout;

const SHORT: Duration = Duration::from_secs(1);

/// What is said where a start is given up.
async fn complaint(data: &Path, patience: Patience) -> String {
    Embedded::start_within(patience, data, Fsync::Everysec).await.err().expect("no Redis").to_string()
}

/// As the Redis of a killed server does that cannot end, for a disk that does not answer.
#[tokio::test]
async fn a_predecessor_that_does_not_end_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let redis = folder.path().join("redis");
    fs::create_dir(&redis).expect("a folder");
    let lock = fs::File::create(redis.join("lock")).expect("a file");
    lock.lock().expect("a lock");
    let why = complaint(folder.path(), Patience { predecessor: SHORT, ..Patience::default() }).await;
    assert!(why.starts_with("The Redis of an earlier Stampede still uses ") && why.contains(" after 1 s;"), "{why}");
    assert!(why.contains(&redis.display().to_string()) && why.contains("end that redis-server"), "{why}");
    drop(lock);
    let server = Embedded::start(folder.path(), Fsync::Everysec).await.expect("it is free");
    Raw::at(&server.url()).await;
}

/// A command that a monitor starts every minute must not keep the server from starting.
#[tokio::test]
async fn a_server_waits_for_a_command_and_not_for_another_server() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let command = Embedded::start_for_command(folder.path(), Fsync::Everysec).await.expect("a Redis");
    assert_eq!(Embedded::running(folder.path()).expect("a folder"), None, "it ends at any moment");
    let mut server = pin!(Embedded::start(folder.path(), Fsync::Everysec));
    assert!(timeout(SHORT, &mut server).await.is_err(), "it waits");
    command.stop().await.expect("it ends");
    let server = server.await.expect("the folder is free");
    assert_eq!(Embedded::running(folder.path()).expect("a folder"), Some(server.url()));
    let why = complaint(folder.path(), Patience::default()).await;
    assert!(why.contains("in use by another Stampede"), "{why}");
}

/// It opens its log before it listens, and opening a pipe waits for a reader.
#[tokio::test]
async fn a_redis_that_never_listens_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let redis = folder.path().join("redis");
    fs::create_dir(&redis).expect("a folder");
    let log = redis.join("redis.log");
    let made = Command::new("mkfifo").arg(&log).status().expect("mkfifo");
    assert!(made.success(), "{made}");
    let why = complaint(folder.path(), Patience { start: SHORT, ..Patience::default() }).await;
    assert!(why.starts_with("The embedded Redis was not ready within 1 s: "), "{why}");
    // It is gone, and keeps nobody from starting another.
    fs::remove_file(&log).expect("a pipe");
    let server = Embedded::start(folder.path(), Fsync::Everysec).await.expect("the folder is free");
    Raw::at(&server.url()).await;
}

/// An embedded Redis with one key, stopped; what is done to its files; and what is said at its next start, if it does not
/// start.
async fn damaged(damage: impl FnOnce(&Path)) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Embedded::start(folder.path(), Fsync::Everysec).await.expect("a Redis");
    let redis = Raw::at(&server.url()).await;
    // A rewrite, so that there is a base with something in it.
    redis.run::<String>("SET", ("early", "1")).await;
    rewritten(&redis).await;
    redis.run::<String>("SET", ("late", "1")).await;
    server.stop().await.expect("stopped");
    damage(&folder.path().join("redis/appendonlydir"));
    match Embedded::start(folder.path(), Fsync::Everysec).await {
        Ok(server) => {
            let kept: i64 = Raw::at(&server.url()).await.run("EXISTS", ("early", "late")).await;
            assert_eq!(kept, 2);
            None
        }
        Err(why) => Some(format!("{why:#}")),
    }
}

async fn rewritten(redis: &Raw) {
    redis.run::<String>("BGREWRITEAOF", None::<&str>).await;
    eventually("the file is rewritten", async || {
        let info: String = redis.run("INFO", "persistence").await;
        info.contains("aof_rewrite_in_progress:0").then_some(())
    })
    .await;
}

/// The only file in a folder whose name has this in it.
fn file(dir: &Path, part: &str) -> PathBuf {
    let mut found = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    found.find(|path| path.to_string_lossy().contains(part)).expect("a file")
}

fn append(path: &Path, bytes: &[u8]) {
    fs::OpenOptions::new().append(true).open(path).expect("a file").write_all(bytes).expect("written");
}

/// A power loss leaves the end of a file as zeros.
#[tokio::test]
async fn zeros_at_the_end_of_the_append_only_file_are_cut_off() {
    let zeros = vec![0; 200_000];
    assert_eq!(damaged(|dir| append(&file(dir, "incr"), &zeros)).await, None);
    assert_eq!(
        damaged(|dir| append(&file(dir, "incr"), b"*3\r\n$3\r\nSE\0\0\0")).await,
        None,
        "a command that is cut off"
    );
}

#[tokio::test]
async fn a_damaged_append_only_file_is_said_with_the_way_out() {
    let write = |path: PathBuf, text: &str| fs::write(path, text).expect("written");
    let remove = |path: PathBuf| fs::remove_file(path).expect("removed");
    let said = [
        damaged(|dir| append(&file(dir, "incr"), b"\0\0\0\0*1\r\n$4\r\nPING\r\n")).await,
        damaged(|dir| write(file(dir, "manifest"), "")).await,
        damaged(|dir| write(file(dir, "manifest"), "\0\0\0\0")).await,
        damaged(|dir| remove(file(dir, "manifest"))).await,
        damaged(|dir| remove(file(dir, "base"))).await,
        damaged(|dir| remove(file(dir, "incr"))).await,
        damaged(|dir| write(file(dir, "base"), "")).await,
        damaged(|dir| write(file(dir, "base"), "REDIS0011")).await,
    ];
    for (number, said) in said.into_iter().enumerate() {
        let said = said.unwrap_or_else(|| panic!("{number}: it starts"));
        assert!(said.starts_with("Redis cannot read its append-only file ("), "{number}: {said}");
        assert!(said.contains("/redis/appendonlydir elsewhere, and run `stampede recover --all`"), "{number}: {said}");
    }
}

/// A small disk of its own, which is full where a test fills it.
struct Disk(tempfile::TempDir);

impl Disk {
    /// `None` where this process may not mount one.
    fn of(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={mebibytes}m");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        let mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        assert!(mounted || !rustix::process::geteuid().is_root(), "root may mount");
        mounted.then_some(Self(folder))
    }

    fn fill(&self) {
        let mut ballast = fs::File::create(self.0.path().join("ballast")).expect("a file");
        while ballast.write_all(&[1; 4_096]).is_ok() {}
    }

    fn free(&self) {
        fs::remove_file(self.0.path().join("ballast")).expect("the ballast");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg("--lazy").arg(self.0.path()).status().expect("umount");
    }
}

/// Sets keys of 16 KiB each, with a hundred on their way at a time, until Redis refuses one or there are `most`. Returns
/// how many were set.
async fn set_until_refused(redis: &Raw, from: usize, most: usize) -> usize {
    let (value, mut done) = ("x".repeat(16 * 1_024), 0);
    while done < most {
        let sets = (0..100).map(|nth| redis.try_run::<String>("SET", (format!("k{}", from + done + nth), &value)));
        let set = futures::future::join_all(sets).await.into_iter().filter(Result::is_ok).count();
        done += set;
        if set < 100 {
            break;
        }
    }
    done
}

async fn store_of(server: &Embedded) -> Store {
    Store::connect(&server.url(), stampede::server::scripts()).await.expect("a store")
}

#[tokio::test]
async fn on_a_full_disk_what_was_answered_is_kept_and_nothing_new_is_given() {
    let Some(disk) = Disk::of(64) else { return eprintln!("only root can mount a disk for this test") };
    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    let (mut room, store, redis) =
        (server.room().expect("room"), store_of(&server).await, Raw::at(&server.url()).await);
    disk.fill();
    room.keep(&store).await.expect("there is room");
    store.refuse_new("any").expect("what was reserved is enough");
    let mut kept = set_until_refused(&redis, 0, 1_300).await;
    assert_eq!(kept, 1_300, "nothing of it is refused by Redis");
    room.keep(&store).await.expect("looked at");
    let refused = store.refuse_new("any").expect_err("no room");
    assert!(refused.message.contains("nearly full") && refused.message.contains("nothing was tried"), "{refused}");
    server.stop().await.expect("all of it is written");

    // A start on a full disk loses nothing either, and says so at once.
    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    let (mut room, store, redis) =
        (server.room().expect("room"), store_of(&server).await, Raw::at(&server.url()).await);
    assert_eq!(redis.run::<usize>("DBSIZE", None::<&str>).await, kept);
    assert!(!room.may_lack_answers());
    room.keep(&store).await.expect("looked at");
    store.refuse_new("any").expect_err("no room");
    disk.free();
    room.keep(&store).await.expect("looked at");
    store.refuse_new("any").expect("there is room again");
    kept += set_until_refused(&redis, kept, 100).await;
    assert_eq!(redis.run::<usize>("DBSIZE", None::<&str>).await, kept);
}

#[tokio::test]
async fn what_a_full_disk_keeps_from_being_written_is_said_and_known_at_the_next_start() {
    let Some(disk) = Disk::of(320) else { return eprintln!("only root can mount a disk for this test") };
    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    let (mut room, store, redis) =
        (server.room().expect("room"), store_of(&server).await, Raw::at(&server.url()).await);
    disk.fill();
    // Nobody looks at the room, until it is used up.
    let answered = set_until_refused(&redis, 0, usize::MAX).await;
    let failed =
        async || redis.run::<String>("INFO", "persistence").await.contains("aof_last_write_status:err").then_some(());
    eventually("a write fails", failed).await;
    room.keep(&store).await.expect("looked at");
    assert!(room.may_lack_answers());
    let said = server.stop().await.expect_err("not all is written").to_string();
    assert!(said.starts_with("Redis could not write the last ") && said.contains("recover --all"), "{said}");

    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    let (mut room, store, redis) =
        (server.room().expect("room"), store_of(&server).await, Raw::at(&server.url()).await);
    let kept = redis.run::<usize>("DBSIZE", None::<&str>).await;
    assert!(kept <= answered && room.may_lack_answers(), "{kept} of {answered}");
    // The file is written anew once there is room.
    disk.free();
    eventually("it is mended", async || {
        room.keep(&store).await.expect("looked at");
        (!room.may_lack_answers()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_whose_disk_is_nearly_full_sells_nothing_and_says_so_until_there_is_room() {
    let Some(disk) = Disk::of(96) else { return eprintln!("only root can mount a disk for this test") };
    let home = Home::new();
    let mut serve = home.serve("127.0.0.1:0");
    serve.arg("--data-dir").arg(disk.0.path());
    let server = Running::start(serve).await;
    let open = json!({ "id": "s", "total_cents": 100, "count": 10, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &open).await.0, 200);
    let claim = async |user: &str| server.post("/api/red-packet/claim", &json!({ "sale": "s", "user": user })).await;
    let readiness = async || -> (u16, Value) {
        let answer = reqwest::get(format!("{}/readyz", server.url)).await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    };
    disk.fill();
    assert_eq!(claim("ann").await.0, 200, "there is what was reserved");
    let (_, socket) = embedded(disk.0.path()).await;
    let redis = Raw::at(&format!("redis+unix://{}", socket.display())).await;
    assert_eq!(set_until_refused(&redis, 0, 1_300).await, 1_300);

    eventually("it says so", async || (readiness().await.1["redis"] == "disk_full").then_some(())).await;
    assert_eq!(readiness().await.0, 200, "payments go on");
    let (status, answer) = claim("bob").await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("busy")), "{answer}");
    assert!(answer["error"]["message"].as_str().expect("a sentence").contains("nearly full"), "{answer}");

    disk.free();
    eventually("there is room", async || readiness().await.1["redis"].is_null().then_some(())).await;
    let (status, answer) = claim("bob").await;
    assert_eq!((status, &answer["outcome"]), (200, &json!("won")), "{answer}");
    server.stop().await;
}

/// Redis itself would begin a rewrite without room, and leave zeros in the middle of the file.
#[tokio::test]
async fn a_rewrite_waits_for_room_and_keeps_what_is_written_meanwhile() {
    let Some(disk) = Disk::of(320) else { return eprintln!("only root can mount a disk for this test") };
    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    let room = server.room().expect("room").rewritten_from(1_000_000);
    let (mut room, store, redis) = (room, store_of(&server).await, Raw::at(&server.url()).await);
    let rewrites = async || -> String {
        let info: String = redis.run("INFO", "stats").await;
        info.lines().find(|line| line.starts_with("total_forks:")).expect("a count").to_owned()
    };
    let mut kept = set_until_refused(&redis, 0, 200).await;
    disk.fill();
    room.keep(&store).await.expect("looked at");
    assert_eq!(rewrites().await, "total_forks:0");
    disk.free();
    room.keep(&store).await.expect("looked at");
    kept += set_until_refused(&redis, kept, 200).await;
    eventually("it is rewritten", async || {
        room.keep(&store).await.expect("looked at");
        let info: String = redis.run("INFO", "persistence").await;
        info.contains("aof_rewrite_in_progress:0").then_some(())
    })
    .await;
    assert_eq!(rewrites().await, "total_forks:1");
    server.stop().await.expect("stopped");
    let server = Embedded::start(disk.0.path(), Fsync::Everysec).await.expect("a Redis");
    assert_eq!(Raw::at(&server.url()).await.run::<usize>("DBSIZE", None::<&str>).await, kept);
}
