//! The banner on a page that cannot be kept up to date: the beginning of the outage, and the age of the figures.

use crate::{
    components::{Icon, LocalTime, ServerVersion, TimeStyle, server_now, use_server_version},
    i18n::{Words, words},
};
use leptos::prelude::*;
use model::{
    Millis,
    error::{Code, Error, Result},
};

/// A period in which the page is not kept up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The problem.
    pub title: &'static str,
    /// The actions that are still possible.
    pub advice: &'static str,
    /// The time of its detection, in epoch milliseconds.
    pub since: Millis,
    /// The last time at which the shown figures were known to be true, in epoch milliseconds.
    pub as_of: Millis,
}

/// Shows the banner; it is empty and silent while there is no outage.
#[component]
pub fn OutageBanner(
    /// `None` while there is no outage.
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

/// The freshness of data that a page loads regularly.
#[derive(Clone, Copy)]
pub struct Freshness {
    words: &'static Words,
    version: ServerVersion,
    outage: RwSignal<Option<Outage>>,
    answered_at: StoredValue<Option<Millis>>,
}

/// Tracks the answers that the page gets. `is_loaded`: the page came with its data.
pub fn use_freshness(is_loaded: bool) -> Freshness {
    let freshness = Freshness {
        words: words(),
        version: use_server_version(),
        outage: RwSignal::new(None),
        answered_at: StoredValue::new(None),
    };
    Effect::new(move || {
        if is_loaded {
            freshness.restart();
        }
    });
    freshness
}

impl Freshness {
    /// Records that the shown data is current.
    pub fn restart(self) {
        self.answered_at.set_value(Some(server_now()));
        self.outage.set(None);
    }

    /// Records an answer. Errors that are not the server's own are ignored. So are errors before the first answer, as
    /// no shown data can be out of date then.
    pub fn note<T>(self, answer: &Result<T>) {
        if answer.as_ref().is_err_and(|error| error.code == Code::Unreadable) {
            self.version.ask();
        }
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

    /// Returns the ongoing outage.
    pub fn outage(self) -> Signal<Option<Outage>> {
        self.outage.into()
    }

    /// Returns the reason for missing data, unless a banner explains it.
    pub fn unexplained(self, error: Option<Error>) -> Option<Error> {
        error.filter(|_| self.outage.read().is_none())
    }
}
