//! The search form. The browser can send it without JavaScript, so it works before the page is hydrated.

use super::{
    history::History,
    time_field::{TimeField, instant, show},
};
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
    /// The rows of the search, as far as they are loaded.
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
            order: form.optional("order"),
            outcome: form.optional("outcome"),
            from: instant(&form, "from"),
            to: instant(&form, "to"),
        };
        let wanted = LedgerQuery::from(search);
        if query.with_untracked(|query| *query == wanted) {
            // The address stays, so nothing else would search again.
            history.reload();
        } else {
            navigate(&wanted.url(), Default::default());
        }
    };
    let [sale, user, request_id, order, from, to]: [NodeRef<html::Input>; 6] = Default::default();
    let outcome = NodeRef::<html::Select>::new();
    // Back and forward lead to other searches; what was typed before hydration stays.
    Effect::watch(
        move || query.get(),
        move |LedgerQuery { search, .. }, _, _| {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            let texts =
                [(sale, &search.sale), (user, &search.user), (request_id, &search.request_id), (order, &search.order)];
            for (field, value) in texts {
                if let Some(input) = field.get_untracked() {
                    input.set_value(&text(value));
                }
            }
            show(from, search.from);
            show(to, search.to);
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
    let wrong_outcome = errors.sentence("outcome", words.unknown_outcome);
    view! {
        // Otherwise the browser would accept only times in its own format.
        <form class="card search" action=PATH role="search" novalidate on:submit=on_submit>
            <TextField name="sale" words=words.sale value=text(first.sale) node_ref=sale errors />
            <TextField name="user" words=words.user value=text(first.user) node_ref=user errors />
            <TextField
                name="request_id"
                words=words.request_id
                value=text(first.request_id)
                node_ref=request_id
                errors
            />
            <TextField name="order" words=words.order value=text(first.order) node_ref=order errors />
            <div class="field">
                <label for="outcome">{i18n::words().outcome}</label>
                <select
                    id="outcome"
                    name="outcome"
                    node_ref=outcome
                    aria-describedby="outcome-error"
                    aria-invalid=move || wrong_outcome.get().is_some().to_string()
                >
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
                <span id="outcome-error">
                    {move || wrong_outcome.get().map(|sentence| view! { <span class="wrong">{sentence}</span> })}
                </span>
            </div>
            <TimeField name="from" words=words.from value=first.from node_ref=from errors />
            <TimeField name="to" words=words.to value=first.to node_ref=to errors />
            // Enabled from the start, unlike other buttons: before hydration, the browser sends the form.
            <button class="strong">{words.search}</button>
        </form>
    }
}
