//! Entries of a sale's stream that can no longer be recorded, before a recovery deletes the stream.
//!
//! A replica that was promoted without the ledger's last entries may have gone on with a clock that is behind: what it
//! acknowledged then has ids before the ledger's position, so no writer reads it. It becomes dead letters, which are kept,
//! and the recovery names who was told what.

use crate::{
    domain::{EventId, Millis, iso},
    error::{Error, Result},
    ledger::{
        apply::{Applied, Batch, RejectedEntry},
        database::Ledger,
        kind::{Change, Interpreter, LedgerKind},
        sale::LedgerSale,
    },
    store::{Store, keys, stream::Entry},
};

/// Entries read at a time.
const AT_A_TIME: usize = 64;
/// Why such an entry is a dead letter.
const REASON: &str = "a Redis that lacked the ledger's last entries has added it before them, so it was never read";

/// Sets aside what is in the stream up to the ledger's position and was never recorded. Returns a sentence for each
/// change.
///
/// # Errors
/// `unavailable`, `ledger_unavailable`.
pub async fn set_aside_unrecorded(
    kind: &(impl LedgerKind + ?Sized),
    store: &Store,
    ledger: &Ledger,
    known: &LedgerSale,
    now: Millis,
) -> Result<Vec<String>> {
    let unrecorded = unrecorded(store, ledger, known).await?;
    if unrecorded.is_empty() {
        return Ok(Vec::new());
    }
    let interpreter = kind.interpreter(&known.sale).await.ok();
    let sentences = unrecorded.iter().flat_map(|entry| sentences(entry, interpreter.as_ref())).collect();
    let dead_letters = unrecorded.into_iter().map(|entry| RejectedEntry { entry, reason: REASON.to_owned(), at: now });
    let batch = Batch {
        kind: known.kind.clone(),
        sale: known.sale.clone(),
        dead_letters: dead_letters.collect(),
        ..Batch::default()
    };
    match ledger.apply(&[&batch]).await? {
        Applied::Done => Ok(sentences),
        refused => Err(Error::internal(format!("entries could not be set aside: {refused:?}"))),
    }
}

async fn unrecorded(store: &Store, ledger: &Ledger, known: &LedgerSale) -> Result<Vec<Entry>> {
    let key = keys::sale(&known.kind, &known.sale, "events");
    let mut unrecorded = Vec::new();
    if store.query::<String>("TYPE", &key).await? != "stream" {
        return Ok(unrecorded);
    }
    let (mut after, upto) = ("-".to_owned(), known.position.event_id.to_string());
    loop {
        let entries: Vec<Entry> = store.query("XRANGE", (&key, &after, &upto, "COUNT", AT_A_TIME)).await?;
        let is_last = entries.len() < AT_A_TIME;
        for entry in entries {
            let event_id: EventId = entry.0.parse()?;
            after = format!("({event_id}");
            if !ledger.has_event(known.number, event_id).await? {
                unrecorded.push(entry);
            }
        }
        if is_last {
            return Ok(unrecorded);
        }
    }
}

/// What an entry says, for the report.
fn sentences(entry: &Entry, interpreter: Option<&Interpreter>) -> Vec<String> {
    let id = &entry.0;
    match interpreter.map(|interpreter| interpreter(entry)) {
        Some(Ok(read)) => {
            let at = iso(read.at);
            let sentence = |Change { outcome, user, item, order, .. }: Change| {
                let with =
                    |word: &str, name: Option<String>| name.map_or_else(String::new, |name| format!("{word}{name}"));
                let (item, order, user) = (with(" ", item), with(" in order ", order), with(" of ", user));
                format!("{outcome}{item}{order}{user} at {at} (event {id})")
            };
            read.changes.into_iter().map(sentence).collect()
        }
        _ => vec![format!("event {id}, which cannot be read")],
    }
}
