//! The ledger's facts about an archived sale, on its page.

use crate::kind_of;
use crate::{
    components::{Definition, LocalTime, TimeStyle, format::count},
    i18n,
    list::{api::list_by, words::words},
    stage::terms::{OpenedAt, TermsCard},
};
use leptos::prelude::*;
use model::{
    KindInfo, SaleState,
    list::{ListQuery, SaleSummary},
};
use serde_json::Value;

/// Shows the terms of the sale, and its final state; nothing while they are unknown.
#[component]
pub fn ArchivedTerms(
    /// The kind of the sale.
    kind: &'static KindInfo,
    /// The id of the sale.
    sale: String,
) -> impl IntoView {
    let found = Resource::new(|| (), move |()| archived(kind, sale.clone()));
    view! {
        <Suspense>
            {move || Suspend::new(async move { found.await.map(|sale| view! { <Terms kind sale /> }) })}
        </Suspense>
    }
}

async fn archived(kind: &'static KindInfo, sale: String) -> Option<SaleSummary> {
    let state = Some(SaleState::Archived.name().to_owned());
    let query = ListQuery { kind: Some(kind.id.to_owned()), state, sale: Some(sale), ..ListQuery::default() };
    let list = list_by(query).await.ok()?;
    list.sales.into_iter().next()
}

#[component]
fn Terms(
    /// The kind of the sale.
    kind: &'static KindInfo,
    /// The sale at the time of its archiving.
    sale: SaleSummary,
) -> impl IntoView {
    let (words, stage) = (words(), crate::stage::words::words());
    let left_of = |(left, total)| format!("{} {}", count(left), (stage.of_total)(count(total)));
    let left = sale.left.zip(sale.total).map(left_of);
    let summary = kind_of(kind.id).map(|kind| (kind.pages.summary)(&sale)).unwrap_or_default();
    let expires_at = sale.details.get("expires_at").and_then(Value::as_i64);
    view! {
        <TermsCard title=stage.how_it_ended>
            <Definition term=words.left>{left.unwrap_or_else(|| stage.no_limit.to_owned())}</Definition>
            <Definition term=i18n::words().outcome>{summary.join(" · ")}</Definition>
            <OpenedAt at=sale.opened_at />
            {expires_at
                .map(|at| {
                    view! {
                        <Definition term=words.expires_at>
                            <LocalTime at style=TimeStyle::Full />
                        </Definition>
                    }
                })}
        </TermsCard>
    }
}
