//! The answers over time in two runs, laid over each other.

use crate::runs::{
    curves::{Curve, LINE_CLASSES, Overlay},
    words::words,
};
use leptos::prelude::*;
use model::crowd::{Point, runs::RunReport};

/// Shows the answers of two runs over time, the earlier run first. A run that was lost at once has none; if neither has
/// any, there is nothing to show.
pub fn overlay(runs: [&RunReport; 2]) -> AnyView {
    if runs.iter().all(|run| run.history.is_empty()) {
        return ().into_any();
    }
    let names = [words().first, words().second];
    let curve = |((run, name), class): ((&RunReport, &str), &str)| Curve {
        name: name.to_owned(),
        class: class.to_owned(),
        points: points(&run.history),
    };
    let curves: Vec<Curve> = runs.into_iter().zip(names).zip(LINE_CLASSES).map(curve).collect();
    // Both lines have the one colour.
    view! {
        <div class="curves curve-1">
            <Overlay curves />
        </div>
    }
    .into_any()
}

/// Returns the attempts answered by each point of a run, from nothing at its start. Those without an answer, which a
/// point counts last, are not among them.
fn points(history: &[Point]) -> Vec<(f64, f64)> {
    let answered = history.iter().scan(0_u64, |total, Point { at_ms, answers, .. }| {
        *total += answers.split_last().map_or(0, |(_, answers)| answers.iter().sum::<u64>());
        Some((*at_ms as f64, *total as f64))
    });
    [(0.0, 0.0)].into_iter().chain(answered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_add_up_without_the_attempts_that_got_none() {
        let point = |at_ms, answers: [u64; 3]| Point { at_ms, answers: answers.to_vec(), ..Point::default() };
        let history = [point(100, [30, 10, 0]), point(200, [0, 0, 25]), point(250, [5, 1, 2])];
        assert_eq!(points(&history), [(0.0, 0.0), (100.0, 40.0), (200.0, 40.0), (250.0, 46.0)]);
        assert_eq!(points(&[]), [(0.0, 0.0)], "a run that was lost at once");
    }
}
