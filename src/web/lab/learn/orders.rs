//! Every order in which the steps of a level can be taken, as a grid.

use crate::{base_path::under_base, components::use_page_search, lab::learn::words::words};
use leptos::{html, prelude::*};
use model::{
    lab::{
        orders::{Order, Orders},
        trace::Play,
    },
    url::with_parameter,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The id of the panel, for the buttons that open it.
pub const PANEL: &str = "orders";

/// The address of the player with an order, before its first step.
pub fn order_url(orders: &Orders, schedule: &str) -> String {
    let Orders { strategy, stock, users, .. } = orders;
    let (strategy, users, schedule) = (strategy.clone(), users.clone(), schedule.to_owned());
    format!("{}&at=0", Play { strategy, stock: *stock, users, schedule }.url())
}

/// Opens the panel.
pub fn show_panel() {
    let panel = document().get_element_by_id(PANEL).and_then(|panel| panel.dyn_into::<HtmlElement>().ok());
    _ = panel.map(|panel| panel.show_popover());
}

/// Shows a panel with a cell for each order; each leads to its play.
#[component]
pub fn OrdersPanel(
    /// Leads to the player, rather than to the play of this page.
    #[prop(optional)]
    in_player: bool,
    /// The orders, once they have been searched for.
    orders: RwSignal<Option<Orders>>,
    /// They are being searched for.
    #[prop(into)]
    is_searching: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let search = use_page_search();
    let panel = NodeRef::<html::Div>::new();
    let grid = move || {
        orders.get().map(|orders| {
            let Orders { total, broken, moments, is_complete, listed, .. } = orders.clone();
            let cell = |order: Order| {
                let label = (words.cell)(&order.schedule, &order.anomalies);
                let href = {
                    let schedule = order.schedule;
                    let there = in_player.then(|| under_base(order_url(&orders, &schedule)));
                    move || {
                        if let Some(there) = &there {
                            return there.clone();
                        }
                        let query = search.with(|search| with_parameter(search, "schedule", Some(schedule.clone())));
                        with_parameter(query.trim_start_matches('?'), "at", Some("0".to_owned()))
                    }
                };
                view! {
                    <li>
                        <a
                            href=href
                            data-noscroll
                            on:click=move |_| {
                                _ = panel.get_untracked().map(|panel| panel.hide_popover());
                            }
                            class="schedule-cell"
                            class:broken=!order.anomalies.is_empty()
                            aria-label=label.clone()
                            title=label
                        ></a>
                    </li>
                }
            };
            let number = listed.len();
            view! {
                <h2>{(words.every_order_title)(broken, total)}</h2>
                <p class="aside">{words.every_order_hint}</p>
                {(!is_complete).then(|| view! { <p>{(words.incomplete)(moments)}</p> })}
                {((number as u64) < total).then(|| view! { <p class="aside">{(words.only_the_first)(number)}</p> })}
                <ol class="order-grid">{listed.into_iter().map(cell).collect_view()}</ol>
            }
        })
    };
    view! {
        <div id=PANEL popover="auto" class="card orders-panel" role="dialog" aria-label=words.every_order node_ref=panel>
            {move || is_searching.get().then(|| view! { <p>{words.searching}</p> })}
            {grid}
            <button type="button" popovertarget=PANEL popovertargetaction="hide">
                {words.close}
            </button>
        </div>
    }
}
