//! The strip above the stage: the items left, the attempts per second, the state of the sale and of its crowd, and the
//! crowd's buttons.

use crate::{
    base_path::use_navigate,
    components::{
        Button, Definition, Icon, Meter, StateBadge,
        format::{NO_VALUE, count, countdown, micros, share},
        hand_focus_on, use_show_tab,
    },
    crowd::words::words as crowd_words,
    i18n,
    ledger::status::SaleLedger,
    life::TimeLeft,
    live::{event_stream::Connection, words::words as live_words},
    stage::{CROWD_TAB, StageSale, crowd_url, words::words},
};
use leptos::{html, prelude::*};
use model::crowd::{Phase, Status};

/// Shows the main figures, the progress of the crowd, and the buttons that start and stop one.
#[component]
pub fn Strip(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// The ledger's lag behind the sale, loaded every second.
    ledger: SaleLedger,
) -> impl IntoView {
    let words = words();
    let StageSale { left, total, crowd, .. } = sale;
    let has_run = Memo::new(move |_| crowd.has_run());
    let is_over = Memo::new(move |_| crowd.read(|status| status.phase.is_over()));
    // While the page is out of date, the rate of a running crowd is unknown.
    let is_known = Memo::new(move |_| has_run.get() && (is_over.get() || !sale.connection.get().is_stale()));
    let figure = move |is_known: Memo<bool>, read: fn(&Status) -> String| {
        move || if is_known.get() { crowd.read(read) } else { NO_VALUE.to_owned() }
    };
    let per_s = figure(is_known, |status| count(if status.phase.is_over() { status.mean_per_s } else { status.per_s }));
    let rate = move || if is_over.get() { words.mean_per_s } else { words.per_s };
    // As wide as the first figure, so that shorter figures do not move their neighbours.
    let digits = move || total.get().map(|total| format!("{}ch", count(total).len()));
    let lag = Signal::derive(move || {
        ledger.status.with(|status| {
            status.as_ref().map_or_else(|| NO_VALUE.to_owned(), |status| (words.events)(status.lag_events))
        })
    });
    view! {
        <section class="strip card" aria-label=words.strip>
            <dl class="figures-of-three" translate="no">
                <Definition term=words.left class="left">
                    <b style=("--digits", digits)>
                        {move || left.get().map_or_else(|| words.no_limit.to_owned(), count)}
                    </b>
                    <span class="of">{move || total.get().map(|total| (words.of_total)(count(total)))}</span>
                    <span class="share">
                        {move || left.get().zip(total.get()).map(|(left, total)| share(left, total))}
                    </span>
                </Definition>
                <div>
                    <dt>{rate}</dt>
                    <dd>
                        <b>{per_s}</b>
                    </dd>
                </div>
                <Definition term=i18n::words().p99>
                    <b>{figure(has_run, |status| micros(status.p99_us))}</b>
                </Definition>
                <Definition term=words.lag class="small">
                    <span>{lag}</span>
                </Definition>
            </dl>
            <CrowdProgress sale lag />
            <Buttons sale />
        </section>
    }
}

/// Shows the state of the sale, and the progress of the crowd. The space is kept while there is none.
#[component]
fn CrowdProgress(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// The ledger's lag, which a narrow page shows here.
    lag: Signal<String>,
) -> impl IntoView {
    let (words, shared, crowd) = (crowd_words(), i18n::words(), sale.crowd);
    let own = self::words();
    let answered = Signal::derive(move || crowd.read(|status| status.answered));
    let attempts = Signal::derive(move || crowd.read(|status| status.attempts.max(status.expected_attempts)));
    let is_estimate = Memo::new(move |_| crowd.read(|status| status.expected_attempts > status.attempts));
    let done = Signal::derive(move || match attempts.get() {
        0 => String::new(),
        all if is_estimate.get() => (words.done_of_about)(answered.get(), rounded(all)),
        all => (words.done_of)(answered.get(), all),
    });
    // In these states, the progress of a running crowd is unknown. While Redis or the server is down, its attempts
    // fail. It is verified when Redis is back.
    let waits_for = Memo::new(move |_| match sale.connection.get() {
        // There may be another crowd by now.
        Connection::Waiting => Some((live_words().connection)(Connection::Waiting)),
        _ if !crowd.is_running() => None,
        Connection::StoreDown => Some(words.waits_for_redis),
        Connection::Silent | Connection::Lost => Some(words.waits_for_server),
        Connection::Connecting | Connection::Live => None,
    });
    let phase = move || {
        let phase = || crowd.read(|status| Some(status.phase)).map_or(words.no_crowd, words.phase);
        waits_for.get().unwrap_or_else(phase)
    };
    let time = move || {
        let (phase, left, elapsed) = crowd.read(|status| (Some(status.phase), status.left_ms, status.elapsed_ms));
        match (phase?, left) {
            _ if waits_for.get().is_some() => None,
            // Rounded up: an unfinished run has at least a second left.
            (Phase::Running, Some(left)) => Some((shared.time_left)(match left.div_ceil(1_000) {
                seconds @ ..100 => (own.seconds)(seconds),
                seconds => countdown(seconds * 1_000, shared.days),
            })),
            _ => Some((words.time_taken)(micros(elapsed * 1_000))),
        }
    };
    view! {
        <div class="course-of-crowd">
            <p class="bar">
                <StateBadge state=sale.state />
                <TimeLeft life=sale.life state=sale.state />
                <b class="phase" role="status">{phase}</b>
                <span class="done">{done}</span>
                <span class="time">{time}</span>
                <span class="lag">{own.lag.label} " " {lag}</span>
            </p>
            <Meter role="progressbar" label=words.progress value=answered max=attempts text=done />
        </div>
    }
}

/// Rounds an estimate to two digits, so that it changes less often. It is never below the number already done.
fn rounded(estimate: u64) -> u64 {
    let unit = 10_u64.pow(estimate.max(10).ilog10() - 1);
    estimate.div_ceil(unit) * unit
}

/// Shows the buttons that start a crowd, stop it, start it again, or lead to a fresh sale.
#[component]
fn Buttons(
    /// The sale, as the stage sees it.
    sale: StageSale,
) -> impl IntoView {
    let (own, words) = (words(), crowd_words());
    let StageSale { kind, crowd, duplicate, .. } = sale;
    let is_running = RwSignal::new(untrack(|| crowd.is_running()));
    let (start, stop) = (NodeRef::<html::Button>::new(), NodeRef::<html::Button>::new());
    // One of these two buttons hides when the other appears.
    Effect::new(move || {
        let runs = crowd.is_running();
        if runs != is_running.get_untracked() {
            let (from, to) = if runs { (start, stop) } else { (stop, start) };
            hand_focus_on(from, to, || is_running.set(runs));
        }
    });
    // Leads to the crowd's tab, unless the reader has chosen another one.
    let show_tab = use_show_tab();
    let has_run = Memo::new(move |_| crowd.has_run());
    let is_pending = Signal::derive(move || crowd.is_pending());
    let navigate = use_navigate();
    crowd.errors.follow(duplicate);
    let duplicated = duplicate.value();
    Effect::new(move || {
        if let Some(id) = duplicated.get().and_then(Result::ok).or_else(|| crowd.fresh_sale()) {
            untrack(|| navigate(&crowd_url(kind.info, &id), Default::default()));
        }
    });
    view! {
        <div class="actions">
            <Button
                class="strong"
                node_ref=start
                hidden=is_running
                disabled=Signal::derive(move || !crowd.is_startable())
                pending=is_pending
                on_click=move || {
                    crowd.start_as_set();
                    show_tab(CROWD_TAB);
                }
                {..}
                aria-describedby="crowd-ended"
            >
                <Icon icon=icondata_lu::LuUsers />
                {move || crowd.start_label()}
            </Button>
            <Button
                node_ref=stop
                hidden=Signal::derive(move || !is_running.get())
                disabled=Signal::derive(move || !crowd.is_stoppable())
                pending=crowd.is_stopping()
                on_click=move || crowd.stop()
            >
                <Icon icon=icondata_lu::LuSquare />
                {words.stop}
            </Button>
            <Button
                disabled=Signal::derive(move || !has_run.get() || !crowd.is_startable())
                pending=Signal::derive(move || is_pending.get() || is_running.get())
                on_click=move || {
                    crowd.start_again();
                    show_tab(CROWD_TAB);
                }
                {..}
                title=words.again_hint
            >
                <Icon icon=icondata_lu::LuRepeat2 />
                {words.again}
            </Button>
            <Button pending=duplicate.pending() on_click=move || _ = duplicate.dispatch(())>
                <Icon icon=icondata_lu::LuCopyPlus />
                {own.duplicate}
            </Button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_two_digits() {
        assert_eq!([0, 7, 10, 99, 104, 105, 72_734, 99_900].map(rounded), [0, 7, 10, 99, 110, 110, 73_000, 100_000]);
    }
}
