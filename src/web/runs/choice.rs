//! The choice of two runs to compare. It is part of the address, so a link shows the same comparison:
//! `?<parameter>=<run>,<run>`.

use crate::components::use_page_search;
use leptos::prelude::*;
use model::url::parameter;

/// The number of runs side by side.
const MOST: usize = 2;

/// The chosen runs in order of choice, at most two.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Their ids.
    pub runs: Memo<Vec<String>>,
}

/// Returns the choice in this parameter of the page's address.
pub fn use_choice(name: &'static str) -> Choice {
    let search = use_page_search();
    Choice { runs: Memo::new(move |_| search.with(|search| read(search, name))) }
}

impl Choice {
    /// Returns whether a run is chosen.
    pub fn has(self, run: &str) -> bool {
        self.runs.with(|runs| runs.iter().any(|chosen| chosen == run))
    }

    /// Returns the value of the parameter after this run is added or removed. A third run replaces the one that was
    /// chosen first.
    pub fn toggled(self, run: &str) -> Option<String> {
        let mut runs = self.runs.get();
        if self.has(run) {
            runs.retain(|chosen| chosen != run);
        } else {
            runs.push(run.to_owned());
        }
        let first = runs.len().saturating_sub(MOST);
        let runs = &runs[first..];
        (!runs.is_empty()).then(|| runs.join(","))
    }
}

fn read(query: &str, name: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    for run in parameter(query, name).iter().flat_map(|value| value.split(',')) {
        if !run.is_empty() && !runs.iter().any(|chosen| chosen == run) && runs.len() < MOST {
            runs.push(run.to_owned());
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_two_runs_are_read_from_an_address() {
        assert_eq!(read("tab=crowd&runs=a%2Cb", "runs"), ["a", "b"]);
        assert_eq!(read("runs=a,a,,b,c", "runs"), ["a", "b"]);
        assert_eq!(read("runs=", "runs"), [""; 0]);
    }
}
