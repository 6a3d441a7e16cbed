//! How often the writer reads: its cost follows the sales that are active, not those that are known.

use super::{Bench, catch_up};
use crate::support::sale::{self, terms};
use engine::red_packet::scripts::{KIND, key};
use futures::future::join_all;
use model::EventId;
use std::time::{Duration, Instant};

/// More than one read takes.
const IDLE: u32 = 300;
const EVENTS: u32 = 10_000;
/// How long a stream without new entries is not idle yet.
const ACTIVE_FOR: Duration = Duration::from_secs(1);
/// How often idle streams are read at most.
const IDLE_EVERY: Duration = Duration::from_millis(200);

/// An entry of Redis' slow log: number, time, duration, arguments (of many, the first ones), client, and its name.
type Logged = (i64, i64, i64, Vec<Vec<u8>>, String, String);

#[tokio::test]
async fn an_active_sale_is_read_in_large_pieces_beside_hundreds_of_idle_ones() {
    let bench = Bench::new().await;
    for nth in 0..IDLE {
        bench.app.red_packet.open(terms(&format!("idle{nth}"), 100, 5)).await.expect("a sale");
    }
    bench.app.red_packet.open(terms("active", 2 * i64::from(EVENTS), EVENTS.into())).await.expect("a sale");
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    let idle_from = tokio::time::Instant::now() + ACTIVE_FOR;
    let users: Vec<String> = (0..EVENTS).map(|user| format!("u{user}")).collect();
    let claim = async |user: &str| sale::claim(&bench.redis, "active", &[user]).await;
    for users in users.chunks(500) {
        join_all(users.iter().map(|user| claim(user))).await;
    }
    // Only a fast machine has done all that before the openings are so long ago.
    tokio::time::sleep_until(idle_from).await;

    for (name, value) in [("slowlog-max-len", "100000"), ("slowlog-log-slower-than", "0")] {
        bench.redis.run::<String>("CONFIG", ("SET", name, value)).await;
    }
    let began = Instant::now();
    catch_up(&mut writer).await;
    let rounds = began.elapsed().as_millis() / IDLE_EVERY.as_millis() + 1;
    let log: Vec<Logged> = bench.redis.run("SLOWLOG", ("GET", -1)).await;
    let reads = log.iter().map(|(_, _, _, args, ..)| args).filter(|args| args[0] == b"XREAD");
    let active = key("active", "events").into_bytes();
    let (alone, with_idle): (Vec<_>, Vec<_>) = reads.partition(|args| args.len() == 6 && args[4] == active);

    let applied = bench.app.ledger.sale(KIND, "active").await.expect("an answer").expect("the sale").position;
    assert_eq!(applied.entries, 1 + u64::from(EVENTS));
    assert_ne!(applied.event_id, EventId::default());
    // 4,096 entries are read at a time: less often than that if the idle streams are due, never more often.
    assert!(alone.len() <= 8, "{} reads of {EVENTS} entries", alone.len());
    // Two reads cover all streams. The last step reads all, too, as it must know that there is nothing more.
    let most = 2 * (rounds + 1);
    assert!(with_idle.len() as u128 <= most, "{} reads of the idle streams, in {rounds} rounds", with_idle.len());
    assert!(!with_idle.is_empty(), "the idle streams are read, too");
}
