//! The process that writes the ledger is suspended, another takes over, and the first resumes with an outdated
//! position.

use super::*;
use crate::support::{
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
};
use ledger::scripts::STREAM_POSITION;
use rustix::process::Signal;

#[tokio::test]
async fn the_next_writer_continues_and_the_first_writes_nothing_twice() {
    let redis = TestRedis::start().await;
    let (stand, raw) = (Stand::on(&redis.url()), redis.raw().await);
    let servers = [stand.serve().await, stand.serve().await];
    open(&servers[0], "s", 200).await;
    let first = writer(&raw, &[&servers[0], &servers[1]]).await;
    let other = if first.url == servers[0].url { &servers[1] } else { &servers[0] };
    let reported = win(first, "s", "a", 0..20).await;
    first.suspend(&stand.home.data()).await;
    win(other, "s", "b", 0..20).await;
    writer(&raw, &[other]).await;
    win(other, "s", "c", 0..20).await;
    stand.agrees(other, "s", 60).await;
    first.signal(Signal::CONT);
    // Until it has looked whether another Redis has taken the place of its own.
    let winner = reported.keys().next().expect("a winner");
    eventually("it goes on", async || (try_claim(first, "s", winner).await.0 == 200).then_some(())).await;
    win(first, "s", "d", 0..20).await;
    win(other, "s", "e", 0..20).await;
    stand.agrees(first, "s", 100).await;
}

/// It is suspended with entries that it has read but not written.
#[tokio::test]
async fn a_writer_suspended_with_unwritten_entries_finds_them_in_the_ledger() {
    let redis = TestRedis::start().await;
    let (stand, raw, wire) = (Stand::on(&redis.url()), redis.raw().await, FaultProxy::before(&redis).await);
    let first = stand.serve_through(&wire.url).await;
    open(&first, "s", 100).await;
    writer(&raw, &[&first]).await;
    caught_up(&first, "s").await;
    let other = stand.serve().await;

    // The command between reading and writing.
    wire.hold(Hold::Answer, STREAM_POSITION.sha());
    win(&other, "s", "a", 0..20).await;
    wire.holds().await;
    first.suspend(&stand.home.data()).await;
    raw.run::<i64>("DEL", keys::WRITER.one).await;
    stand.agrees(&other, "s", 20).await;
    wire.heal();
    first.signal(Signal::CONT);
    let reported = win(&other, "s", "b", 0..20).await;
    // It may have been stopped for so long that it has to look first.
    let winner = reported.keys().next().expect("a winner");
    eventually("it goes on", async || (try_claim(&first, "s", winner).await.0 == 200).then_some(())).await;
    win(&first, "s", "c", 0..20).await;
    stand.agrees(&first, "s", 60).await;
}
