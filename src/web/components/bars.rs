//! A bar chart as SVG: the height of a bar is its figure. A table beside it has the same figures.

use leptos::prelude::*;

/// The width of a bar and the gap after it, in the coordinate system of the drawing, which is stretched to the size of
/// its box.
const BAR: usize = 8;
const PITCH: usize = 10;
const HEIGHT: u64 = 1_000;

/// Shows bars, with labels below the first and the last.
#[component]
pub fn Bars(
    /// The figures, one per bar.
    values: Memo<Vec<u64>>,
    /// Writes the label at the top, for the greatest figure.
    most: impl Fn(u64) -> String + Send + Sync + 'static,
    /// The labels below the first bar and the last.
    #[prop(into)]
    ends: Signal<(String, String)>,
    /// The sentence that is shown while all figures are 0.
    #[prop(into)]
    empty: Signal<&'static str>,
) -> impl IntoView {
    let highest = Memo::new(move |_| values.with(|values| values.iter().copied().max().unwrap_or(0)));
    let frame = move || format!("0 0 {} {HEIGHT}", (PITCH * values.with(Vec::len)).max(1));
    view! {
        <div class="plot">
            <span class="most">{move || most(highest.get())}</span>
            <div aria-hidden="true">
                <svg class="bars" viewBox=frame preserveAspectRatio="none">
                    <path d=move || values.with(|values| outline(values, highest.get())) />
                </svg>
                <div class="ends">
                    <span>{move || ends.get().0}</span>
                    <span>{move || ends.get().1}</span>
                </div>
            </div>
            <Show when=move || highest.get() == 0>
                <p class="empty">{empty}</p>
            </Show>
        </div>
    }
}

/// Returns the path around all bars; the tallest has the full height.
fn outline(values: &[u64], highest: u64) -> String {
    let bar = |(place, value): (usize, &u64)| {
        let height = value * HEIGHT / highest.max(1);
        (height > 0).then(|| format!("M{} {HEIGHT}v-{height}h{BAR}v{height}z", place * PITCH + (PITCH - BAR) / 2))
    };
    values.iter().enumerate().filter_map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tallest_bar_has_the_whole_height_and_zero_has_none() {
        assert_eq!(outline(&[0, 4, 1], 4), "M11 1000v-1000h8v1000zM21 1000v-250h8v250z");
        assert_eq!((outline(&[0, 0], 0), outline(&[], 0)), (String::new(), String::new()));
    }
}
