//! The notice about sales that Redis has lost.

use crate::{
    components::{Badge, Notice, RecoverCommand, SaleLink, StateBadge, Tone},
    list::words::words,
};
use leptos::prelude::*;
use model::{
    SaleState,
    ledger::{MissingSales, SaleName},
    list::SaleList,
};

/// Shows the sales that Redis has lost, entirely or partly, and the command that recovers them.
#[component]
pub fn Missing(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
) -> impl IntoView {
    let words = words();
    let missing = Memo::new(move |_| sales.with(|list| list.missing.clone()));
    let notice = move |MissingSales { count, sales }: MissingSales| {
        let others = count.saturating_sub(sales.len() as u64);
        let links = sales
            .into_iter()
            .map(|SaleName { kind, sale }| view! { " " <SaleLink kind sale with_name=true /> })
            .collect_view();
        view! {
            <Notice>
                <Badge tone=Tone::Bad icon=icondata_lu::LuUnplug text=words.missing />
                " "
                {(words.missing_sales)(count)}
                " "
                <RecoverCommand />
                {links}
                {(others > 0).then(|| view! { " " {(words.missing_others)(others)} })}
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
    view! {
        <div class="notices" role="status">
            {move || Some(missing.get()).filter(|missing| !missing.is_empty()).map(notice)}
            {move || Some(suspended.get()).filter(|number| *number > 0).map(suspended_notice)}
        </div>
    }
}
