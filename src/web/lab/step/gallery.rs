//! Typical interleavings, each a link to its last step. Those that break a strategy are the same as in the matrix; the
//! others are mistakes around attempts.

use crate::lab::words::{GalleryWords, Words, words};
use leptos::prelude::*;
use model::{
    error::Result,
    lab::{Anomaly, registry::StrategyInfo, trace::Play},
};

/// The strategy of the first play.
pub const FIRST: &str = "read-check-write";

/// A play of the gallery: its words, the strategy, and the anomaly that it ends with.
type GalleryItem = (fn(&Words) -> &GalleryWords, &'static str, Option<Anomaly>);

const PLAYS: [GalleryItem; 11] = [
    (|words| &words.oversell, FIRST, Some(Anomaly::Oversold)),
    (|words| &words.double_claim, "pipeline", Some(Anomaly::Doubled)),
    (|words| &words.two_servers, "lock-in-process-two-servers", Some(Anomaly::Oversold)),
    (|words| &words.not_the_owner, "setnx-lock-no-owner-check", Some(Anomaly::Oversold)),
    (|words| &words.outlived, "setnx-lock-short-lifetime", Some(Anomaly::Oversold)),
    (|words| &words.cancel_replayed, "cancel-replayed", Some(Anomaly::Oversold)),
    (|words| &words.pay_against_expire, "pay-against-expire", Some(Anomaly::Oversold)),
    (|words| &words.rebuild_against_deduction, "rebuild-against-deduction", Some(Anomaly::Oversold)),
    (|words| &words.deduct_before_dedupe, "deduct-before-dedupe", Some(Anomaly::Drained)),
    (|words| &words.unread, "user-lock-guard-unread", Some(Anomaly::Lost)),
    (|words| &words.one_step, "script", None),
];

/// Returns the whole play; `None` if the server does not know it.
fn play((_, strategy, anomaly): GalleryItem, strategies: &[StrategyInfo]) -> Option<Play> {
    match anomaly {
        Some(anomaly) => strategies.iter().find(|known| known.name == strategy)?.failure(anomaly).cloned(),
        // Nothing can go wrong in any order, so any schedule is as good as this.
        None => Play::of(strategy.to_owned(), None, None, None, "21").ok(),
    }
}

/// Shows the links.
#[component]
pub fn Gallery(
    /// All strategies of the lab.
    strategies: Vec<StrategyInfo>,
    /// The play in the address, or the reason why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let link = |entry: GalleryItem| {
        let famous = self::play(entry, &strategies)?;
        let GalleryWords { name, hint } = (entry.0)(words);
        let (href, of_link) = (famous.url(), famous);
        let is_shown = move || play.with(|play| play.as_ref() == Ok(&of_link)).then_some("true");
        Some(view! {
            <a class="preset-link" href=href data-noscroll aria-current=is_shown>
                <b>{*name}</b>
                <span class="aside">{*hint}</span>
            </a>
        })
    };
    view! {
        <nav class="preset-links" aria-label=words.gallery>
            {PLAYS.into_iter().filter_map(link).collect_view()}
        </nav>
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use lab::{
        mistakes::MISTAKES,
        strategies::{STRATEGIES, Strategy},
    };

    /// `tests/lab/matrix.rs` and `tests/lab/mistakes.rs` show that the plays end as described.
    #[test]
    fn every_play_of_the_gallery_is_there() {
        let strategies: Vec<StrategyInfo> = STRATEGIES.iter().chain(&MISTAKES).map(Strategy::info).collect();
        for (place, entry) in PLAYS.into_iter().enumerate() {
            assert!(play(entry, &strategies).is_some(), "the play {place}");
        }
    }
}
