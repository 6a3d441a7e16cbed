//! The notices about sales that Redis has lost, and about those that cannot be reached.

use crate::{
    components::{Badge, Notice, RecoverCommand, SaleLink, StateBadge, Tone},
    i18n,
    list::words::words,
};
use leptos::prelude::*;
use model::{
    SaleState,
    ledger::{MissingSales, SaleName},
    list::{AwaySales, SaleList},
};

/// Links to some of these sales, and how many more there are.
fn named(count: u64, sales: Vec<SaleName>) -> impl IntoView {
    let others = count.saturating_sub(sales.len() as u64);
    let links = sales
        .into_iter()
        .map(|SaleName { kind, sale }| view! { " " <SaleLink kind sale with_name=true /> })
        .collect_view();
    view! {
        {links}
        {(others > 0).then(|| view! { " " {(words().missing_others)(others)} })}
    }
}

/// Shows the sales that Redis has lost, entirely or partly, and the command that recovers them; and those whose master does
/// not answer.
#[component]
pub fn Missing(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
) -> impl IntoView {
    let words = words();
    let missing = Memo::new(move |_| sales.with(|list| list.missing.clone()));
    let notice = move |MissingSales { count, sales }: MissingSales| {
        view! {
            <Notice>
                <Badge tone=Tone::Bad icon=icondata_lu::LuUnplug text=words.missing />
                " "
                {(words.missing_sales)(count)}
                " "
                <RecoverCommand />
                {named(count, sales)}
            </Notice>
        }
    };
    let suspended = Memo::new(move |_| sales.with(|list| list.suspended));
    let suspended_notice = move |number: u64| {
        view! {
            <Notice>
                <StateBadge state=SaleState::Suspended />
                " "
                {(words.suspended_sales)(number)}
                " "
                <RecoverCommand />
            </Notice>
        }
    };
    let away = Memo::new(move |_| sales.with(|list| list.away.clone()));
    let away_notice = move |AwaySales { cluster, count, sales }: AwaySales| {
        let left_out = move || view! { " " {(words.away_sales)(count)} {named(count, sales)} };
        view! {
            <Notice>
                {(i18n::words().partial_cluster)(cluster)}
                {(count > 0).then(left_out)}
            </Notice>
        }
    };
    view! {
        <div class="notices" role="status">
            {move || away.get().map(away_notice)}
            {move || Some(missing.get()).filter(|missing| !missing.is_empty()).map(notice)}
            {move || Some(suspended.get()).filter(|number| *number > 0).map(suspended_notice)}
        </div>
    }
}
