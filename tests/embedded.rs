//! The Redis that a server starts itself: how long its start waits, and what is said when it waited in vain.

use crate::support::redis::Raw;
use stampede::store::embedded::{Embedded, Fsync, Patience};
use std::{fs, path::Path, process::Command, time::Duration};

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
