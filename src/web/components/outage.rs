//! What a page says while it cannot be kept up to date: since when, and as of when its figures are.

use crate::{
    components::{Icon, LocalTime, TimeStyle, server_now},
    i18n::{Words, words},
};
use leptos::prelude::*;
use model::{
    Millis,
    error::{Error, Result},
};

/// A time in which the page is not kept up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// What is wrong.
    pub title: &'static str,
    /// What can still be done.
    pub advice: &'static str,
    /// When it was noticed, in epoch milliseconds.
    pub since: Millis,
    /// When what is shown was last known to be true, in epoch milliseconds.
    pub as_of: Millis,
}

/// The banner; empty, and silent, while there is no outage.
#[component]
pub fn OutageBanner(
    /// `None` while all is well.
    #[prop(into)]
    outage: Signal<Option<Outage>>,
) -> impl IntoView {
    let words = words();
    let outage = Memo::new(move |_| outage.get());
    let banner = move |Outage { title, advice, since, as_of }: Outage| {
        view! {
            <div class="banner outage">
                <Icon icon=icondata_lu::LuTriangleAlert />
                <div>
                    <b>{title}</b>
                    <p>
                        {words.outage_since} " " <LocalTime at=since style=TimeStyle::Clock /> " · "
                        {words.figures_as_of} " " <LocalTime at=as_of style=TimeStyle::Clock />
                    </p>
                    <p>{advice}</p>
                </div>
            </div>
        }
    };
    view! {
        <div class="outage-notice" role="alert">
            {move || outage.get().map(banner)}
        </div>
    }
}

/// Whether what a page loads regularly is up to date.
#[derive(Clone, Copy)]
pub struct Freshness {
    words: &'static Words,
    outage: RwSignal<Option<Outage>>,
    answered_at: StoredValue<Option<Millis>>,
}

/// Follows the answers that the page gets. `is_loaded`: the page came with its data.
pub fn use_freshness(is_loaded: bool) -> Freshness {
    let freshness = Freshness { words: words(), outage: RwSignal::new(None), answered_at: StoredValue::new(None) };
    Effect::new(move || {
        if is_loaded {
            freshness.restart();
        }
    });
    freshness
}

impl Freshness {
    /// What is shown is true as of now.
    pub fn restart(self) {
        self.answered_at.set_value(Some(server_now()));
        self.outage.set(None);
    }

    /// Notes an answer. An error that is not the server's own says nothing, and neither does one before the first answer:
    /// nothing is shown then that could be out of date.
    pub fn note<T>(self, answer: &Result<T>) {
        match (answer, self.answered_at.get_value()) {
            (Ok(_), _) => self.restart(),
            (Err(Error { code, .. }), Some(as_of)) if code.status() >= 500 => self.outage.update(|outage| {
                let since = outage.map_or_else(server_now, |outage| outage.since);
                *outage = Some(Outage {
                    title: (self.words.error_title)(*code),
                    advice: (self.words.outage_advice)(*code),
                    since,
                    as_of,
                });
            }),
            (Err(_), _) => {}
        }
    }

    /// The outage that goes on.
    pub fn outage(self) -> Signal<Option<Outage>> {
        self.outage.into()
    }

    /// Why something is not there, where no banner says that it is out of date.
    pub fn unexplained(self, error: Option<Error>) -> Option<Error> {
        error.filter(|_| self.outage.read().is_none())
    }
}
