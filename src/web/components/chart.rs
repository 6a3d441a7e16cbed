//! Line charts over time, as SVG, with a time axis and the values under the pointer. A table beside each has the same
//! figures.

use crate::components::format::NO_VALUE;
use leptos::{ev::PointerEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

/// One line of a chart.
#[derive(Clone)]
pub struct ChartLine {
    /// The class of the line and of the area below it, for its colour and dashes.
    pub class: &'static str,
    /// Its name beside the value under the pointer; empty if the chart has only this line.
    pub name: &'static str,
    /// Its values, one per point on the x axis. NaN stands for a missing value and leaves a gap.
    pub values: Memo<Vec<f64>>,
    /// The values to show under the pointer, if they differ from the drawn ones: a layer is drawn on top of those below
    /// it.
    pub at_pointer: Option<Memo<Vec<f64>>>,
}

impl ChartLine {
    /// Makes a line.
    pub fn new(class: &'static str, name: &'static str, values: Memo<Vec<f64>>) -> Self {
        Self { class, name, values, at_pointer: None }
    }

    /// Stacks layers, given from the bottom to the top. Returns them as lines in drawing order.
    pub fn stacked(layers: Vec<Self>) -> Vec<Self> {
        let mut below: Option<Memo<Vec<f64>>> = None;
        let lay = |layer: Self| {
            let under = below;
            let values = Memo::new(move |_| match under {
                Some(under) => under.with(|under| layer.values.with(|values| sum(under, values))),
                None => layer.values.get(),
            });
            below = Some(values);
            Self { values, at_pointer: Some(layer.values), ..layer }
        };
        let mut lines: Vec<Self> = layers.into_iter().map(lay).collect();
        lines.reverse();
        lines
    }
}

/// Returns the sums at each point. Points that only one of the two has keep their own values.
fn sum(under: &[f64], values: &[f64]) -> Vec<f64> {
    let value = |of: &[f64], place| of.get(place).copied().unwrap_or(0.0);
    (0..under.len().max(values.len())).map(|place| value(under, place) + value(values, place)).collect()
}

/// The coordinate system of the drawing; it is stretched to the size of its box.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;

/// Shows lines over the same instants. The axis reaches from zero to the next round number above their greatest value.
#[component]
pub fn LineChart(
    /// The positions of the values on the time axis.
    at: Memo<Vec<f64>>,
    /// The lines, each with one value per instant of `at`.
    lines: Vec<ChartLine>,
    /// Marked instants, each with the class of its line and its name.
    #[prop(into, optional)]
    marks: Signal<Vec<(f64, &'static str, String)>>,
    /// Formats a value of the vertical axis.
    label: fn(f64) -> String,
    /// Formats an instant of the time axis.
    time: fn(f64) -> String,
    /// The beginning of the axis; by default the first instant.
    #[prop(optional)]
    from: Option<f64>,
    /// Each value holds until the next one, or a gap.
    #[prop(optional)]
    stepped: bool,
    /// The zero of this axis, in epoch milliseconds.
    #[prop(into, optional)]
    origin: Signal<f64>,
    /// The instant under the reader's pointer, in epoch milliseconds; all charts of a page share it.
    pointer: RwSignal<Option<f64>>,
    /// The title of the chart, and the keys of its lines.
    children: Children,
) -> impl IntoView {
    // The two ends of the axis.
    let axis = Memo::new(move |_| at.with(|at| Some((from.or(at.first().copied())?, *at.last()?))));
    let instant = Memo::new(move |_| {
        let ((first, last), instant) = (axis.get()?, pointer.get()? - origin.get());
        (first..=last).contains(&instant).then_some(instant)
    });
    let share = move |instant: f64| axis.get().map_or(0.0, |(first, last)| (instant - first) / (last - first).max(1.0));
    let all = lines.clone();
    // The index of the point nearest to the pointer; with steps, of the point whose value holds there.
    let pointed = Memo::new(move |_| {
        let instant = instant.get()?;
        at.with(|at| {
            let place = if stepped {
                at.partition_point(|at| *at <= instant).saturating_sub(1)
            } else {
                at.partition_point(|at| *at < instant)
            };
            (!at.is_empty()).then(|| place.min(at.len() - 1))
        })
    });
    let cursor = move || {
        instant.get().map(|at| view! { <path class="cursor" d=format!("M{0:.1} 0V{HEIGHT}", share(at) * WIDTH) /> })
    };
    let marked = move || {
        let line = |(instant, class, _): &(f64, &'static str, String)| {
            let x = share(*instant).clamp(0.0, 1.0) * WIDTH;
            view! { <path class=*class d=format!("M{x:.1} 0V{HEIGHT}") /> }
        };
        marks.with(|marks| marks.iter().map(line).collect_view())
    };
    let mark_names = move || {
        let name = |(instant, _, name): &(f64, &'static str, String)| label_at(share(*instant), name.clone());
        marks.with(|marks| marks.iter().map(name).collect_view())
    };
    let on_move = move |event: PointerEvent| {
        let chart: Element = event.current_target().expect("a chart is pointed at").unchecked_into();
        let place = chart.get_bounding_client_rect();
        let share = ((f64::from(event.client_x()) - place.left()) / place.width()).clamp(0.0, 1.0);
        pointer.set(axis.get_untracked().map(|(first, last)| origin.get_untracked() + first + share * (last - first)));
    };
    let tick_labels = move || {
        let label = |tick: f64| label_at(share(tick), time(tick));
        axis.get().map(|(first, last)| ticks(first, last).into_iter().map(label).collect_view())
    };
    let top = Memo::new(move |_| {
        let greatest = |line: &ChartLine| line.values.with(|values| values.iter().copied().fold(0.0, f64::max));
        round_up(all.iter().map(greatest).fold(0.0, f64::max))
    });
    let draw = move |ChartLine { class, values, .. }| {
        let strokes = Memo::new(move |_| {
            let strokes = at.with(|at| values.with(|values| strokes(at, values, axis.get(), top.get())));
            if stepped { strokes.into_iter().map(steps).collect() } else { strokes }
        });
        view! {
            <path class=format!("area {class}") d=move || strokes.with(|strokes| area(strokes)) />
            <path class=format!("line {class}") d=move || strokes.with(|strokes| line(strokes)) />
        }
    };
    view! {
        <figcaption>
            {children()}
            // The readout stands beside the keys, as it would cover the lines it reads.
            <Readout at pointed lines=lines.clone() label time />
        </figcaption>
        <div class="chart" aria-hidden="true" on:pointermove=on_move on:pointerleave=move |_| pointer.set(None)>
            // Without points, the axis has no scale.
            <span class="scale">{move || at.with(|at| !at.is_empty()).then(|| label(top.get()))}</span>
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none">
                <path class="grid" d=format!("M0 0H{WIDTH}M0 {}H{WIDTH}M0 {HEIGHT}H{WIDTH}", HEIGHT / 2.0) />
                {lines.into_iter().map(draw).collect_view()} {marked} {cursor}
            </svg>
            <span class="mark-names">{mark_names}</span>
            <span class="time">{tick_labels}</span>
        </div>
    }
}

/// Shows the values at the point nearest to the pointer.
#[component]
fn Readout(
    /// The instants of the points.
    at: Memo<Vec<f64>>,
    /// The index of that point.
    pointed: Memo<Option<usize>>,
    /// The lines of the chart.
    lines: Vec<ChartLine>,
    /// Formats a value.
    label: fn(f64) -> String,
    /// Formats an instant.
    time: fn(f64) -> String,
) -> impl IntoView {
    let readout = move || {
        let place = pointed.get()?;
        let instant = at.with(|at| at.get(place).copied())?;
        let value = |ChartLine { name, values, at_pointer, .. }: &ChartLine| {
            let value = at_pointer.unwrap_or(*values).with(|values| values.get(place).copied())?;
            // A layer without height is left out.
            let text = if value.is_nan() { NO_VALUE.to_owned() } else { label(value) };
            (at_pointer.is_none() || value > 0.0).then(|| format!("{name} {text}"))
        };
        let values: Vec<String> = lines.iter().filter_map(value).collect();
        Some(format!("{}: {}", time(instant), values.join(", ").trim_start()))
    };
    view! {
        <span class="readout" aria-hidden="true">
            {readout}
        </span>
    }
}

/// Shows a small line of a figure's latest values, for a list: activity is visible at a glance. The figure itself
/// stands beside it.
#[component]
pub fn Sparkline(
    /// The values, at equal distances; a line needs at least two.
    values: Signal<Vec<f64>>,
    /// The value at the upper edge; the lower edge is zero.
    top: Signal<f64>,
) -> impl IntoView {
    let line = move || {
        values.with(|values| {
            let at: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
            let axis = at.first().copied().zip(at.last().copied());
            if at.len() > 1 { line(&strokes(&at, values, axis, top.get().max(1.0))) } else { String::new() }
        })
    };
    view! {
        <svg class="sparkline" viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
            <path class="line" d=line />
        </svg>
    }
}

/// Shows a text below or above the plot, at this share of its width.
fn label_at(share: f64, text: String) -> impl IntoView {
    let thousandths = (share.clamp(0.0, 1.0) * 1_000.0).round();
    // A text near an edge is aligned to stay within the plot.
    let class = if thousandths < 60.0 {
        "at start"
    } else if thousandths > 940.0 {
        "at end"
    } else {
        "at"
    };
    view! {
        <span class=class style=format!("--at:{thousandths}")>
            {text}
        </span>
    }
}

/// Returns two to five instants at round distances from the beginning of a millisecond axis, including the beginning.
fn ticks(first: f64, last: f64) -> Vec<f64> {
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
    // A time of day takes a seventh of a narrow chart. The first label stands beside its instant, the others are
    // centred on theirs.
    let step = STEPS.into_iter().find(|step| span / step < 4.5).unwrap_or(span);
    let mut ticks = vec![first];
    while step > 0.0 && ticks[ticks.len() - 1] + step <= last {
        ticks.push(ticks[ticks.len() - 1] + step);
    }
    ticks
}

/// Returns the points of a line between the ends of the axis, one stroke from gap to gap.
fn strokes(at: &[f64], values: &[f64], axis: Option<(f64, f64)>, top: f64) -> Vec<Vec<(f64, f64)>> {
    let Some((first, last)) = axis else { return Vec::new() };
    let span = (last - first).max(1.0);
    let points: Vec<(f64, f64)> =
        at.iter().zip(values).map(|(at, value)| ((at - first) / span * WIDTH, HEIGHT - value / top * HEIGHT)).collect();
    let pieces = points.split(|(_, y)| y.is_nan()).filter(|piece| !piece.is_empty());
    pieces.map(<[_]>::to_vec).collect()
}

/// Turns a stroke into steps that keep each height until the next point.
fn steps(stroke: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let corners = stroke.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    corners.chain(stroke.last().copied()).collect()
}

/// Returns a path along the strokes.
fn line(strokes: &[Vec<(f64, f64)>]) -> String {
    let draw = |stroke: &Vec<(f64, f64)>| {
        let points: Vec<String> = stroke.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        format!("M{}", points.join("L"))
    };
    strokes.iter().map(draw).collect()
}

/// Returns a path around the area below the strokes.
fn area(strokes: &[Vec<(f64, f64)>]) -> String {
    let enclose = |stroke: &Vec<(f64, f64)>| {
        let (from, to) = (stroke[0].0, stroke[stroke.len() - 1].0);
        format!("{}L{to:.1} {HEIGHT}L{from:.1} {HEIGHT}Z", line(std::slice::from_ref(stroke)))
    };
    strokes.iter().map(enclose).collect()
}

/// Returns the next whole number that is 1, 1.5, 2, 3, 4, 6, 8 or 10 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1.0).log10().floor());
    let rounds = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * power);
    rounds.into_iter().find(|round| *round >= value && round.fract() == 0.0).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number() {
        let values = [0.0, 1.0, 1.2, 3.0, 118.0, 350.0, 8_001.0];
        assert_eq!(values.map(round_up), [1.0, 1.0, 2.0, 3.0, 150.0, 400.0, 10_000.0]);
    }

    #[test]
    fn ticks_are_round_and_begin_with_the_axis() {
        assert_eq!(ticks(0.0, 15_300.0), [0.0, 5_000.0, 10_000.0, 15_000.0]);
        assert_eq!(ticks(0.0, 140.0), [0.0, 50.0, 100.0]);
        assert_eq!(ticks(0.0, 48_000.0), [0.0, 15_000.0, 30_000.0, 45_000.0]);
        assert_eq!(ticks(0.0, 0.0), [0.0]);
        for span in 3..100_000 {
            let ticks = ticks(0.0, f64::from(span));
            assert!((2..=5).contains(&ticks.len()), "{span}: {ticks:?}");
            assert!(ticks[1] / f64::from(span) > 1.5 / 7.0, "{span}: the first two would overlap");
        }
    }

    #[test]
    fn a_path_goes_from_edge_to_edge() {
        let path = |at: &[f64], values: &[f64], top| line(&strokes(at, values, Some((5.0, 7.0)), top));
        assert_eq!(path(&[5.0, 6.0, 7.0], &[0.0, 10.0, 5.0], 10.0), "M0.0 200.0L500.0 0.0L1000.0 100.0");
        assert_eq!(path(&[], &[], 1.0), "");
    }

    #[test]
    fn a_height_is_kept_until_the_next_point() {
        let stroke = vec![(0.0, 9.0), (2.0, 5.0), (3.0, 7.0)];
        assert_eq!(steps(stroke), [(0.0, 9.0), (2.0, 9.0), (2.0, 5.0), (3.0, 5.0), (3.0, 7.0)]);
        assert_eq!((steps(vec![(1.0, 2.0)]), steps(Vec::new())), (vec![(1.0, 2.0)], Vec::new()));
    }

    #[test]
    fn a_path_has_a_gap_where_there_is_no_value() {
        let strokes = strokes(&[0.0, 1.0, 2.0, 4.0], &[10.0, f64::NAN, 5.0, 10.0], Some((0.0, 4.0)), 10.0);
        assert_eq!(line(&strokes), "M0.0 0.0M500.0 100.0L1000.0 0.0");
        assert_eq!(area(&strokes), "M0.0 0.0L0.0 200L0.0 200ZM500.0 100.0L1000.0 0.0L1000.0 200L500.0 200Z");
    }
}
