//! A sale in the list, as a row of the table.

use crate::kind_of;
use crate::{
    base_path::under_base,
    closing::Chosen,
    components::{
        Ago, Badge, CopyButton, Dropdown, Icon, Meter, SaleLink, Sparkline, StateBadge, Tone,
        format::{NO_VALUE, count},
        use_hydrated,
    },
    i18n,
    ledger::{query::LedgerQuery, words::words as ledger_words},
    list::{
        let_loose::LetLoose,
        page::{
            column::class_of,
            listed::{ListedSale, use_listed_sale},
        },
        words::words,
    },
    open_form::like_url,
};
use leptos::{either::Either, prelude::*};
use model::{
    Millis,
    list::{Column, SaleList, SaleSummary},
};

/// Shows one sale. Changing facts are read from the list; the rest is rendered once.
#[component]
pub fn Row(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The sale as first listed, for facts that never change.
    first: SaleSummary,
    /// How many bytes of its id are seen, at the end.
    seen: Signal<Option<usize>>,
    /// The time, for its state and for how long ago it was opened.
    time: Signal<Millis>,
    /// The chosen sales.
    chosen: Chosen,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let hydrated = use_hydrated();
    let SaleSummary { kind, sale, opened_at, .. } = first.clone();
    let Some(registration) = kind_of(&kind) else { return Either::Left(()) };
    let name = first.name();
    let listed = use_listed_sale(sales, first, time);
    let ListedSale { now, state, title, left, total, left_of, recent, .. } = listed;
    let summary = registration.pages.summary;
    let (is_chosen, choose) = (
        {
            let name = name.clone();
            move || chosen.is(&name)
        },
        move |is| chosen.choose(&name, is),
    );
    let figure = |amount: Option<u64>| amount.map_or_else(|| NO_VALUE.to_owned(), count);
    let left_figure = move || left.get().map_or_else(|| words.no_limit.to_owned(), count);
    let given = move || now.with(|sale| sale.total.map(|_| sale.given_away()));
    let id = StoredValue::new(sale.clone());
    let menu = move || {
        let sale = id.get_value();
        let let_loose = registration.info.is_demo(&sale).then(|| {
            let total = total.get_untracked();
            view! { <LetLoose kind=registration sale=sale.clone() total disabled=listed.is_busy() /> }
        });
        view! {
            {let_loose}
            <a href=under_base(like_url(registration.info.id, &sale))>{shared.open_like}</a>
            <a href=under_base(LedgerQuery::of_sale(&sale).url())>{ledger_words().history}</a>
            <span class="copy">{shared.copy_id} <CopyButton label=shared.copy_id text=sale /></span>
        }
    };
    Either::Right(view! {
        <tr>
            <td class="tick">
                <input
                    type="checkbox"
                    aria-label=(words.choose)(&sale)
                    disabled=move || !hydrated.get()
                    prop:checked=is_chosen
                    on:change:target=move |event| choose(event.target().checked())
                />
            </td>
            <th scope="row" class=class_of(Column::Sale)>
                <SaleLink kind=kind sale=sale.clone() with_name=true title seen />
            </th>
            <td class=class_of(Column::Kind)>{(registration.pages.words)().name}</td>
            <td class=class_of(Column::State)>
                <span class="badges">
                    <StateBadge state />
                    <Show when=move || now.with(|sale| sale.crowd)>
                        <Badge tone=Tone::Gold icon=icondata_lu::LuUsers text=words.crowd_running />
                    </Show>
                </span>
                <span class="aside">{move || listed.turn()}</span>
                <span class="aside">{move || listed.lag()}</span>
            </td>
            <td class=class_of(Column::Left)>
                {left_figure}
                <Meter
                    label=words.left
                    value=Signal::derive(move || left.get().unwrap_or(0))
                    max=Signal::derive(move || total.get().unwrap_or(0))
                    text=left_of
                />
            </td>
            <td class=class_of(Column::Total)>{move || figure(total.get())}</td>
            <td class=class_of(Column::Given)>{move || figure(given())}</td>
            <td class=class_of(Column::OpenedAt)>
                <Ago at=opened_at now=time />
            </td>
            <td class="trend">
                <Sparkline values=recent top=Signal::derive(move || total.get().unwrap_or(0) as f64) />
            </td>
            <td class="facts">{move || now.with(summary).join(" · ")}</td>
            <td class="menu">
                <Dropdown label=Signal::stored((words.row_menu)(&sale)) face=|| view! { <Icon icon=icondata_lu::LuEllipsis /> }>
                    {menu()}
                </Dropdown>
            </td>
        </tr>
    })
}
