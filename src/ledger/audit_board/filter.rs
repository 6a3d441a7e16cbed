//! Which sales the board shows, as the page's address says it.

use crate::{
    components::{
        FormValues,
        url::{parameter, with_query},
    },
    domain::Verdict,
    i18n,
    ledger::{Audited, words::words},
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use leptos_router::hooks::use_navigate;

const PATH: &str = "/audit";

/// What the latest audit of a sale may have found; nothing, where there was none.
const FOUND: [(&str, Option<Verdict>); 4] = [
    ("broken", Some(Verdict::Broken)),
    ("unknown", Some(Verdict::Unknown)),
    ("holds", Some(Verdict::Holds)),
    ("none", None),
];

/// Which sales are shown. Fields that are `None` leave none out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    kind: Option<String>,
    /// A name in [`FOUND`].
    verdict: Option<String>,
}

impl Filter {
    /// Reads the query of an address, without its question mark.
    pub fn parse(query: &str) -> Self {
        Self { kind: parameter(query, "kind"), verdict: parameter(query, "verdict") }
    }

    fn url(&self) -> String {
        with_query(PATH, [("kind", self.kind.as_deref()), ("verdict", self.verdict.as_deref())])
    }

    /// Whether it asks for a kind or a verdict that there is not.
    pub fn is_bad(&self) -> bool {
        let is_known = |verdict: &String| FOUND.iter().any(|(name, _)| name == verdict);
        !self.verdict.as_ref().is_none_or(is_known)
            || self.kind.as_ref().is_some_and(|kind| i18n::kind_info(kind).is_none())
    }

    /// Whether a sale is shown.
    pub fn shows(&self, Audited { status, audit, .. }: &Audited) -> bool {
        let found = audit.as_ref().map(|audit| audit.verdict);
        let is_wanted = |wanted: &str| FOUND.iter().any(|(name, verdict)| *name == wanted && *verdict == found);
        self.kind.as_deref().is_none_or(|kind| kind == status.kind) && self.verdict.as_deref().is_none_or(is_wanted)
    }
}

/// Filters by kind and verdict; works without JavaScript too.
#[component]
pub fn FilterForm(filter: Memo<Filter>) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let [kind_field, verdict_field]: [NodeRef<html::Select>; 2] = Default::default();
    // Links, back and forward lead to other filters; what was chosen before hydration stays.
    Effect::watch(
        move || filter.get(),
        move |Filter { kind, verdict }, _, _| {
            for (field, value) in [(kind_field, kind), (verdict_field, verdict)] {
                if let Some(select) = field.get_untracked() {
                    select.set_value(value.as_deref().unwrap_or_default());
                }
            }
        },
        false,
    );
    let navigate = use_navigate();
    let on_submit = move |event: SubmitEvent| {
        let form = FormValues::read(&event);
        let chosen = Filter { kind: form.optional("kind"), verdict: form.optional("verdict") };
        navigate(&chosen.url(), Default::default());
    };
    let Filter { kind, verdict } = filter.get_untracked();
    let option = |value: &'static str, name: &'static str, chosen: &Option<String>| {
        view! {
            <option value=value selected=chosen.as_deref() == Some(value)>
                {name}
            </option>
        }
    };
    let name = |verdict: Option<Verdict>| verdict.map_or(words.not_audited, shared.verdict);
    view! {
        <form action=PATH class="list-filters" role="search" on:submit=on_submit>
            <label>
                <span>{words.kind}</span>
                <select name="kind" node_ref=kind_field>
                    <option value="">{words.all_kinds}</option>
                    {i18n::kind_names().into_iter().map(|(id, name)| option(id, name, &kind)).collect_view()}
                </select>
            </label>
            <label>
                <span>{shared.verdict_title}</span>
                <select name="verdict" node_ref=verdict_field>
                    <option value="">{words.all_verdicts}</option>
                    {FOUND.map(|(value, found)| option(value, name(found), &verdict)).collect_view()}
                </select>
            </label>
            <button type="submit">{words.filter}</button>
            <Show when=move || filter.with(|filter| *filter != Filter::default())>
                <a href=PATH>{words.clear_filter}</a>
            </Show>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{Audit, EventId},
        ledger::SaleStatus,
    };

    fn audited(kind: &str, audit: Option<Audit>) -> Audited {
        let status = SaleStatus { kind: kind.to_owned(), ..SaleStatus::default() };
        Audited { status, opened_at: None, audit }
    }

    #[test]
    fn an_address_says_which_sales_are_shown() {
        let sales = [
            audited("ticket", None),
            audited("ticket", Some(Audit::unknown("why", 1))),
            audited("red_packet", Some(Audit::of(Vec::new(), EventId::default(), 1))),
        ];
        let shown = |query: &str| sales.iter().map(|sale| Filter::parse(query).shows(sale)).collect::<Vec<_>>();
        assert_eq!(shown(""), [true, true, true]);
        assert_eq!(shown("kind=&verdict="), [true, true, true]);
        assert_eq!(shown("kind=ticket"), [true, true, false]);
        assert_eq!(shown("verdict=none"), [true, false, false]);
        assert_eq!(shown("kind=ticket&verdict=unknown"), [false, true, false]);
        assert_eq!(shown("verdict=holds"), [false, false, true]);
        assert_eq!(Filter::parse("kind=ticket&verdict=holds").url(), "/audit?kind=ticket&verdict=holds");
        assert!(Filter::parse("verdict=fine").is_bad() && !Filter::parse("verdict=none").is_bad());
    }
}
