//! The sales with what is left of each, asked for again every other second while somebody looks.

use crate::{
    error::{Error, Result},
    sales::{
        SaleLine,
        red_packet::{
            api,
            page::{Standing, badge},
        },
    },
    ui::{
        format::{count, money, segment},
        icons::{Icon, icon},
        meter::meter,
        moment::moment,
        notice::notice,
        platform::{self, Style},
    },
    words::words,
};
use leptos::{prelude::*, task::spawn_local};
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(2);

pub fn list(first: Result<Vec<SaleLine>>) -> AnyView {
    let words = words();
    let error = RwSignal::new(first.as_ref().err().cloned());
    let lines = RwSignal::new(first.unwrap_or_default());
    keep_fresh(lines, error);
    let ids = Memo::new(move |_| lines.with(|lines| lines.iter().map(|line| line.sale.clone()).collect::<Vec<_>>()));
    let entry = move |id: String| lines.with_untracked(|lines| lines.iter().find(|line| line.sale == id).cloned()).map(|first| entry(first, lines));
    let empty = move || (ids.with(Vec::is_empty) && error.with(Option::is_none)).then(|| view! { <p class="empty">{words.sales_empty}</p> });
    view! {
        {notice(error, &[])}
        {empty}
        <ul class="entries">
            <For each=move || ids.get() key=String::clone children=entry />
        </ul>
    }
    .into_any()
}

fn keep_fresh(lines: RwSignal<Vec<SaleLine>>, error: RwSignal<Option<Error>>) {
    Effect::new(move |_| {
        let asking = StoredValue::new(false);
        let ask = move || {
            if platform::hidden() || asking.get_value() {
                return;
            }
            asking.set_value(true);
            spawn_local(async move {
                let answer = api::list().await;
                // The page may be gone by the time of the answer.
                if asking.try_set_value(false).is_some() {
                    return;
                }
                match answer {
                    Ok(fresh) => {
                        error.set(None);
                        lines.set(fresh);
                    }
                    Err(why) => error.set(Some(why)),
                }
            });
        };
        if let Ok(asking) = set_interval_with_handle(ask, EVERY) {
            on_cleanup(move || asking.clear());
        }
    });
}

fn entry(first: SaleLine, lines: RwSignal<Vec<SaleLine>>) -> AnyView {
    let words = words();
    let id = first.sale.clone();
    let address = ["/red-packets/", &segment(&id)].concat();
    let opened_at = first.opened_at;
    let line = Memo::new(move |last: Option<&SaleLine>| {
        let found = lines.with(|lines| lines.iter().find(|line| line.sale == first.sale).cloned());
        found.unwrap_or_else(|| last.unwrap_or(&first).clone())
    });
    let standing = Signal::derive(move || line.with(|line| Standing::of(line.state, line.pending)));
    let left = Signal::derive(move || line.with(|line| (words.left_of)(count(line.pending), count(line.count))));
    let money_left = move || line.with(|line| (words.money_of)(money(line.total_cents - line.claimed_cents), money(line.total_cents)));
    let crowd = move || line.with(|line| line.crowd).then(|| view! { <span class="badge bad">{icon(Icon::Crowd)} {words.crowd_here}</span> });
    view! {
        <li class="card entry">
            <div class="bar">
                <a href=address translate="no">{id}</a>
                <span class="badges">{crowd} {badge(standing)}</span>
            </div>
            {meter(
                "meter",
                words.pending,
                Signal::derive(move || line.with(|line| line.pending)),
                Signal::derive(move || line.with(|line| line.count)),
                left,
            )}
            <div class="sub"><span>{left}</span> <span>{money_left}</span></div>
            <div class="sub aside"><span>{words.opened_at} " " {moment(opened_at, Style::Full)}</span></div>
        </li>
    }
    .into_any()
}
