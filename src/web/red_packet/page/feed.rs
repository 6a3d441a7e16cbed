//! The feed of attempts: newest first, filtered, and paused while somebody reads.

use crate::{
    components::{Button, Icon, format::count, use_attention, use_while_shown},
    i18n, life,
    red_packet::{
        page::{
            Sale,
            rows::{AttemptOutcome, Row, Rows},
        },
        words::words,
    },
    stage::{AttemptRow, PauseButton, UserFilter, use_attempt_controls},
};
use leptos::{html, prelude::*};
use leptos_use_signal_debounce_throttle::signal_throttled;

/// The number of visible rows.
const SHOWN: usize = 60;
/// The shortest interval between changes of the rows, in milliseconds. Nobody reads faster, and each change replaces
/// most rows, the page's most expensive work under load.
const INTERVAL_MS: f64 = 250.0;

/// Shows the newest attempts.
#[component]
pub fn Feed(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let rows = use_rows(sale);
    // Rows wait because of the button, or because mouse or focus rest on them.
    let controls = use_attempt_controls();
    let scroller = NodeRef::<html::Div>::new();
    let has_attention = use_attention(scroller);
    let hidden = RwSignal::new(Vec::<AttemptOutcome>::new());

    let is_frozen = Memo::new(move |_| controls.is_paused.get() || has_attention.get());
    let received: Signal<u64> = signal_throttled(rows.received, INTERVAL_MS);
    // The visible rows while the feed is paused: newer ones would push them out.
    let frozen = Memo::new(move |before: Option<&Option<Rows>>| match (is_frozen.get(), before) {
        (true, Some(Some(rows))) => Some(rows.clone()),
        (true, _) => Some(rows.rows.get_value()),
        (false, _) => None,
    });
    let shown = use_while_shown(move || {
        let hidden = hidden.read();
        let is_wanted = |row: &Row| !hidden.contains(&row.outcome) && controls.is_wanted(&row.user);
        frozen.with(|frozen| match frozen {
            Some(rows) => rows.pick(SHOWN, is_wanted),
            None => {
                // Runs again when there are new rows.
                _ = received.get();
                rows.rows.with_value(|rows| rows.pick(SHOWN, is_wanted))
            }
        })
    });
    // `received` is throttled, so it may lag behind the rows' own count.
    let news = move || {
        frozen
            .with(|frozen| frozen.as_ref().map(|rows| (words.paused)(count(received.get().saturating_sub(rows.seen)))))
    };
    let toggles = AttemptOutcome::ALL.map(|outcome| view! { <OutcomeToggle outcome hidden /> });
    view! {
        <section class="card feed" aria-labelledby="feed-title">
            <div class="bar">
                <h2 id="feed-title">{words.feed}</h2>
                <span class="paused">{news}</span>
                <PauseButton controls />
            </div>
            <div class="bar filters" role="group" aria-label=words.filter>
                {toggles}
                <UserFilter controls />
            </div>
            <div
                class="scroll rows"
                role="region"
                aria-label=words.feed_rows
                tabindex="0"
                node_ref=scroller
            >
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{shared.time}</th>
                            <th scope="col">{shared.user}</th>
                            <th scope="col">{shared.outcome}</th>
                            <th scope="col" class="figure">
                                {words.packet}
                            </th>
                            <th scope="col" class="figure">
                                {shared.amount}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || shown.get() key=|row| row.serial children=move |row| attempt_row(sale, row) />
                    </tbody>
                </table>
                <Show when=move || shown.with(Vec::is_empty)>
                    <p class="empty">{words.feed_empty}</p>
                </Show>
            </div>
            <p class="legend">{words.feed_sample}</p>
        </section>
    }
    .into_any()
}

/// The rows from the frames.
#[derive(Clone, Copy)]
struct FeedRows {
    rows: StoredValue<Rows>,
    /// The number of rows ever received; its change signals new ones.
    received: RwSignal<u64>,
}

/// Collects the attempts of every frame.
fn use_rows(sale: Sale) -> FeedRows {
    let mut first = Rows::default();
    sale.snapshot.with_untracked(|frame| first.absorb(frame));
    let received = RwSignal::new(first.seen);
    let rows = StoredValue::new(first);
    Effect::new(move || {
        rows.update_value(|rows| sale.snapshot.with(|frame| rows.absorb(frame)));
        let seen = rows.with_value(|rows| rows.seen);
        if received.get_untracked() != seen {
            received.set(seen);
        }
    });
    FeedRows { rows, received }
}

/// Shows a button that shows or hides the attempts with this outcome.
#[component]
fn OutcomeToggle(
    /// The outcome of the button.
    outcome: AttemptOutcome,
    /// The hidden outcomes.
    hidden: RwSignal<Vec<AttemptOutcome>>,
) -> impl IntoView {
    let is_shown = move || hidden.with(|hidden| !hidden.contains(&outcome));
    let toggle = move || {
        hidden.update(|hidden| match hidden.iter().position(|other| *other == outcome) {
            Some(place) => _ = hidden.swap_remove(place),
            None => hidden.push(outcome),
        });
    };
    view! {
        <Button class="toggle" attr:aria-pressed=move || is_shown().to_string() on_click=toggle>
            <OutcomeSign outcome />
        </Button>
    }
}

/// Shows the outcome of an attempt.
#[component]
fn OutcomeSign(
    /// Decides text and icon.
    outcome: AttemptOutcome,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (class, icon, word) = match outcome {
        AttemptOutcome::Won => ("sign won", icondata_lu::LuGift, words.won),
        AttemptOutcome::Repeat => ("sign", icondata_lu::LuRepeat2, shared.repeat.label),
        AttemptOutcome::SoldOut => ("sign", icondata_lu::LuCircleSlash, words.sold_out),
        AttemptOutcome::Expired => ("sign", icondata_lu::LuClock, words.expired),
        AttemptOutcome::Closed => ("sign", icondata_lu::LuLock, words.closed),
        AttemptOutcome::NotOpen => ("sign", icondata_lu::LuClock, life::words().not_open),
        AttemptOutcome::Paused => ("sign", icondata_lu::LuPause, life::words().paused),
    };
    view! {
        <span class=class>
            <Icon icon />
            {word}
        </span>
    }
}

fn attempt_row(sale: Sale, row: Row) -> impl IntoView {
    let (packet, cents) = row.packet.unzip();
    view! {
        <AttemptRow at=row.at user=row.user>
            <td>
                <OutcomeSign outcome=row.outcome />
            </td>
            <td class="figure">{packet.map(|packet| format!("#{packet}"))}</td>
            <td class="figure">{cents.map(|cents| sale.money(cents))}</td>
        </AttemptRow>
    }
}
