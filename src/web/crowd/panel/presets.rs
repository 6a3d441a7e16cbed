//! The choice of a crowd preset.

use crate::{
    components::use_hydrated,
    crowd::{panel::CrowdControl, preset::Preset, words::words},
};
use leptos::prelude::*;

/// Shows the presets, one of them chosen.
#[component]
pub fn Presets(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let hydrated = use_hydrated();
    let choice = move |(place, Preset { name, hint, .. }): (usize, Preset)| {
        view! {
            <label class="preset" title=hint>
                <input
                    type="radio"
                    name="preset"
                    value=place.to_string()
                    checked=place == 0
                    prop:checked=move || crowd.chosen.get() == place
                    disabled=move || !hydrated.get()
                    on:change=move |_| crowd.choose(place)
                />
                {name}
            </label>
        }
    };
    view! {
        <div class="presets" role="radiogroup" aria-label=words().preset aria-describedby="preset-hint">
            {crowd.presets().into_iter().enumerate().map(choice).collect_view()}
        </div>
        // Replaces the hint, so that nothing moves when the last item goes.
        <p class="aside" id="preset-hint">
            {move || if crowd.is_in_vain() { words().in_vain } else { crowd.preset().hint }}
        </p>
    }
}
