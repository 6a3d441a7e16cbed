//! Rebuilds a ticket sale from the ledger.
//!
//! The terms determine the hall. The rows record who has which seats by which request, and which seats are blocked; all
//! other seats are free. Ended orders are restored too, so that repeated requests get the same answers. Deadlines are
//! kept: an order that became due in the meantime ends with the next sweep.

use crate::{
    life::replay::ReplayedLife,
    recovery::{Rebuilt, Recoverable, part},
    terms::{RecordField, RecordedTerms},
    ticket::{
        replay::{ReplayedOrder, ReplayedSale},
        scripts::{KIND, PARTS, Picks, Places, RECOVER, RESUME, ReturnedPart, pack},
        service::Tickets,
        venue::{StoredTerms, Venue},
    },
};
use ledger::{database::Ledger, replay::HistoryVisitor, sale::LedgerSale};
use model::{
    Cents, EventId, Millis,
    error::Result,
    ticket::{OrderState, hall::Hall, halls::HallName, index, outcome},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use store::script::Script;

/// The orders, or users, restored at a time.
const AT_A_TIME: usize = 256;

impl Recoverable for Tickets {
    const KIND: &str = KIND;
    const PARTS: &'static [&'static str] = &PARTS;
    const WINS: &'static str = "held";
    const RECOVER: &'static Script = &RECOVER;
    const RESUME: &'static Script = &RESUME;
    const REMEMBERED: &'static [&'static str] = &outcome::OF_BLOCKS;
    type Terms = StoredTerms;
    type Rebuilt = RebuiltSale;

    fn opened_at(terms: &StoredTerms) -> Millis {
        terms.opened_at
    }

    async fn rebuild(&self, ledger: &Ledger, known: &LedgerSale, terms: &StoredTerms) -> Result<RebuiltSale> {
        let mut replay = ReplayedSale::new(Arc::new(terms.clone().venue()?));
        let upto = known.position.event_id;
        replay.rows(ledger, known, EventId::default(), upto).await?;
        Ok(RebuiltSale::new(replay, terms.clone()))
    }

    async fn forget(&self, sale: &str) {
        self.venues.forget(sale).await;
    }
}

/// A sale rebuilt from the ledger, with each seat in at most one order.
pub struct RebuiltSale {
    terms: StoredTerms,
    venue: Arc<Venue>,
    orders: Vec<ReplayedOrder>,
    /// The state of each seat, as stored.
    seats: Vec<u8>,
    /// The number of tickets held and paid, by user.
    bought: Vec<(String, u32)>,
    changes: BTreeMap<&'static str, i64>,
    conflicts: Vec<String>,
}

/// An order as an argument of `recover.lua`.
#[derive(Serialize)]
struct OrderArgs<'a> {
    order: &'a str,
    request_id: &'a str,
    record: RecordArgs<'a>,
    /// The numbers of the seats that it has.
    seats: Vec<u32>,
}

/// [`OrderRecord`](crate::ticket::scripts::OrderRecord) with borrowed fields.
#[derive(Serialize)]
struct RecordArgs<'a> {
    user: &'a str,
    state: OrderState,
    cents: Cents,
    due: Millis,
    places: Places,
    payments: Vec<&'a str>,
    holders: &'a [String],
    picks: &'a Picks,
    /// There if a part came back, or before the next field.
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<Vec<ReturnedPart>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extended_by: Option<&'a str>,
}

impl Rebuilt for RebuiltSale {
    fn chunks(&self) -> usize {
        self.orders.len().max(self.bought.len()).div_ceil(AT_A_TIME).max(1)
    }

    fn chunk(&self, chunk: usize) -> Vec<Vec<u8>> {
        let orders = &self.orders[part(chunk, AT_A_TIME, self.orders.len())];
        let orders: Vec<OrderArgs<'_>> = orders.iter().map(|order| self.order_args(order)).collect();
        let users = &self.bought[part(chunk, AT_A_TIME, self.bought.len())];
        vec![pack(&orders), flat(users.iter().map(|(user, tickets)| (user, tickets)))]
    }

    fn expected(&self) -> [usize; 2] {
        [self.orders.len(), self.taken()]
    }

    fn rest(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let Self { terms, venue, seats, changes, .. } = self;
        let hall = &venue.hall;
        let field = |(name, value): RecordField| (name.to_owned(), value);
        let mut meta: Vec<(String, Vec<u8>)> = terms.fields()?.into_iter().map(field).collect();
        meta.push(("hall_name".to_owned(), HallName::name_of(&terms.hall).into()));
        meta.extend(life.meta());
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (number, category) in (1..).zip(&hall.categories) {
            let seats = &seats[category.seats.start as usize..category.seats.end as usize];
            for (state, sign) in [("free", b'0'), ("held", b'1'), ("sold", b'2'), ("blocked", b'3')] {
                let count = seats.iter().filter(|seat| **seat == sign).count();
                // Most sales have no blocked seats.
                if state != "blocked" || count > 0 {
                    counts.push((format!("{state}:{number}"), count));
                }
            }
        }
        let stats = outcome::OF_ORDERS.map(|outcome| (outcome, changes.get(outcome).copied().unwrap_or(0)));
        let free = index::free(hall, &index::categories(hall, &venue.prices), seats);
        let mut args = vec![seats.clone(), index::layout(hall), free, flat(counts), flat(stats)];
        args.extend(meta.into_iter().flat_map(|(name, value)| [name.into_bytes(), value]));
        Ok(args)
    }

    fn recorded_wins(&self) -> u64 {
        self.changes.get(outcome::HELD).copied().unwrap_or(0).max(0).cast_unsigned()
    }

    fn won_and_waiting(&self) -> [usize; 2] {
        [self.taken(), self.seats.iter().filter(|seat| **seat == b'0').count()]
    }

    fn conflicts(self) -> Vec<String> {
        self.conflicts
    }
}

impl RebuiltSale {
    fn new(replay: ReplayedSale, terms: StoredTerms) -> Self {
        let ReplayedSale { venue, mut orders, buyers, changes, seats, .. } = replay;
        // Paid orders come before held ones. Within each state, the ledger's earlier entry comes first.
        let rank = |order: &ReplayedOrder| match order.state() {
            OrderState::Paid => 0,
            OrderState::Held => 1,
            OrderState::Cancelled | OrderState::Expired | OrderState::Refunded => 2,
        };
        orders.sort_by_key(|order| (rank(order), order.held_at));
        let mut owners: Vec<Option<usize>> = vec![None; venue.hall.seats() as usize];
        let mut bought: BTreeMap<String, u32> = buyers.into_keys().map(|user| (user, 0)).collect();
        let mut rebuilt = Self {
            terms,
            seats: seats.iter().map(|seat| if seat.blocked > 0 { b'3' } else { b'0' }).collect(),
            orders: Vec::with_capacity(orders.len()),
            bought: Vec::new(),
            changes: changes.into_iter().collect(),
            conflicts: Vec::new(),
            venue,
        };
        let mut requests: HashMap<String, String> = HashMap::new();
        for order in orders {
            // A request has one order.
            if let Some(first) = requests.get(&order.request_id) {
                rebuilt.conflicts.push(format!(
                    "request {} stays with order {first}; order {} was also confirmed to {}",
                    order.request_id, order.order, order.user
                ));
                continue;
            }
            if order.is_live() {
                let seats = order.seats_now();
                // An order gets all of its seats or none. If an earlier order has one of its seats, it gets none.
                let first = seats.iter().find_map(|seat| owners[*seat as usize].map(|owner| (*seat, owner)));
                if let Some((seat, owner)) = first {
                    let (seat, owner) = (id(&rebuilt.venue.hall, seat), &rebuilt.orders[owner].user);
                    rebuilt
                        .conflicts
                        .push(format!("seat {seat} stays with {owner}; it was also confirmed to {}", order.user));
                    continue;
                }
                for seat in &seats {
                    owners[*seat as usize] = Some(rebuilt.orders.len());
                    rebuilt.seats[*seat as usize] = if order.state() == OrderState::Paid { b'2' } else { b'1' };
                }
                *bought.entry(order.user.clone()).or_default() += seats.len() as u32;
            }
            requests.insert(order.request_id.clone(), order.order.clone());
            rebuilt.orders.push(order);
        }
        rebuilt.bought = bought.into_iter().collect();
        rebuilt
    }

    fn taken(&self) -> usize {
        self.seats.iter().filter(|seat| [b'1', b'2'].contains(seat)).count()
    }

    fn order_args<'a>(&self, order: &'a ReplayedOrder) -> OrderArgs<'a> {
        let (returns, extended_by) = (order.returns(&self.venue), order.extended_by.as_deref());
        let record = RecordArgs {
            user: &order.user,
            state: order.state(),
            cents: order.cents_now(&self.venue),
            due: order.due,
            places: self.venue.places(order.seats.iter().copied()),
            payments: order.payments(),
            holders: &order.holders,
            picks: &order.picks,
            returns: (!returns.is_empty() || extended_by.is_some()).then_some(returns),
            extended_by,
        };
        let seats = if order.is_live() { order.seats_now() } else { Vec::new() };
        OrderArgs { order: &order.order, request_id: &order.request_id, record, seats }
    }
}

fn id(hall: &Hall, seat: u32) -> String {
    hall.seat(seat).map_or_else(|| seat.to_string(), |seat| hall.id(seat))
}

/// Fields and values, alternating, as the scripts expect them.
fn flat(pairs: impl IntoIterator<Item = (impl ToString, impl ToString)>) -> Vec<u8> {
    let texts: Vec<String> =
        pairs.into_iter().flat_map(|(field, value)| [field.to_string(), value.to_string()]).collect();
    pack(&texts)
}
