//! Entries that could not be recorded are stored whole, listed, and released once.

use super::{KIND, batch, everything, id, on_both, won, write};
use crate::support::ledger::TestLedger;
use ledger::apply::{Applied, Batch, NewRow, RejectedEntry};
use model::{
    error::Code,
    ledger::{DeadLetter, SaleName},
};
use store::stream::Entry;

on_both!(
    an_entry_is_kept_whole_with_its_reason_and_its_tries,
    an_entry_is_released_once_with_what_it_says,
    the_oldest_hundred_are_listed,
);

/// Bytes that are no text, under a name that is hostile.
fn entry(number: u64) -> Entry {
    let fields = [("type", b"claimed".to_vec()), ("da'ta", vec![0, 255, 193, 10]), ("", vec![])];
    (id(number).to_string(), fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

fn reject(number: u64) -> RejectedEntry {
    RejectedEntry { entry: entry(number), reason: "nobody can read it".into(), at: 5_000 }
}

async fn an_entry_is_kept_whole_with_its_reason_and_its_tries(ledger: TestLedger) {
    write(&ledger, &Batch { dead_letters: vec![reject(1)], ..batch("s", 0, vec![vec![]]) }).await;
    write(&ledger, &Batch { dead_letters: vec![reject(1)], ..batch("t", 0, vec![vec![]]) }).await;
    let line = DeadLetter {
        kind: KIND.into(),
        sale: "s".into(),
        event_id: id(1),
        reason: "nobody can read it".into(),
        at: 5_000,
        tries: 1,
    };
    assert_eq!(ledger.dead_letters(None, Some("s")).await, Ok(vec![line.clone()]));
    assert_eq!(ledger.dead_letters(None, None).await.map(|lines| lines.len()), Ok(2));
    let of = |sale: &str| (SaleName { kind: KIND.into(), sale: sale.into() }, 1);
    assert_eq!(ledger.dead_letters_by_sale(9).await, Ok(vec![of("t"), of("s")]), "the newest sale first");
    assert_eq!(ledger.dead_letters_by_sale(1).await, Ok(vec![of("t")]));
    assert_eq!(ledger.dead_letters_to_retry(Some("red_packet"), Some("s")).await.expect("entries")[0].entry, entry(1));

    ledger.retry_failed(KIND, "s", id(1), "still not").await.expect("noted");
    let again = DeadLetter { reason: "still not".into(), tries: 2, ..line };
    assert_eq!(ledger.dead_letters(None, Some("s")).await, Ok(vec![again]));
    assert_eq!(ledger.dead_letters(None, Some("t")).await.expect("a list")[0].tries, 1, "the other is not touched");
    assert_eq!(ledger.dead_letters(Some("ticket"), Some("s")).await, Ok(vec![]), "another kind's sale of this id");
    assert_eq!(ledger.dead_letters(None, Some(" ")).await.expect_err("no id").code, Code::BadRequest);
}

async fn an_entry_is_released_once_with_what_it_says(ledger: TestLedger) {
    write(&ledger, &Batch { dead_letters: vec![reject(1), reject(2)], ..batch("s", 0, vec![vec![], vec![]]) }).await;
    let row = NewRow { event_id: id(1), place: 0, at: 1, change: won("ann", 1, 5) };
    let release =
        Batch { kind: KIND.into(), sale: "s".into(), rows: vec![row], released: vec![id(1)], ..Batch::default() };
    write(&ledger, &release).await;
    let left = ledger.dead_letters(None, None).await.expect("a list");
    assert_eq!(left.iter().map(|line| line.event_id).collect::<Vec<_>>(), [id(2)]);
    let account = ledger.sale(KIND, "s").await.expect("an answer").expect("the sale");
    assert_eq!((account.position.entries, account.dead_letters), (2, 1), "the position stays");

    let before = everything(&ledger).await;
    assert_eq!(ledger.apply(&[&release]).await, Ok(Applied::Overtaken), "somebody else has released it");
    assert_eq!(everything(&ledger).await, before);
}

async fn the_oldest_hundred_are_listed(ledger: TestLedger) {
    let entries = vec![vec![]; 130];
    write(&ledger, &Batch { dead_letters: (1..=130).rev().map(reject).collect(), ..batch("s", 0, entries) }).await;
    let listed: Vec<_> =
        ledger.dead_letters(None, None).await.expect("a list").into_iter().map(|line| line.event_id).collect();
    assert_eq!(listed, (1..=100).map(id).collect::<Vec<_>>());

    for number in 1..=100 {
        ledger.retry_failed(KIND, "s", id(number), "still not").await.expect("noted");
    }
    let next = ledger.dead_letters_to_retry(None, None).await.expect("a list");
    assert_eq!(next.len(), 130);
    assert_eq!(next[0].letter.event_id, id(101), "those that were tried least often come first");
}
