//! What a learner has solved, kept in the browser.

use crate::components::lasting_key;
use codee::string::JsonSerdeCodec;
use leptos::prelude::*;
use leptos_use_storage::use_local_storage;
use std::collections::BTreeMap;

/// The solved levels by their ids, each with the fewest steps so far.
type Solved = BTreeMap<String, usize>;

/// The progress of the reader.
#[derive(Clone, Copy)]
pub struct Progress {
    kept: Signal<Solved>,
    keep: WriteSignal<Solved>,
}

/// Returns the kept progress. It is empty on the server and in the first render.
pub fn use_progress() -> Progress {
    let (kept, keep, _) = use_local_storage::<Solved, JsonSerdeCodec>(lasting_key("lesson".to_owned()));
    // The first render must match the server's.
    let shown = RwSignal::new(Solved::new());
    Effect::new(move || shown.set(kept.get()));
    Progress { kept: shown.into(), keep }
}

impl Progress {
    /// Whether a level has been solved.
    pub fn is_solved(self, level: &str) -> bool {
        self.kept.with(|solved| solved.contains_key(level))
    }

    /// Notes that a level was solved in this many steps.
    pub fn solve(self, level: &str, steps: usize) {
        self.keep.update(|solved| {
            let fewest = solved.entry(level.to_owned()).or_insert(steps);
            *fewest = steps.min(*fewest);
        });
    }
}
