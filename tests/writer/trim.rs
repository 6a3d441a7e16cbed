//! Streams are trimmed behind the ledger, never ahead of it.

use super::{Bench, catch_up, in_ledger, rows_of};
use crate::support::sale::terms;
use redis::Value;
use stampede::{ledger::writer::Step, sales::red_packet::scripts::key};
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
