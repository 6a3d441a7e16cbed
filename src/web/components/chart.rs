//! Line charts over time, as SVG, with the values under the pointer. A table beside each has the same figures.

use crate::components::{
    axis::{Axes, Unit, axis_end, instants},
    format::NO_VALUE,
};
use leptos::{ev::PointerEvent, prelude::*};
use std::borrow::Cow;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// One line of a chart.
#[derive(Clone)]
pub struct ChartLine {
    /// The class of the line and of the area below it, for its colour and dashes.
    pub class: Cow<'static, str>,
    /// Its name beside the value under the pointer; empty if the chart has only this line.
    pub name: Cow<'static, str>,
    /// Its values, one per point on the x axis. NaN stands for a missing value and leaves a gap.
    pub values: Memo<Vec<f64>>,
    /// The values to show under the pointer, if they differ from the drawn ones: a layer is drawn on top of those below
    /// it.
    pub at_pointer: Option<Memo<Vec<f64>>>,
}

impl ChartLine {
    /// Makes a line.
    pub fn new(
        class: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        values: Memo<Vec<f64>>,
    ) -> Self {
        Self { class: class.into(), name: name.into(), values, at_pointer: None }
    }

    /// Stacks layers, given from the bottom to the top. Returns them as lines in the same order.
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
        layers.into_iter().map(lay).collect()
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

/// A marked instant, with the class of its line and its name.
pub type ChartMark = (f64, &'static str, String);

/// Shows lines over the same instants, the first one on top. Each value holds until the next one, or a gap.
#[component]
pub fn LineChart(
    /// The positions of the values on the time axis.
    at: Memo<Vec<f64>>,
    /// The lines, each with one value per instant of `at`, in the order of their keys.
    lines: Vec<ChartLine>,
    /// What is marked, if this chart has marks.
    #[prop(into, optional)]
    marks: Option<Signal<Vec<ChartMark>>>,
    /// The unit of the values.
    #[prop(into)]
    unit: Signal<Unit>,
    /// Formats an instant of the time axis.
    time: fn(f64) -> String,
    /// The length of the time axis, which ends with the last instant; by default, it begins with the first one.
    #[prop(into, optional)]
    length: Option<Signal<f64>>,
    /// The zero of this axis, in epoch milliseconds.
    #[prop(into, optional)]
    origin: Signal<f64>,
    /// The instant under the reader's pointer, in epoch milliseconds; all charts of a page share it.
    pointer: RwSignal<Option<f64>>,
    /// The instant that is shown while the reader points at none, in epoch milliseconds.
    #[prop(into, optional)]
    clock: Signal<Option<f64>>,
    /// The title of the chart, and the keys of its lines.
    children: Children,
) -> impl IntoView {
    // The two ends of the time axis.
    let axis = Memo::new(move |_| {
        let (first, last) = at.with(|at| at.first().copied().zip(at.last().copied()))?;
        Some((length.map_or(first, |length| last - length.get()), last))
    });
    let share = move |instant: f64| axis.get().map_or(0.0, |(first, last)| (instant - first) / (last - first).max(1.0));
    let instant = Signal::derive(move || pointer.get().or(clock.get()));
    // The index of the point whose value holds at that instant.
    let pointed = Memo::new(move |_| {
        let ((first, last), instant) = (axis.get()?, instant.get()? - origin.get());
        let place = || at.with(|at| at.partition_point(|at| *at <= instant).checked_sub(1));
        (first..=last).contains(&instant).then(place).flatten()
    });
    // It is drawn where that value begins, over the time for which it holds.
    let cursor = move || {
        let place = pointed.get()?;
        let (from, to) = at.with(|at| Some((*at.get(place)?, *at.get(place + 1).or(at.last())?)))?;
        let (from, to) = (share(from) * WIDTH, share(to) * WIDTH);
        Some(view! {
            <path class="held" d=format!("M{from:.1} 0H{to:.1}V{HEIGHT}H{from:.1}Z") />
            <path class="cursor" d=format!("M{from:.1} 0V{HEIGHT}") />
        })
    };
    let marked = move || {
        let line = |(instant, class, _): &ChartMark| {
            let x = share(*instant).clamp(0.0, 1.0) * WIDTH;
            view! { <path class=*class d=format!("M{x:.1} 0V{HEIGHT}") /> }
        };
        marks.map(|marks| marks.with(|marks| marks.iter().map(line).collect_view()))
    };
    let names = marks.map(|marks| {
        let name = move |(instant, _, name): &ChartMark| (share(*instant), name.clone());
        Signal::derive(move || marks.with(|marks| marks.iter().map(name).collect()))
    });
    let on_move = move |event: PointerEvent| {
        let chart: Element = event.current_target().expect("a chart is pointed at").unchecked_into();
        let place = chart.get_bounding_client_rect();
        let share = ((f64::from(event.client_x()) - place.left()) / place.width()).clamp(0.0, 1.0);
        pointer.set(axis.get_untracked().map(|(first, last)| origin.get_untracked() + first + share * (last - first)));
    };
    let below = move || {
        let label = |tick: f64| (share(tick), time(tick));
        axis.get().map_or_else(Vec::new, |(first, last)| instants(first, last).into_iter().map(label).collect())
    };
    let all = lines.clone();
    let scale = Memo::new(move |before: Option<&Scale>| {
        let greatest = |line: &ChartLine| line.values.with(|values| values.iter().copied().fold(0.0, f64::max));
        let end = axis_end(all.iter().map(greatest).fold(0.0, f64::max));
        Scale { origin: origin.get(), unit: unit.get(), end }.after(before)
    });
    let top = Memo::new(move |_| scale.with(|scale| scale.end));
    let draw = move |ChartLine { class, values, .. }| {
        let strokes = Memo::new(move |_| {
            let strokes = at.with(|at| values.with(|values| strokes(at, values, axis.get(), top.get())));
            strokes.into_iter().map(steps).collect::<Vec<_>>()
        });
        view! {
            <path class=format!("area {class}") d=move || strokes.with(|strokes| area(strokes)) />
            <path class=format!("line {class}") d=move || strokes.with(|strokes| line(strokes)) />
        }
    };
    let drawn = lines.iter().rev().cloned().map(draw).collect_view();
    view! {
        <figcaption>
            {children()}
            // The readout stands beside the keys, as it would cover the lines it reads.
            <Readout at pointed lines unit top time />
        </figcaption>
        <Axes
            // Without points, the axis has no scale.
            top=Signal::derive(move || axis.get().map(|_| top.get()))
            unit
            below=Signal::derive(below)
            above=names
        >
            <svg
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                preserveAspectRatio="none"
                on:pointermove=on_move
                on:pointerleave=move |_| pointer.set(None)
            >
                {drawn}
                {marked}
                {cursor}
            </svg>
        </Axes>
    }
}

/// The vertical axis of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// The start of the run.
    origin: f64,
    unit: Unit,
    end: f64,
}

impl Scale {
    /// An axis grows while a run lasts, and does not shrink.
    fn after(self, before: Option<&Self>) -> Self {
        match before {
            Some(before) if (before.origin, before.unit) == (self.origin, self.unit) => {
                Self { end: self.end.max(before.end), ..self }
            }
            _ => self,
        }
    }
}

/// Shows the values at the pointer.
#[component]
fn Readout(
    /// The instants of the points.
    at: Memo<Vec<f64>>,
    /// The index of that point.
    pointed: Memo<Option<usize>>,
    /// The lines of the chart.
    lines: Vec<ChartLine>,
    /// The unit of the values.
    unit: Signal<Unit>,
    /// The value at the end of the axis.
    top: Memo<f64>,
    /// Formats an instant.
    time: fn(f64) -> String,
) -> impl IntoView {
    let readout = move || {
        let place = pointed.get()?;
        let instant = at.with(|at| at.get(place).copied())?;
        let value = |ChartLine { name, values, at_pointer, .. }: &ChartLine| {
            let value = at_pointer.unwrap_or(*values).with(|values| values.get(place).copied())?;
            // A layer without height is left out.
            let text = if value.is_nan() { NO_VALUE.to_owned() } else { unit.get().text(value, top.get()) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_grows_while_a_run_lasts_and_begins_anew_with_the_next() {
        let first = Scale { origin: 1.0, unit: Unit::Per(1_000), end: 100.0 };
        let end = |scale: Scale| scale.after(Some(&first)).end;
        assert_eq!([end(Scale { end: 200.0, ..first }), end(Scale { end: 20.0, ..first })], [200.0, 100.0]);
        assert_eq!(end(Scale { origin: 2.0, end: 20.0, ..first }), 20.0, "another run");
        assert_eq!(end(Scale { unit: Unit::Per(10), end: 20.0, ..first }), 20.0, "another unit");
    }

    #[test]
    fn layers_keep_their_order_and_are_drawn_above_those_before_them() {
        Owner::new().with(|| {
            let layer = |name, values: [f64; 2]| ChartLine::new("", name, Memo::new(move |_| values.to_vec()));
            let stack = ChartLine::stacked(vec![layer("won", [3.0, 1.0]), layer("sold out", [0.0, 4.0])]);
            let lines: Vec<_> = stack.iter().map(|line| (line.name.as_ref(), line.values.get_untracked())).collect();
            assert_eq!(lines, [("won", vec![3.0, 1.0]), ("sold out", vec![3.0, 5.0])]);
        });
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
