//! Plays the record of a duel. The seats are elements without signals: in each frame, only those that have changed are
//! touched. Figures change ten times a second.

use crate::{
    components::performance_now,
    lab::duel::replay::{Replay, SideFigures},
    playback::{Playback, use_playback},
};
use leptos::{html, prelude::*};
use model::lab::duel::{Duel, ITEMS, Side};
use send_wrapper::SendWrapper;
use web_sys::{Element, HtmlDivElement, HtmlElement};

/// The time between two changes of the figures.
const FIGURES_MS: f64 = 100.0;
/// The time between two changes of the latest seats, which somebody should be able to read.
const LATEST_MS: f64 = 700.0;
/// The number of latest seats.
const LATEST: usize = 3;

/// A seat that was sold more than once: its number, its first buyer and the one of the second sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twice {
    pub seat: u32,
    pub users: [u32; 2],
}

/// The figures of both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// The real time, in microseconds.
    pub at_us: u64,
    /// The left side, and the right one.
    pub sides: [SideFigures; 2],
    /// The seats on the left that were sold twice last, the latest first.
    pub latest: Vec<Twice>,
}

/// The elements of a side.
#[derive(Clone, Copy)]
pub struct SideNodes {
    /// The people who wait.
    pub people: NodeRef<html::Div>,
    /// The seats.
    pub hall: NodeRef<html::Div>,
    /// The elements of the seats, and how often each is shown as sold. `None` on the server, and before they are drawn.
    seats: StoredValue<Option<SendWrapper<Seats>>>,
}

type Seats = Vec<(Element, u32)>;

impl SideNodes {
    fn new() -> Self {
        Self { people: NodeRef::new(), hall: NodeRef::new(), seats: StoredValue::new(None) }
    }

    /// The number of the seat that this element is.
    pub fn seat_of(self, element: &Element) -> Option<u32> {
        let place = |seats: &SendWrapper<Seats>| seats.iter().position(|(seat, _)| seat == element);
        self.seats.with_value(|seats| seats.as_ref().and_then(place)).map(|place| place as u32 + 1)
    }

    /// Shows how often each seat was sold, and which share of the people waits.
    fn draw(self, times: &[u32], waiting: f64) {
        let Some(hall) = self.hall.get_untracked() else { return };
        self.seats.update_value(|seats| {
            let seats = seats.get_or_insert_with(|| SendWrapper::new(seats_in(&hall)));
            for ((seat, shown), &times) in seats.iter_mut().zip(times).filter(|((_, shown), times)| shown != *times) {
                *shown = times;
                seat.set_class_name(match times {
                    0 => "",
                    1 => "sold",
                    _ => "twice",
                });
                // How often, for halls that are large enough.
                _ = if times > 1 { seat.set_attribute("data-times", &times.to_string()) } else { Ok(()) };
            }
        });
        if let Some(people) = self.people.get_untracked() {
            _ = HtmlElement::style(&people).set_property("--waiting", &format!("{waiting:.4}"));
        }
    }
}

fn seats_in(hall: &HtmlDivElement) -> Seats {
    let seats = std::iter::successors(hall.first_element_child(), Element::next_element_sibling);
    seats.map(|seat| (seat, 0)).collect()
}

/// The player of a duel's record.
#[derive(Clone, Copy)]
pub struct Player {
    /// The clock of the record.
    pub playback: Playback,
    /// The figures, at most a tenth of a second old.
    pub shown: RwSignal<Shown>,
    /// The elements of both sides.
    pub nodes: [SideNodes; 2],
    replays: StoredValue<Option<[Replay; 2]>>,
    /// The times of the latest change of the figures and of the latest seats.
    times: StoredValue<Times>,
}

#[derive(Clone, Copy, Default)]
struct Times {
    figures: f64,
    latest: f64,
}

/// Returns a player without a record.
pub fn use_player() -> Player {
    let player = Player {
        playback: use_playback(Signal::stored(None)),
        shown: RwSignal::default(),
        nodes: [SideNodes::new(), SideNodes::new()],
        replays: StoredValue::new(None),
        times: StoredValue::default(),
    };
    player.playback.shown_by(move |at_us, is_still| player.show(at_us, is_still));
    player
}

impl Player {
    /// Empties the halls: another record is on its way.
    pub fn clear(self) {
        self.replays.set_value(None);
        for nodes in self.nodes {
            nodes.draw(&[0; ITEMS as usize], 1.0);
        }
        self.shown.set(Shown::default());
        self.playback.clear();
    }

    /// Plays this record, or shows its end to readers who want no motion.
    pub fn load(self, duel: &Duel) {
        let replay = |side: &Side| Replay::new(side.clone(), duel.settings.stock);
        self.replays.set_value(Some([replay(&duel.left), replay(&duel.right)]));
        // The time of the last answer of both sides.
        self.playback.load(duel.left.took_us.max(duel.right.took_us) as f64, None);
    }

    /// Calls `read` with a side.
    pub fn with_side<T>(self, side: usize, read: impl FnOnce(&Replay) -> T) -> Option<T> {
        self.replays.with_value(|replays| replays.as_ref().and_then(|replays| replays.get(side)).map(read))
    }

    /// Shows the seats at this time; the figures, too, if that is due or `all` is set.
    fn show(self, at_us: f64, all: bool) {
        let now = performance_now().unwrap_or_default();
        let mut times = self.times.get_value();
        let is_due = |before: &mut f64, every: f64| {
            let is_due = all || now - *before >= every;
            if is_due {
                *before = now;
            }
            is_due
        };
        let shown = self.replays.try_update_value(|replays| {
            let replays = replays.as_mut()?;
            for (replay, nodes) in replays.iter_mut().zip(self.nodes) {
                replay.seek(at_us as u64);
                nodes.draw(replay.times(), replay.waiting());
            }
            if !is_due(&mut times.figures, FIGURES_MS) {
                return None;
            }
            let latest = if is_due(&mut times.latest, LATEST_MS) {
                latest(&replays[0])
            } else {
                self.shown.with_untracked(|shown| shown.latest.clone())
            };
            Some(Shown { at_us: at_us as u64, sides: [replays[0].figures(), replays[1].figures()], latest })
        });
        if let Some(shown) = shown.flatten() {
            self.shown.set(shown);
        }
        self.times.set_value(times);
    }
}

fn latest(replay: &Replay) -> Vec<Twice> {
    let twice = |&seat: &u32| match replay.users(seat) {
        &[first, second, ..] => Some(Twice { seat, users: [first, second] }),
        _ => None,
    };
    replay.twice().iter().rev().take(LATEST).filter_map(twice).collect()
}
