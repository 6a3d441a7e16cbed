//! The append-only file of the embedded Redis is damaged, or lacks what was answered last.

use super::*;
use crate::support::program::complaint;
use std::{fs, io::Write};
use tokio::process::Command;

/// A sale with a claim in a data folder of its own, and the server stopped.
async fn sold() -> (Home, Value) {
    let home = Home::new();
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 5).await;
    let answer = claim(&server, "s", "ann").await;
    caught_up(&server, "s").await;
    server.stop().await;
    (home, answer)
}

fn recover_all(home: &Home) -> Command {
    let mut command = home.command("recover");
    command.args(["--all", "--data-dir"]).arg(home.data());
    command
}

/// The sale is as it was.
async fn goes_on(home: &Home, answer: &Value) {
    let server = Running::start(home.serve_with_data()).await;
    let again = claim_until_answered(&server, "s", "ann").await;
    assert_eq!((&again["outcome"], &again["packet"]), (&json!("repeat"), &answer["packet"]), "{again}");
    assert_eq!(claim(&server, "s", "bob").await["outcome"], "won");
}

#[tokio::test]
async fn a_damaged_file_is_moved_away_and_nothing_that_was_recorded_is_lost() {
    let (home, answer) = sold().await;
    let folder = home.data().join("redis/appendonlydir");
    let mut files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let damaged = files.find(|path| path.to_string_lossy().contains("incr")).expect("a file");
    let mut damaged = fs::OpenOptions::new().append(true).open(damaged).expect("a file");
    damaged.write_all(b"\0\0\0\0*1\r\n$4\r\nPING\r\n").expect("written");
    let said = complaint(home.serve_with_data()).await;
    assert!(said.contains("Redis cannot read its append-only file") && said.contains("recover --all"), "{said}");
    fs::rename(&folder, home.folder().join("away")).expect("moved");
    let output = within("the command ends", recover_all(&home).output()).await.expect("it ran");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    goes_on(&home, &answer).await;
}

/// Redis had stopped while it could not write its file, which a mark in its folder says.
#[tokio::test]
async fn what_may_lack_answers_is_suspended_until_it_is_recovered() {
    let (home, answer) = sold().await;
    fs::write(home.data().join("redis/unwritten"), "").expect("a mark");
    let server = Running::start(home.serve_with_data()).await;
    let (status, refused) = try_claim(&server, "s", "bob").await;
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("sale_suspended")), "{refused}");
    server.stop().await;
    let output = within("the command ends", recover_all(&home).output()).await.expect("it ran");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    goes_on(&home, &answer).await;
}
