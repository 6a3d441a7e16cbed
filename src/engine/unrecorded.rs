//! Items that Redis has given away and the ledger has not recorded. A recovery deletes the stream, and would give them
//! to others.
//!
//! These are the dead letters of the sale. A replica that was promoted without the ledger's last entries may have
//! continued with a clock that is behind. The ids of the changes that it acknowledged then are before the ledger's
//! position, so no writer reads them. They become dead letters, too. The recovery reports the users and their answers.

use ledger::{
    apply::{Applied, Batch, RejectedEntry},
    database::Ledger,
    kind::{Change, Interpreter, LedgerKind},
    sale::LedgerSale,
};
use model::{
    EventId, Millis,
    error::{Error, Result},
    iso,
};
use std::collections::{BTreeMap, BTreeSet};
use store::{Store, stream::Entry};

/// The entries read at a time.
const AT_A_TIME: usize = 64;
/// The most entries that are described.
const DESCRIBED: usize = 100;
/// The reason of such a dead letter.
const REASON: &str = "a Redis that lacked the ledger's last entries has added it before them, so it was never read";

/// The entries that Redis has acknowledged and the ledger has not recorded, by id. They are the dead letters since the
/// latest recovery, and the entries of the stream up to the ledger's position that are not in the history. Entries of
/// the second kind become dead letters, unless they already are.
///
/// # Errors
/// `unavailable`, `ledger_unavailable`.
pub async fn unrecorded(
    store: &Store,
    ledger: &Ledger,
    known: &LedgerSale,
    now: Millis,
) -> Result<BTreeMap<EventId, Entry>> {
    let mut unrecorded = ledger.dead_letters_of(known.number).await?;
    let (mut new, mut in_stream) = (Vec::new(), BTreeSet::new());
    let (mut after, upto) = ("-".to_owned(), known.position.event_id.to_string());
    loop {
        let entries = entries(store, known, &after, &upto, AT_A_TIME).await?;
        let is_last = entries.len() < AT_A_TIME;
        for entry in entries {
            let event_id: EventId = entry.0.parse()?;
            after = format!("({event_id}");
            in_stream.insert(event_id);
            if !ledger.has_event(known.number, event_id).await? {
                unrecorded.insert(event_id, entry.clone());
                new.push(RejectedEntry { entry, reason: REASON.to_owned(), at: now });
            }
        }
        if is_last {
            break;
        }
    }
    if !new.is_empty() {
        let (kind, sale) = (known.kind.clone(), known.sale.clone());
        let batch = Batch { kind, sale, dead_letters: new, ..Batch::default() };
        match ledger.apply(&[&batch]).await? {
            Applied::Done => {}
            refused => return Err(Error::internal(format!("entries could not be set aside: {refused:?}"))),
        }
    }
    // The other dead letters were given up by an earlier recovery.
    unrecorded.retain(|event_id, _| *event_id >= known.generation || in_stream.contains(event_id));
    Ok(unrecorded)
}

/// Whether the stream has an entry after the ledger's position, which can still be recorded.
///
/// # Errors
/// `unavailable`.
pub async fn has_entries_after(store: &Store, known: &LedgerSale) -> Result<bool> {
    let after = format!("({}", known.position.event_id);
    Ok(!entries(store, known, &after, "+", 1).await?.is_empty())
}

async fn entries(store: &Store, known: &LedgerSale, from: &str, upto: &str, most: usize) -> Result<Vec<Entry>> {
    let key = store.sale_key(&known.kind, &known.sale, "events");
    if store.query::<String>("TYPE", &key).await? != "stream" {
        return Ok(Vec::new());
    }
    store.query("XRANGE", (key, from, upto, "COUNT", most)).await
}

/// The descriptions of the oldest 100 entries: the users and their answers, one sentence for each change.
pub async fn describe(
    kind: &(impl LedgerKind + ?Sized),
    sale: &str,
    entries: &BTreeMap<EventId, Entry>,
) -> Vec<String> {
    let interpreter = kind.interpreter(sale).await.ok();
    entries.values().take(DESCRIBED).flat_map(|entry| sentences(entry, interpreter.as_ref())).collect()
}

/// The sentences about an entry, for the report.
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
