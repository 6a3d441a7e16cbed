//! The history of a stock sale, replayed from ledger rows and events in their order: every request, and the quantity
//! after each change.

use crate::stock::{
    history::{Event, OfRequest, read_event},
    scripts::{RequestRecord, RequestState},
};
use ledger::{
    audit_rows::{AuditRow, MergedRows},
    database::Ledger,
    replay::HistoryVisitor,
    sale::LedgerSale,
};
use model::{EventId, Millis, error::Result, stock::outcome};
use std::collections::HashMap;
use store::stream::Entry;

/// The state according to the history that has been replayed so far.
#[derive(Default)]
pub(super) struct ReplayedSale {
    pub requests: HashMap<String, ReplayedRequest>,
    /// The quantity left.
    pub left: i64,
    /// The units at the opening, deducted, given back and restocked, and the sum of all corrections.
    pub opened: i64,
    pub deducted: i64,
    pub returned: i64,
    pub restocked: i64,
    pub corrected: i64,
    /// The number of attempts that won.
    pub won: i64,
    /// The low mark, if the caller needs its crossings and the time of the last one. Only rows of the ledger count
    /// them.
    pub low_mark: Option<i64>,
    pub crossings: i64,
    pub low_at: Option<Millis>,
    /// The number of changes that took more than there was.
    pub negative: i64,
    /// The requests that took more than was left, each with the quantity left before it.
    pub oversold: Vec<(String, i64)>,
    /// The requests that won twice, and the requests whose deduction was given back twice.
    pub doubled: Vec<String>,
    pub returned_twice: Vec<String>,
    /// The returns of units that nobody had, or of another quantity than that of the request.
    pub strays: i64,
    /// The time of the row that is being replayed.
    pub at: Millis,
}

#[derive(Clone, Debug)]
pub(super) struct ReplayedRequest {
    pub record: RequestRecord,
    /// The event of the first change.
    pub since: EventId,
    /// Whether the ledger has recorded it.
    pub in_ledger: bool,
    /// The result of the audit in Redis: whether the request exists, and whether it differs.
    pub seen: bool,
    pub wrong: bool,
}

impl ReplayedSale {
    fn change(&mut self, by: i64) {
        let before = self.left;
        self.left += by;
        if self.low_mark.is_some_and(|mark| before > mark && self.left <= mark) {
            self.crossings += 1;
            self.low_at = Some(self.at);
        }
        self.negative += i64::from(by < 0 && self.left < 0);
    }

    /// Applies a change by a request. It may take more than is left.
    fn change_by(&mut self, request_id: &str, by: i64) {
        let before = self.left;
        self.change(by);
        if by < 0 && self.left < 0 {
            self.oversold.push((request_id.to_owned(), before));
        }
    }

    /// A sale that Redis had lost may have been opened anew, by a server that had checked long ago whether the id is
    /// free. Such an opening adds no stock.
    fn open(&mut self, quantity: i64) {
        if self.opened > 0 {
            return;
        }
        self.opened += quantity;
        self.change(quantity);
    }

    fn insert(&mut self, event_id: EventId, request_id: String, record: RequestRecord, in_ledger: bool) {
        if self.requests.contains_key(&request_id) {
            self.doubled.push(request_id);
            return;
        }
        let request = ReplayedRequest { record, since: event_id, in_ledger, seen: false, wrong: false };
        self.requests.insert(request_id, request);
    }

    fn deduct(&mut self, event_id: EventId, request: OfRequest, in_ledger: bool) {
        let OfRequest { user, request_id, quantity, .. } = request;
        self.won += 1;
        self.deducted += quantity;
        self.change_by(&request_id, -quantity);
        let record = RequestRecord { user, quantity, state: RequestState::Deducted, left: self.left };
        self.insert(event_id, request_id, record, in_ledger);
    }

    fn give_back(&mut self, event_id: EventId, request: OfRequest, in_ledger: bool) {
        let OfRequest { user, request_id, quantity, .. } = request;
        self.returned += quantity;
        self.change(quantity);
        match self.requests.get_mut(&request_id) {
            Some(ReplayedRequest { record, .. }) if record.state == RequestState::Deducted => {
                record.state = RequestState::Returned;
                self.strays += i64::from(record.user != user || record.quantity != quantity);
            }
            Some(ReplayedRequest { record, .. }) if record.state == RequestState::Returned => {
                self.returned_twice.push(request_id);
            }
            // The deduction is missing. Once it is recorded, a repeat gets an answer, and nothing is given back twice.
            None => {
                self.strays += 1;
                let record = RequestRecord { user, quantity, state: RequestState::Returned, left: self.left };
                self.insert(event_id, request_id, record, in_ledger);
            }
            Some(_) => self.strays += 1,
        }
    }

    fn adjust(&mut self, event_id: EventId, outcome: &str, request_id: String, delta: i64, in_ledger: bool) {
        let state = if outcome == outcome::RESTOCKED {
            self.restocked += delta;
            RequestState::Restocked
        } else {
            self.corrected += delta;
            RequestState::Corrected
        };
        self.change_by(&request_id, delta);
        let record = RequestRecord { user: String::new(), quantity: delta, state, left: self.left };
        self.insert(event_id, request_id, record, in_ledger);
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) {
        let Some(quantity) = row.item.and_then(|item| item.parse().ok()) else {
            self.strays += 1;
            return;
        };
        self.at = row.at;
        let (event_id, request_id) = (row.event_id, row.request_id.unwrap_or_default());
        let user = row.user.unwrap_or_default();
        match outcome {
            outcome::OPENED => self.open(quantity),
            outcome::WON => self.deduct(event_id, OfRequest { user, request_id, quantity, left: 0 }, true),
            outcome::RETURNED => self.give_back(event_id, OfRequest { user, request_id, quantity, left: 0 }, true),
            outcome => self.adjust(event_id, outcome, request_id, quantity, true),
        }
    }
}

impl HistoryVisitor for ReplayedSale {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        let mut rows = MergedRows::new(known.number, &outcome::OF_QUANTITY, from, upto);
        while let Some((outcome, row)) = rows.next(ledger).await? {
            self.row(outcome, row);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let event_id = entry.0.parse()?;
        match read_event(entry)? {
            Some(Event::Opened(terms)) => self.open(terms.quantity),
            Some(Event::Deducted(requests)) => {
                requests.into_iter().for_each(|request| self.deduct(event_id, request, false));
            }
            Some(Event::Returned(requests)) => {
                requests.into_iter().for_each(|request| self.give_back(event_id, request, false));
            }
            Some(Event::Adjusted { outcome, delta, request_id }) => {
                self.adjust(event_id, outcome, request_id, delta, false);
            }
            // An unknown event becomes a dead letter in the ledger and is reported there.
            Some(Event::Closed | Event::Recovered) | None => {}
        }
        Ok(())
    }
}
