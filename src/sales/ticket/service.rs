//! The tickets' keys, script calls and replies.

use super::{
    Cancelled, HeldSeat, INFO, Left, Opened, Order, OrderState, Outcome, Paid, Price, Terms, Wish, audit,
    floor::{Floor, Floors},
    hall::{Hall, Seat},
    halls::HallName,
    index, recovery,
};
use crate::{
    domain::{Audit, Cents, Millis, ScriptInfo, check_id},
    error::{Code, Error, Result},
    ledger::{database::Ledger, kind::Recovered},
    runtime::{Clock, Ids},
    sales::{due::Due, kind::Resources, lost::refuse_lost},
    store::{
        Store,
        batcher::{BatchCall, Batcher},
        keys,
        script::Script,
        stream::garbled,
    },
};
use redis::{Value, from_redis_value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A script that moves seats: the shared rows, then what is its own.
macro_rules! on_rows {
    ($name:literal) => {
        Script::new(
            concat!("ticket/", $name),
            concat!(
                include_str!("../../../lua/lib/rows.lua"),
                "\n",
                include_str!(concat!("../../../lua/ticket/", $name))
            ),
        )
    };
}

pub static OPEN: Script = Script::new("ticket/open.lua", include_str!("../../../lua/ticket/open.lua"));
pub static RESERVE: Script = on_rows!("reserve.lua");
pub static PAY: Script = on_rows!("pay.lua");
pub static CANCEL: Script = on_rows!("cancel.lua");
pub static RECOVER: Script = Script::new("ticket/recover.lua", include_str!("../../../lua/ticket/recover.lua"));
pub static RESUME: Script = Script::new("ticket/resume.lua", include_str!("../../../lua/ticket/resume.lua"));
pub static EXPIRE: Script = on_rows!("expire.lua");
pub static AUDIT: Script = Script::new("ticket/audit.lua", include_str!("../../../lua/ticket/audit.lua"));
pub static SNAPSHOT: Script = Script::new("ticket/snapshot.lua", include_str!("../../../lua/ticket/snapshot.lua"));

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 9] = [&OPEN, &RESERVE, &PAY, &CANCEL, &EXPIRE, &AUDIT, &SNAPSHOT, &RECOVER, &RESUME];

/// The kind, as it stands in keys.
pub const KIND: &str = INFO.id;

/// The most seats that the attempts of one call of `reserve.lua` may want, and the most orders that one call
/// may pay, cancel or end: seats of as many rows as that hold Redis for some 5 ms.
pub const SEATS_AT_A_TIME: usize = 512;
pub const ORDERS_AT_A_TIME: usize = 64;

/// Reply codes, as in `lua/README.md`.
pub mod reply {
    pub const DONE: i64 = 0;
    pub const REPEAT: i64 = 500;
    pub const SEAT_TAKEN: i64 = 1001;
    pub const NOT_ENOUGH_SEATS: i64 = 1002;
    pub const UNKNOWN_SALE: i64 = 1005;
    pub const EXISTS: i64 = 1007;
    pub const SUSPENDED: i64 = 1012;
    pub const LIMIT_REACHED: i64 = 1014;
    pub const OTHER_USER: i64 = 1015;
    pub const UNKNOWN_ORDER: i64 = 1016;
    pub const ENDED: i64 = 1017;
    pub const UNREADABLE_ORDER: i64 = 1018;
}

/// Ticket sales on one Redis. Any number of these, in any number of processes, behave as one.
#[derive(Clone)]
pub struct Tickets {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    pub(super) floors: Floors,
    reservations: Arc<Batcher<ReserveScript>>,
    payments: Arc<Batcher<OrderScript>>,
    cancellations: Arc<Batcher<OrderScript>>,
    due: Arc<Due>,
}

impl Tickets {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let floors = Floors::new(store.clone(), ledger.clone());
        let order_script = |script, parts| {
            let (store, clock, floors) = (store.clone(), clock.clone(), floors.clone());
            Arc::new(Batcher::new(OrderScript { store, clock, floors, script, parts }))
        };
        let reservations = Arc::new(Batcher::new(ReserveScript {
            store: store.clone(),
            clock: clock.clone(),
            floors: floors.clone(),
        }));
        let payments = order_script(&PAY, &PAY_PARTS[..]);
        let cancellations = order_script(&CANCEL, &END_PARTS[..]);
        Self { store, ledger, clock, ids, floors, reservations, payments, cancellations, due: Arc::default() }
    }

    /// Opens a sale, all its seats free. On the same terms it may be repeated.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` with other terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        let (hall, prices) = terms.check()?;
        let sale = terms.sale;
        refuse_lost(&self.store, &self.ledger, KIND, &sale).await?;
        let shelves = index::shelves(&hall, &prices);
        let seats = vec![b'0'; hall.seats() as usize];
        let now = self.clock.now();
        let mut args: Vec<Vec<u8>> = vec![
            now.to_string().into(),
            seats.clone(),
            index::layout(&hall),
            index::free(&hall, &shelves, &seats),
            json(&hall.layout)?,
            json(&prices)?,
            terms.limit_per_user.to_string().into(),
            (terms.hold_s * 1_000).to_string().into(),
            HallName::name_of(&hall.layout).into(),
        ];
        for (number, category) in hall.categories.iter().enumerate() {
            args.push((number + 1).to_string().into());
            args.push(category.seats.len().to_string().into());
        }
        let _new: i64 = self.store.query("ZADD", (keys::SALES, "NX", now, format!("{KIND}:{sale}"))).await?;
        let keys = OPEN_PARTS.map(|part| key(&sale, part));
        let code: Vec<i64> = self.store.eval(&OPEN, &keys, &args).await?;
        match code.first() {
            Some(&(reply::DONE | reply::REPEAT)) => {
                // A sale of this id may have been here before that Redis and the ledger have lost.
                self.floors.forget(&sale);
                Ok(Opened { categories: priced(&hall, &prices), sale })
            }
            _ => Err(Error {
                code: Code::SaleExists,
                message: format!("The id \"{sale}\" is taken by a sale on other terms; choose another."),
                field: Some("id".to_owned()),
            }),
        }
    }

    /// The hall of a sale, and what its seats cost.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn floor(&self, sale: &str) -> Result<Arc<Floor>> {
        check_id("sale", sale)?;
        self.floors.get(sale).await
    }

    /// One user's one try to get seats.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `busy`; `unavailable` where the outcome is unknown.
    pub async fn reserve(&self, sale: &str, user: String, request_id: Option<String>, wish: Wish) -> Result<Outcome> {
        check_id("sale", sale)?;
        check_id("user", &user)?;
        let request_id = match request_id {
            Some(request_id) => {
                check_id("request_id", &request_id)?;
                request_id
            }
            None => self.ids.id(),
        };
        wish.check()?;
        let floor = self.floors.get(sale).await?;
        let wanted = Wanted::new(&floor.hall, user, request_id, self.ids.id(), wish)?;
        match self.reservations.submit(sale, wanted).await? {
            Reply::Outcome(outcome) => Ok(outcome),
            Reply::OtherUser => {
                Err(Error::bad("request_id", "`request_id` was used by another user at this sale; make a new one."))
            }
            Reply::Unreadable => Err(unreadable(sale)),
            Reply::UnknownSale => Err(Error::unknown_sale(sale)),
            Reply::Suspended => Err(suspended(sale)),
        }
    }

    /// Pays an order. The order is what makes it unique: asked again, with whatever request id, it is paid once.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `sale_suspended`, `busy`, `unavailable`.
    pub async fn pay(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Paid> {
        let (code, found) = self.submit(&self.payments, sale, order, request_id).await?;
        Ok(match code {
            reply::DONE => Paid::Paid(found),
            reply::REPEAT => Paid::Repeat(found),
            _ => Paid::Refunded(found),
        })
    }

    /// Ends an order, whose seats go back.
    ///
    /// # Errors
    /// As [`Tickets::pay`].
    pub async fn cancel(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Cancelled> {
        let (code, found) = self.submit(&self.cancellations, sale, order, request_id).await?;
        Ok(match (code, found.state) {
            (reply::DONE, OrderState::Refunded) => Cancelled::Refunded(found),
            (reply::DONE, _) => Cancelled::Cancelled(found),
            _ => Cancelled::Repeat(found),
        })
    }

    async fn submit(
        &self,
        batcher: &Batcher<OrderScript>,
        sale: &str,
        order: String,
        request_id: Option<String>,
    ) -> Result<(i64, Order)> {
        check_id("sale", sale)?;
        if let Some(request_id) = request_id {
            check_id("request_id", &request_id)?;
        }
        check_id("order", &order)?;
        match batcher.submit(sale, order.clone()).await? {
            OrderReply::Order(code, found) => Ok((code, found)),
            OrderReply::UnknownOrder => Err(unknown_order(sale, &order)),
            OrderReply::Unreadable => Err(unreadable(sale)),
            OrderReply::UnknownSale => Err(Error::unknown_sale(sale)),
            OrderReply::Suspended => Err(suspended(sale)),
        }
    }

    /// The script that decides an attempt.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        ScriptInfo::of(&self.store, &RESERVE).await
    }

    /// Ends the orders that are due in all sales; says how many.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        self.due.sweep(self, &self.store, self.clock.now()).await
    }

    /// Checks the sale's invariants, order by order and seat by seat. Where nobody could look, the verdict is
    /// `unknown`.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`.
    pub async fn audit(&self, sale: &str) -> Result<Audit> {
        check_id("sale", sale)?;
        match audit::audit(self, sale, self.clock.now()).await {
            Err(error) if matches!(error.code, Code::Unavailable | Code::LedgerUnavailable) => {
                Ok(Audit::unknown(error.message, self.clock.now()))
            }
            audit => audit,
        }
    }

    /// Builds a sale anew that Redis has lost, from the ledger.
    ///
    /// # Errors
    /// `unknown_sale` to the ledger; `sale_exists` where Redis has it; `unavailable`, `ledger_unavailable`.
    pub async fn recover(&self, sale: &str) -> Result<Recovered> {
        check_id("sale", sale)?;
        recovery::recover(self, sale, &self.ids.id(), self.clock.now()).await
    }

    /// Ends the orders of a sale that are due; says how many, and when the next is due.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_suspended`, `unavailable`.
    pub async fn expire(&self, sale: &str) -> Result<(u64, Option<Millis>)> {
        let floor = self.floors.get(sale).await?;
        let keys = END_PARTS.map(|part| key(sale, part));
        let mut all = 0;
        loop {
            let most = ORDERS_AT_A_TIME.to_string();
            let args = [self.clock.now().to_string().into_bytes(), floor.shelves.clone(), most.into_bytes()];
            let (code, ended, next, torn): (i64, u64, Millis, u64) = self.store.eval(&EXPIRE, &keys, &args).await?;
            match code {
                reply::DONE => {}
                reply::SUSPENDED => return Err(suspended(sale)),
                _ => return Err(Error::unknown_sale(sale)),
            }
            if torn > 0 {
                tracing::error!(sale, torn, "orders that are due cannot be read; the audit names them");
            }
            all += ended;
            if ended + torn < ORDERS_AT_A_TIME as u64 {
                return Ok((all, (next > 0).then_some(next)));
            }
        }
    }
}

/// KEYS of the scripts, in their order.
pub const OPEN_PARTS: [&str; 6] = ["meta", "seats", "layout", "free", "counts", "events"];
pub const RESERVE_PARTS: [&str; 14] = [
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
    "heat",
    "stats",
    "events",
    "attempts",
];
pub const PAY_PARTS: [&str; 9] =
    ["meta", "seats", "layout", "free", "counts", "orders", "deadlines", "stats", "events"];
/// Of `cancel.lua` and `expire.lua`.
pub const END_PARTS: [&str; 11] =
    ["meta", "seats", "layout", "free", "counts", "holders", "orders", "deadlines", "bought", "stats", "events"];
pub const SNAPSHOT_PARTS: [&str; 8] = ["meta", "seats", "counts", "heat", "stats", "events", "attempts", "crowd"];

/// An attempt, as it waits for its batch: what the script takes, in this order.
#[derive(Debug, Serialize)]
pub struct Wanted {
    user: String,
    request_id: String,
    order: String,
    /// Category (from 1), row, place of each seat in turn.
    chosen: Vec<u32>,
    /// Category (from 1), count, adjacent (0 or 1) of each pick in turn.
    picks: Vec<u32>,
    holders: Vec<String>,
    /// How many seats that is.
    #[serde(skip)]
    seats: usize,
}

impl Wanted {
    fn new(hall: &Hall, user: String, request_id: String, order: String, wish: Wish) -> Result<Self> {
        let seats = wish.count();
        let mut chosen = Vec::with_capacity(3 * wish.seats.len());
        for id in &wish.seats {
            let seat = hall.find(id).ok_or_else(|| {
                let why =
                    format!("`seats` names \"{id}\", and the hall has no such seat; one looks like {}.", hall.an_id());
                Error::bad("seats", why)
            })?;
            let category = hall.rows[seat.row as usize].category;
            chosen.extend([u32::from(category) + 1, seat.row, u32::from(seat.place)]);
        }
        let mut picks = Vec::with_capacity(3 * wish.pick.len());
        for pick in &wish.pick {
            let names = &hall.layout.categories;
            let category = names.iter().position(|name| *name == pick.category).ok_or_else(|| {
                let known = names.join(", ");
                Error::bad("pick", format!("`pick` names the category \"{}\"; the hall has {known}.", pick.category))
            })?;
            picks.extend([category as u32 + 1, pick.count, u32::from(pick.adjacent)]);
        }
        Ok(Self { user, request_id, order, chosen, picks, holders: wish.holders, seats })
    }
}

/// What the script says of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Outcome(Outcome),
    OtherUser,
    Unreadable,
    UnknownSale,
    Suspended,
}

/// `reserve.lua`, bound.
struct ReserveScript {
    store: Store,
    clock: Arc<dyn Clock>,
    floors: Floors,
}

impl BatchCall for ReserveScript {
    type Attempt = Wanted;
    type Reply = Reply;

    const ROOM: usize = SEATS_AT_A_TIME;

    fn size(wanted: &Wanted) -> usize {
        wanted.seats
    }

    async fn call(&self, sale: &str, attempts: Vec<Wanted>) -> Result<Vec<Reply>> {
        let floor = self.floors.get(sale).await?;
        let keys = RESERVE_PARTS.map(|part| key(sale, part));
        let args = [self.clock.now().to_string().into_bytes(), floor.shelves.clone(), pack(&attempts)];
        let reply = self.store.attempt(&RESERVE, &keys, &args).await?;
        pairs(reply, attempts.len())?.into_iter().map(|(code, detail)| read_reply(&floor.hall, code, &detail)).collect()
    }
}

fn read_reply(hall: &Hall, code: i64, detail: &[u8]) -> Result<Reply> {
    let outcome = match code {
        reply::DONE => Outcome::Held(unpack::<Told>(detail)?.read(hall)?),
        reply::REPEAT => Outcome::Repeat(unpack::<Told>(detail)?.read(hall)?),
        reply::SEAT_TAKEN => {
            let taken: Vec<i64> = unpack(detail)?;
            let (mut seats, mut held) = (Vec::new(), Vec::new());
            for one in taken.chunks_exact(3) {
                let seat = seat_id(hall, one[0], one[1])?;
                if one[2] > 0 {
                    held.push(HeldSeat { seat: seat.clone(), held_until: one[2] });
                }
                seats.push(seat);
            }
            Outcome::SeatTaken { seats, held }
        }
        reply::NOT_ENOUGH_SEATS => {
            let left: Vec<u32> = unpack(detail)?;
            let left = left.chunks_exact(2).map(|pair| {
                let category = (pair[0] as usize).checked_sub(1).and_then(|c| hall.layout.categories.get(c));
                let category = category.cloned().ok_or_else(|| garbled(format!("category {}", pair[0])))?;
                Ok(Left { category, left: pair[1] })
            });
            Outcome::NotEnoughSeats { left: left.collect::<Result<_>>()? }
        }
        reply::LIMIT_REACHED => {
            let left = std::str::from_utf8(detail).ok().and_then(|text| text.parse::<i64>().ok());
            let left = left.ok_or_else(|| garbled("a limit without a number"))?;
            Outcome::LimitReached { left: u32::try_from(left).unwrap_or(0) }
        }
        reply::OTHER_USER => return Ok(Reply::OtherUser),
        reply::UNREADABLE_ORDER => return Ok(Reply::Unreadable),
        reply::UNKNOWN_SALE => return Ok(Reply::UnknownSale),
        reply::SUSPENDED => return Ok(Reply::Suspended),
        code => return Err(garbled(format!("code {code}"))),
    };
    Ok(Reply::Outcome(outcome))
}

/// `pay.lua` or `cancel.lua`, bound.
struct OrderScript {
    store: Store,
    clock: Arc<dyn Clock>,
    floors: Floors,
    script: &'static Script,
    parts: &'static [&'static str],
}

/// What such a script says of one order.
enum OrderReply {
    Order(i64, Order),
    UnknownOrder,
    Unreadable,
    UnknownSale,
    Suspended,
}

impl BatchCall for OrderScript {
    type Attempt = String;
    type Reply = OrderReply;

    const ROOM: usize = ORDERS_AT_A_TIME;

    async fn call(&self, sale: &str, orders: Vec<String>) -> Result<Vec<OrderReply>> {
        let floor = self.floors.get(sale).await?;
        let keys: Vec<String> = self.parts.iter().map(|part| key(sale, part)).collect();
        let mut args = vec![self.clock.now().to_string().into_bytes(), floor.shelves.clone()];
        args.extend(orders.iter().map(|order| order.as_bytes().to_vec()));
        let reply = self.store.attempt(self.script, &keys, &args).await?;
        let read = |(code, detail): (i64, Vec<u8>)| match code {
            reply::UNKNOWN_ORDER => Ok(OrderReply::UnknownOrder),
            reply::UNREADABLE_ORDER => Ok(OrderReply::Unreadable),
            reply::UNKNOWN_SALE => Ok(OrderReply::UnknownSale),
            reply::SUSPENDED => Ok(OrderReply::Suspended),
            code => Ok(OrderReply::Order(code, unpack::<Told>(&detail)?.read(&floor.hall)?)),
        };
        pairs(reply, orders.len())?.into_iter().map(read).collect()
    }
}

/// An order as the scripts tell of it.
#[derive(Deserialize)]
pub(super) struct Told {
    pub order: String,
    pub state: OrderState,
    pub cents: Cents,
    pub due: Millis,
    pub places: Vec<i64>,
}

impl Told {
    pub fn read(self, hall: &Hall) -> Result<Order> {
        let seats = self.places.chunks_exact(2).map(|pair| seat_id(hall, pair[0], pair[1])).collect::<Result<_>>()?;
        Ok(Order { order: self.order, state: self.state, seats, cents: self.cents, held_until: self.due })
    }
}

/// An order as it is stored.
#[derive(Deserialize)]
pub struct Record {
    pub user: String,
    pub state: OrderState,
    pub cents: Cents,
    pub due: Millis,
    pub places: Vec<i64>,
    /// 1 where a payment came after the end.
    pub late: i64,
    pub holders: Vec<String>,
}

fn seat_id(hall: &Hall, row: i64, place: i64) -> Result<String> {
    let seat = u32::try_from(row).ok().zip(u16::try_from(place).ok()).map(|(row, place)| Seat { row, place });
    let seat = seat.filter(|seat| hall.rows.get(seat.row as usize).is_some_and(|row| seat.place < row.seats));
    seat.map(|seat| hall.id(seat)).ok_or_else(|| garbled(format!("seat {row}, {place}")))
}

pub(super) fn priced(hall: &Hall, prices: &[Cents]) -> Vec<Price> {
    let categories = hall.categories.iter().zip(prices);
    categories
        .map(|(category, price)| Price {
            name: category.name.clone(),
            capacity: category.seats.len() as u32,
            price_cents: *price,
        })
        .collect()
}

/// A reply of code and detail for each attempt, in turn.
fn pairs(reply: Value, n: usize) -> Result<Vec<(i64, Vec<u8>)>> {
    let values: Vec<Value> = from_redis_value(reply).map_err(garbled)?;
    if values.len() != 2 * n {
        return Err(garbled(format!("{} values for {n} attempts", values.len())));
    }
    let mut values = values.into_iter();
    let mut pairs = Vec::with_capacity(n);
    while let (Some(code), Some(detail)) = (values.next(), values.next()) {
        pairs.push((from_redis_value(code).map_err(garbled)?, from_redis_value(detail).map_err(garbled)?));
    }
    Ok(pairs)
}

pub(super) fn pack<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Numbers and texts to memory: nothing to fail. Structs go as lists, as the scripts read them.
    rmp_serde::to_vec(value).unwrap_or_default()
}

pub(super) fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    rmp_serde::from_slice(bytes).map_err(garbled)
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

fn suspended(sale: &str) -> Error {
    Error::new(
        Code::SaleSuspended,
        format!("The sale \"{sale}\" is suspended: Redis has lost part of it. Nothing was tried."),
    )
}

pub(super) fn unreadable(sale: &str) -> Error {
    Error::new(
        Code::Internal,
        format!("What Redis has of this order cannot be read, and nothing was changed; audit the sale \"{sale}\"."),
    )
}

pub(super) fn unknown_order(sale: &str, order: &str) -> Error {
    Error {
        code: Code::UnknownOrder,
        message: format!("The sale \"{sale}\" has no order \"{order}\"; check the id."),
        field: Some("order".to_owned()),
    }
}
