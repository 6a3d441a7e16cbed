//! The head of the page: which sale, on what terms, where it stands, and whether what is seen is live.

use super::{Sale, Standing};
use crate::{
    live::browser::Link,
    sales::red_packet::page::refund,
    ui::{
        copy::copy_button,
        format,
        icons::{Icon, icon},
        moment::moment,
        platform::Style,
    },
    words::words,
};
use leptos::prelude::*;

pub fn head(sale: Sale) -> AnyView {
    let words = words();
    let (id, splitter, opened_at, expires_at) =
        sale.snapshot.with_untracked(|sale| (sale.sale.clone(), sale.splitter, sale.opened_at, sale.expires_at));
    let left = Memo::new(move |_| {
        let left = u64::try_from(expires_at - sale.now.get()?).ok()?;
        Some((words.time_left)(format::countdown(left, words.days)))
    });
    view! {
        <header class="head">
            <div class="title">
                <h1>{words.red_packet}</h1>
                <span class="id" translate="no">{id.clone()}</span>
                {copy_button(words.copy_id, id)}
                {badge(sale.standing().into())}
                {link(sale.link)}
            </div>
            <dl class="terms">
                <div><dt>{words.splitter}</dt><dd>{(words.splitter_name)(splitter)}</dd></div>
                <div><dt>{words.opened_at}</dt><dd>{moment(opened_at, Style::Full)}</dd></div>
                <div>
                    <dt>{words.expires_at}</dt>
                    <dd>{moment(expires_at, Style::Full)} " " <span class="left">{move || left.get()}</span></dd>
                </div>
            </dl>
            {refund::refund(sale)}
        </header>
    }
    .into_any()
}

/// Where the sale stands, in a word and a sign.
pub fn badge(standing: Signal<Standing>) -> AnyView {
    let words = words();
    let sign = move || match standing.get() {
        Standing::Opening => ("calm", Icon::Clock),
        Standing::Open => ("good", Icon::Packet),
        Standing::SoldOut => ("gold", Icon::Empty),
        Standing::Expired => ("warn", Icon::Clock),
        Standing::Refunded => ("calm", Icon::Again),
    };
    view! {
        <span class=move || ["badge ", sign().0].concat()>
            {move || icon(sign().1)} {move || (words.standing)(standing.get())}
        </span>
    }
    .into_any()
}

fn link(link: RwSignal<Link>) -> AnyView {
    let words = words();
    let class = move || match link.get() {
        Link::Connecting => "link calm",
        Link::Live => "link live",
        Link::Lost | Link::StoreDown => "link bad",
    };
    view! { <span class=class role="status">{move || (words.link)(link.get())}</span> }.into_any()
}
