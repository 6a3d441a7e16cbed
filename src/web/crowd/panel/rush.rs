//! The rush at a glance: how many users have arrived, how many got something and how many did not, and the newest of both.

use crate::{
    components::{format::count, use_while_shown},
    crowd::{panel::CrowdControl, words::words},
};
use leptos::prelude::*;
use leptos_use_signal_debounce_throttle::signal_throttled;
use model::{
    DeclinedAttempt,
    crowd::{Counts, Status},
};

/// The shortest time between two changes of the names, in milliseconds: somebody should be able to read one.
const NAMES_MS: f64 = 700.0;
/// The number of newest users, of those who got something and of the others.
const NAMES: usize = 4;

/// The newest users at a sale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Newest {
    /// Those who got something, newest first; none where the live view does not name them.
    won: Vec<String>,
    /// Those who got nothing, newest first, and why.
    refused: Vec<(String, &'static str)>,
}

impl Newest {
    /// Takes the first of these users. A `repeat` lost nothing; `reason` words why another attempt got nothing.
    pub fn new<'a, O: Copy + PartialEq + 'a>(
        won: impl IntoIterator<Item = &'a String>,
        declined: &[DeclinedAttempt<O>],
        repeat: O,
        reason: impl Fn(O) -> &'static str,
    ) -> Self {
        let refused = declined.iter().filter(|attempt| attempt.outcome != repeat);
        let refused = refused.map(|attempt| (attempt.user.clone(), reason(attempt.outcome)));
        Self { won: won.into_iter().take(NAMES).cloned().collect(), refused: refused.take(NAMES).collect() }
    }
}

/// The figures of a crowd in a rush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RushFigures {
    users: u64,
    arrived: u64,
    won: u64,
    refused: u64,
}

impl RushFigures {
    /// Reads them from a status. `win` and `refusals` are the names of answers in the counts.
    fn new(status: &Status, win: &str, refusals: &[&str]) -> Self {
        Self {
            users: status.config.users.into(),
            arrived: status.arrived().into(),
            won: status.outcomes.get(win),
            refused: sum_of(&status.outcomes, refusals),
        }
    }
}

/// Returns the number of answers of these names.
fn sum_of(outcomes: &Counts, names: &[&str]) -> u64 {
    names.iter().map(|name| outcomes.get(name)).sum()
}

/// Shows who gets something in the rush of the crowd, and who does not.
#[component]
pub fn Rush(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    let (win, refusals) = (crowd.form.win(), (crowd.form.refusals)());
    let figures = use_while_shown(move || crowd.read(|status| RushFigures::new(status, win, &refusals)));
    let throttled: Signal<Newest> = signal_throttled(crowd.newest, NAMES_MS);
    let newest = use_while_shown(move || throttled.get());
    let figure = move |read: fn(RushFigures) -> u64| move || count(read(figures.get()));
    let part = move |read: fn(RushFigures) -> u64| move || format!("flex-grow:{}", read(figures.get()));
    let won = move || {
        newest.with(|newest| newest.won.iter().map(|user| view! { <span>{user.clone()}</span> }).collect_view())
    };
    let refused = move || {
        let name = |(user, reason): &(String, &'static str)| {
            view! {
                <span>
                    <span translate="no">{user.clone()}</span>
                    " "
                    <small>{*reason}</small>
                </span>
            }
        };
        newest.with(|newest| newest.refused.iter().map(name).collect_view())
    };
    view! {
        <div class="rush" role="group" aria-label=words.rush>
            <p class="counts">
                <span>{words.arrived} " " <b>{figure(|rush| rush.arrived)}</b> " / " {figure(|rush| rush.users)}</span>
                <span class="won">{words.wins} " " <b>{figure(|rush| rush.won)}</b></span>
                <span class="refused">{words.refusals} " " <b>{figure(|rush| rush.refused)}</b></span>
            </p>
            <div class="split" aria-hidden="true">
                <i class="won" style=part(|rush| rush.won)></i>
                <i class="refused" style=part(|rush| rush.refused)></i>
            </div>
            <p class="names won" translate="no">{won}</p>
            <p class="names refused">{refused}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_has_lost_nothing() {
        let attempt =
            |user: &str, outcome| DeclinedAttempt { id: user.to_owned(), user: user.to_owned(), outcome, at: 0 };
        let declined = [attempt("u1", "repeat"), attempt("u2", "late"), attempt("u3", "late")];
        let won: Vec<String> = (10..20).map(|nth| format!("u{nth}")).collect();
        let newest = Newest::new(&won, &declined, "repeat", |_| "Too late");
        assert_eq!(newest.won, ["u10", "u11", "u12", "u13"]);
        assert_eq!(newest.refused, [("u2".to_owned(), "Too late"), ("u3".to_owned(), "Too late")]);
    }

    #[test]
    fn answers_are_added_up_by_their_names() {
        let outcomes = Counts([("won".to_owned(), 3), ("late".to_owned(), 4), ("closed".to_owned(), 5)].into());
        assert_eq!(sum_of(&outcomes, &["late", "closed", "unheard_of"]), 9);
    }
}
