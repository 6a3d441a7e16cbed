//! The clock of a record that is played. By itself, it takes 8 seconds for the whole record, however long that took.

use crate::components::{AnimationFrame, performance_now, use_animation_frame};
use leptos::{html, prelude::*};
use leptos_use_preferences::use_prefers_reduced_motion;

/// The time in which a record is played by itself, in seconds.
pub const PLAY_S: u32 = 8;
/// The longest time between two frames that the record moves on by. Pages that are not seen have no frames.
const LONGEST_FRAME_MS: f64 = 100.0;
/// The steps of the scrubber.
pub(super) const STEPS: u32 = 1_000;

/// What the player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is no record yet.
    Loading,
    /// There is none, for a reason that the page gives.
    Missing,
    /// The record is played.
    Playing,
    /// It stands still.
    Paused,
    /// It is at its end.
    Over,
}

/// The clock of a record. Times are microseconds of the record.
#[derive(Clone, Copy)]
pub struct Playback {
    /// What it does.
    pub state: RwSignal<State>,
    /// The range whose value is the time.
    pub scrubber: NodeRef<html::Input>,
    /// How many times as fast as in reality the record is to be played; `None` by itself.
    asked_speed: Signal<Option<f64>>,
    end_us: RwSignal<f64>,
    at_us: StoredValue<f64>,
    /// The time of the latest frame.
    frame_at: StoredValue<Option<f64>>,
    frame: StoredValue<Option<AnimationFrame>>,
    /// Shows a time; all that there is to show, if set.
    show: StoredValue<Option<Callback<(f64, bool)>>>,
    is_still: Signal<bool>,
}

/// Returns a clock without a record. With an `asked_speed`, records are played that many times as fast as in reality.
pub fn use_playback(asked_speed: Signal<Option<f64>>) -> Playback {
    let playback = Playback {
        state: RwSignal::new(State::Loading),
        scrubber: NodeRef::new(),
        asked_speed,
        end_us: RwSignal::new(1.0),
        at_us: StoredValue::new(0.0),
        frame_at: StoredValue::new(None),
        frame: StoredValue::new(None),
        show: StoredValue::new(None),
        is_still: use_prefers_reduced_motion(),
    };
    playback.frame.set_value(Some(use_animation_frame(move || playback.tick())));
    playback
}

impl Playback {
    /// Calls `show` in each frame with the time. If its second argument is set, the time stands still, and all that
    /// depends on it is to be shown.
    pub fn shown_by(self, show: impl Fn(f64, bool) + Send + Sync + 'static) {
        self.show.set_value(Some(Callback::new(move |(at_us, is_still)| show(at_us, is_still))));
    }

    /// Goes back to the start: another record is on its way.
    pub fn clear(self) {
        self.at_us.set_value(0.0);
        self.state.set(State::Loading);
    }

    /// Plays a record of this length. With a time, it stands still there; for readers who want no motion, at its end.
    pub fn load(self, end_us: f64, at_us: Option<f64>) {
        self.end_us.set(end_us.max(1.0));
        match at_us.or(self.is_still.get_untracked().then_some(end_us)) {
            Some(at_us) => self.go_to(at_us),
            None => self.play(),
        }
    }

    /// Returns whether there is a record.
    pub fn is_ready(self) -> bool {
        is_ready(self.state.get())
    }

    /// The length of the record; 1 without one.
    pub fn end_us(self) -> f64 {
        self.end_us.get()
    }

    /// How many times as fast as in reality the record is played.
    pub fn speed(self) -> f64 {
        self.asked_speed.get().unwrap_or_else(|| self.end_us.get() / (f64::from(PLAY_S) * 1_000_000.0))
    }

    /// Plays on, or from the start if it is over.
    fn play(self) {
        if self.at_us.get_value() >= self.end_us.get_untracked() {
            self.at_us.set_value(0.0);
        }
        self.frame_at.set_value(None);
        self.state.set(State::Playing);
        self.request();
    }

    /// Pauses, or plays on.
    pub fn toggle(self) {
        match self.state.get_untracked() {
            State::Loading | State::Missing => {}
            State::Playing => self.rest(),
            State::Paused | State::Over => self.play(),
        }
    }

    /// Plays from the start.
    pub fn again(self) {
        if is_ready(self.state.get_untracked()) {
            self.at_us.set_value(0.0);
            self.play();
        }
    }

    /// Goes to this step of the scrubber, and stands still there.
    pub(super) fn go_to_step(self, step: f64) {
        if is_ready(self.state.get_untracked()) {
            self.go_to(self.end_us.get_untracked() * step / f64::from(STEPS));
        }
    }

    fn go_to(self, at_us: f64) {
        self.at_us.set_value(at_us.clamp(0.0, self.end_us.get_untracked()));
        self.rest();
    }

    /// Shows the current time once more, such as after the page has changed its size.
    pub fn show_again(self) {
        if is_ready(self.state.get_untracked()) {
            self.show(true);
        }
    }

    fn request(self) {
        if let Some(frame) = self.frame.get_value() {
            frame.request();
        }
    }

    /// Stands still, at a whole microsecond: a link to that time leads to the same picture.
    fn rest(self) {
        let end_us = self.end_us.get_untracked();
        self.at_us.update_value(|at| *at = at.round().min(end_us));
        self.show(true);
        let is_over = self.at_us.get_value() >= end_us;
        self.state.set(if is_over { State::Over } else { State::Paused });
    }

    /// A frame: moves on by the time since the one before.
    fn tick(self) {
        if self.state.get_untracked() != State::Playing {
            return;
        }
        let now = performance_now().unwrap_or_default();
        let before = self.frame_at.get_value().unwrap_or(now);
        self.frame_at.set_value(Some(now));
        let moved_us = (now - before).min(LONGEST_FRAME_MS) * 1_000.0 * untrack(|| self.speed());
        self.at_us.update_value(|at| *at += moved_us);
        let end_us = self.end_us.get_untracked();
        if self.at_us.get_value() >= end_us {
            self.at_us.set_value(end_us);
            self.rest();
        } else {
            self.show(false);
            self.request();
        }
    }

    fn show(self, is_still: bool) {
        let at_us = self.at_us.get_value();
        if let Some(show) = self.show.get_value() {
            show.run((at_us, is_still));
        }
        if let Some(scrubber) = self.scrubber.get_untracked() {
            scrubber.set_value(&(at_us / self.end_us.get_untracked() * f64::from(STEPS)).round().to_string());
        }
    }
}

fn is_ready(state: State) -> bool {
    !matches!(state, State::Loading | State::Missing)
}
