//! What the pages know of the health: asked for again and again, whatever page is shown.

use crate::{
    components::{FirstCall, use_polling},
    health::api,
};
use leptos::prelude::*;
use model::{
    error::{Code, Result},
    health::{Health, Matter, Subject},
    ledger::SaleName,
};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(5);

/// The latest answer about the health.
#[derive(Clone, Copy)]
pub struct HealthWatch {
    /// `None` until the first answer.
    answer: RwSignal<Option<Result<Health>>>,
    /// Asks now.
    ask: Callback<()>,
}

/// What is to be said at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glance {
    /// Nothing is known yet.
    Unknown,
    /// All is well.
    Well,
    /// So many things are wrong.
    Problems(u64),
    /// There was no answer, for this reason.
    NoAnswer(Code),
}

/// Returns what tells a matter from others, also after it has changed.
pub fn key_of(Matter { reason, subject, .. }: &Matter) -> String {
    match subject {
        Subject::Sale(SaleName { kind, sale }) => format!("{}:{kind}:{sale}", reason.name()),
        Subject::Webhook { webhook } => format!("{}:{webhook}", reason.name()),
    }
}

/// Asks for the health every few seconds while the tab is visible.
pub fn use_health() -> HealthWatch {
    let answer = RwSignal::new(None);
    let ask = use_polling(INTERVAL, FirstCall::AtOnce, api::health, move |news| answer.set(Some(news)));
    HealthWatch { answer, ask }
}

impl HealthWatch {
    /// Asks now.
    pub fn ask(self) {
        self.ask.run(());
    }

    /// Returns what is to be said at a glance.
    pub fn glance(self) -> Memo<Glance> {
        Memo::new(move |_| {
            self.answer.with(|answer| match answer {
                None => Glance::Unknown,
                Some(Err(error)) => Glance::NoAnswer(error.code),
                Some(Ok(health)) => match health.problems() {
                    0 => Glance::Well,
                    problems => Glance::Problems(problems),
                },
            })
        })
    }

    /// Returns the latest answer, if there was one.
    pub fn latest(self) -> Memo<Option<Health>> {
        Memo::new(move |_| self.answer.with(|answer| answer.as_ref().and_then(|answer| answer.clone().ok())))
    }

    /// Returns what needs somebody. While there is no answer, what the last one said.
    pub fn matters(self) -> Memo<Option<Vec<Matter>>> {
        Memo::new(move |before: Option<&Option<Vec<Matter>>>| {
            let now = self.answer.with(|answer| match answer {
                Some(Ok(health)) => Some(health.matters.clone()),
                _ => None,
            });
            now.or_else(|| before.cloned().flatten())
        })
    }
}
