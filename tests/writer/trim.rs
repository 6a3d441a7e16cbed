//! Streams are trimmed behind the ledger, never ahead of it.

use super::{Bench, catch_up, in_ledger, rows_of};
use crate::support::{ledger::sqlite, sale::terms};
use engine::red_packet::scripts::{KIND, key};
use ledger::{kind::DeadLetters, records::missing, writer::Step};
use model::error::Code;
use redis::Value;
use sqlx::{AssertSqlSafe, Executor};
use std::time::Duration;

async fn ids(bench: &Bench) -> Vec<String> {
    bench.events("s").await.into_iter().map(|event| event.id).collect()
}

/// The public mark of what is written: last entry, and entries read.
async fn mark(bench: &Bench) -> Vec<(String, i64, i64)> {
    let groups: Vec<Vec<Value>> = bench.redis.run("XINFO", ("GROUPS", key("s", "events"))).await;
    groups
        .into_iter()
        .map(|fields| {
            let field = |name: &str| {
                let at = fields.chunks(2).find(|pair| pair[0] == Value::BulkString(name.as_bytes().to_vec()));
                at.expect("a field")[1].clone()
            };
            assert_eq!(field("name"), Value::BulkString(b"ledger".to_vec()));
            let number = |name: &str| redis::from_redis_value(field(name)).expect("a number");
            (redis::from_redis_value(field("last-delivered-id")).expect("an id"), number("entries-read"), number("lag"))
        })
        .collect()
}

#[tokio::test]
async fn the_newest_64_entries_stay_and_the_group_marks_what_is_written() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    bench.claim("s", 0..200).await;
    let before = ids(&bench).await;
    assert_eq!((before.len(), mark(&bench).await), (201, vec![]));
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    assert_eq!(ids(&bench).await, before[201 - 64..]);
    assert_eq!(mark(&bench).await, [(before[200].clone(), 201, 0)]);
    bench.claim("s", 200..201).await;
    assert_eq!(mark(&bench).await, [(before[200].clone(), 201, 1)], "anybody can see the lag");
    catch_up(&mut writer).await;
    assert_eq!(ids(&bench).await.len(), 64);
}

#[tokio::test]
async fn entries_that_the_ledger_lacks_are_never_trimmed() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    let mut writer = bench.app.writer("one");
    bench.claim("s", 0..400).await;
    let events = bench.events("s").await;
    // A step takes 64 entries at first: behind it all is trimmed, before it nothing.
    assert_eq!(writer.step(Duration::ZERO).await, Ok(Step::Wrote { entries: 64, rows: 64 }));
    assert_eq!(ids(&bench).await, events.iter().map(|event| event.id.clone()).collect::<Vec<_>>());
    let step = writer.step(Duration::ZERO).await.expect("a step");
    let Step::Wrote { entries, .. } = step else { panic!("{step:?}") };
    assert_eq!(ids(&bench).await, events[entries as usize..].iter().map(|event| event.id.clone()).collect::<Vec<_>>());
    // Nobody writes, and another stands by.
    bench.claim("s", 400..500).await;
    let before = ids(&bench).await;
    assert_eq!(bench.app.writer("another").step(Duration::ZERO).await, Ok(Step::Standby));
    assert_eq!(ids(&bench).await, before);
}

/// A writer that starts does not know which entries are the newest 64 until it has seen so many.
#[tokio::test]
async fn a_new_writer_trims_when_it_knows_what_is_new() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    bench.claim("s", 0..100).await;
    let mut expected = rows_of(&bench.events("s").await);
    let mut first = bench.app.writer("one");
    catch_up(&mut first).await;
    first.give_up().await;
    let mut writer = bench.app.writer("another");
    for (users, left) in [(100..110, 74), (110..163, 127), (163..164, 64), (164..170, 64)] {
        let known = bench.events("s").await.len();
        bench.claim("s", users).await;
        expected.extend(rows_of(&bench.events("s").await[known..]));
        catch_up(&mut writer).await;
        assert_eq!(ids(&bench).await.len(), left);
    }
    assert_eq!(in_ledger(&bench.app, "s").await, expected);
}

/// A database fails over to a standby that lacks the latest rows, of which the stream has been trimmed: it is said, and the
/// sale is not rebuilt from what is left.
#[tokio::test]
async fn a_ledger_that_has_lost_its_end_is_noticed_and_nothing_is_rebuilt_from_it() {
    let bench = Bench::new().await;
    bench.app.red_packet.open(terms("s", 1_000, 500)).await.expect("a sale");
    bench.claim("s", 0..130).await;
    let all = ids(&bench).await;
    catch_up(&mut bench.app.writer("one")).await;
    bench.lease_runs_out().await;
    let status = async || bench.app.ledger_service.status(Some("s")).await.expect("a status").sales.remove(0);
    let known = async || bench.app.ledger.sale(KIND, "s").await.expect("the ledger").expect("a sale");
    assert_eq!(status().await.missing_events, 0);

    let (millis, sequence) = all[9].split_once('-').expect("an id");
    let back = format!(
        "UPDATE sales SET applied_ms = {millis}, applied_seq = {sequence}, entries = 10;
         DELETE FROM history WHERE event_ms > {millis} OR (event_ms = {millis} AND event_seq > {sequence})"
    );
    sqlite(bench.server.folder()).await.execute(AssertSqlSafe(back)).await.expect("a ledger without its end");
    // 131 entries less the 64 that stay and the 10 that the ledger has.
    assert_eq!(status().await.missing_events, 57, "also before a writer has looked");
    let refused = bench.app.ledger_service.suspend(KIND, "s").await.expect_err("it could not be rebuilt");
    assert!(refused.message.starts_with("The ledger has lost 57 entries of the sale \"s\""), "{refused}");
    let mut writer = bench.app.writer("two");
    catch_up(&mut writer).await;
    bench.claim("s", 130..200).await;
    catch_up(&mut writer).await;
    let status = status().await;
    assert_eq!((status.missing_events, status.lag_events), (57, 0), "what comes is recorded");
    assert_eq!(known().await.position.entries, 201, "and counted as Redis counts");
    assert_eq!(missing(&known().await, 137), 57);
    bench.redis.run::<i64>("DEL", key("s", "meta")).await;
    let refused = bench
        .app
        .red_packet
        .recover("s", DeadLetters::Refuse)
        .await
        .expect_err("what is lost would be given away again");
    assert_eq!(refused.code, Code::Internal, "{refused}");
    assert!(refused.message.contains("Restore the ledger's database"), "{refused}");
    assert!(!ids(&bench).await.is_empty(), "nothing was deleted");
}
