//! Bars side by side, as tall as their figures. The same figures stand beside them as a table.

use leptos::prelude::*;

/// Bars, with labels below the first and the last.
#[component]
pub fn Bars(
    /// How many there are.
    #[prop(into)]
    number: Signal<usize>,
    /// The figure of each.
    value: impl Fn(usize) -> u64 + Copy + Send + Sync + 'static,
    /// The label at the top, for the greatest figure.
    most: impl Fn(u64) -> String + Send + Sync + 'static,
    /// The labels below the first bar and the last.
    #[prop(into)]
    ends: Signal<(String, String)>,
    /// The sentence that is shown while all figures are 0.
    #[prop(into)]
    empty: Signal<&'static str>,
) -> impl IntoView {
    let highest = Memo::new(move |_| (0..number.get()).map(value).max().unwrap_or(0));
    let bar = move |place: usize| {
        let share = move || (value(place) * 1_000).checked_div(highest.get()).unwrap_or(0);
        view! { <span style=move || format!("--share:{}", share())></span> }
    };
    view! {
        <div class="plot">
            <span class="most">{move || most(highest.get())}</span>
            <div aria-hidden="true">
                <div class="bars">{move || (0..number.get()).map(bar).collect_view()}</div>
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
