//! Plays the record of a duel. The seats are elements without signals: in each frame, only those that have changed are
//! touched. Figures change ten times a second.

use crate::{
    components::{AnimationFrame, performance_now, use_animation_frame},
    lab::duel::replay::{Replay, SideFigures},
};
use leptos::{html, prelude::*};
use leptos_use_preferences::use_prefers_reduced_motion;
use model::lab::duel::{Duel, ITEMS, Side};
use send_wrapper::SendWrapper;
use web_sys::{Element, HtmlDivElement, HtmlElement};

/// The time in which a record is played.
const PLAY_MS: f64 = 8_000.0;
/// The longest time between two frames that the record moves on by. Pages that are not seen have no frames.
const LONGEST_FRAME_MS: f64 = 100.0;
/// The time between two changes of the figures.
const FIGURES_MS: f64 = 100.0;
/// The time between two changes of the latest seats, which somebody should be able to read.
const LATEST_MS: f64 = 700.0;
/// The number of latest seats.
const LATEST: usize = 3;
/// The steps of the scrubber.
pub const STEPS: u32 = 1_000;

/// What the player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is no record yet.
    Gathering,
    /// There is none, for a reason that the page gives.
    Missing,
    /// The record is played.
    Playing,
    /// It stands still.
    Paused,
    /// It is at its end.
    Over,
}

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
    /// What it does.
    pub state: RwSignal<State>,
    /// The figures, at most a tenth of a second old.
    pub shown: RwSignal<Shown>,
    /// The elements of both sides.
    pub nodes: [SideNodes; 2],
    /// The range whose value is the time.
    pub scrubber: NodeRef<html::Input>,
    replays: StoredValue<Option<[Replay; 2]>>,
    /// The real time, in microseconds.
    at_us: StoredValue<f64>,
    /// The times of the latest frame, and of the latest change of the figures and of the latest seats.
    times: StoredValue<Times>,
    frame: StoredValue<Option<AnimationFrame>>,
    is_still: Signal<bool>,
}

#[derive(Clone, Copy, Default)]
struct Times {
    frame: Option<f64>,
    figures: f64,
    latest: f64,
}

/// Returns a player without a record.
pub fn use_player() -> Player {
    let player = Player {
        state: RwSignal::new(State::Gathering),
        shown: RwSignal::default(),
        nodes: [SideNodes::new(), SideNodes::new()],
        scrubber: NodeRef::new(),
        replays: StoredValue::new(None),
        at_us: StoredValue::new(0.0),
        times: StoredValue::default(),
        frame: StoredValue::new(None),
        is_still: use_prefers_reduced_motion(),
    };
    player.frame.set_value(Some(use_animation_frame(move || player.tick())));
    player
}

impl Player {
    /// Empties the halls: another record is on its way.
    pub fn clear(self) {
        self.replays.set_value(None);
        self.at_us.set_value(0.0);
        for nodes in self.nodes {
            nodes.draw(&[0; ITEMS as usize], 1.0);
        }
        self.shown.set(Shown::default());
        self.state.set(State::Gathering);
    }

    /// Plays this record, or shows its end to readers who want no motion.
    pub fn load(self, duel: &Duel) {
        let replay = |side: &Side| Replay::new(side.clone(), duel.settings.stock);
        self.replays.set_value(Some([replay(&duel.left), replay(&duel.right)]));
        if self.is_still.get_untracked() {
            self.at_us.set_value(self.end_us());
            self.rest();
        } else {
            self.play();
        }
    }

    /// Plays on, or from the start if it is over.
    pub fn play(self) {
        if self.state.get_untracked() == State::Over || self.at_us.get_value() >= self.end_us() {
            self.at_us.set_value(0.0);
        }
        self.times.set_value(Times::default());
        self.state.set(State::Playing);
        self.request();
    }

    /// Pauses, or plays on.
    pub fn toggle(self) {
        match self.state.get_untracked() {
            State::Gathering | State::Missing => {}
            State::Playing => self.rest(),
            State::Paused | State::Over => self.play(),
        }
    }

    /// Plays from the start.
    pub fn replay(self) {
        if !matches!(self.state.get_untracked(), State::Gathering | State::Missing) {
            self.at_us.set_value(0.0);
            self.play();
        }
    }

    /// Goes to this step of the scrubber, and stands still there.
    pub fn go_to(self, step: f64) {
        if !matches!(self.state.get_untracked(), State::Gathering | State::Missing) {
            self.at_us.set_value(self.end_us() * step / f64::from(STEPS));
            self.rest();
        }
    }

    /// How many times slower than in reality the record is played; less than 1 if it is played faster.
    pub fn slowness(self) -> f64 {
        PLAY_MS * 1_000.0 / self.end_us()
    }

    /// The time of the last answer of both sides, in microseconds.
    pub fn end_us(self) -> f64 {
        let end = |replays: &[Replay; 2]| replays.iter().map(Replay::end_us).max().unwrap_or_default();
        self.replays.with_value(|replays| replays.as_ref().map_or(1, end)).max(1) as f64
    }

    /// Calls `read` with a side.
    pub fn with_side<T>(self, side: usize, read: impl FnOnce(&Replay) -> T) -> Option<T> {
        self.replays.with_value(|replays| replays.as_ref().and_then(|replays| replays.get(side)).map(read))
    }

    fn request(self) {
        if let Some(frame) = self.frame.get_value() {
            frame.request();
        }
    }

    fn rest(self) {
        self.show(true);
        let is_over = self.at_us.get_value() >= self.end_us();
        self.state.set(if is_over { State::Over } else { State::Paused });
    }

    /// A frame: moves on by the time since the one before.
    fn tick(self) {
        if self.state.get_untracked() != State::Playing {
            return;
        }
        let now = performance_now().unwrap_or_default();
        let before = self.times.with_value(|times| times.frame).unwrap_or(now);
        self.times.update_value(|times| times.frame = Some(now));
        let moved_us = (now - before).min(LONGEST_FRAME_MS) * 1_000.0 / self.slowness();
        self.at_us.update_value(|at| *at += moved_us);
        if self.at_us.get_value() >= self.end_us() {
            self.at_us.set_value(self.end_us());
            self.rest();
        } else {
            self.show(false);
            self.request();
        }
    }

    /// Shows the seats at the current time; the figures, too, if that is due or `all` is set.
    fn show(self, all: bool) {
        let at_us = self.at_us.get_value();
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
        if let Some(scrubber) = self.scrubber.get_untracked() {
            scrubber.set_value(&(at_us / self.end_us() * f64::from(STEPS)).round().to_string());
        }
    }
}

fn latest(replay: &Replay) -> Vec<Twice> {
    let twice = |&seat: &u32| match replay.users(seat) {
        &[first, second, ..] => Some(Twice { seat, users: [first, second] }),
        _ => None,
    };
    replay.twice().iter().rev().take(LATEST).filter_map(twice).collect()
}
