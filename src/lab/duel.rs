//! Duels: a run of two strategies in which every answer is recorded, so that the page can show what was won, when, and
//! by whom. Each strategy has Redis for itself, one after the other, and so its true speed.

use crate::{
    home::Lab,
    line::Line,
    runner::{Answered, Recording, run_recorded},
};
use anyhow::{Context, Result, bail};
use model::{
    error::{Code, Error},
    lab::{
        Figures, Told,
        duel::{Awards, Duel, INTERVALS, Match, Side},
        run::Progress,
    },
};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use store::runtime::locked;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The number of duels that a server keeps.
const KEPT: usize = 16;

/// The most clients that wait for a duel at a time: a class.
const IN_LINE: usize = 256;

/// The latest duels of a server. A link shows everybody the same one, and starts no run for each of them.
pub(super) struct Duels {
    /// One duel takes place at a time.
    pub line: Line,
    /// The newest last.
    kept: Mutex<VecDeque<(Match, Arc<Duel>)>>,
}

impl Default for Duels {
    fn default() -> Self {
        Self { line: Line::new("duels", 1, IN_LINE), kept: Mutex::default() }
    }
}

impl Duels {
    /// The recorded duel, if it is still kept.
    pub fn find(&self, asked: &Match) -> Option<Duel> {
        let found = locked(&self.kept).iter().find(|(kept, _)| kept == asked).map(|(_, duel)| duel.clone());
        found.map(Arc::unwrap_or_clone)
    }

    /// Keeps a duel instead of an earlier one of the same strategy and crowd.
    pub fn keep(&self, asked: Match, duel: &Duel) {
        let mut kept = locked(&self.kept);
        kept.retain(|(other, _)| *other != asked);
        kept.push_back((asked, Arc::new(duel.clone())));
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }
}

/// Runs a duel, and leaves no records behind.
///
/// # Errors
/// `bad_request` for a strategy that cannot be on the left; `busy` if it was stopped; otherwise one sentence about the
/// failure of Redis.
pub async fn run(lab: &Lab, asked: &Match, stop: &CancellationToken) -> Result<Duel> {
    asked.check()?;
    let settings = asked.settings();
    let (progress, mut recordings) = (watch::channel(Progress::default()).0, Vec::new());
    let report = run_recorded(lab, &settings, &progress, stop, Some(&mut recordings)).await?;
    let mut sides = report.strategies.into_iter().zip(recordings);
    let (Some(left), Some(right)) = (sides.next(), sides.next()) else {
        bail!(Error::new(Code::Busy, "The duel was stopped; ask again in a moment."));
    };
    Ok(Duel { settings, ended_at: lab.now(), left: side(left)?, right: side(right)? })
}

fn side((figures, mut recording): (Figures, Recording)) -> Result<Side> {
    recording.sort_by_key(|answered| answered.at_us);
    let took_us = recording.last().map_or(0, |last| last.at_us);
    let up_to = |end: u64| recording.partition_point(|answered| answered.at_us <= end) as u32;
    let answered = (1..=INTERVALS as u64).map(|nth| up_to(took_us * nth / INTERVALS as u64)).collect();
    let mut awards = Awards::default();
    for Answered { at_us, user, item, .. } in recording.into_iter().filter(|answered| answered.told == Told::Won) {
        let item = item.with_context(|| format!("`{}` does not say which item was won", figures.name))?;
        awards.at_us.push(at_us);
        awards.users.push(user);
        awards.items.push(item.try_into().context("An item has a number that none has")?);
    }
    Ok(Side { figures, took_us, answered, awards })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Verdict, lab::Settings};

    fn figures(name: &str) -> Figures {
        Figures {
            name: name.to_owned(),
            concurrency: 64,
            attempts: 3,
            cut_short: false,
            per_s: 1,
            p50_ms: 1.0,
            p99_ms: 1.0,
            round_trips: 1.0,
            commands: 1.0,
            given: 2,
            oversold: 1,
            doubled: 0,
            lost: 0,
            undersold: 0,
            retries: 0,
            lowest_stock: None,
            verdict: Verdict::Broken,
            expected: Verdict::Broken,
        }
    }

    #[test]
    fn answers_are_put_in_order_and_counted_at_equal_intervals() {
        let answered = |at_us, user, told, item| Answered { at_us, user, told, item };
        let recording = vec![
            answered(400, 3, Told::SoldOut, None),
            answered(300, 2, Told::Won, Some(1)),
            answered(200, 1, Told::Won, Some(1)),
        ];
        let side = side((figures("read-check-write"), recording)).expect("a side");
        assert_eq!(side.awards, Awards { at_us: vec![200, 300], users: vec![1, 2], items: vec![1, 1] });
        assert_eq!((side.took_us, side.answered.len()), (400, INTERVALS));
        assert_eq!([98, 99, 148, 149, 198, 199].map(|nth: usize| side.answered[nth]), [0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn only_the_latest_are_kept_one_of_each_crowd() {
        let duels = Duels::default();
        let of = |seed| Match { seed, ..Match::default() };
        let side = |at_us| {
            let awards = Awards { at_us: vec![at_us], users: vec![1], items: vec![1] };
            Side { figures: figures("script"), took_us: at_us, answered: Vec::new(), awards }
        };
        let at = |ended_at| Duel { settings: Settings::default(), ended_at, left: side(1), right: side(1) };
        for seed in 0..=KEPT as u64 {
            duels.keep(of(seed), &at(1));
        }
        assert_eq!((duels.find(&of(0)), duels.find(&of(1))), (None, Some(at(1))));
        duels.keep(of(1), &at(2));
        duels.keep(of(99), &at(1));
        assert_eq!((duels.find(&of(1)), duels.find(&of(2))), (Some(at(2)), None));
    }
}
