//! The runs on a page: the newest came with it, another is added when it ends, and older ones when the reader asks.

use crate::{
    components::{FirstCall, use_polling},
    crowd::api,
};
use leptos::prelude::*;
use model::{
    crowd::{
        Phase, Status,
        runs::{RunPage, RunRecord},
    },
    error::{Error, Result},
};
use std::time::Duration;

/// How often a run that has ended is asked for, until the ledger has it.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many times.
const MOST_TRIES: u32 = 60;

/// The runs of a sale, as far as they are loaded.
#[derive(Clone, Copy)]
pub struct Runs {
    /// Newest first.
    pub page: RwSignal<RunPage>,
    /// Why they could not be loaded.
    pub error: RwSignal<Option<Error>>,
    /// Loads the next page.
    pub older: Action<(), ()>,
}

/// The runs at a sale, of which the first page is there; `status` is that of the latest crowd.
pub fn use_runs(
    kind: &'static str,
    sale: StoredValue<String>,
    status: Signal<Option<Status>>,
    first: Result<RunPage>,
) -> Runs {
    let error = RwSignal::new(first.as_ref().err().cloned());
    let page = RwSignal::new(first.unwrap_or_default());
    let older = Action::new(move |()| async move {
        let next = page.with_untracked(|page| page.next.clone());
        let answer = api::runs(kind.to_owned(), sale.get_value(), None, next.clone()).await;
        // By then, the reader may have left the page, or the newest runs may have been loaded anew.
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
    let runs = Runs { page, error, older };
    // A run that is over is in the ledger a moment later.
    let missing = Memo::new(move |_| {
        let over = status.with(|status| {
            let over = status.as_ref().filter(|status| status.phase.is_over());
            over.map(|status| (status.run.clone(), status.phase))
        })?;
        // A run that was taken for lost may still end as it should.
        let is_there =
            |record: &RunRecord| record.run == over.0 && (record.phase == over.1 || record.phase != Phase::Lost);
        (!page.with(|page| page.runs.iter().any(is_there))).then_some(over)
    });
    // A run that the ledger did not keep, or that another ledger has, never comes.
    let asked = StoredValue::new((None::<(String, Phase)>, 0));
    let load = move || {
        let run = missing.get_untracked();
        let is_missing = run.is_some()
            && asked.try_update_value(|(of, times)| {
                *times = if *of == run { *times + 1 } else { 1 };
                *of = run;
                *times <= MOST_TRIES
            }) == Some(true);
        let is_due = is_missing || error.with_untracked(Option::is_some);
        async move {
            if is_due { api::runs(kind.to_owned(), sale.get_value(), None, None).await.map(Some) } else { Ok(None) }
        }
    };
    let ask = use_polling(INTERVAL, FirstCall::AfterInterval, load, move |answer| match answer {
        Ok(Some(newest)) => runs.merge(newest),
        Ok(None) => {}
        Err(why) => error.set(Some(why)),
    });
    Effect::new(move || {
        if missing.get().is_some() {
            ask.run(());
        }
    });
    runs
}

impl Runs {
    /// Puts the newest runs before those that are loaded.
    fn merge(self, newest: RunPage) {
        self.error.set(None);
        self.page.update(|page| *page = merged(std::mem::take(page), newest));
    }
}

fn merged(known: RunPage, newest: RunPage) -> RunPage {
    let RunPage { mut runs, next } = newest;
    // If none of them was loaded before, there may be others in between: the reader loads them as older ones.
    let overlaps = known.runs.iter().position(|record| runs.last().is_some_and(|last| last.run == record.run));
    match overlaps {
        Some(place) if next.is_some() => {
            let older = known.runs.into_iter().skip(place + 1);
            runs.extend(older);
            RunPage { runs, next: known.next }
        }
        _ => RunPage { runs, next },
    }
}
