//! An operator who pauses a sale and lets it go on, again and again, and what is left of that.

use super::{
    crowd::{Caller, Step},
    verdict::Verdict,
};
use model::{
    ledger,
    life::outcome::{PAUSED, RESUMED},
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

/// A change of the sale's life, and what the operator was told of it.
#[derive(Clone, Debug)]
pub struct Change {
    pub request_id: String,
    /// In answers and in the ledger.
    pub outcome: &'static str,
    pub step: Step,
}

/// Pauses the sale and lets it go on, until the users are stopped. A sale that was left in a pause goes on first.
pub async fn operate(caller: &Caller, (kind, sale): (&str, &str), names: &str, random: &mut ChaCha8Rng) -> Vec<Change> {
    const TURNS: [(&str, &str, u64); 2] = [("/api/sales/resume", RESUMED, 60), ("/api/sales/pause", PAUSED, 5)];
    let mut changes = Vec::new();
    for (number, (path, outcome, answers)) in (0..).zip(TURNS.into_iter().cycle()) {
        if caller.is_stopped() {
            break;
        }
        let request_id = format!("{names}-operator-{number}");
        let body = json!({ "kind": kind, "sale": sale, "request_id": request_id });
        let mut step = Step::default();
        caller.tell(path, &body, random, &mut step).await;
        changes.push(Change { request_id, outcome, step });
        caller.waits_for_others(random.random_range(1..=answers)).await;
    }
    changes
}

impl Verdict {
    /// Compares what an operator was told with the changes that the ledger has. `had_lost`: Redis has lost the newest
    /// ones.
    pub fn judge_life(&mut self, changes: &[Change], rows: &[ledger::Row], had_lost: bool) {
        for Change { request_id, outcome, step } in changes {
            let done = step.answers.iter().filter(|answer| answer["outcome"] == *outcome).count();
            let recorded = rows
                .iter()
                .filter(|row| row.outcome == *outcome && row.request_id.as_deref() == Some(request_id))
                .count();
            match (done, recorded) {
                (1.., 0) if had_lost => self.forgotten += 1,
                (1.., 0) => {
                    self.lost += 1;
                    self.faults.push(format!("{request_id} was told {outcome}, and the ledger lacks it"));
                }
                (2.., _) if !had_lost => self.contradict(request_id, outcome),
                (_, 2..) => self.contradict(request_id, outcome),
                _ => {}
            }
        }
        for row in rows {
            let request_id = row.request_id.as_deref().unwrap_or_default();
            if !changes.iter().any(|change| change.outcome == row.outcome && change.request_id == request_id) {
                self.unexpected += 1;
                self.faults.push(format!("the ledger has {} {request_id}, which nobody asked for", row.outcome));
            }
        }
    }

    fn contradict(&mut self, request_id: &str, outcome: &str) {
        self.contradicted += 1;
        self.faults.push(format!("{request_id} is {outcome} twice"));
    }
}

#[test]
fn changes_of_a_sales_life_are_judged() {
    let change = |outcomes: &[&str]| Change {
        request_id: "o".to_owned(),
        outcome: PAUSED,
        step: Step {
            answers: outcomes.iter().map(|outcome| json!({ "outcome": outcome })).collect(),
            ..Step::default()
        },
    };
    let row = |outcome: &str, request_id: &str| {
        serde_json::from_value::<ledger::Row>(json!({
            "id": "1-0-1-0", "kind": "stock", "sale": "s", "event_id": "1-0",
            "place": 0, "at": 1, "outcome": outcome, "user": null, "request_id": request_id, "item": null, "cents": 0,
            "recorded": 1,
        }))
        .expect("a row")
    };
    let judged = |change: Change, rows: &[ledger::Row], had_lost| {
        let mut verdict = Verdict::default();
        verdict.judge_life(&[change], rows, had_lost);
        [verdict.lost, verdict.unexpected, verdict.contradicted, verdict.forgotten]
    };
    let paused = || row(PAUSED, "o");
    // What it was told is there; what is unknown may be there or not.
    assert_eq!(judged(change(&[PAUSED, "repeat"]), &[paused()], false), [0; 4]);
    assert_eq!(judged(change(&[]), &[paused()], false), [0; 4]);
    assert_eq!(judged(change(&["repeat"]), &[], false), [0; 4]);
    // What it was told is missing.
    assert_eq!(judged(change(&[PAUSED]), &[], false), [1, 0, 0, 0]);
    assert_eq!(judged(change(&[PAUSED]), &[], true), [0, 0, 0, 1]);
    // It was done twice.
    assert_eq!(judged(change(&[PAUSED, PAUSED]), &[paused()], false), [0, 0, 1, 0]);
    assert_eq!(judged(change(&[PAUSED]), &[paused(), paused()], false), [0, 0, 1, 0]);
    // Nobody asked for it.
    assert_eq!(judged(change(&[]), &[row(RESUMED, "o")], false), [0, 1, 0, 0]);
    assert_eq!(judged(change(&[]), &[row(PAUSED, "p")], false), [0, 1, 0, 0]);
}
