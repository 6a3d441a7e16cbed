//! The answers over time in two runs, laid over each other: a colour for each strategy, a solid line for the earlier
//! run, a dashed one for the later.

use crate::{
    components::{Field, use_hydrated},
    lab::words::{strategy_name, words},
    runs::{
        curves::{Curve, LINE_CLASSES, Overlay},
        words::words as words_of_runs,
    },
};
use leptos::prelude::*;
use model::lab::run::{Course, Run};

/// The number of colours in the style sheet. Strategies beyond it have those of the first ones.
const COLOURS: usize = 18;
/// The id of the choice of a strategy.
const CHOICE: &str = "curves-of";

/// The attempts answered by one strategy in one run.
#[derive(Clone, Debug, PartialEq)]
struct StrategyCurve {
    /// The id of the strategy.
    strategy: String,
    /// 0 for the earlier run, 1 for the later.
    run: usize,
    /// The milliseconds after the start of the strategy, and the attempts answered by then.
    points: Vec<(f64, f64)>,
}

/// Returns the curves of a run: from nothing, through the samples, to the last answer of a strategy that was done. One
/// that was done before the first sample has only these two ends. A ramp has no curves: a strategy has figures for each
/// stop, and a course for the last one at most.
fn curves(run: &Run, nth: usize) -> Vec<StrategyCurve> {
    if run.settings.ramp {
        return Vec::new();
    }
    let of = |course: &Course| {
        let samples = (1_u64..).zip(&course.answered);
        let samples = samples.map(|(nth, answered)| ((nth * course.every_ms) as f64, *answered as f64));
        let mut points: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(samples).collect();
        if let Some(figures) = run.strategies.iter().find(|figures| figures.name == course.name) {
            let took = figures.attempts as f64 * 1_000.0 / figures.per_s.max(1) as f64;
            let last = points.last().map_or(0.0, |(at, _)| *at);
            points.push((took.max(last), figures.attempts as f64));
        }
        StrategyCurve { strategy: course.name.clone(), run: nth, points }
    };
    run.courses.iter().map(of).collect()
}

/// Shows the curves of two runs, of all strategies or of one that the reader chooses.
#[component]
pub fn Curves(
    /// The earlier run.
    first: Run,
    /// The later run.
    second: Run,
) -> impl IntoView {
    let (words, of_runs, hydrated) = (words(), words_of_runs(), use_hydrated());
    let runs = [of_runs.first, of_runs.second];
    let all: Vec<StrategyCurve> =
        [(&first, 0), (&second, 1)].into_iter().flat_map(|(run, nth)| curves(run, nth)).collect();
    let mut strategies: Vec<String> = Vec::new();
    for StrategyCurve { strategy, .. } in &all {
        if !strategies.contains(strategy) {
            strategies.push(strategy.clone());
        }
    }
    if strategies.is_empty() {
        return ().into_any();
    }
    let chosen = RwSignal::new(String::new());
    let option = |id: &String| view! { <option value=id.clone()>{strategy_name(id)}</option> };
    let options = strategies.iter().map(option).collect_view();
    let shown = move || {
        let chosen = chosen.get();
        let is_shown = |id: &String| chosen.is_empty() || *id == chosen;
        let shown = all.iter().filter(|curve| is_shown(&curve.strategy));
        let colour = |id: &String| strategies.iter().position(|known| known == id).unwrap_or_default() % COLOURS;
        let key = |id: &String| {
            view! { <span class=format!("key curve-{}", colour(id))>{strategy_name(id)}</span> }
        };
        let keys = strategies.iter().filter(|id| is_shown(id)).map(key).collect_view();
        let curve = |StrategyCurve { strategy, run, points }: &StrategyCurve| Curve {
            name: (words.in_run)(&strategy_name(strategy), runs[*run]),
            class: format!("curve-{} {}", colour(strategy), LINE_CLASSES[*run]),
            points: points.clone(),
        };
        let curves: Vec<Curve> = shown.map(curve).collect();
        view! { <Overlay curves keys=keys.into_any() /> }
    };
    view! {
        <div class="curves">
            <Field id=CHOICE label=words.curves_of>
                <select
                    id=CHOICE
                    disabled=move || !hydrated.get()
                    on:change=move |event| chosen.set(event_target_value(&event))
                >
                    <option value="">{words.all_strategies}</option>
                    {options}
                </select>
            </Field>
            {shown}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{figures, run};
    use model::lab::Figures;

    #[test]
    fn a_curve_ends_with_the_last_answer() {
        let course = Course { name: "script".to_owned(), every_ms: 100, answered: vec![40, 90] };
        let done = Figures { attempts: 120, per_s: 480, ..figures("script") };
        let all = curves(&run(vec![done], vec![course.clone()]), 1);
        assert_eq!(all[0].points, [(0.0, 0.0), (100.0, 40.0), (200.0, 90.0), (250.0, 120.0)]);
        let stopped = curves(&run(Vec::new(), vec![course]), 0);
        assert_eq!(stopped[0].points[1..], [(100.0, 40.0), (200.0, 90.0)], "what was not done has no end of its own");
    }

    #[test]
    fn a_ramp_has_no_curves() {
        let course = Course { name: "script".to_owned(), every_ms: 100, answered: vec![40] };
        let mut ramp = run(vec![figures("script")], vec![course]);
        ramp.settings.ramp = true;
        assert!(curves(&ramp, 0).is_empty());
    }

    #[test]
    fn what_was_over_before_the_first_sample_has_a_curve_too() {
        let course = Course { name: "script".to_owned(), every_ms: 100, answered: Vec::new() };
        let quick = Figures { attempts: 120, per_s: 4_000, ..figures("script") };
        let curve = curves(&run(vec![quick], vec![course]), 0);
        assert_eq!(curve[0].points, [(0.0, 0.0), (30.0, 120.0)]);
    }
}
