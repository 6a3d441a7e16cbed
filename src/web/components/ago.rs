//! How long ago something was, for lists in which that matters more than the exact time, which a tip has.

use crate::{
    components::{LocalTime, TimeStyle, WithTip, clock::document_time},
    i18n::words,
};
use leptos::prelude::*;
use model::{Millis, iso};

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// Shows a `<time>` as `3 min ago`, with the exact time as its tip.
#[component]
pub fn Ago(
    /// The instant, in epoch milliseconds.
    at: Millis,
    /// The time by the server's clock; zero until the browser knows it. See `use_now`.
    now: Signal<Millis>,
) -> impl IntoView {
    // Hydration keeps the server's text, until the clock first ticks.
    let first = document_time().map(|now| ago(now - at)).unwrap_or_default();
    let text = Memo::new(move |_| match now.get() {
        0 => first.clone(),
        now => ago(now - at),
    });
    view! {
        <WithTip tip=move || view! { <LocalTime at style=TimeStyle::Full /> }>
            <time datetime=iso(at)>{text}</time>
        </WithTip>
    }
}

fn ago(ms: Millis) -> String {
    let words = words();
    match ms {
        ..MINUTE => words.just_now.to_owned(),
        MINUTE..HOUR => (words.minutes_ago)(ms / MINUTE),
        HOUR..DAY => (words.hours_ago)(ms / HOUR),
        DAY.. => (words.days_ago)(ms / DAY),
    }
}
