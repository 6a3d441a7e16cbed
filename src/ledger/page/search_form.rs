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
            kind: form.optional("kind"),
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
    let [kind, outcome]: [NodeRef<html::Select>; 2] = Default::default();
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
            for (field, value) in [(kind, &search.kind), (outcome, &search.outcome)] {
                if let Some(select) = field.get_untracked() {
                    select.set_value(&text(value));
                }
            }
        },
        false,
    );
    let LedgerQuery { search: first, .. } = query.get_untracked();
    let text = |value: Option<String>| value.unwrap_or_default();
    let errors = history.errors;
    let outcomes = i18n::outcomes().into_iter().map(|name| (name, outcome_name(name).unwrap_or(name))).collect();
    view! {
        // Otherwise the browser would accept only times in its own format.
        <form class="card search" action=PATH role="search" novalidate on:submit=on_submit>
            <SelectField
                name="kind"
                label=words.kind
                any=words.all_kinds
                options=i18n::kind_names()
                value=text(first.kind)
                node_ref=kind
                wrong=errors.sentence("kind", words.unknown_kind)
            />
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
            <SelectField
                name="outcome"
                label=i18n::words().outcome
                any=words.any_outcome
                options=outcomes
                value=text(first.outcome)
                node_ref=outcome
                wrong=errors.sentence("outcome", words.unknown_outcome)
            />
            <TimeField name="from" words=words.from value=first.from node_ref=from errors />
            <TimeField name="to" words=words.to value=first.to node_ref=to errors />
            // Enabled from the start, unlike other buttons: before hydration, the browser sends the form.
            <button class="strong">{words.search}</button>
        </form>
    }
}

/// A choice between values, or any of them, with the sentence that says what is wrong with it.
#[component]
fn SelectField(
    /// Its name in the query, and its id.
    name: &'static str,
    /// The text of the `<label>`.
    label: &'static str,
    /// The label of the option that allows any value.
    any: &'static str,
    /// Values and their labels.
    options: Vec<(&'static str, &'static str)>,
    /// The value in the address.
    value: String,
    /// The `<select>` itself.
    node_ref: NodeRef<html::Select>,
    /// What is wrong with the value, if anything.
    wrong: Memo<Option<&'static str>>,
) -> impl IntoView {
    let option = move |(known, label): (&'static str, &'static str)| {
        view! {
            <option value=known selected=known == value>
                {label}
            </option>
        }
    };
    let error = format!("{name}-error");
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <select
                id=name
                name=name
                node_ref=node_ref
                aria-describedby=error.clone()
                aria-invalid=move || wrong.get().is_some().to_string()
            >
                <option value="">{any}</option>
                {options.into_iter().map(option).collect_view()}
            </select>
            <span id=error>
                {move || wrong.get().map(|sentence| view! { <span class="wrong">{sentence}</span> })}
            </span>
        </div>
    }
}
