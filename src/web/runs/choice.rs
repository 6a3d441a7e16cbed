//! The two runs that are compared. They stand in the address, so a link shows the same: `?<parameter>=<run>,<run>`.

use crate::components::use_page_search;
use leptos::prelude::*;
use model::url::parameter;

/// So many are side by side.
const MOST: usize = 2;

/// The runs that are chosen, in that order, at most two.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Their ids.
    pub runs: Memo<Vec<String>>,
}

/// The choice that this parameter of the page's address has.
pub fn use_choice(name: &'static str) -> Choice {
    let search = use_page_search();
    Choice { runs: Memo::new(move |_| search.with(|search| read(search, name))) }
}

impl Choice {
    /// Whether a run is chosen.
    pub fn has(self, run: &str) -> bool {
        self.runs.with(|runs| runs.iter().any(|chosen| chosen == run))
    }

    /// The value of the parameter with this run chosen, or no longer. Of three, the one that was chosen first is left out.
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
