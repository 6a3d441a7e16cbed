//! The axes of charts: three round values beside the drawing, and instants or amounts below it.

use crate::{components::format::count, i18n::words};
use leptos::prelude::*;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;

/// The unit of an axis, and of what is read on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of what the title of the chart names.
    Count,
    /// A number in this many milliseconds.
    Per(u64),
    /// A duration, in microseconds.
    Micros,
}

impl Unit {
    /// Formats a value on an axis that ends at `top`: `20`, `20/s`, `0.13 s`. All values on an axis have one unit.
    pub fn text(self, value: f64, top: f64) -> String {
        let unit = match self {
            Self::Count => String::new(),
            Self::Per(ms) => per(ms),
            Self::Micros => {
                let (unit, us) = match top {
                    ..1e3 => ("µs", 1.0),
                    1e3..1e6 => ("ms", 1e3),
                    _ => ("s", 1e6),
                };
                return format!("{} {unit}", number(value / us));
            }
        };
        format!("{}{unit}", count(value.round() as u64))
    }
}

/// Returns what stands behind a number in this many milliseconds: `/s`, `/min`, `/10 ms`
pub fn per(ms: u64) -> String {
    match ms {
        SECOND => "/s".to_owned(),
        MINUTE => words().per_minute.to_owned(),
        _ => format!("/{ms} ms"),
    }
}

/// Formats a number with up to three digits, or more before the decimal point: `0.25`, `1.58`, `200`, `10,000`
pub fn number(value: f64) -> String {
    let digits = match value {
        ..1.0 => 3,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => return count(value.round() as u64),
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the end of an axis that begins at 0 and has a round value in its middle.
pub fn axis_end(greatest: f64) -> f64 {
    2.0 * round_up(greatest / 2.0)
}

/// Returns the next number that is 1, 2 or 5 times a power of ten, and at least 1.
pub fn round_up(value: f64) -> f64 {
    let power = 10_f64.powi(value.max(1.0).log10().floor() as i32);
    let rounds = [1.0, 2.0, 5.0].map(|step| step * power);
    rounds.into_iter().find(|round| *round >= value).unwrap_or(10.0 * power)
}

/// Returns at most four instants of a millisecond axis, at round distances and at round times.
pub fn instants(first: f64, last: f64) -> Vec<f64> {
    const SECOND: f64 = 1_000.0;
    const MINUTE: f64 = 60.0 * SECOND;
    const HOUR: f64 = 60.0 * MINUTE;
    const STEPS: [f64; 25] = [
        1.0,
        2.0,
        5.0,
        10.0,
        20.0,
        50.0,
        100.0,
        200.0,
        500.0,
        SECOND,
        2.0 * SECOND,
        5.0 * SECOND,
        10.0 * SECOND,
        15.0 * SECOND,
        30.0 * SECOND,
        MINUTE,
        2.0 * MINUTE,
        5.0 * MINUTE,
        10.0 * MINUTE,
        15.0 * MINUTE,
        30.0 * MINUTE,
        HOUR,
        2.0 * HOUR,
        6.0 * HOUR,
        24.0 * HOUR,
    ];
    let span = last - first;
    // A time of day takes a fifth of a narrow chart. A label at an edge stands beside its instant, the others are
    // centred on theirs.
    let step = STEPS.into_iter().find(|step| span / step < 3.5).unwrap_or(span);
    multiples(step, first, last)
}

/// Returns the multiples of a step from `first` to `last`.
pub fn multiples(step: f64, first: f64, last: f64) -> Vec<f64> {
    let (from, to) = ((first / step).ceil() as i64, (last / step).floor() as i64);
    (from..=to).map(|nth| nth as f64 * step).collect()
}

/// A text at a share of the width of a drawing.
pub type Label = (f64, String);

/// Shows a drawing between its axes. The drawing is stretched to the size of its box.
#[component]
pub fn Axes(
    /// The value at the upper edge; the lower edge is 0. `None` if there is nothing to measure yet.
    #[prop(into)]
    top: Signal<Option<f64>>,
    /// The unit of the values.
    #[prop(into)]
    unit: Signal<Unit>,
    /// The labels below the drawing.
    #[prop(into)]
    below: Signal<Vec<Label>>,
    /// The names of what is marked, above the drawing; `None` takes no room for them.
    above: Option<Signal<Vec<Label>>>,
    /// The drawing.
    children: Children,
) -> impl IntoView {
    let text = move |value: f64, top: f64| if value > 0.0 { unit.get().text(value, top) } else { "0".to_owned() };
    let values = move || {
        let label = |top: f64| [top, top / 2.0, 0.0].map(|value| view! { <span>{text(value, top)}</span> });
        top.get().map(|top| label(top).collect_view())
    };
    view! {
        <div class="chart" aria-hidden="true">
            {above.map(|names| view! { <div class="mark-names">{move || names.with(|names| labels(names))}</div> })}
            <div class="values">{values}</div>
            <div class="drawing">{children()}</div>
            <div class="time">{move || below.with(|below| labels(below))}</div>
        </div>
    }
}

/// Shows texts in a line, each at its share of the width.
pub fn labels(labels: &[Label]) -> impl IntoView + use<> {
    let label = |(share, text): &Label| {
        let thousandths = (share.clamp(0.0, 1.0) * 1_000.0).round();
        view! {
            <span class="at" style=format!("--at:{thousandths}")>
                {text.clone()}
            </span>
        }
    };
    labels.iter().map(label).collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_an_axis_and_its_middle_are_round() {
        let ends = [0.0, 1.0, 2.0, 3.0, 4.1, 10.0, 118.0, 4_640.0, 40_000.0, 40_001.0].map(axis_end);
        assert_eq!(ends, [2.0, 2.0, 2.0, 4.0, 10.0, 10.0, 200.0, 10_000.0, 40_000.0, 100_000.0]);
    }

    #[test]
    fn an_axis_has_one_unit() {
        let micros = |top: f64| [0.4, 130_100.0, 500_000.0, 1_584_000.0].map(|value| Unit::Micros.text(value, top));
        assert_eq!(micros(2_000_000.0), ["0 s", "0.13 s", "0.5 s", "1.58 s"]);
        assert_eq!(Unit::Micros.text(200_000.0, 400_000.0), "200 ms");
        assert_eq!(Unit::Micros.text(850.0, 1_000.0), "0.85 ms");
        assert_eq!(Unit::Micros.text(850.0, 999.0), "850 µs");
        let twenty_thousand = [Unit::Count, Unit::Per(1_000), Unit::Per(60_000), Unit::Per(10)];
        let texts = twenty_thousand.map(|unit| unit.text(20_000.0, 40_000.0));
        assert_eq!(texts, ["20,000", "20,000/s", "20,000/min", "20,000/10 ms"]);
    }

    #[test]
    fn instants_are_round_and_a_run_begins_with_one() {
        assert_eq!(instants(0.0, 15_300.0), [0.0, 5_000.0, 10_000.0, 15_000.0]);
        assert_eq!(instants(0.0, 140.0), [0.0, 50.0, 100.0]);
        assert_eq!(instants(0.0, 48_000.0), [0.0, 15_000.0, 30_000.0, 45_000.0]);
        assert_eq!(instants(0.0, 0.0), [0.0]);
        for span in 3..100_000 {
            let ticks = instants(0.0, f64::from(span));
            assert!((2..=4).contains(&ticks.len()), "{span}: {ticks:?}");
            assert!(ticks[1] / f64::from(span) > 1.5 / 5.3, "{span}: the first two would overlap");
        }
    }

    #[test]
    fn a_minute_has_its_halves_whenever_it_begins() {
        assert_eq!(instants(61_300.0, 121_300.0), [90_000.0, 120_000.0]);
        assert_eq!(instants(60_000.0, 120_000.0), [60_000.0, 90_000.0, 120_000.0]);
        assert_eq!(multiples(20.0, 0.0, 55.0), [0.0, 20.0, 40.0]);
    }
}
