//! The search form. The browser can send it without JavaScript, so it works before the page is hydrated. On a phone it
//! is folded; elsewhere, the style sheet shows it in any case.

use crate::{
    components::{
        FilterSelect, QueryForm, TextField,
        time_field::{TimeField, instant, show},
        use_form_memory_at,
    },
    i18n,
    ledger::{
        page::history::History,
        query::{LedgerQuery, PATH},
        words::{any_outcome_name, words},
    },
};
use leptos::{html, prelude::*};
use model::{error::Code, form::FormValues, ledger::Search};

/// The fields of a search; the address follows them.
#[component]
pub fn SearchForm(
    /// What the address asks for.
    query: Memo<LedgerQuery>,
    /// The rows that are shown.
    history: History,
) -> impl IntoView {
    let words = words();
    // A reload, such as for another time zone, keeps what was not sent yet: but for times, whose text means another
    // instant then.
    let at = Signal::derive(move || query.with(LedgerQuery::url));
    let memory = use_form_memory_at("ledger-search".to_owned(), at, &["from", "to"]);
    Effect::new(move || memory.restore());
    let address = move |form: &FormValues| {
        memory.forget();
        let shown = query.with_untracked(|query| (query.search.from, query.search.to));
        let mut bad_times = Vec::new();
        let mut time = |name, shown| {
            instant(form, name, shown).unwrap_or_else(|text| {
                bad_times.push((name, text));
                None
            })
        };
        let search = Search {
            kind: form.optional("kind"),
            sale: form.optional("sale"),
            user: form.optional("user"),
            request_id: form.optional("request_id"),
            order: form.optional("order"),
            outcome: form.optional("outcome"),
            from: time("from", shown.0),
            to: time("to", shown.1),
        };
        let wanted = LedgerQuery { bad_times, ..LedgerQuery::from(search) };
        if query.with_untracked(|query| *query == wanted) {
            // The address stays, so nothing else would search again.
            history.reload();
            return None;
        }
        Some(wanted.url())
    };
    let [sale, user, request_id, order, from, to]: [NodeRef<html::Input>; 6] = Default::default();
    // Back and forward lead to other searches; what was typed before hydration stays.
    Effect::watch(
        move || query.get(),
        move |query, _, _| {
            let search = &query.search;
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            let texts =
                [(sale, &search.sale), (user, &search.user), (request_id, &search.request_id), (order, &search.order)];
            for (field, value) in texts {
                if let Some(input) = field.get_untracked() {
                    input.set_value(&text(value));
                }
            }
            show(from, search.from, query.bad_time("from"));
            show(to, search.to, query.bad_time("to"));
        },
        false,
    );
    let (bad_from, bad_to) = query.with_untracked(|query| (query.bad_time("from"), query.bad_time("to")));
    let LedgerQuery { search: first, .. } = query.get_untracked();
    let text = |value: Option<String>| value.unwrap_or_default();
    let errors = history.errors;
    let chosen = move |read: fn(&Search) -> &Option<String>| {
        Signal::derive(move || query.with(|query| read(&query.search).clone()))
    };
    let (kind, outcome) = (chosen(|search| &search.kind), chosen(|search| &search.outcome));
    let outcomes = i18n::outcomes().into_iter().map(|name| (name, any_outcome_name(name))).collect();
    // On a phone, the form is folded, except where it has a field at fault.
    let fold = NodeRef::<html::Details>::new();
    let is_wrong = move || errors.get().is_some_and(|error| error.code == Code::BadRequest);
    let is_wrong_at_first = untrack(is_wrong);
    Effect::new(move || {
        if let Some(fold) = fold.get().filter(|_| is_wrong()) {
            fold.set_open(true);
        }
    });
    view! {
        <details class="card search-fold" open=is_wrong_at_first node_ref=fold>
            <summary>{move || query.with(|query| (words.search_by)(query.fields()))}</summary>
            <QueryForm action=PATH address node_ref=memory.form {..} class="search" role="search" novalidate=true>
                <FilterSelect
                    name="kind"
                    label=words.kind
                    any=words.all_kinds
                    options=i18n::kind_names()
                    chosen=kind
                    wrong=errors.sentence("kind", move || words.unknown_kind)
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
                <FilterSelect
                    name="outcome"
                    label=i18n::words().outcome
                    any=words.any_outcome
                    options=outcomes
                    chosen=outcome
                    wrong=errors.sentence("outcome", move || words.unknown_outcome)
                />
                <TimeField name="from" words=words.from value=first.from bad=bad_from node_ref=from errors />
                <TimeField name="to" words=words.to value=first.to bad=bad_to node_ref=to errors />
                // Enabled from the start, unlike other buttons: before hydration, the browser sends the form.
                <button class="strong">{words.search}</button>
            </QueryForm>
        </details>
    }
}
