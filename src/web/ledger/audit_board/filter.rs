//! Which sales the board shows, as the page's address says it.

use crate::{
    base_path::under_base,
    components::{FilterSelect, QueryForm},
    i18n,
    ledger::words::words,
};
use leptos::prelude::*;
use model::{
    Verdict,
    form::FormValues,
    ledger::Audited,
    url::{parameter, with_query},
};

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
    /// How many of the newest sales the page leaves out.
    pub skip: Option<u32>,
}

impl Filter {
    /// Reads the query of an address, without its question mark.
    pub fn parse(query: &str) -> Self {
        Self {
            kind: parameter(query, "kind"),
            verdict: parameter(query, "verdict"),
            skip: parameter(query, "skip").and_then(|skip| skip.parse().ok()),
        }
    }

    /// The address of another page, with the same filter.
    pub fn of_page(&self, skip: Option<u32>) -> String {
        Self { skip, ..self.clone() }.url()
    }

    fn url(&self) -> String {
        let skip = self.skip.map(|skip| skip.to_string());
        with_query(
            PATH,
            [("kind", self.kind.as_deref()), ("verdict", self.verdict.as_deref()), ("skip", skip.as_deref())],
        )
    }

    /// Whether it asks for an unknown kind or verdict.
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
pub fn FilterForm(
    /// What the address asks for.
    filter: Memo<Filter>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let address = |form: &FormValues| {
        Some(Filter { kind: form.optional("kind"), verdict: form.optional("verdict"), skip: None }.url())
    };
    let name = |verdict: Option<Verdict>| verdict.map_or(words.not_audited, shared.verdict);
    let verdicts = FOUND.map(|(value, found)| (value, name(found))).into();
    let kind = Signal::derive(move || filter.with(|filter| filter.kind.clone()));
    let verdict = Signal::derive(move || filter.with(|filter| filter.verdict.clone()));
    view! {
        <QueryForm action=PATH address instant=true {..} class="list-filters" role="search">
            <FilterSelect name="kind" label=words.kind any=words.all_kinds options=i18n::kind_names() chosen=kind />
            <FilterSelect
                name="verdict"
                label=shared.verdict_title
                any=words.all_verdicts
                options=verdicts
                chosen=verdict
            />
            <button type="submit">{words.filter}</button>
            <Show when=move || filter.with(|filter| *filter != Filter::default())>
                <a href=under_base(PATH)>{words.clear_filter}</a>
            </Show>
        </QueryForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Audit, EventId, ledger::SaleStatus};

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
        assert_eq!(Filter::parse("skip=50&kind=ticket").url(), "/audit?kind=ticket&skip=50");
        assert!(Filter::parse("verdict=fine").is_bad() && !Filter::parse("verdict=none").is_bad());
    }
}
