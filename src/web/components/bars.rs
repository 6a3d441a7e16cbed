//! A bar chart as SVG: the height of a bar is its figure. A table beside it has the same figures.

use crate::components::axis::{Axes, Label, Unit, axis_end};
use leptos::prelude::*;

/// The width of a bar and the gap after it, in the coordinate system of the drawing, which is stretched to the size of
/// its box.
const BAR: usize = 8;
const PITCH: usize = 10;
const HEIGHT: f64 = 1_000.0;

/// Where the mean is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mean {
    /// At this height, as the mean of the figures.
    Figure(f64),
    /// At this share of the width, as the mean of what the bars count.
    Place(f64),
}

/// Shows bars between their axes, and the mean.
#[component]
pub fn Bars(
    /// The figures, one per bar.
    values: Memo<Vec<u64>>,
    /// The unit of the figures.
    unit: Unit,
    /// The labels below the bars.
    #[prop(into)]
    below: Signal<Vec<Label>>,
    /// The mean, if there is one.
    #[prop(into)]
    mean: Signal<Option<Mean>>,
    /// The sentence that is shown while all figures are 0.
    #[prop(into)]
    empty: Signal<&'static str>,
) -> impl IntoView {
    let top = Memo::new(move |_| {
        let highest = values.with(|values| values.iter().copied().max().unwrap_or(0));
        (highest > 0).then(|| axis_end(highest as f64))
    });
    let width = move || (PITCH * values.with(Vec::len)).max(1) as f64;
    let bars = move || values.with(|values| outline(values, top.get().unwrap_or(1.0)));
    let line = move || {
        let (mean, top, width) = (mean.get()?, top.get()?, width());
        let (from, to) = match mean {
            Mean::Figure(value) => ((0.0, 1.0 - value / top), (1.0, 1.0 - value / top)),
            Mean::Place(share) => ((share, 0.0), (share, 1.0)),
        };
        let at = |share: f64, length: f64| format!("{:.1}", share * length);
        Some(view! {
            <line class="mean" x1=at(from.0, width) y1=at(from.1, HEIGHT) x2=at(to.0, width) y2=at(to.1, HEIGHT) />
        })
    };
    view! {
        <div class="plot">
            <Axes top unit below above=None>
                <svg class="bars" viewBox=move || format!("0 0 {} {HEIGHT}", width()) preserveAspectRatio="none">
                    <path d=bars />
                    {line}
                </svg>
            </Axes>
            <Show when=move || top.get().is_none()>
                <p class="empty">{empty}</p>
            </Show>
        </div>
    }
}

/// Returns the path around all bars; a bar as high as `top` has the full height.
fn outline(values: &[u64], top: f64) -> String {
    let bar = |(place, value): (usize, &u64)| {
        let height = (*value as f64 / top * HEIGHT).round();
        (height > 0.0).then(|| format!("M{} {HEIGHT}v-{height}h{BAR}v{height}z", place * PITCH + (PITCH - BAR) / 2))
    };
    values.iter().enumerate().filter_map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_share_of_the_axis_and_zero_has_none() {
        assert_eq!(outline(&[0, 4, 1], 4.0), "M11 1000v-1000h8v1000zM21 1000v-250h8v250z");
        assert_eq!((outline(&[0, 0], 1.0), outline(&[], 1.0)), (String::new(), String::new()));
    }
}
