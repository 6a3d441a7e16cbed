//! The texts of the lab.

mod en;
mod zh;

use crate::i18n::{FieldWords, by_lang};
use model::lab::{Anomaly, Told, registry::StrategyInfo, run::Phase, trace::Form};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The name of the strategy or the mistake with this id.
pub fn strategy_name(id: &str) -> String {
    let Words { strategies, mistakes, .. } = words();
    let name = strategies.iter().chain(*mistakes).find(|(known, _)| *known == id);
    name.map_or_else(|| id.to_owned(), |(_, name)| (*name).to_owned())
}

/// Where a strategy or a mistake comes from. The registry says it in English.
pub fn strategy_source(strategy: &StrategyInfo) -> String {
    let text = words().sources.iter().find(|(id, _)| *id == strategy.name).map(|(_, text)| (*text).to_owned());
    text.unwrap_or_else(|| strategy.source.clone())
}

/// What limits a ✓ of a strategy, if anything does.
pub fn strategy_note(id: &str) -> Option<&'static str> {
    words().notes.iter().find(|(known, _)| *known == id).map(|(_, note)| *note)
}

/// The settings of a run, as formatted text.
pub struct SettingFigures {
    pub users: u64,
    pub stock: u64,
    pub concurrency: String,
    /// `10 %`
    pub repeat_rate: String,
    pub delay_ms: u32,
    pub seed: u64,
}

/// A preset: its name, and a hint.
pub struct PresetWords {
    pub name: &'static str,
    pub hint: &'static str,
}

/// A play of the gallery: its name, and what to look at.
pub struct GalleryWords {
    pub name: &'static str,
    pub hint: &'static str,
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,
    /// The names of the strategies by their ids.
    pub strategies: &'static [(&'static str, &'static str)],
    /// Those of the mistakes.
    pub mistakes: &'static [(&'static str, &'static str)],
    /// Where they come from, by their ids; none in the language of the registry.
    pub sources: &'static [(&'static str, &'static str)],
    /// What limits a ✓ of some of them, by their ids.
    pub notes: &'static [(&'static str, &'static str)],
    /// Which articles the sources name.
    pub articles: &'static str,
    pub strategy: &'static str,
    pub anomaly: fn(Anomaly) -> &'static str,
    /// What an anomaly is, in a sentence.
    pub anomaly_is: fn(Anomaly) -> &'static str,

    // The matrix.
    pub matrix: &'static str,
    pub matrix_intro: &'static str,
    pub comes_from: &'static str,
    pub established_by: &'static str,
    /// How many scenes, and the attempts of the largest.
    pub bound: fn(usize, usize) -> String,
    /// What a screen reader announces for a cell.
    pub never: &'static str,
    pub happens: &'static str,
    pub step_through: &'static str,

    // The form.
    pub run_title: &'static str,
    pub run_intro: &'static str,
    pub presets: &'static str,
    pub default: PresetWords,
    pub article: PresetWords,
    pub slow_network: PresetWords,
    pub advanced: &'static str,
    pub stock: FieldWords,
    pub users: FieldWords,
    pub concurrency: FieldWords,
    pub repeat_rate: FieldWords,
    pub delay_ms: FieldWords,
    pub seed: FieldWords,
    pub chosen: &'static str,
    pub choose_one: &'static str,
    pub start: &'static str,
    pub stop: &'static str,

    // A run.
    pub phase: fn(Phase) -> &'static str,
    pub settings: fn(SettingFigures) -> String,
    pub progress: &'static str,
    /// Place, number of strategies, name.
    pub at_strategy: fn(u32, u32, String) -> String,
    /// Attempts answered, and of how many.
    pub answered: fn(u64, u64) -> String,
    pub results: &'static str,
    pub results_intro: &'static str,
    /// What latencies and commands count.
    pub how_measured: &'static str,
    pub per_s: &'static str,
    pub p50_ms: &'static str,
    pub p99_ms: &'static str,
    pub round_trips: &'static str,
    pub commands: &'static str,
    pub given: &'static str,
    /// How many nobody got although enough users asked, beside those given out.
    pub unsold: fn(String) -> String,
    pub retries: fn(u64) -> String,
    pub lowest_stock: fn(String) -> String,
    pub cut_short: &'static str,
    /// In place of the verdict of a strategy that held and was cut short.
    pub holds_so_far: &'static str,
    /// Shown where a verdict differs from the expected one.
    pub unexpected: &'static str,
    /// Why the batched script is slower than one script per attempt on a slow network.
    pub batches_wait: &'static str,
    pub chart_per_s: &'static str,
    pub chart_p99: &'static str,
    pub export: &'static str,
    pub not_found: &'static str,
    /// What of the address: `stock=x`.
    pub not_understood: fn(&str) -> String,

    // The history.
    pub history: &'static str,
    pub no_history: &'static str,
    pub history_away: &'static str,
    pub started: &'static str,
    pub settings_title: &'static str,
    /// How many held, of how many.
    pub held: &'static str,
    pub held_of: fn(usize, usize) -> String,
    pub show: &'static str,
    /// Lists all runs that are kept, and not only the newest.
    pub show_all: &'static str,
    pub compare: &'static str,
    pub compare_hint: &'static str,
    pub compared: &'static str,
    /// Before the time of a run.
    pub first: &'static str,
    pub second: &'static str,
    /// By how many percent the attempts a second have changed.
    pub change: &'static str,
    pub not_compared: &'static str,
    pub end_comparison: &'static str,

    // Stepping through.
    pub step_title: &'static str,
    pub step_intro: &'static str,
    pub who: &'static str,
    /// What the digits of the users mean: attempts, and whether they are one user's.
    pub scene: fn(&str) -> String,
    pub choose: &'static str,
    pub gallery: &'static str,
    pub oversell: GalleryWords,
    pub double_claim: GalleryWords,
    pub two_servers: GalleryWords,
    pub not_the_owner: GalleryWords,
    pub outlived: GalleryWords,
    pub cancel_replayed: GalleryWords,
    pub pay_against_expire: GalleryWords,
    pub rebuild_against_deduction: GalleryWords,
    pub deduct_before_dedupe: GalleryWords,
    pub unread: GalleryWords,
    pub one_step: GalleryWords,
    pub next: &'static str,
    /// The link that lets a participant take a step, by its letter in the schedule.
    pub goes_next: fn(char) -> String,
    pub participant: fn(char) -> String,
    pub user: fn(char) -> String,
    pub waits: &'static str,
    pub undo: &'static str,
    pub start_over: &'static str,
    pub source: &'static str,
    pub about_to: fn(char) -> String,
    pub just_did: fn(char) -> String,
    pub steps: &'static str,
    pub step: &'static str,
    pub keys: &'static str,
    pub before: &'static str,
    pub no_steps: &'static str,
    pub reply: &'static str,
    pub form: fn(Form) -> &'static str,
    pub told: fn(Told) -> &'static str,
    pub verdict_holds: &'static str,
    /// While attempts have steps left.
    pub no_verdict: &'static str,
    /// What is said of work that is done, and of a lock in memory that is taken.
    pub worked: &'static str,
    pub locked: &'static str,
    /// What something is, and its text.
    pub titled: fn(&str, &str) -> String,
    /// The cause follows, as the server tells it.
    pub bad_play: &'static str,
    pub back_to_lab: &'static str,
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use lab::{
        mistakes::MISTAKES,
        strategies::{STRATEGIES, Strategy},
    };

    #[test]
    fn every_strategy_and_mistake_has_a_name_in_each_language() {
        let ids = |all: &'static [Strategy]| all.iter().map(|one| one.id);
        for words in [&en::EN, &zh::ZH] {
            assert!(ids(&STRATEGIES).eq(words.strategies.iter().map(|(id, _)| *id)));
            assert!(ids(&MISTAKES).eq(words.mistakes.iter().map(|(id, _)| *id)));
        }
        let all = ids(&STRATEGIES).chain(ids(&MISTAKES));
        assert!(all.eq(zh::ZH.sources.iter().map(|(id, _)| *id)), "the registry has the English sources");
    }
}
