//! Rebuilds a stock sale from the ledger.
//!
//! The rows record the quantity and the state of each request. The quantity left after each request follows from their
//! order. The quantity is not cached after a recovery; the first attempt loads it. If rows contradict each other, the
//! earlier one wins.

use crate::{
    life::replay::ReplayedLife,
    recovery::{Rebuilt, Recoverable, number, part},
    stock::{
        history::StoredTerms,
        replay::ReplayedSale,
        scripts::{KIND, PARTS, RECOVER, RESUME, RequestRecord, RequestState, pack},
        service::Stock,
    },
    terms::RecordedTerms,
};
use ledger::{database::Ledger, replay::HistoryVisitor, sale::LedgerSale};
use model::{EventId, Millis, error::Result};
use store::script::Script;

/// The requests restored at a time.
const AT_A_TIME: usize = 1_024;

impl Recoverable for Stock {
    const KIND: &str = KIND;
    const PARTS: &'static [&'static str] = &PARTS;
    const WINS: &'static str = "won";
    const RECOVER: &'static Script = &RECOVER;
    const RESUME: &'static Script = &RESUME;
    type Terms = StoredTerms;
    type Rebuilt = RebuiltSale;

    fn opened_at(terms: &StoredTerms) -> Millis {
        terms.opened_at
    }

    async fn rebuild(&self, ledger: &Ledger, known: &LedgerSale, terms: &StoredTerms) -> Result<RebuiltSale> {
        let low_mark = terms.low_mark.map(u64::cast_signed);
        let mut replay = ReplayedSale { low_mark, terms: Some(terms.clone()), ..ReplayedSale::default() };
        let upto = known.position.event_id;
        replay.rows(ledger, known, EventId::default(), upto).await?;
        Ok(RebuiltSale::new(replay, terms.clone()))
    }
}

/// A sale rebuilt from the ledger.
pub struct RebuiltSale {
    terms: StoredTerms,
    replay: ReplayedSale,
    /// The requests, in no order.
    requests: Vec<(String, RequestRecord)>,
    /// The units of users, in a sale with a limit, and the deadlines of reservations, in no order.
    users: Vec<(String, i64)>,
    deadlines: Vec<(Millis, String)>,
    conflicts: Vec<String>,
}

impl RebuiltSale {
    fn new(mut replay: ReplayedSale, terms: StoredTerms) -> Self {
        let requests = std::mem::take(&mut replay.requests);
        // Restocks and corrections have no user.
        let named = |request: &String| match requests.get(request).map_or("", |known| known.record.user.as_str()) {
            "" => format!("request {request}"),
            user => format!("request {request} of {user}"),
        };
        let doubled =
            replay.doubled.iter().map(|id| format!("{} stands; it was confirmed once more after that", named(id)));
        let returned = replay
            .returned_twice
            .iter()
            .map(|id| format!("{} stays given back; it was given back once more after that", named(id)));
        let oversold = replay
            .oversold
            .iter()
            .map(|(id, left)| format!("{} was confirmed, though only {} were left", named(id), (*left).max(0)));
        let settled = replay.settled_twice.iter().map(|id| {
            format!("{} stays as it ended first; it was confirmed or expired once more after that", named(id))
        });
        let over_limit = replay
            .over_limit
            .iter()
            .map(|id| format!("{} was confirmed, though its user may not have as many", named(id)));
        let conflicts = doubled.chain(returned).chain(oversold).chain(settled).chain(over_limit).collect();
        let requests: Vec<(String, RequestRecord)> =
            requests.into_iter().map(|(request, known)| (request, known.record)).collect();
        let users = replay.users.iter().map(|(user, of_user)| (user.clone(), of_user.units)).collect();
        let held = requests.iter().filter(|(_, record)| record.state == RequestState::Held);
        let deadlines = held.map(|(request, record)| (record.due, request.clone())).collect();
        Self { terms, replay, requests, users, deadlines, conflicts }
    }

    fn meta(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let mut fields = vec![("sum", number(self.replay.left))];
        fields.extend(self.terms.fields()?);
        fields.extend(self.replay.low_at.map(|at| ("low_at", number(at))));
        fields.extend(self.terms.hold_ms.map(|_| ("held", number(self.replay.held))));
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(life.meta());
        Ok(fields.flat_map(|(name, value)| [name.into_bytes(), value]).collect())
    }
}

impl Rebuilt for RebuiltSale {
    fn chunks(&self) -> usize {
        self.requests.len().div_ceil(AT_A_TIME).max(1)
    }

    fn chunk(&self, chunk: usize) -> Vec<Vec<u8>> {
        let requests = &self.requests[part(chunk, AT_A_TIME, self.requests.len())];
        let users = &self.users[part(chunk, AT_A_TIME, self.users.len())];
        let deadlines = &self.deadlines[part(chunk, AT_A_TIME, self.deadlines.len())];
        let mut args = vec![number(users.len()), number(deadlines.len())];
        args.extend(users.iter().flat_map(|(user, units)| [user.clone().into_bytes(), number(units)]));
        args.extend(deadlines.iter().flat_map(|(due, request)| [number(due), request.clone().into_bytes()]));
        args.extend(requests.iter().flat_map(|(request, record)| [request.clone().into_bytes(), pack(record)]));
        args
    }

    /// The number of requests, and of cached quantities, which is 0.
    fn expected(&self) -> [usize; 2] {
        [self.requests.len(), 0]
    }

    fn rest(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let meta = self.meta(life)?;
        let ReplayedSale { won, deducted, returned, confirmed, expired, restocked, corrected, crossings, .. } =
            &self.replay;
        let mut stats = vec![
            ("won", won),
            ("deducted", deducted),
            ("returned", returned),
            ("restocked", restocked),
            ("corrected", corrected),
            ("crossings", crossings),
        ];
        if self.terms.hold_ms.is_some() {
            stats.extend([("confirmed", confirmed), ("expired", expired)]);
        }
        let mut args = vec![number(self.users.len()), number(self.deadlines.len()), number(meta.len() / 2)];
        args.extend(meta);
        args.extend(stats.into_iter().flat_map(|(name, count)| [name.into(), number(count)]));
        Ok(args)
    }

    fn recorded_wins(&self) -> u64 {
        self.replay.won.max(0).cast_unsigned()
    }

    /// The number of requests that won, and the quantity left.
    fn won_and_waiting(&self) -> [usize; 2] {
        [self.replay.won, self.replay.left].map(|count| usize::try_from(count).unwrap_or(0))
    }

    fn conflicts(self) -> Vec<String> {
        self.conflicts
    }
}
