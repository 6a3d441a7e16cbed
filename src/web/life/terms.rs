//! A sale's life among its terms, and its description.

use crate::{
    components::{Definition, LocalTime, TimeStyle},
    i18n::shown_text,
    life::{status::PageLife, words::words},
};
use leptos::prelude::*;
use model::{Millis, life::Currency};

/// Shows the start, the end and the currency of the sale, for its terms; nothing of what it does not have.
#[component]
pub fn LifeTerms(
    /// The life of the sale.
    life: PageLife,
    /// The end is one of its terms; some kinds show it by themselves.
    #[prop(default = true)]
    has_end: bool,
) -> impl IntoView {
    let words = words();
    let times = Memo::new(move |_| {
        life.life.with(|life| [(words.start, life.opens_at), (words.end, life.ends_at.filter(|_| has_end))])
    });
    let time = |(term, at): (&'static str, Option<Millis>)| {
        at.map(|at| {
            view! {
                <Definition term>
                    <LocalTime at style=TimeStyle::Full />
                </Definition>
            }
        })
    };
    // It never changes.
    let currency = life.life.with_untracked(|life| life.currency);
    view! {
        {move || times.get().map(time)}
        {(currency != Currency::CNY)
            .then(|| view! { <Definition term=words.currency_term>{currency.code()}</Definition> })}
    }
}

/// Shows the description of the sale, if it has one.
#[component]
pub fn Description(
    /// The life of the sale.
    life: PageLife,
) -> impl IntoView {
    let text = Memo::new(move |_| {
        life.life.with(|life| shown_text(&life.description).map(|(lang, text)| (lang, text.to_owned())))
    });
    move || {
        text.get().map(|(lang, text)| {
            view! {
                <section class="card" aria-labelledby="about-title">
                    <h2 id="about-title">{words().about}</h2>
                    <p class="description" lang=lang.tag()>
                        {text}
                    </p>
                </section>
            }
        })
    }
}
