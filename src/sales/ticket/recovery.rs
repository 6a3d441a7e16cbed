//! Builds a sale anew that Redis has lost, from the ledger.
//!
//! The terms say which hall it was, the rows who has which seats by which request; what nobody has is free.
//! Orders that ended come back, too, so that who asks again hears the same. Deadlines are what they were: an
//! order that became due meanwhile ends with the next sweep. What the ledger never saw is gone, and is said.
//! Counts of refused attempts begin anew: they change nothing, so no ledger has them.

use super::{
    OrderState,
    book::Kept,
    floor::Floor,
    hall::Hall,
    halls::HallName,
    index, outcome,
    service::{KIND, RECOVER, RESUME, Tickets, json, key, pack},
    tale::{Tale, Told},
};
use crate::{
    domain::{Cents, EventId, Millis},
    error::{Code, Error, Result},
    ledger::{kind::Recovered, replay::HistoryVisitor},
    sales::lost::{accept, refuse_living, refuse_moved, unknown_to_the_ledger},
    store::{Store, keys},
};
use std::{collections::BTreeMap, sync::Arc};

/// KEYS of `recover.lua` and of `resume.lua`.
pub const RECOVER_PARTS: [&str; 12] = [
    "meta",
    "seats",
    "layout",
    "free",
    "counts",
    "holders",
    "orders",
    "requests",
    "deadlines",
    "bought",
    "stats",
    "events",
];
pub const RESUME_PARTS: [&str; 9] =
    ["meta", "seats", "layout", "free", "counts", "holders", "orders", "stats", "events"];
/// Orders, and users, put back at a time.
const AT_A_TIME: usize = 256;

/// # Errors
/// `unknown_sale` to the ledger; `sale_exists` where it is alive; `internal` where the ledger never saw it opened;
/// `unavailable`, `ledger_unavailable`.
pub(super) async fn recover(tickets: &Tickets, sale: &str, token: &str, now: Millis) -> Result<Recovered> {
    let Tickets { store, ledger, floors, .. } = tickets;
    let Some(account) = ledger.sale(KIND, sale).await? else { return Err(unknown_to_the_ledger(sale)) };
    refuse_living(store, KIND, sale).await?;
    let Some(terms) = account.terms.as_deref().and_then(Kept::read) else {
        return Err(Error::new(
            Code::Internal,
            format!("The ledger never saw the sale \"{sale}\" being opened, so its hall is not known."),
        ));
    };
    let upto = account.position.event_id;
    let mut tale = Tale::new(Arc::new(terms.clone().floor()?));
    tale.rows(ledger, &account, EventId::default(), upto).await?;
    let found = Found::sort(tale);
    found.put_back(store, sale, token).await?;

    let unseen = account.seen.entries.saturating_sub(account.position.entries);
    let args = found.resumption(&terms)?;
    let mut all: Vec<Vec<u8>> = vec![
        token.into(),
        now.to_string().into(),
        found.orders.len().to_string().into(),
        found.taken().to_string().into(),
        upto.to_string().into(),
        account.position.entries.to_string().into(),
        unseen.to_string().into(),
    ];
    all.extend(args);
    let keys = RESUME_PARTS.map(|part| key(sale, part));
    refuse_moved(ledger, KIND, sale, account.position).await?;
    let code: Vec<i64> = store.eval(&RESUME, &keys, &all).await?;
    accept(&code, sale)?;
    floors.forget(sale);
    let _new: i64 = store.query("ZADD", (keys::SALES, "NX", terms.opened_at, format!("{KIND}:{sale}"))).await?;
    Ok(Recovered {
        won: found.taken() as u64,
        waiting: (found.seats.len() - found.taken()) as u64,
        conflicts: found.conflicts,
        upto,
        unseen,
        seen_at: account.seen_at,
    })
}

/// What the ledger has of a sale, each seat in one order at most.
struct Found {
    floor: Arc<Floor>,
    orders: Vec<Told>,
    /// As they are stored.
    seats: Vec<u8>,
    /// Tickets held and paid by user.
    bought: BTreeMap<String, u32>,
    changes: BTreeMap<&'static str, i64>,
    conflicts: Vec<String>,
}

/// An order with its request and the seats that it has; user, state, cents, due, places, late and holders are what is
/// stored of it.
type Stored<'a> = (&'a str, &'a str, (&'a str, OrderState, Cents, Millis, Vec<u32>, u8, &'a [String]), &'a [u32]);

impl Found {
    fn sort(tale: Tale) -> Self {
        let Tale { floor, mut orders, buyers, changes, .. } = tale;
        orders.sort_by_key(|told| told.held_at);
        let mut owners: Vec<Option<usize>> = vec![None; floor.hall.seats() as usize];
        let mut found = Self {
            seats: vec![b'0'; owners.len()],
            orders: Vec::with_capacity(orders.len()),
            bought: buyers.into_keys().map(|user| (user, 0)).collect(),
            changes: changes.into_iter().collect(),
            conflicts: Vec::new(),
            floor,
        };
        for told in orders {
            if told.is_live() {
                // All or nothing: where the first has one of its seats, the second has none.
                let first = told.seats.iter().find_map(|seat| owners[*seat as usize].map(|owner| (*seat, owner)));
                if let Some((seat, owner)) = first {
                    let (seat, owner) = (id(&found.floor.hall, seat), &found.orders[owner].user);
                    found.conflicts.push(format!("seat {seat} stays with {owner}; {} was told the same", told.user));
                    continue;
                }
                for seat in &told.seats {
                    owners[*seat as usize] = Some(found.orders.len());
                    found.seats[*seat as usize] = if told.state() == OrderState::Paid { b'2' } else { b'1' };
                }
                *found.bought.entry(told.user.clone()).or_default() += told.seats.len() as u32;
            }
            found.orders.push(told);
        }
        found
    }

    fn taken(&self) -> usize {
        self.seats.iter().filter(|seat| **seat != b'0').count()
    }

    async fn put_back(&self, store: &Store, sale: &str, token: &str) -> Result<()> {
        let users: Vec<(&str, u32)> = self.bought.iter().map(|(user, tickets)| (user.as_str(), *tickets)).collect();
        let chunks = self.orders.len().max(users.len()).div_ceil(AT_A_TIME).max(1);
        let keys = RECOVER_PARTS.map(|part| key(sale, part));
        for chunk in 0..chunks {
            let part = |length: usize| (chunk * AT_A_TIME).min(length)..((chunk + 1) * AT_A_TIME).min(length);
            let orders: Vec<_> = self.orders[part(self.orders.len())].iter().map(|told| self.stored(told)).collect();
            let users = &users[part(users.len())];
            let args: [Vec<u8>; 4] =
                [token.into(), chunk.to_string().into(), pack(&orders), flat(users.iter().copied())];
            let code: Vec<i64> = store.eval(&RECOVER, &keys, &args).await?;
            accept(&code, sale)?;
        }
        Ok(())
    }

    /// An order as `recover.lua` takes it.
    fn stored<'a>(&self, told: &'a Told) -> Stored<'a> {
        let hall = &self.floor.hall;
        let seats = told.seats.iter().filter_map(|seat| hall.seat(*seat));
        let places = seats.flat_map(|seat| [seat.row, u32::from(seat.place)]).collect();
        let record = (&*told.user, told.state(), told.cents, told.due, places, u8::from(told.late), &*told.holders);
        (&told.order, &told.request_id, record, if told.is_live() { &told.seats } else { &[] })
    }

    /// What `resume.lua` takes from its eighth argument on.
    fn resumption(&self, terms: &Kept) -> Result<Vec<Vec<u8>>> {
        let hall = &self.floor.hall;
        let shelves = index::shelves(hall, &self.floor.prices);
        let text = |json: Vec<u8>| String::from_utf8_lossy(&json).into_owned();
        let meta = [
            ("state", "open".to_owned()),
            ("hall", text(json(&terms.hall)?)),
            ("hall_name", HallName::name_of(&terms.hall).to_owned()),
            ("prices", text(json(&terms.prices)?)),
            ("limit", terms.limit.to_string()),
            ("hold_ms", terms.hold_ms.to_string()),
            ("opened_at", terms.opened_at.to_string()),
        ];
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (number, category) in (1..).zip(&hall.categories) {
            let seats = &self.seats[category.seats.start as usize..category.seats.end as usize];
            for (state, sign) in [("free", b'0'), ("held", b'1'), ("sold", b'2')] {
                let name = format!("{state}:{number}");
                counts.push((name, seats.iter().filter(|seat| **seat == sign).count()));
            }
        }
        let stats = outcome::OF_ORDERS.map(|outcome| (outcome, self.changes.get(outcome).copied().unwrap_or(0)));
        Ok(vec![
            self.seats.clone(),
            index::layout(hall),
            index::free(hall, &shelves, &self.seats),
            flat(meta),
            flat(counts),
            flat(stats),
        ])
    }
}

fn id(hall: &Hall, seat: u32) -> String {
    hall.seat(seat).map_or_else(|| seat.to_string(), |seat| hall.id(seat))
}

/// Fields and values in turn, as the scripts take them.
fn flat(pairs: impl IntoIterator<Item = (impl ToString, impl ToString)>) -> Vec<u8> {
    let texts: Vec<String> =
        pairs.into_iter().flat_map(|(field, value)| [field.to_string(), value.to_string()]).collect();
    pack(&texts)
}
