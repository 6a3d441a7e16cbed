//! The answers over time in two runs, laid over each other: a colour for each strategy, a solid line for the earlier
//! run, a dashed one for the later.

use crate::{
    components::{
        ChartLine, ChartTable, Field, LineChart,
        axis::Unit,
        format::{NO_VALUE, count, seconds},
        use_hydrated,
    },
    i18n,
    lab::words::{strategy_name, words},
    runs,
};
use leptos::prelude::*;
use model::lab::run::{Course, Run};

/// The number of rows of the table below the chart.
const ROWS: u32 = 10;
/// The number of colours in the style sheet. Strategies beyond it have those of the first ones.
const COLOURS: usize = 18;
/// The id of the choice of a strategy.
const CHOICE: &str = "curves-of";

/// The attempts answered by one strategy in one run.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    /// The id of the strategy.
    strategy: String,
    /// 0 for the earlier run, 1 for the later.
    run: usize,
    /// The milliseconds after the start of the strategy, and the attempts answered by then.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// The number of attempts answered after this time; `None` before the first figure is known.
    fn at(&self, ms: f64) -> Option<f64> {
        let place = self.points.partition_point(|(at, _)| *at <= ms).checked_sub(1)?;
        self.points.get(place).map(|(_, answered)| *answered)
    }

    /// The end of the curve, in milliseconds.
    fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |(at, _)| *at)
    }

    /// The values at these instants; none once the strategy was done.
    fn over(&self, at: &[f64]) -> Vec<f64> {
        let value = |ms: &f64| if *ms <= self.end() { self.at(*ms).unwrap_or(f64::NAN) } else { f64::NAN };
        at.iter().map(value).collect()
    }
}

/// Returns the curves of a run: from nothing, through the samples, to the last answer of a strategy that was done. One
/// that was done before the first sample has only these two ends. A ramp has no curves: a strategy has figures for each
/// stop, and a course for the last one at most.
fn curves(run: &Run, nth: usize) -> Vec<Curve> {
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
        Curve { strategy: course.name.clone(), run: nth, points }
    };
    run.courses.iter().map(of).collect()
}

/// Returns every instant of these curves, once, in order.
fn instants(curves: &[Curve]) -> Vec<f64> {
    let mut all: Vec<f64> = curves.iter().flat_map(|curve| curve.points.iter().map(|(at, _)| *at)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Shows the curves of two runs, of all strategies or of one that the reader chooses.
#[component]
pub fn Curves(
    /// The earlier run.
    first: Run,
    /// The later run.
    second: Run,
) -> impl IntoView {
    let (words, hydrated) = (words(), use_hydrated());
    let all: Vec<Curve> = [(&first, 0), (&second, 1)].into_iter().flat_map(|(run, nth)| curves(run, nth)).collect();
    let mut strategies: Vec<String> = Vec::new();
    for Curve { strategy, .. } in &all {
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
        let shown: Vec<(Curve, usize)> = shown.map(|curve| (curve.clone(), colour(&curve.strategy))).collect();
        view! { <Overlay shown keys=keys.into_any() /> }
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

/// A row of the table: a time, and the attempts that each curve has answered by then.
type Row = (String, Vec<String>);

/// Shows these curves in a chart, and as a table.
#[component]
fn Overlay(
    /// The curves, each with the number of its colour.
    shown: Vec<(Curve, usize)>,
    /// The names of the strategies in their colours.
    keys: AnyView,
) -> impl IntoView {
    let (words, of_runs) = (words(), runs::words::words());
    let runs = [of_runs.first, of_runs.second];
    let curves: Vec<Curve> = shown.iter().map(|(curve, _)| curve.clone()).collect();
    let instants = instants(&curves);
    let end = instants.last().copied().unwrap_or_default();
    let name = move |curve: &Curve| (words.in_run)(&strategy_name(&curve.strategy), runs[curve.run]);
    let line = |(curve, colour): &(Curve, usize)| {
        let values = curve.over(&instants);
        let values = Memo::new(move |_| values.clone());
        // Whoever was done, or has not begun, is not read out.
        let at_pointer = Some(values);
        let class = format!("curve-{colour} {}", ["first", "second"][curve.run]);
        ChartLine { at_pointer, ..ChartLine::new(class, name(curve), values) }
    };
    let lines: Vec<ChartLine> = shown.iter().map(line).collect();
    let names: Vec<String> = curves.iter().map(name).collect();
    let rows: Vec<Row> = (1..=ROWS)
        .map(|nth| {
            let ms = end * f64::from(nth) / f64::from(ROWS);
            let answered =
                |curve: &Curve| curve.at(ms).map_or_else(|| NO_VALUE.to_owned(), |answered| count(answered as u64));
            (seconds(ms), curves.iter().map(answered).collect())
        })
        .collect();
    let head = move || {
        let name = |name: &String| view! { <th scope="col" class="figure">{name.clone()}</th> };
        view! {
            <th scope="col">{i18n::words().time}</th>
            {names.iter().map(name).collect_view()}
        }
    };
    let row = |(at, answered): Row| {
        let cell = |answered: String| view! { <td class="figure">{answered}</td> };
        view! {
            <tr>
                <th scope="row">{at}</th>
                {answered.into_iter().map(cell).collect_view()}
            </tr>
        }
    };
    view! {
        <figure>
            <LineChart
                at=Memo::new(move |_| instants.clone())
                lines
                unit=Unit::Count
                time=seconds
                pointer=RwSignal::new(None)
            >
                <span>{words.curves}</span>
                <span class="key first">{runs[0]}</span>
                <span class="key second">{runs[1]}</span>
                {keys}
            </LineChart>
        </figure>
        <ChartTable head rows=move || rows.clone() key=Row::clone row />
    }
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
        assert_eq!([50.0, 100.0, 240.0, 9_000.0].map(|ms| all[0].at(ms)), [0.0, 40.0, 90.0, 120.0].map(Some));
        let stopped = curves(&run(Vec::new(), vec![course]), 0);
        assert_eq!(stopped[0].end(), 200.0, "what was not done has no end of its own");
        assert!(stopped[0].over(&[200.0, 250.0])[1].is_nan());
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
        assert_eq!(instants(&[curve[0].clone(), curve[0].clone()]), [0.0, 30.0]);
    }
}
