//! The stage: what each limit has left, claims a minute, and what became of the coupons.

use crate::{
    components::{
        Definition, Meter,
        format::{count, countdown},
        use_now,
    },
    coupon::{
        page::{Sale, look_up::LookUp, minutes::Claims},
        words::words,
    },
    crowd::panel::CrowdControl,
    i18n,
};
use leptos::prelude::*;
use model::coupon::{LIMITS, Limit, LimitName, limits::USER};

/// A meter for each limit, the chart, and the counts.
#[component]
pub fn Meters(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The user who was looked up, whose limits are measured.
    look_up: LookUp,
    /// The crowd of the sale.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    let meter = move |Limit { name, scope, .. }: Limit| {
        // There are no more coupons than own codes.
        let most = move || {
            sale.read(|sale| match name {
                LimitName::Total => sale.lists.most(sale.limits.total),
                _ => sale.limits.get(name),
            })
        };
        let counts = match (name, scope) {
            (LimitName::Total, _) => Memo::new(move |_| (Some(sale.read(|sale| sale.counted)), most())),
            // Of the user who was looked up: the limit less what is left.
            (_, USER) => Memo::new(move |_| {
                let left = look_up.user.with(|user| user.as_ref().map(|user| user.left.get(name)));
                let most = most();
                (left.map(|left| most.zip(left).map_or(0, |(most, left)| most.saturating_sub(left))), most)
            }),
            // What it has counted for all the others is nowhere on the page.
            _ => Memo::new(move |_| (None, most())),
        };
        let refused = Memo::new(move |_| sale.read(|sale| sale.outcomes.refused.get(name)));
        view! { <LimitMeter limit=name counts refused /> }
    };
    let whose = move || {
        look_up.user.with(|user| match user {
            Some(user) => (words.of_user)(user.user.clone()),
            None => words.of_nobody.to_owned(),
        })
    };
    view! {
        <section class="card coupon-stage" aria-labelledby="limits-title" data-figures="top">
            <h2 id="limits-title" class="stage-heading">{words.limits}</h2>
            <div class="meters">
                {LIMITS.map(meter).collect_view()}
            </div>
            <p class="legend">
                <span class="whose" class:nobody=move || look_up.user.with(Option::is_none)>
                    {whose}
                </span>
                <NextReset sale />
            </p>
            <Claims sale crowd />
            <dl class="figures-of-three">
                <Definition term=words.claimed>{move || sale.read(|sale| count(sale.claimed))}</Definition>
                <Definition term=words.redeemed>{move || sale.read(|sale| count(sale.redeemed))}</Definition>
                <Definition term=words.returned>{move || sale.read(|sale| count(sale.returned))}</Definition>
            </dl>
        </section>
    }
    .into_any()
}

/// What counts against a limit, if that is known, and the limit, if there is one.
type Counted = (Option<u64>, Option<u64>);

#[component]
fn LimitMeter(
    /// The limit that is measured.
    limit: LimitName,
    /// How many count against it, and how many it allows; `None` for what is unknown or unlimited.
    counts: Memo<Counted>,
    /// Attempts that it has refused.
    refused: Memo<u64>,
) -> impl IntoView {
    let words = words();
    let label = (words.limit_name)(limit);
    let text = Memo::new(move |_| match counts.get() {
        (Some(counted), Some(0)) => (words.stopped)(count(counted)),
        (Some(counted), Some(most)) => (words.counted_of)(count(counted), count(most)),
        (None, Some(most)) => (words.at_most)(count(most)),
        (Some(counted), None) if limit == LimitName::Total => (words.counted_unlimited)(count(counted)),
        (_, None) => words.unlimited.to_owned(),
    });
    view! {
        <div class="limit">
            <h3>{label}</h3>
            <p class="number">{text}</p>
            <Meter
                label
                value=Signal::derive(move || counts.get().0.unwrap_or(0))
                max=Signal::derive(move || counts.get().1.unwrap_or(0))
                text
            />
            <p class="aside">{move || (words.refused_times)(refused.get())}</p>
        </div>
    }
}

/// When the next day begins in the time zone of the sale.
#[component]
fn NextReset(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let zone = sale.snapshot.with_untracked(|sale| sale.time_zone.clone());
    let days_begin = (words.days_begin)(&zone);
    let now = use_now();
    let left = move || {
        let (now, ends) = (now.get(), sale.read(|sale| sale.day_ends_at));
        // The snapshot of an idle sale may be from yesterday: the next frame has the next day.
        let left = u64::try_from(ends - now).ok().filter(|_| now > 0)?;
        Some(countdown(left, shared.days))
    };
    view! {
        <span class="reset">{move || left().map(|left| (words.next_day_in)(left, zone.clone()))}</span>
        // Nothing counts down without JavaScript. (Text only: a browser with JavaScript has a text in here, too.)
        <noscript>{days_begin}</noscript>
    }
}
