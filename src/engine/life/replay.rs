//! The life of a sale, replayed from ledger rows and events in their order: its state, and the fields of `meta` that
//! its plan and the changes of it have set. It is the same for every kind.

use crate::life::history::{
    DIGEST, GivenPlan, LifeChange, LifeFields, PLAN_FIELDS, fields_of_plan, given_plan, read_change,
};
use ledger::{audit_rows::MergedRows, database::Ledger, replay::HistoryVisitor, sale::LedgerSale};
use model::{
    EventId, Invariant, Millis,
    error::Result,
    life::outcome::{CHANGES, PAUSED, REOPENED, RESUMED},
};
use serde::Deserialize;
use std::collections::VecDeque;
use store::{
    fields::Fields,
    stream::{Entry, event_type, number_field},
};

/// The outcome by which an operator closes a sale of any kind.
const CLOSED: &str = "closed";
/// The changes whose requests `meta` remembers: as many as `lua/sale/change.lua`.
const KEPT: usize = 32;

/// The fields of `meta` that only a sale's life sets.
fn fields() -> impl Iterator<Item = &'static str> {
    PLAN_FIELDS.into_iter().chain(["paused_at", "pause_reason", "hold_clock", "held_ms"])
}

/// The life of a sale according to the history that has been replayed so far.
#[derive(Clone, Debug, Default)]
pub struct ReplayedLife {
    /// The outcome by which a sale of the kind ends of itself, and the state that it has then, if the kind has one.
    settled: Option<&'static str>,
    is_settled: bool,
    is_paused: bool,
    /// When an operator closed it, if it is closed.
    pub closed_at: Option<Millis>,
    /// The plan as it was given.
    plan: GivenPlan,
    /// The fields of `meta` with their values.
    fields: LifeFields,
    /// Since when hold time stands, if it does.
    stopped_at: Option<Millis>,
    /// The pauses that have stopped hold time, oldest first: the event that ended each, and how long it was.
    stops: Vec<(EventId, Millis)>,
    /// The outcomes of the kind's own changes, whose requests `meta` remembers among those of the life.
    remembered: &'static [&'static str],
    /// The newest changes, newest first: request id and digest of each.
    changes: VecDeque<(String, String)>,
}

/// What is common to the terms of every kind, as the ledger keeps them.
#[derive(Deserialize)]
struct OpenedTerms {
    opened_at: Millis,
    #[serde(default)]
    plan: GivenPlan,
}

impl ReplayedLife {
    /// A sale of a kind whose sales end of themselves by this outcome, if there is one.
    pub fn new(settled: Option<&'static str>) -> Self {
        Self { settled, ..Self::default() }
    }

    /// The same life, for a recovery of a sale whose `meta` also remembers the requests of changes with these outcomes.
    pub fn remembering(self, outcomes: &'static [&'static str]) -> Self {
        Self { remembered: outcomes, ..self }
    }

    /// The stored state.
    pub fn state(&self) -> &'static str {
        match (self.closed_at, self.is_settled, self.is_paused) {
            (Some(_), _, _) => CLOSED,
            (None, true, _) => self.settled.unwrap_or(CLOSED),
            (None, false, true) => "paused",
            (None, false, false) => "open",
        }
    }

    /// The fields of `meta` with their values, for a recovery: the state, too.
    pub fn meta(&self) -> Vec<(String, Vec<u8>)> {
        let mut meta: Vec<(String, Vec<u8>)> =
            self.fields.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
        meta.push(("state".to_owned(), self.state().into()));
        meta.extend(self.closed_at.map(|at| ("closed_at".to_owned(), at.to_string().into_bytes())));
        if !self.plan.is_empty() {
            meta.push(("plan".to_owned(), packed(&self.plan)));
        }
        if !self.changes.is_empty() {
            let words: Vec<&str> =
                self.changes.iter().flat_map(|(request_id, digest)| [request_id.as_str(), digest]).collect();
            meta.push(("changes".to_owned(), packed(&words)));
        }
        meta
    }

    /// The value that a field of `meta` has by the changes, if they set it.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// The hold time of an event at this instant: by this clock, the deadlines of holds count (`lua/lib/life.lua`). The
    /// order of events decides which pauses came before, as clocks may go back. Nothing is held while it stands.
    pub fn hold_time(&self, event_id: EventId, at: Millis) -> Millis {
        let before = self.stops.iter().take_while(|(end, _)| *end < event_id);
        at - before.map(|(_, length)| length).sum::<Millis>()
    }

    /// The invariants of a sale's record: `state`, and `life`, the number of its fields that differ from the history. A
    /// suspended sale has the fields of the state before.
    pub fn invariants(&self, record: &Fields) -> [Invariant; 2] {
        let state = record.text("state");
        let is_other = state != self.state() && state != "suspended";
        let differs = |name: &&str| record.get(name) != self.field(name);
        let plan = if self.plan.is_empty() { None } else { Some(packed(&self.plan)) };
        let wrong = fields().filter(differs).count() + usize::from(record.bytes("plan") != plan.as_deref());
        [Invariant::new("state", 0, i64::from(is_other)), Invariant::new("life", 0, wrong as i64)]
    }

    fn open(&mut self, plan: GivenPlan, opened_at: Millis) {
        self.fields = fields_of_plan(&plan, opened_at);
        self.plan = plan;
    }

    /// Applies a change.
    fn change(&mut self, event_id: EventId, change: LifeChange) {
        let LifeChange { outcome, at, request_id, mut fields } = change;
        let digest = fields.remove(DIGEST).unwrap_or_default();
        match outcome {
            PAUSED => {
                self.is_paused = true;
                self.fields.insert("paused_at".to_owned(), at.to_string());
                if fields.get("hold_clock").is_some_and(|clock| clock == "stops") {
                    self.stopped_at = Some(at);
                }
            }
            RESUMED => self.end_pause(event_id, at),
            REOPENED => self.closed_at = None,
            _ => {}
        }
        for (name, value) in fields {
            let name = if name == "reason" { "pause_reason".to_owned() } else { name };
            // The reason is there for the whole pause, even if it is empty.
            if value.is_empty() && outcome != PAUSED {
                self.fields.remove(&name);
            } else {
                self.fields.insert(name, value);
            }
        }
        self.remember(request_id, digest);
    }

    /// Remembers the request of a change.
    fn remember(&mut self, request_id: String, digest: String) {
        self.changes.push_front((request_id, digest));
        self.changes.truncate(KEPT);
    }

    fn close(&mut self, event_id: EventId, at: Millis) {
        self.end_pause(event_id, at);
        self.closed_at = Some(at);
    }

    fn end_pause(&mut self, event_id: EventId, at: Millis) {
        self.is_paused = false;
        for name in ["paused_at", "pause_reason", "hold_clock"] {
            self.fields.remove(name);
        }
        if let Some(from) = self.stopped_at.take() {
            self.stops.push((event_id, (at - from).max(0)));
            let held_ms: Millis = self.stops.iter().map(|(_, length)| length).sum();
            self.fields.insert("held_ms".to_owned(), held_ms.to_string());
        }
    }
}

fn packed(words: &[impl serde::Serialize]) -> Vec<u8> {
    rmp_serde::to_vec(words).unwrap_or_default()
}

impl HistoryVisitor for ReplayedLife {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        if from == EventId::default()
            && let Some(OpenedTerms { opened_at, plan }) =
                known.terms.as_deref().and_then(|terms| serde_json::from_str(terms).ok())
        {
            self.open(plan, opened_at);
        }
        let of_kind = self.settled.into_iter().chain(self.remembered.iter().copied());
        let outcomes: Vec<&'static str> = CHANGES.into_iter().chain([CLOSED]).chain(of_kind).collect();
        let mut rows = MergedRows::new(known.number, &outcomes, from, upto);
        while let Some((outcome, row)) = rows.next(ledger).await? {
            match outcome {
                CLOSED => self.close(row.event_id, row.at),
                outcome if Some(outcome) == self.settled => self.is_settled = true,
                outcome => {
                    // Of several rows of a change, the first one says what it was.
                    let is_first = row.requested.is_some();
                    let mut change = LifeChange::of_row(outcome, row.at, row.request_id, row.requested.as_deref());
                    if !self.remembered.contains(&outcome) {
                        self.change(row.event_id, change);
                    } else if is_first {
                        self.remember(change.request_id, change.fields.remove(DIGEST).unwrap_or_default());
                    }
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let event_id = entry.0.parse()?;
        match event_type(entry)? {
            b"opened" => self.open(given_plan(entry)?, number_field(entry, "at")?),
            b"closed" => self.close(event_id, number_field(entry, "at")?),
            name if self.settled.is_some_and(|settled| settled.as_bytes() == name) => self.is_settled = true,
            _ => {
                if let Some(change) = read_change(entry)? {
                    self.change(event_id, change);
                }
            }
        }
        Ok(())
    }
}
