//! The form of the list's filter.

use crate::KINDS;
use crate::{
    base_path::under_base,
    components::{FilterSelect, QueryForm, use_hydrated},
    i18n,
    list::{filter::Filter, words::words},
};
use leptos::{html, prelude::*};
use model::{SaleState, form::FormValues, list::MAX_TEXT};

/// Shows the filter in the address; works without JavaScript too.
#[component]
pub fn FilterForm(
    /// The filter in the address.
    filter: Memo<Filter>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let hydrated = use_hydrated();
    let id_field = NodeRef::<html::Input>::new();
    // Links, back and forward lead to other filters; text that was typed before hydration stays.
    Effect::watch(
        move || filter.with(|filter| filter.id.clone()),
        move |id, _, _| {
            let id = id.as_deref().unwrap_or_default();
            // Text that is being typed matches the address already.
            if let Some(input) = id_field.get_untracked().filter(|input| input.value().trim() != id) {
                input.set_value(id);
            }
        },
        false,
    );
    let address = |form: &FormValues| {
        let [kind, state, id, sort] = ["kind", "state", "id", "sort"].map(|field| form.optional(field));
        Some(Filter { kind, state, id, sort, after: None }.url(None))
    };
    let id = filter.with_untracked(|filter| filter.id.clone());
    let kind = Signal::derive(move || filter.with(|filter| filter.kind.clone()));
    let state = Signal::derive(move || filter.with(|filter| filter.state.clone()));
    let kinds = KINDS.iter().map(|entry| (entry.info.id, (entry.pages.words)().name)).collect();
    let states = SaleState::ALL.map(|state| (state.name(), (shared.state_name)(state))).into();
    view! {
        <QueryForm action="/" address instant=true {..} class="list-filters" role="search">
            <label>
                <span>{words.filter_id}</span>
                <input
                    type="search"
                    name="id"
                    node_ref=id_field
                    value=id.unwrap_or_default()
                    maxlength=MAX_TEXT
                    autocomplete="off"
                    spellcheck="false"
                />
            </label>
            <FilterSelect name="kind" label=words.filter_kind any=words.all_kinds options=kinds chosen=kind />
            <FilterSelect name="state" label=words.filter_state any=words.all_states options=states chosen=state />
            {move || filter.with(|filter| filter.sort.clone()).map(|sort| view! { <input type="hidden" name="sort" value=sort /> })}
            <Show when=move || filter.with(Filter::is_filtering)>
                <a href=under_base("/")>{words.clear_filter}</a>
            </Show>
            // Once scripts run, what is chosen acts at once. Its place stays, so that nothing moves.
            <button type="submit" style:visibility=move || hydrated.get().then_some("hidden")>
                {words.filter}
            </button>
        </QueryForm>
    }
}
