//! Says when the ledger is behind Redis, on pages that show what the ledger has.

use crate::{components::Notice, ledger::words::words as ledger_words, people::words::words};
use leptos::prelude::*;
use model::ledger::Status;

/// The time from which on a lag is worth a word, in seconds. The writer is always a little behind.
const NOTICEABLE_S: f64 = 1.0;

/// What the ledger's status means for what a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    /// The ledger has everything, or will within a moment.
    None,
    /// Redis, which knows the lag, did not answer.
    Unknown,
    /// The ledger lacks so many events.
    Events(u64),
    /// As [`Lag::Events`], and no server records them.
    Unwritten,
}

impl Lag {
    /// Reads a status; `None` if it could not be loaded.
    pub fn of(status: Option<&Status>) -> Self {
        let Some(status) = status else { return Self::Unknown };
        let late = status.sales.iter().filter(|sale| sale.lag_seconds >= NOTICEABLE_S);
        match late.map(|sale| sale.lag_events).sum() {
            0 => Self::None,
            _ if status.writer.is_none() => Self::Unwritten,
            events => Self::Events(events),
        }
    }
}

/// Shows the sentence about the lag, if there is one.
#[component]
pub fn LagNotice(
    /// The lag, as it was loaded last.
    lag: Memo<Lag>,
) -> impl IntoView {
    let sentence = move || match lag.get() {
        Lag::None => None,
        Lag::Unknown => Some(words().lag_unknown.to_owned()),
        Lag::Events(events) => Some((words().behind)(events)),
        Lag::Unwritten => Some(ledger_words().no_writer.to_owned()),
    };
    view! {
        <div role="status">
            {move || sentence().map(|sentence| view! { <Notice>{sentence}</Notice> })}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ledger::SaleStatus;

    #[test]
    fn only_a_lag_that_lasts_is_worth_a_word() {
        let status = |lag_events, lag_seconds, writer: Option<&str>| {
            let sale = SaleStatus { lag_events, lag_seconds, ..SaleStatus::default() };
            Status { sales: vec![sale], writer: writer.map(str::to_owned), ..Status::default() }
        };
        assert_eq!(Lag::of(None), Lag::Unknown);
        assert_eq!(Lag::of(Some(&status(0, 0.0, None))), Lag::None);
        assert_eq!(Lag::of(Some(&status(9, 0.4, Some("one")))), Lag::None);
        assert_eq!(Lag::of(Some(&status(9, 1.0, Some("one")))), Lag::Events(9));
        assert_eq!(Lag::of(Some(&status(9, 1.0, None))), Lag::Unwritten);
    }
}
