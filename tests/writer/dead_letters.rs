//! An entry that cannot be recorded becomes a dead letter with its reason; all others are recorded.

use super::{Bench, catch_up, in_ledger};
use crate::support::{
    ledger::sqlite,
    sale::{self, START},
};
use engine::red_packet::scripts::{KIND, key};
use ledger::kind::DeadLetters;
use model::{
    EventId,
    ledger::{DeadLetter, Recovery, Retried},
};
use redis::ToRedisArgs;
use store::stream::Entry;

/// The fields of an entry, in their order.
type Fields = Vec<(&'static str, Vec<u8>)>;

/// An entry written by hand.
pub(super) async fn forge(bench: &Bench, fields: &[(impl ToRedisArgs, Vec<u8>)]) -> EventId {
    let mut command = store::command("XADD");
    command.arg(key("s", "events")).arg("*");
    for (name, value) in fields {
        command.arg(name).arg(value);
    }
    bench.redis.send::<String>(&command).await.parse().expect("an id")
}

/// The fields of a "claimed" event, as the script writes them.
pub(super) fn claimed(data: &[&str], requests: &[&str], places: &[u32]) -> Fields {
    let packed = |texts: &[&str]| rmp_serde::to_vec(texts).expect("packed");
    vec![
        ("type", b"claimed".to_vec()),
        ("at", START.to_string().into_bytes()),
        ("data", packed(data)),
        ("requests", packed(requests)),
        ("places", rmp_serde::to_vec(places).expect("packed")),
    ]
}

async fn with_sale(bench: &Bench) {
    sale::open(&bench.redis, "s", &[1; 20]).await;
    bench.redis.run::<i64>("ZADD", ("stampede:sales", 1, "red_packet:s")).await;
}

async fn users(bench: &Bench) -> Vec<String> {
    in_ledger(&bench.app, "s").await.into_iter().filter_map(|row| row.3).collect()
}

#[tokio::test]
async fn unreadable_entries_become_dead_letters_and_the_rest_is_recorded() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    let at = || ("at", START.to_string().into_bytes());
    let mut broken = claimed(&["ann", "1:1"], &["r"], &[1]);
    broken[2].1 = vec![0xc1, 0xff];
    let mut no_packet = claimed(&["ann", "one"], &["r"], &[1]);
    no_packet[1] = at();
    let forged: [(Fields, &str); 7] = [
        (vec![("type", b"stolen".to_vec()), at()], "red packet sales have no event \"stolen\""),
        (vec![("nonsense", vec![0, 159, 146, 150])], "has no `at`"),
        (broken, "is not such a list"),
        (no_packet, "\"one\" is not a packet"),
        (claimed(&["ann", "1:1"], &["r"], &[2]), "has no request 2"),
        (claimed(&["ann", "1:1", "bob", "2:1"], &["r"], &[1]), "2 claims by 1 requests"),
        (vec![("type", b"opened".to_vec()), at(), ("total_cents", b"many".to_vec())], "the `total_cents` of entry"),
    ];
    let mut ids = Vec::new();
    for (nth, (fields, _)) in (0..).zip(&forged) {
        ids.push(forge(&bench, fields).await);
        bench.claim("s", nth..nth + 1).await;
    }
    catch_up(&mut bench.app.writer("one")).await;
    assert_eq!(users(&bench).await, ["u0", "u1", "u2", "u3", "u4", "u5", "u6"]);
    let aside = bench.app.ledger.dead_letters(None, Some("s")).await.expect("a list");
    for ((DeadLetter { event_id, reason, at, tries, .. }, id), (_, why)) in aside.iter().zip(&ids).zip(&forged) {
        assert_eq!((event_id, *at, *tries), (id, START, 1));
        assert!(reason.contains(why), "{reason:?} does not say {why:?}");
    }
    assert_eq!(aside.len(), 7);
    let status = bench.app.ledger_service.status(Some("s")).await.expect("a status").sales.remove(0);
    assert_eq!((status.lag_events, status.dead_letters), (0, 7));
    assert_eq!(status.applied_event_id, status.last_event_id);
}

#[tokio::test]
async fn a_field_whose_name_is_no_text_keeps_nothing_else_from_being_recorded() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    let foreign = || (vec![0xff_u8, 0xfe], b"1".to_vec());
    bench.claim("s", 0..1).await;
    forge(&bench, &[foreign()]).await;
    let ours =
        claimed(&["ann", "1:1"], &["r"], &[1]).into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value));
    forge(&bench, &ours.chain([foreign()]).collect::<Vec<_>>()).await;
    bench.claim("s", 1..2).await;
    catch_up(&mut bench.app.writer("one")).await;
    assert_eq!(users(&bench).await, ["u0", "ann", "u1"]);
    let aside = bench.app.ledger.dead_letters_to_retry(None, Some("s")).await.expect("a list").remove(0);
    assert_eq!(aside.entry.1.bytes(r"\xff\xfe"), Some(b"1".as_slice()), "kept whole");
    let status = bench.app.ledger_service.status(Some("s")).await.expect("a status").sales.remove(0);
    assert_eq!((status.lag_events, status.dead_letters), (0, 1));
}

/// Repairs a dead letter in place: a claim by ann.
async fn repair(bench: &Bench, id: EventId) {
    let fields = claimed(&["ann", "1:1"], &["r-1"], &[1]).into_iter().map(|(name, value)| (name.to_owned(), value));
    let entry: Entry = (id.to_string(), fields.collect());
    let repaired = sqlx::query("UPDATE set_aside SET payload = $1 WHERE event_seq = $2 AND event_ms = $3")
        .bind(rmp_serde::to_vec(&entry).expect("packed"))
        .bind(id.sequence.cast_signed())
        .bind(id.millis.cast_signed())
        .execute(&mut sqlite(bench.server.folder()).await)
        .await
        .expect("a statement");
    assert_eq!(repaired.rows_affected(), 1);
}

/// What it gave is given to others by then.
#[tokio::test]
async fn a_dead_letter_of_before_a_recovery_is_not_recorded_and_keeps_no_sale_from_being_archived() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    let id = forge(&bench, &[("type", b"stolen".to_vec()), ("at", b"1".to_vec())]).await;
    catch_up(&mut bench.app.writer("one")).await;
    bench.redis.run::<String>("FLUSHALL", None::<&str>).await;
    let refused = bench.app.red_packet.recover("s", DeadLetters::Refuse).await.expect_err("a dead letter");
    assert!(refused.message.contains("1 of the events"), "{refused}");
    let recovered = bench.app.red_packet.recover("s", DeadLetters::GiveUp).await.expect("a recovery");
    assert_eq!((recovered.won, recovered.dead_letters), (0, 1));

    repair(&bench, id).await;
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 0, still_set_aside: 1 }));
    assert!(users(&bench).await.is_empty());
    let aside = bench.app.ledger.dead_letters(None, None).await.expect("a list").remove(0);
    assert!(aside.reason.contains("recovered without this entry"), "{}", aside.reason);

    bench.app.closing.close(KIND, "s").await.expect("closed");
    let later = forge(&bench, &[("type", b"stolen".to_vec()), ("at", b"2".to_vec())]).await;
    catch_up(&mut bench.app.writer("one")).await;
    let refused = bench.app.closing.archive(KIND, "s").await.expect_err("a dead letter that may be retried");
    assert!(refused.message.contains("1 of its events"), "{}", refused.message);
    repair(&bench, later).await;
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 1, still_set_aside: 1 }));
    bench.app.closing.archive(KIND, "s").await.expect("archived");
}

#[tokio::test]
async fn a_recovery_does_not_overlook_a_dead_letter_that_was_recorded_meanwhile() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    let id = forge(&bench, &[("type", b"stolen".to_vec()), ("at", b"1".to_vec())]).await;
    catch_up(&mut bench.app.writer("one")).await;
    let known = bench.app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    let generation = known.position.event_id.next().expect("an id");
    repair(&bench, id).await;
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 1, still_set_aside: 0 }));
    assert_eq!(bench.app.ledger.begin_generation(&known, generation, &Recovery::default()).await, Ok(false));
    let known = bench.app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!(bench.app.ledger.begin_generation(&known, generation, &Recovery::default()).await, Ok(true));
}

#[tokio::test]
async fn trying_again_is_counted_and_applies_what_can_be_read_by_now() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    let id = forge(&bench, &[("type", b"stolen".to_vec()), ("at", b"1".to_vec())]).await;
    let other = forge(&bench, &[("type", b"stolen".to_vec()), ("at", b"2".to_vec())]).await;
    catch_up(&mut bench.app.writer("one")).await;
    let tries = async || -> Vec<u32> {
        bench.app.ledger.dead_letters(None, None).await.expect("a list").iter().map(|line| line.tries).collect()
    };
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 0, still_set_aside: 2 }));
    assert_eq!(bench.app.ledger_service.retry(None, Some("s")).await, Ok(Retried { applied: 0, still_set_aside: 2 }));
    assert_eq!(bench.app.ledger_service.retry(None, Some("t")).await, Ok(Retried::default()));
    assert_eq!(tries().await, [3, 3]);

    repair(&bench, id).await;
    assert_eq!(bench.app.ledger_service.retry(None, None).await, Ok(Retried { applied: 1, still_set_aside: 1 }));
    let rows = in_ledger(&bench.app, "s").await;
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(rows[1], (id, 0, "won".to_owned(), text("ann"), text("r-1"), text("1"), 1));
    let aside = bench.app.ledger.dead_letters(None, None).await.expect("a list");
    assert_eq!((aside.len(), aside[0].event_id, aside[0].tries), (1, other, 4));
    let account = bench.app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!(account.position.event_id, other, "the position does not move back");
}

/// One row of many conflicts with an existing one: the database refuses it and, at first, the whole batch.
#[tokio::test]
async fn what_the_database_refuses_is_set_aside_alone() {
    let bench = Bench::new().await;
    with_sale(&bench).await;
    bench.claim("s", 0..9).await;
    let fourth: EventId = bench.events("s").await[4].id.parse().expect("an id");
    let in_the_way = "INSERT INTO history (event_ms, event_seq, sale_no, place, at, kind, outcome, cents)
        VALUES ($1, $2, 1, 0, 1, 'red_packet', 'opened', 1)";
    sqlx::query(in_the_way)
        .bind(fourth.millis.cast_signed())
        .bind(fourth.sequence.cast_signed())
        .execute(&mut sqlite(bench.server.folder()).await)
        .await
        .expect("a statement");
    let mut writer = bench.app.writer("one");
    catch_up(&mut writer).await;
    assert_eq!(users(&bench).await, ["u0", "u1", "u2", "u4", "u5", "u6", "u7", "u8"]);
    let aside = bench.app.ledger.dead_letters(None, Some("s")).await.expect("a list");
    assert_eq!(aside.iter().map(|line| line.event_id).collect::<Vec<_>>(), [fourth]);
    assert!(aside[0].reason.contains("has rows of this entry already"), "{}", aside[0].reason);
    bench.claim("s", 9..11).await;
    catch_up(&mut writer).await;
    assert_eq!(users(&bench).await.len(), 10, "and it goes on");
    let account = bench.app.ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!(account.position.entries, 12);
}
