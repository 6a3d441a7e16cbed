//! What the page of a sale says of its life: the time until its start or end, a pause, and why nothing can be attempted.

use crate::{
    components::{Icon, LocalTime, TimeStyle, format::countdown, use_local_text},
    i18n,
    life::words::words,
};
use leptos::prelude::*;
use model::{
    Millis, SaleState,
    life::{HoldClock, Life, Pause, Phase},
};

/// The life of the sale on a page.
#[derive(Clone, Copy)]
pub struct PageLife {
    /// The start, the end, the pause and the texts; `now` is 0.
    pub life: Memo<Life>,
    /// The phase, by the server's clock.
    pub phase: Memo<Phase>,
    /// The milliseconds until the next change of the phase; `None` without one.
    pub time_left: Signal<Option<Millis>>,
}

impl PageLife {
    /// Returns the reason why nothing can be attempted now: `ended` if nothing is left to get, or else the start or the
    /// pause.
    pub fn refused(self, ended: Signal<Option<&'static str>>) -> Signal<Option<String>> {
        let (words, local) = (words(), use_local_text(TimeStyle::Full));
        let refused = Memo::new(move |_| {
            let Self { life, phase, .. } = self;
            ended.get().map(str::to_owned).or_else(|| match phase.get() {
                Phase::Scheduled => life.with(|life| life.opens_at).map(|at| (words.opens_at)(local(at))),
                Phase::Paused => {
                    Some(life.with(|life| (words.sale_paused)(life.pause.as_ref().map_or("", |pause| &pause.reason))))
                }
                Phase::Ended => Some(words.sale_ended.to_owned()),
                Phase::Open => None,
            })
        });
        refused.into()
    }
}

/// Returns the next time after `now` at which the phase of a sale changes by itself.
pub fn next_turn(life: &Life, now: Millis) -> Option<Millis> {
    [life.opens_at, life.ends_at].into_iter().flatten().find(|at| *at > now)
}

/// Shows the time until the start, or until the end.
#[component]
pub fn TimeLeft(
    /// The life of the sale.
    life: PageLife,
    /// The state of the sale; of one that is closed, no end comes.
    state: Signal<SaleState>,
) -> impl IntoView {
    let PageLife { phase, time_left, .. } = life;
    let text = move || {
        let left = time_left.get()?.unsigned_abs();
        let is_on =
            matches!(state.get(), SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused);
        // Rounded up: before the moment, at least a second is left.
        let left = countdown(left.div_ceil(1_000) * 1_000, i18n::words().days);
        is_on.then(|| match phase.get() {
            Phase::Scheduled => (words().opens_in)(left),
            Phase::Open | Phase::Paused | Phase::Ended => (words().ends_in)(left),
        })
    };
    view! {
        <span class="time-left" role="timer">
            {text}
        </span>
    }
}

/// Announces the start to screen readers: a minute before, ten seconds before, and when it has come.
#[component]
pub fn StartAnnouncement(
    /// The life of the sale.
    life: PageLife,
) -> impl IntoView {
    let words = words();
    let PageLife { phase, time_left, .. } = life;
    // Also whether the page has seen the sale before its start: another one was open before anybody waited for it.
    let said = Memo::new(move |before: Option<&(bool, &'static str)>| {
        let has_waited = before.is_some_and(|(has_waited, _)| *has_waited);
        match (phase.get(), time_left.get()) {
            (Phase::Scheduled, Some(..=10_000)) => (true, words.in_ten_seconds),
            (Phase::Scheduled, Some(..=60_000)) => (true, words.in_a_minute),
            (Phase::Scheduled, _) => (true, ""),
            (Phase::Open, _) if has_waited => (true, words.is_open),
            _ => (has_waited, ""),
        }
    });
    view! {
        <p class="unseen" role="status">
            {move || said.get().1}
        </p>
    }
}

/// Shows that the sale is paused, since when and why, and what holds do meanwhile.
#[component]
pub fn PauseNotice(
    /// The life of the sale.
    life: PageLife,
    /// The number of items that users hold and may still lose.
    held: Signal<u64>,
) -> impl IntoView {
    let words = words();
    // Also of a sale whose end came in a pause: what is held may still wait for it.
    let pause = Memo::new(move |_| {
        let pause = life.life.with(|life| life.pause.clone())?;
        (life.phase.get() != Phase::Ended || pause.hold_clock == HoldClock::Stops).then_some(pause)
    });
    let has_holds = Memo::new(move |_| held.get() > 0);
    let holds = move |clock| match clock {
        HoldClock::Stops => Some(words.holds_stop),
        HoldClock::Runs => has_holds.get().then_some(words.holds_run),
    };
    let banner = move |Pause { at, reason, hold_clock }: Pause| {
        view! {
            <div class="banner pause-banner">
                <Icon icon=icondata_lu::LuPause />
                <div>
                    <p>
                        <b>{words.paused}</b>
                        " "
                        {words.since}
                        " "
                        <LocalTime at style=TimeStyle::Full />
                    </p>
                    {(!reason.is_empty()).then(|| view! { <p>{reason}</p> })}
                    <p>{move || holds(hold_clock)}</p>
                </div>
            </div>
        }
    };
    view! { <div role="status">{move || pause.get().map(banner)}</div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_comes_before_the_end() {
        let life = Life { opens_at: Some(10), ends_at: Some(20), ..Life::default() };
        assert_eq!([9, 10, 19, 20].map(|now| next_turn(&life, now)), [Some(10), Some(20), Some(20), None]);
        assert_eq!(next_turn(&Life::default(), 0), None);
    }
}
