//! The feed of attempts: newest first, filtered, and still while somebody reads.

use super::{
    Sale,
    rows::{Kind, Row, Rows},
};
use crate::{
    ui::{
        format::{count, money},
        icons::{Icon, icon},
        moment::moment,
        platform::Style,
        ready::ready,
    },
    words::words,
};
use leptos::{html::Input, prelude::*};
use std::time::Duration;

/// Rows that are shown at once.
const SHOWN: usize = 60;
/// How often the rows change at most: faster than anybody reads, slow enough for the page to breathe.
const EVERY: Duration = Duration::from_millis(100);

pub fn feed(sale: Sale) -> AnyView {
    let words = words();
    let feed = Feed::new(sale);
    let held = move || feed.paused.get() || feed.touched.get();
    let news = move || {
        let news = feed.seen.get().saturating_sub(feed.read.get());
        held().then(|| (words.paused)(count(news)))
    };
    let pause = move |_| {
        feed.paused.update(|paused| *paused = !*paused);
        feed.show();
    };
    let hold = move |hold: bool| {
        move || {
            feed.touched.set(hold);
            feed.show();
        }
    };
    let [enter, leave, focus, blur] = [hold(true), hold(false), hold(true), hold(false)];
    let typed = NodeRef::<Input>::new();
    let filter = move |_| {
        if let Some(input) = typed.get_untracked() {
            feed.user.set(input.value().trim().to_lowercase());
            feed.show();
        }
    };
    let ready = ready();
    let off = Signal::derive(move || !ready.get());
    let empty = move || feed.rows.with(Vec::is_empty).then(|| view! { <p class="empty">{words.feed_empty}</p> });
    view! {
        <section class="card feed" aria-labelledby="feed-title">
            <div class="bar">
                <h2 id="feed-title">{words.feed}</h2>
                <span class="paused" role="status">{news}</span>
                <button type="button" class="quiet" aria-pressed=move || yes(feed.paused.get()) disabled=off on:click=pause>
                    {move || icon(if feed.paused.get() { Icon::Play } else { Icon::Pause })} {words.pause}
                </button>
            </div>
            <div class="bar filters" role="group" aria-label=words.filter>
                {Kind::ALL.map(|kind| toggle(feed, kind, off)).collect_view()}
                <input
                    node_ref=typed
                    type="search"
                    aria-label=words.filter_user
                    placeholder=words.filter_user
                    autocomplete="off"
                    disabled=off
                    on:input=filter
                />
            </div>
            <div
                class="scroll"
                role="region"
                aria-label=words.feed_rows
                tabindex="0"
                on:mouseenter=move |_| enter()
                on:mouseleave=move |_| leave()
                on:focusin=move |_| focus()
                on:focusout=move |_| blur()
            >
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{words.time}</th>
                            <th scope="col">{words.user}</th>
                            <th scope="col">{words.outcome}</th>
                            <th scope="col" class="figure">{words.packet}</th>
                            <th scope="col" class="figure">{words.amount}</th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || feed.rows.get() key=|row: &Row| row.serial children=row />
                    </tbody>
                </table>
                {empty}
            </div>
            <p class="legend">{words.feed_sample}</p>
        </section>
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct Feed {
    all: StoredValue<Rows>,
    rows: RwSignal<Vec<Row>>,
    /// Rows that came, and rows that had come when the reader last saw them move.
    seen: RwSignal<u64>,
    read: RwSignal<u64>,
    /// By the button, or because mouse or focus rest on the rows.
    paused: RwSignal<bool>,
    touched: RwSignal<bool>,
    /// Kinds that are switched off, by their place in [`Kind::ALL`].
    off: RwSignal<[bool; 4]>,
    user: RwSignal<String>,
    /// A change is due already.
    due: StoredValue<bool>,
}

impl Feed {
    fn new(sale: Sale) -> Self {
        let mut first = Rows::default();
        sale.snapshot.with_untracked(|frame| first.absorb(frame));
        let feed = Self {
            rows: RwSignal::new(first.pick(SHOWN, |_| true)),
            seen: RwSignal::new(first.seen),
            read: RwSignal::new(first.seen),
            all: StoredValue::new(first),
            paused: RwSignal::default(),
            touched: RwSignal::default(),
            off: RwSignal::default(),
            user: RwSignal::default(),
            due: StoredValue::new(false),
        };
        Effect::new(move |_| {
            sale.snapshot.with(|frame| feed.all.update_value(|all| all.absorb(frame)));
            if !feed.due.get_value() {
                feed.due.set_value(true);
                set_timeout(
                    move || {
                        if feed.due.try_set_value(false).is_none() {
                            feed.tell();
                        }
                    },
                    EVERY,
                );
            }
        });
        feed
    }

    /// Shows what came, or how much came while the reader holds the rows.
    fn tell(self) {
        let seen = self.all.with_value(|all| all.seen);
        if seen != self.seen.get_untracked() {
            self.seen.set(seen);
            if !self.paused.get_untracked() && !self.touched.get_untracked() {
                self.show();
            }
        }
    }

    fn show(self) {
        if self.paused.get_untracked() || self.touched.get_untracked() {
            return self.sift();
        }
        self.read.set(self.seen.get_untracked());
        self.sift();
    }

    /// Picks the rows that the filter lets through; none that came after the reader's hold.
    fn sift(self) {
        let (off, user, read) = (self.off.get_untracked(), self.user.get_untracked(), self.read.get_untracked());
        let wanted = |row: &Row| {
            !off[row.kind as usize] && row.serial < read && (user.is_empty() || row.user.to_lowercase().contains(&user))
        };
        let rows = self.all.with_value(|all| all.pick(SHOWN, wanted));
        if self.rows.with_untracked(|shown| *shown != rows) {
            self.rows.set(rows);
        }
    }
}

fn toggle(feed: Feed, kind: Kind, off: Signal<bool>) -> AnyView {
    let place = kind as usize;
    let flip = move |_| {
        feed.off.update(|off| off[place] = !off[place]);
        feed.show();
    };
    view! {
        <button type="button" class="toggle" aria-pressed=move || yes(!feed.off.get()[place]) disabled=off on:click=flip>
            {sign(kind)}
        </button>
    }
    .into_any()
}

/// An outcome, in a sign and a word.
fn sign(kind: Kind) -> AnyView {
    let words = words();
    let (class, sign, word) = match kind {
        Kind::Won => ("sign won", Icon::Packet, words.won),
        Kind::Repeat => ("sign repeat", Icon::Again, words.repeat),
        Kind::SoldOut => ("sign sold-out", Icon::Empty, words.sold_out),
        Kind::Expired => ("sign expired", Icon::Clock, words.expired),
    };
    view! { <span class=class>{icon(sign)} {word}</span> }.into_any()
}

fn row(row: Row) -> AnyView {
    let packet = row.packet.map(|(packet, _)| ["#", &packet.to_string()].concat());
    let amount = row.packet.map(|(_, cents)| money(cents));
    view! {
        <tr>
            <td>{moment(row.at, Style::Clock)}</td>
            <td class="who">{row.user}</td>
            <td>{sign(row.kind)}</td>
            <td class="figure">{packet}</td>
            <td class="figure">{amount}</td>
        </tr>
    }
    .into_any()
}

fn yes(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}
