//! The form that searches. The browser can send it by itself, so it works before the page is hydrated.

use super::history::History;
use crate::{
    components::{FormValues, TextField},
    i18n,
    ledger::{
        Search,
        query::{LedgerQuery, PATH},
        words::{outcome_name, words},
    },
};
use leptos::{html, prelude::*};
use leptos_router::hooks::use_navigate;

#[component]
pub fn SearchForm(
    /// What the address asks for.
    query: Memo<LedgerQuery>,
    history: History,
) -> impl IntoView {
    let words = words();
    let navigate = use_navigate();
    let on_submit = move |event| {
        let form = FormValues::read(&event);
        let search = Search {
            sale: form.optional("sale"),
            user: form.optional("user"),
            request_id: form.optional("request_id"),
            outcome: form.optional("outcome"),
        };
        let wanted = LedgerQuery { search, after: None };
        if query.with_untracked(|query| *query == wanted) {
            // The address stays, so nothing else would search again.
            history.reload();
        } else {
            navigate(&wanted.url(), Default::default());
        }
    };
    let [sale, user, request_id]: [NodeRef<html::Input>; 3] = Default::default();
    let outcome = NodeRef::<html::Select>::new();
    // Back and forward lead to other searches; what was typed before hydration stays.
    Effect::watch(
        move || query.get(),
        move |LedgerQuery { search, .. }, _, _| {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            for (field, value) in [(sale, &search.sale), (user, &search.user), (request_id, &search.request_id)] {
                if let Some(input) = field.get_untracked() {
                    input.set_value(&text(value));
                }
            }
            if let Some(select) = outcome.get_untracked() {
                select.set_value(&text(&search.outcome));
            }
        },
        false,
    );
    let LedgerQuery { search: first, .. } = query.get_untracked();
    let text = |value: Option<String>| value.unwrap_or_default();
    let chosen = text(first.outcome);
    let errors = history.errors;
    view! {
        <form class="card search" action=PATH role="search" on:submit=on_submit>
            <TextField name="sale" words=words.sale value=text(first.sale) node_ref=sale errors />
            <TextField name="user" words=words.user value=text(first.user) node_ref=user errors />
            <TextField
                name="request_id"
                words=words.request_id
                value=text(first.request_id)
                node_ref=request_id
                errors
            />
            <div class="field">
                <label for="outcome">{i18n::words().outcome}</label>
                <select id="outcome" name="outcome" node_ref=outcome>
                    <option value="">{words.any_outcome}</option>
                    {i18n::outcomes()
                        .into_iter()
                        .map(|outcome| {
                            view! {
                                <option value=outcome selected=outcome == chosen>
                                    {outcome_name(outcome).unwrap_or(outcome)}
                                </option>
                            }
                        })
                        .collect_view()}
                </select>
            </div>
            // Enabled from the start, unlike other buttons: the browser sends the form where the page cannot yet.
            <button class="strong">{words.search}</button>
        </form>
    }
}
