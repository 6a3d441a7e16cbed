//! Plays a run: its items are squares on a canvas, of which each frame draws those that have changed. Figures change ten
//! times a second.

use crate::{
    components::{MeasuredSurface, performance_now, use_surface},
    crowd::replay::timeline::{AnswerCounts, Supplied, Timeline},
    playback::{Fill, Playback, Squares, use_playback},
};
use leptos::{html, prelude::*};
use model::crowd::{replay::Replay, runs::RunReport};

/// The time between two changes of the figures.
const FIGURES_MS: f64 = 100.0;

/// The figures at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// The time, in microseconds after the start.
    pub at_us: f64,
    /// The answers, in the order of their names, then the attempts without one.
    pub answers: Vec<u64>,
    /// The items that were given away, and those that came back.
    pub supplied: Supplied,
    /// The items left; `None` without a limit.
    pub left: Option<u64>,
    /// The number of the user who got something last, and the item or the quantity.
    pub latest: Option<(Option<u32>, String)>,
}

/// The player of a run.
#[derive(Clone, Copy)]
pub struct Player {
    /// The clock.
    pub playback: Playback,
    /// The figures, at most a tenth of a second old.
    pub shown: RwSignal<Shown>,
    /// The squares.
    pub canvas: NodeRef<html::Canvas>,
    timeline: StoredValue<Option<Timeline>>,
    answers: StoredValue<AnswerCounts>,
    surface: MeasuredSurface,
    /// The time of the latest change of the figures.
    figures_at: StoredValue<f64>,
}

/// Returns a player without a run. With an `asked_speed`, runs are played that many times as fast as in reality.
pub fn use_player(asked_speed: Signal<Option<f64>>) -> Player {
    let canvas = NodeRef::new();
    let (surface, measured) = use_surface(canvas);
    let player = Player {
        playback: use_playback(asked_speed),
        shown: RwSignal::default(),
        canvas,
        timeline: StoredValue::new(None),
        answers: StoredValue::default(),
        surface,
        figures_at: StoredValue::new(0.0),
    };
    player.playback.shown_by(move |at_us, is_still| player.show(at_us, is_still));
    Effect::new(move || {
        measured.track();
        player.draw(true);
    });
    player
}

impl Player {
    /// Plays this run. With a time, in milliseconds after its start, it stands still there.
    pub fn load(self, run: &RunReport, replay: Replay, at_ms: Option<f64>) {
        let timeline = Timeline::new(replay);
        let end_us = timeline.last_us().max(run.record.figures.elapsed_ms as f64 * 1_000.0);
        self.timeline.set_value(Some(timeline));
        self.answers.set_value(AnswerCounts::new(&run.history));
        self.draw(true);
        self.playback.load(end_us, at_ms.map(|ms| ms * 1_000.0));
    }

    /// Calls `read` with the run.
    pub fn with_timeline<T>(self, read: impl FnOnce(&Timeline) -> T) -> Option<T> {
        self.timeline.with_value(|timeline| timeline.as_ref().map(read))
    }

    /// Shows the squares at this time; the figures, too, if that is due or `all` is set.
    fn show(self, at_us: f64, all: bool) {
        self.timeline.update_value(|timeline| timeline.iter_mut().for_each(|timeline| timeline.seek(at_us)));
        self.draw(false);
        let now = performance_now().unwrap_or_default();
        if !all && now - self.figures_at.get_value() < FIGURES_MS {
            return;
        }
        self.figures_at.set_value(now);
        let answers = self.answers.with_value(|answers| answers.at(at_us));
        let shown = self.with_timeline(|timeline| Shown {
            at_us,
            answers,
            supplied: timeline.figures(),
            left: timeline.left(),
            latest: timeline.latest(),
        });
        if let Some(shown) = shown {
            self.shown.set(shown);
        }
    }

    /// Draws the squares that have changed, or all.
    fn draw(self, all: bool) {
        self.timeline.update_value(|timeline| {
            let Some(timeline) = timeline else { return };
            let changed = timeline.changed();
            self.surface.with_value(|surface| {
                let Some(surface) = surface else { return };
                let squares = Squares::new(timeline.squares(), (0.0, 0.0), (surface.width, surface.height));
                let fill = |nth: usize| (nth, Fill::Taken(timeline.share(nth)));
                if all {
                    surface.clear();
                    squares.draw(surface, (0..timeline.squares()).map(fill));
                } else {
                    squares.draw(surface, changed.iter().copied().map(fill));
                }
            });
        });
    }
}
