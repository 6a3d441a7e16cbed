//! The history of a stock sale, replayed from ledger rows and events in their order: every request, and the quantity
//! after each change.

use crate::{
    life::replay::ReplayedLife,
    stock::{
        history::{Event, OfRequest, StoredTerms, read_event},
        scripts::{RequestRecord, RequestState},
    },
};
use ledger::{
    audit_rows::{AuditRow, MergedRows},
    database::Ledger,
    replay::HistoryVisitor,
    sale::LedgerSale,
};
use model::{EventId, Millis, error::Result, stock::outcome};
use std::collections::HashMap;
use store::stream::{Entry, number_field};

/// The state according to the history that has been replayed so far.
#[derive(Default)]
pub(super) struct ReplayedSale {
    /// The terms of the sale, once they are known.
    pub terms: Option<StoredTerms>,
    /// The life of the sale, by which hold time stood.
    pub life: ReplayedLife,
    pub requests: HashMap<String, ReplayedRequest>,
    /// The users of a sale with a limit, and the units that each has.
    pub users: HashMap<String, ReplayedUser>,
    /// The quantity left.
    pub left: i64,
    /// The units at the opening, deducted, given back and restocked, and the sum of all corrections.
    pub opened: i64,
    pub deducted: i64,
    pub returned: i64,
    /// The units of reservations that were confirmed, that have expired, and that are still held; and the number of
    /// the latter.
    pub confirmed: i64,
    pub expired: i64,
    pub held: i64,
    pub held_requests: i64,
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
    /// The requests that gave their user more than the limit allows.
    pub over_limit: Vec<String>,
    /// The requests that won twice, and the requests whose deduction was given back twice.
    pub doubled: Vec<String>,
    pub returned_twice: Vec<String>,
    /// The reservations that were confirmed after they had ended, or expired after they had.
    pub settled_twice: Vec<String>,
    /// The returns of units that nobody had, or of another quantity than that of the request.
    pub strays: i64,
    /// The time of the row or event that is being replayed.
    pub at: Millis,
}

/// A user of a sale with a limit.
#[derive(Clone, Debug, Default)]
pub(super) struct ReplayedUser {
    pub units: i64,
    /// The result of the audit in Redis: whether the units differ.
    pub wrong: bool,
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

    /// Returns whether the request is new.
    fn insert(&mut self, event_id: EventId, request_id: String, record: RequestRecord, in_ledger: bool) -> bool {
        if self.requests.contains_key(&request_id) {
            self.doubled.push(request_id);
            return false;
        }
        let request = ReplayedRequest { record, since: event_id, in_ledger, seen: false, wrong: false };
        self.requests.insert(request_id, request);
        true
    }

    fn limit(&self) -> Option<i64> {
        self.terms.as_ref()?.limit_per_user.map(u64::cast_signed)
    }

    /// A user gets units.
    fn give(&mut self, user: String, request_id: &str, units: i64) {
        let Some(limit) = self.limit() else { return };
        let of_user = self.users.entry(user).or_default();
        of_user.units += units;
        if of_user.units > limit {
            self.over_limit.push(request_id.to_owned());
        }
    }

    /// Units leave a user, and the reservation that they are of, if they are of one.
    fn take(&mut self, user: &str, units: i64, was_held: bool, ends: bool) {
        if let Some(of_user) = self.users.get_mut(user) {
            of_user.units -= units;
        }
        if was_held {
            self.held -= units;
            self.held_requests -= i64::from(ends);
        }
    }

    fn deduct(&mut self, event_id: EventId, request: OfRequest, in_ledger: bool) {
        let OfRequest { user, request_id, quantity, .. } = request;
        self.won += 1;
        self.deducted += quantity;
        self.change_by(&request_id, -quantity);
        let due = self.terms.as_ref().and_then(|terms| terms.deadline(self.life.hold_time(event_id, self.at)));
        let state = if due.is_some() { RequestState::Held } else { RequestState::Deducted };
        let record = RequestRecord {
            due: due.unwrap_or_default(),
            ..RequestRecord::new(user.clone(), quantity, state, self.left)
        };
        if self.insert(event_id, request_id.clone(), record, in_ledger) {
            if due.is_some() {
                self.held += quantity;
                self.held_requests += 1;
            }
            self.give(user, &request_id, quantity);
        }
    }

    fn give_back(&mut self, event_id: EventId, request: OfRequest, in_ledger: bool) {
        let OfRequest { user, request_id, quantity, return_id, .. } = request;
        self.returned += quantity;
        self.change(quantity);
        match self.requests.get_mut(&request_id) {
            Some(ReplayedRequest { record, .. }) if record.has_units() => {
                let (kept, was_held) = (record.kept(), record.state == RequestState::Held);
                self.strays += i64::from(record.user != user || quantity > kept);
                // As `give_back.lua` notes it.
                if quantity < record.quantity || !return_id.is_empty() {
                    record.returns.push((return_id, quantity));
                }
                let ends = quantity >= kept;
                if ends {
                    record.state = RequestState::Returned;
                }
                let user = record.user.clone();
                self.take(&user, quantity.min(kept), was_held, ends);
            }
            Some(ReplayedRequest { record, .. })
                if matches!(record.state, RequestState::Returned | RequestState::Expired) =>
            {
                self.returned_twice.push(request_id);
            }
            // The deduction is missing. Once it is recorded, a repeat gets an answer, and nothing is given back twice.
            None => {
                self.strays += 1;
                let record = RequestRecord::new(user, quantity, RequestState::Returned, self.left);
                self.insert(event_id, request_id, record, in_ledger);
            }
            Some(_) => self.strays += 1,
        }
    }

    /// A reservation is confirmed or expires.
    fn settle(&mut self, request: OfRequest, state: RequestState) {
        let OfRequest { user, request_id, quantity, .. } = request;
        let expires = state == RequestState::Expired;
        if expires {
            self.expired += quantity;
            self.change(quantity);
        } else {
            self.confirmed += quantity;
        }
        match self.requests.get_mut(&request_id) {
            Some(ReplayedRequest { record, .. }) if record.state == RequestState::Held => {
                let kept = record.kept();
                self.strays += i64::from(record.user != user || quantity != kept);
                record.state = state;
                self.held -= kept;
                self.held_requests -= 1;
                if expires && let Some(of_user) = self.users.get_mut(&record.user) {
                    of_user.units -= kept;
                }
            }
            Some(ReplayedRequest { record, .. }) if record.due > 0 => self.settled_twice.push(request_id),
            _ => self.strays += 1,
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
        let record = RequestRecord::new(String::new(), delta, state, self.left);
        self.insert(event_id, request_id, record, in_ledger);
    }

    fn row(&mut self, outcome: &'static str, row: AuditRow) {
        let Some(quantity) = row.item.and_then(|item| item.parse().ok()) else {
            self.strays += 1;
            return;
        };
        self.at = row.at;
        let (event_id, request_id) = (row.event_id, row.request_id.unwrap_or_default());
        let (user, return_id) = (row.user.unwrap_or_default(), row.requested.unwrap_or_default());
        let request = OfRequest { user, request_id, quantity, left: 0, return_id };
        match outcome {
            outcome::OPENED => self.open(quantity),
            outcome::WON => self.deduct(event_id, request, true),
            outcome::RETURNED => self.give_back(event_id, request, true),
            outcome::CONFIRMED => self.settle(request, RequestState::Confirmed),
            outcome::EXPIRED => self.settle(request, RequestState::Expired),
            outcome => self.adjust(event_id, outcome, request.request_id, quantity, true),
        }
    }
}

impl HistoryVisitor for ReplayedSale {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        self.life.rows(ledger, known, from, upto).await?;
        if self.terms.is_none() {
            self.terms = known.terms.as_deref().and_then(|terms| serde_json::from_str(terms).ok());
        }
        let mut rows = MergedRows::new(known.number, &outcome::OF_REQUESTS, from, upto);
        while let Some((outcome, row)) = rows.next(ledger).await? {
            self.row(outcome, row);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let event_id = entry.0.parse()?;
        // An unknown event becomes a dead letter in the ledger and is reported there.
        let Some(event) = read_event(entry)? else { return self.life.entry(entry) };
        self.at = number_field(entry, "at")?;
        match event {
            Event::Opened(terms) => {
                self.life.entry(entry)?;
                self.open(terms.quantity);
                _ = self.terms.get_or_insert(terms);
            }
            Event::Deducted(requests) => {
                requests.into_iter().for_each(|request| self.deduct(event_id, request, false));
            }
            Event::Returned(requests) => {
                requests.into_iter().for_each(|request| self.give_back(event_id, request, false));
            }
            Event::Confirmed(requests) => {
                requests.into_iter().for_each(|request| self.settle(request, RequestState::Confirmed));
            }
            Event::Expired(requests) => {
                requests.into_iter().for_each(|request| self.settle(request, RequestState::Expired));
            }
            Event::Adjusted { outcome, delta, request_id } => {
                self.adjust(event_id, outcome, request_id, delta, false);
            }
            Event::Closed | Event::Recovered => self.life.entry(entry)?,
        }
        Ok(())
    }
}
