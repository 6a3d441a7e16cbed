//! The time series of the quantity in the ledger. A page shows it for the minutes before it was opened.

use crate::stock::{recorded::PATIENCE, scripts::KIND};
use ledger::{database::Ledger, sale::LedgerSale};
use model::{
    EventId, Millis,
    error::{Code, Error, Result},
    stock::{RECENT, RecordedQuantity, outcome},
};
use moka::future::Cache;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::Mutex;

const SECOND: Millis = 1_000;
/// The shortest time between two points, in milliseconds.
const APART: Millis = 250;
/// The most points.
const MOST: usize = 240;
/// The number of sales whose latest time series is kept.
const SALES: u64 = 100;

/// The outcomes that change the quantity, and whether they add to it.
const CHANGES: [(&str, bool); 5] = [
    (outcome::WON, false),
    (outcome::RETURNED, true),
    (outcome::EXPIRED, true),
    (outcome::RESTOCKED, true),
    (outcome::CORRECTED, true),
];

/// Reads time series, one at a time, and each once for any number of open pages. A read takes the ledger longer than an
/// attempt may have to wait.
#[derive(Clone)]
pub(super) struct Courses {
    ledger: Ledger,
    /// The latest time series, by the number of the sale, the ledger's last event of it, and the second of the request.
    latest: Cache<(i64, EventId, Millis), Arc<[RecordedQuantity]>>,
    turn: Arc<Mutex<()>>,
}

impl Courses {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger, latest: Cache::new(SALES), turn: Arc::default() }
    }

    /// The quantity in the ledger over the last ten minutes, oldest first; `None` if the ledger does not know the sale.
    ///
    /// # Errors
    /// `ledger_unavailable`, also if the ledger does not answer in time.
    pub(super) async fn of(&self, sale: &str, now: Millis) -> Result<Option<Arc<[RecordedQuantity]>>> {
        // The query runs in a task of its own, so that it is not cancelled.
        let read = tokio::spawn(self.clone().latest_of(sale.to_owned(), now));
        match tokio::time::timeout(PATIENCE, read).await {
            Ok(course) => course.map_err(Error::internal)?,
            Err(_) => {
                let why = "The ledger did not answer in time; try again in a moment.";
                Err(Error::new(Code::LedgerUnavailable, why))
            }
        }
    }

    async fn latest_of(self, sale: String, now: Millis) -> Result<Option<Arc<[RecordedQuantity]>>> {
        let Some(known) = self.ledger.sale(KIND, &sale).await? else { return Ok(None) };
        let key = (known.number, known.position.event_id, now.div_euclid(SECOND));
        let read = async {
            let _turn = self.turn.lock().await;
            read(&self.ledger, &known, now - RECENT).await
        };
        self.latest.try_get_with(key, read).await.map(Some).map_err(|error| (*error).clone())
    }
}

async fn read(ledger: &Ledger, known: &LedgerSale, since: Millis) -> Result<Arc<[RecordedQuantity]>> {
    let (mut from, mut changes) = (Millis::MIN, Vec::new());
    for (outcome, adds) in CHANGES {
        let sums = ledger.sums(known, outcome, since, APART).await?;
        from = from.max(sums.from);
        changes.extend(sums.slots.into_iter().map(|(slot, units)| (slot, if adds { units } else { -units })));
    }
    // Before this slot, changes of one outcome are missing.
    let changes = changes.into_iter().filter(|(slot, _)| *slot >= from);
    Ok(thinned(points(known.quantity, changes)).into())
}

/// The quantity at the end of each slot in which it changed, and before the first one, computed from the quantity after
/// the last one.
fn points(now: i64, changes: impl Iterator<Item = (Millis, i64)>) -> Vec<RecordedQuantity> {
    let mut slots = BTreeMap::<Millis, i64>::new();
    for (slot, change) in changes {
        *slots.entry(slot).or_default() += change;
    }
    let point = |slot: Millis, left: i64| RecordedQuantity { at: slot * APART, left: u64::try_from(left).unwrap_or(0) };
    let mut left = now;
    let mut points = Vec::with_capacity(slots.len() + 1);
    for (&slot, change) in slots.iter().rev() {
        points.push(point(slot + 1, left));
        left -= change;
    }
    points.extend(slots.first_key_value().map(|(&slot, _)| point(slot, left)));
    points.reverse();
    points
}

/// At most `MOST` of the points, spread evenly over all of them and including the newest.
fn thinned(points: Vec<RecordedQuantity>) -> Vec<RecordedQuantity> {
    let step = points.len().div_ceil(MOST).max(1);
    let mut kept: Vec<_> = points.into_iter().rev().step_by(step).collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_walked_back_from_what_is_left() {
        let points = points(7, [(4, -2), (10, 5), (4, -1), (12, -4)].into_iter());
        let points: Vec<_> = points.iter().map(|point| (point.at / APART, point.left)).collect();
        assert_eq!(points, [(4, 9), (5, 6), (11, 11), (13, 7)]);
    }

    #[test]
    fn a_long_course_is_thinned_and_keeps_its_end() {
        let points = points(10_000, (0..1_000).map(|slot| (slot, 1)));
        let kept = thinned(points);
        assert!(kept.len() <= MOST && kept.len() > MOST / 2, "{}", kept.len());
        assert_eq!(kept.last().map(|point| point.left), Some(10_000));
        assert_eq!(thinned(Vec::new()), []);
    }
}
