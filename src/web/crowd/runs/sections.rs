//! A run as sections of lines.

use crate::{
    components::format::NO_VALUE,
    crowd::{panel::CrowdKindForm, words::words},
    i18n,
    runs::{Line, Section, Value, figure_line, line},
};
use model::{
    Verdict,
    crowd::{ArrivalKind, runs::RunRecord},
};
use serde_json::Value as Json;

/// Returns all facts about a run at a sale of this kind.
pub fn sections(record: &RunRecord, form: CrowdKindForm) -> Vec<Section> {
    let shared = i18n::words();
    let words = words();
    vec![
        Section { title: shared.verdict_title, lines: verification(record) },
        Section { title: words.runs.figures, lines: figures(record) },
        Section { title: words.runs.answers, lines: answers(record, form) },
        Section { title: words.runs.settings, lines: settings(record, form) },
    ]
}

/// Returns the name of the verdict; a lost run has none.
pub fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or(words().runs.no_verdict, i18n::words().verdict)
}

fn verification(record: &RunRecord) -> Vec<Line> {
    let words = words();
    let verdict = record.verification.as_ref().map(|verification| verification.verdict);
    let mut lines = vec![
        line(i18n::words().verdict_title, Value::Text(verdict_name(verdict).to_owned())),
        line(words.runs.ended, Value::Text((words.phase)(record.phase).to_owned())),
    ];
    if let Some(verification) = &record.verification {
        lines.extend([
            figure_line(words.oversold, Value::Count(verification.oversold)),
            figure_line(words.doubled, Value::Count(verification.doubled)),
            figure_line(words.lost, Value::Count(verification.lost)),
            figure_line(words.unexpected, Value::Count(verification.unexpected)),
        ]);
        lines.extend(verification.before_start.map(|early| figure_line(words.before_start, Value::Count(early))));
        if verification.has_money() {
            lines.extend([
                figure_line(words.cents_expected, Value::Money(verification.expected_cents, verification.currency)),
                figure_line(words.cents_found, Value::Money(verification.found_cents, verification.currency)),
            ]);
        }
    }
    lines
}

fn figures(record: &RunRecord) -> Vec<Line> {
    let (words, shared, figures) = (words(), i18n::words(), &record.figures);
    let left_at_start = figures.left_at_start.map_or_else(none, Value::Count);
    vec![
        // What a crowd could get decides all other figures.
        line(words.runs.left_at_start, left_at_start),
        line(shared.attempts, Value::Count(figures.attempts)),
        line(words.runs.answered, Value::Count(figures.answered)),
        figure_line(words.unknown, Value::Count(figures.unknown)),
        figure_line(words.not_tried, Value::Count(figures.not_tried())),
        line(words.runs.duration, Value::Micros(figures.elapsed_ms * 1_000)),
        line(words.mean_per_s, Value::Count(figures.mean_per_s)),
        figure_line(shared.p50, Value::Micros(figures.p50_us)),
        figure_line(shared.p90, Value::Micros(figures.p90_us)),
        figure_line(shared.p99, Value::Micros(figures.p99_us)),
        line(words.slowest, Value::Micros(figures.max_us)),
    ]
}

fn answers(record: &RunRecord, form: CrowdKindForm) -> Vec<Line> {
    let answers = (form.answers)().into_iter();
    answers.map(|(term, name)| line(term, Value::Count(record.figures.outcomes.get(name)))).collect()
}

fn settings(record: &RunRecord, form: CrowdKindForm) -> Vec<Line> {
    let (words, settings) = (words(), &record.settings);
    let arrival = settings.arrival;
    let per_s = if arrival.kind == ArrivalKind::Burst { none() } else { Value::Count(arrival.per_s.into()) };
    let over_s = if arrival.kind == ArrivalKind::Ramp { Value::Count(arrival.over_s.into()) } else { none() };
    let mut lines = vec![
        line(words.users.label, Value::Count(settings.users.into())),
        line(words.concurrency.label, Value::Count(settings.concurrency.into())),
        line(words.repeat_rate.label, Value::Share(settings.repeat_rate)),
        line(words.arrival, Value::Text((words.arrival_name)(arrival.kind).to_owned())),
        line(words.per_s.label, per_s),
        line(words.over_s.label, over_s),
        line(i18n::words().seed.label, Value::Text(settings.seed.to_string())),
    ];
    lines.extend(settings.behavior.iter().flatten().map(|(name, value)| behavior(name, value, form)));
    lines
}

/// Returns the value of a figure that a run does not have.
fn none() -> Value {
    Value::Text(NO_VALUE.to_owned())
}

/// Returns the line of a request's field for the behavior of users. Numbers are shares, and a list has the weights of
/// groups.
fn behavior(name: &str, value: &Json, form: CrowdKindForm) -> Line {
    let term = (form.behavior_name)(name).map_or_else(|| name.to_owned(), str::to_owned);
    let value = match value {
        Json::Number(share) => Value::Share(share.as_f64().unwrap_or_default()),
        Json::Array(weights) => {
            let weights = weights.iter().enumerate().map(|(place, weight)| format!("{}: {weight}", place + 1));
            Value::Text(weights.collect::<Vec<_>>().join(", "))
        }
        Json::String(text) => Value::Text(text.clone()),
        other => Value::Text(other.to_string()),
    };
    line(term, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(verification: &Json) -> RunRecord {
        serde_json::from_value(serde_json::json!({
            "run": "r", "kind": "red_packet", "sale": "s", "phase": "stopped", "started_at": 0, "ended_at": 1,
            "settings": {"sale": "s", "users": 1_000, "concurrency": 1, "repeat_rate": 0.0, "arrival": "burst", "seed": 1},
            "figures": {
                "elapsed_ms": 1, "attempts": 1_000, "answered": 400, "outcomes": {}, "unknown": 0, "unanswered": {}, "mean_per_s": 1,
                "p50_us": 1, "p90_us": 1, "p99_us": 1, "max_us": 1,
            },
            "verification": verification,
        }))
        .expect("a record")
    }

    #[test]
    fn a_run_that_was_stopped_has_more_attempts_than_were_finished() {
        let lines = figures(&record(&Json::Null)).into_iter().map(|line| (line.term, line.value)).skip(1).take(2);
        let expected = [("Attempts".to_owned(), Value::Count(1_000)), ("Finished".to_owned(), Value::Count(400))];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_was_left_at_the_start_stands_first_also_if_the_record_is_too_old_to_have_it() {
        let first = |record: &RunRecord| figures(record).into_iter().next().map(|line| (line.term, line.value));
        let mut record = record(&Json::Null);
        let left = |value| Some(("Left at the start".to_owned(), value));
        assert_eq!(first(&record), left(Value::Text("–".to_owned())));
        record.figures.left_at_start = Some(0);
        assert_eq!(first(&record), left(Value::Count(0)));
    }

    #[test]
    fn a_run_without_money_has_no_amounts() {
        let amounts = |cents: i64| {
            let verification = serde_json::json!({
                "verdict": "holds", "oversold": 0, "doubled": 0, "lost": 0, "unexpected": 0,
                "expected_cents": cents, "found_cents": cents, "reason": null,
            });
            let lines = super::verification(&record(&verification));
            lines.iter().filter(|line| matches!(line.value, Value::Money(..))).count()
        };
        assert_eq!(amounts(0), 0);
        assert_eq!(amounts(1), 2);
    }
}
