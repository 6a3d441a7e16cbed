//! The list of runs: the newest come with the page, another is added when it ends, and older ones are loaded on
//! request.

use crate::{
    components::{FirstCall, use_polling},
    runs::RunSource,
};
use leptos::prelude::*;
use model::{
    error::{Error, Result},
    runs::{RunEntry, RunPage},
};
use std::time::Duration;

/// The interval of requests for a run that has ended, until the ledger has it.
const INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of such requests.
const MOST_TRIES: u32 = 60;

/// The loaded runs of a list.
pub struct Runs<E: RunEntry> {
    /// The runs, newest first.
    pub page: RwSignal<RunPage<E>>,
    /// The error of the last load.
    pub error: RwSignal<Option<Error>>,
    /// Loads the next page.
    pub older: Action<(), ()>,
}

/// Returns the runs of a list with a loaded first page. `over` is the id of the latest run if it is over, and whether
/// it was lost.
pub fn use_runs<S: RunSource>(
    source: S,
    over: Signal<Option<(String, bool)>>,
    first: Result<RunPage<S::Entry>>,
) -> Runs<S::Entry> {
    let error = RwSignal::new(first.as_ref().err().cloned());
    let page = RwSignal::new(first.unwrap_or(RunPage { runs: Vec::new(), next: None }));
    let older = Action::new(move |()| async move {
        let next = page.with_untracked(|page| page.next.clone());
        let answer = source.page(next.clone()).await;
        // By then, the reader may have left the page, or the newest runs may have been reloaded.
        if page.try_with_untracked(|page| page.next == next) != Some(true) {
            return;
        }
        match answer {
            Ok(older) => page.update(|page| {
                page.runs.extend(older.runs);
                page.next = older.next;
            }),
            Err(why) => error.set(Some(why)),
        }
    });
    // A finished run reaches the ledger a moment later.
    let missing = Memo::new(move |_| {
        let (run, is_lost) = over.get()?;
        // A run that was taken for lost may still end normally.
        let is_there = |entry: &S::Entry| entry.run() == run && (is_lost || !entry.is_lost());
        (!page.with(|page| page.runs.iter().any(is_there))).then_some((run, is_lost))
    });
    // A run that the ledger did not keep, or that another ledger has, never comes.
    let asked = StoredValue::new((None::<(String, bool)>, 0));
    let load = move || {
        let run = missing.get_untracked();
        let is_missing = run.is_some()
            && asked.try_update_value(|(of, times)| {
                *times = if *of == run { *times + 1 } else { 1 };
                *of = run;
                *times <= MOST_TRIES
            }) == Some(true);
        let is_due = is_missing || error.with_untracked(Option::is_some);
        async move { if is_due { source.page(None).await.map(Some) } else { Ok(None) } }
    };
    let ask = use_polling(INTERVAL, FirstCall::AfterInterval, load, move |answer| match answer {
        Ok(Some(newest)) => {
            error.set(None);
            page.update(|page| *page = merged(page.clone(), newest));
        }
        Ok(None) => {}
        Err(why) => error.set(Some(why)),
    });
    Effect::new(move || {
        if missing.get().is_some() {
            ask.run(());
        }
    });
    Runs { page, error, older }
}

/// Puts the newest runs before the loaded ones.
fn merged<E: RunEntry>(known: RunPage<E>, newest: RunPage<E>) -> RunPage<E> {
    let RunPage { mut runs, next } = newest;
    // Without an overlap, there may be runs in between: the reader loads them as older ones.
    let overlaps = known.runs.iter().position(|entry| runs.last().is_some_and(|last| last.run() == entry.run()));
    match overlaps {
        Some(place) if next.is_some() => {
            let older = known.runs.into_iter().skip(place + 1);
            runs.extend(older);
            RunPage { runs, next: known.next }
        }
        _ => RunPage { runs, next },
    }
}
