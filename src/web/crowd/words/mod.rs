//! The texts of the crowd panel.

mod en;
mod zh;

use crate::i18n::{FieldWords, by_lang};
use model::crowd::{ArrivalKind, Phase};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The settings of a run, as formatted text.
pub struct ConfigFigures {
    pub users: u64,
    pub concurrency: String,
    pub arrival: &'static str,
    /// `20 %`
    pub repeat_rate: String,
    pub seed: u64,
}

/// The names of the presets of every kind of sale, and what each shows.
pub struct Presets {
    pub ramp: &'static str,
    pub ramp_hint: &'static str,
    pub burst: &'static str,
    pub burst_hint: &'static str,
    pub double: &'static str,
    pub double_hint: &'static str,
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it
/// selects singular or plural.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,

    // The presets.
    pub preset: &'static str,
    pub presets: Presets,

    // The form.
    pub advanced: &'static str,
    pub users: FieldWords,
    pub concurrency: FieldWords,
    pub repeat_rate: FieldWords,
    pub arrival: &'static str,
    pub arrival_name: fn(ArrivalKind) -> &'static str,
    pub arrival_hint: fn(ArrivalKind) -> &'static str,
    pub per_s: FieldWords,
    pub over_s: FieldWords,
    /// Where nothing is left for a crowd.
    pub in_vain: &'static str,
    pub let_loose: &'static str,
    /// In place of the figures, before the first run.
    pub no_run: &'static str,
    pub again: &'static str,
    /// Beside the button above the stage, where the setting may be out of sight.
    pub wrong_setting: &'static str,
    pub stop: &'static str,

    // The progress of the run.
    pub phase: fn(Phase) -> &'static str,
    /// In the place of the phase, before the first run.
    pub no_crowd: &'static str,
    pub progress: &'static str,
    pub done_of: fn(u64, u64) -> String,
    /// While the second figure is an estimate.
    pub done_of_about: fn(u64, u64) -> String,
    pub time_taken: fn(String) -> String,
    /// In the place of the phase, while Redis or the server is out of reach.
    pub waits_for_redis: &'static str,
    pub waits_for_server: &'static str,
    pub run_config: fn(ConfigFigures) -> String,
    pub unknown: &'static str,
    /// Reasons with their counts; none if there are none.
    pub unanswered: &'static str,
    pub now_per_s: &'static str,
    pub mean_per_s: &'static str,
    pub slowest: &'static str,
    pub chart_rate: &'static str,
    pub chart_latency: &'static str,

    // The results of the verification.
    pub oversold: &'static str,
    pub doubled: &'static str,
    pub lost: &'static str,
    pub unexpected: &'static str,
    /// Where the verdict is that of the audit alone.
    pub audit_broken: &'static str,
    pub cents_expected: &'static str,
    pub cents_found: &'static str,

    pub marks: Marks,
    pub pace: Pace,
    pub runs: Runs,
}

/// What happened during a run.
pub struct Marks {
    pub sold_out: &'static str,
    pub redis_down: &'static str,
    pub redis_back: &'static str,
    /// Users a second from then on.
    pub changed: fn(u64) -> String,
}

/// Changing the load of a run.
pub struct Pace {
    pub per_s: FieldWords,
    pub change: &'static str,
}

/// The history of runs: the card, two of them side by side, and the report.
pub struct Runs {
    pub title: &'static str,
    pub empty: &'static str,
    /// The same where no crowd can be started any more.
    pub none: &'static str,
    /// How many of a sale are kept.
    pub kept: fn(String) -> String,
    pub started: &'static str,
    pub crowd: &'static str,
    pub users: fn(u64) -> String,
    pub throughput: &'static str,
    /// A run that was lost with its server.
    pub no_verdict: &'static str,
    pub older: &'static str,
    pub report: &'static str,
    pub compare: &'static str,
    pub chosen: &'static str,
    pub choose_another: &'static str,

    // Two side by side.
    pub comparison: &'static str,
    pub first: &'static str,
    pub second: &'static str,
    pub change: &'static str,
    pub end_comparison: &'static str,
    pub not_kept: &'static str,

    // The lines of a run.
    pub settings: &'static str,
    pub figures: &'static str,
    pub answers: &'static str,
    pub ended: &'static str,
    pub answered: &'static str,
    pub duration: &'static str,

    // The report.
    pub report_title: fn(sale: &str) -> String,
    pub run: &'static str,
    pub course: &'static str,
    pub no_audit: &'static str,
}
