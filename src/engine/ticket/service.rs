//! Ticket sales: opening, reserving, paying, cancelling, and expiry.

use crate::{
    archiving_schedule::schedule_end,
    audit::audit,
    expiry::{Expires, ExpirySchedule},
    kind::Resources,
    life::plan::{check_times, packed, too_late},
    recovery::{number, recover},
    recovery_guards::{confirm_opened, refuse_gone_meanwhile, refuse_lost, taken_on_other_terms},
    ticket::{
        attempts::{Attempt, ReserveScript},
        cancellations::Cancel,
        order_changes::{Extension, OrderAttempt, OrderChange, OrderScript, Payment},
        scripts::{EXPIRE, KIND, OPEN, ORDERS_AT_A_TIME, RESERVE, json},
        venue::{EXTENDABLE, Venue, VenueCache},
    },
};
use ledger::{
    absence::archived_or_lost,
    database::Ledger,
    kind::{DeadLetters, Recovered},
};
use model::{
    Audit, Checks, Millis, ScriptInfo, check_id, check_new_id,
    error::Result,
    life::check_reason,
    sale::IdOrigin,
    ticket::{
        Cancelled, Extended, Opened, Outcome, Paid, Price, SeatRequest, Terms, check_part, halls::HallName, index,
    },
};
use std::{marker::PhantomData, sync::Arc};
use store::{
    Store,
    batcher::Batcher,
    listing,
    reply::ReplyCode,
    runtime::{Clock, Ids, blocking},
};

/// The service for ticket sales on one Redis. Any number of instances, in any number of processes, act as one.
#[derive(Clone)]
pub struct Tickets {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<Ids>,
    pub(super) venues: VenueCache,
    reservations: Arc<Batcher<ReserveScript>>,
    payments: Arc<Batcher<OrderScript<Payment>>>,
    extensions: Arc<Batcher<OrderScript<Extension>>>,
    cancellations: Arc<Batcher<OrderScript<Cancel>>>,
    expiry: Arc<ExpirySchedule>,
}

impl Tickets {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let venues = VenueCache::new(store.clone(), ledger.clone());
        let reserve = ReserveScript { store: store.clone(), clock: clock.clone(), venues: venues.clone() };
        let reservations = Arc::new(Batcher::new(reserve, store.waiting_room(KIND)));
        let payments = order_batcher(&store, &clock, &venues);
        let extensions = order_batcher(&store, &clock, &venues);
        let cancellations = order_batcher(&store, &clock, &venues);
        let expiry = Arc::default();
        Self { store, ledger, clock, ids, venues, reservations, payments, extensions, cancellations, expiry }
    }

    /// Opens a sale with all seats free, but for those that its hall marks as blocked. Opening it again on the same terms
    /// changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        self.open_as(terms, IdOrigin::Client).await
    }

    /// Like [`Self::open`], with an id of this origin.
    pub(super) async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        // A large hall takes more than a moment.
        let (terms, hall, prices, free) = blocking(move || {
            let (hall, prices) = terms.check()?;
            let free = index::free(&hall, &index::categories(&hall, &prices), &hall.opening_states());
            Ok((terms, hall, prices, free))
        })
        .await?;
        let (sale, plan) = (terms.sale, terms.plan);
        refuse_lost(&self.store, &self.ledger, KIND, &sale, origin).await?;
        check_times(&plan, &self.store, (KIND, &sale), self.clock.now()).await?;
        let mut args = vec![
            self.clock.script_time().into_bytes(),
            hall.opening_states(),
            index::layout(&hall),
            free,
            json(&hall.layout)?,
            json(&prices)?,
            number(terms.limit_per_user),
            number(terms.hold_s * 1_000),
            HallName::name_of(&hall.layout).into(),
            packed(&plan),
            if terms.extendable { EXTENDABLE.into() } else { Vec::new() },
            if hall.layout.is_plain() { Vec::new() } else { number(1) },
        ];
        for (index, category) in (1..).zip(&hall.categories) {
            args.extend([index, category.for_sale(), category.blocked].map(number));
        }
        let now = self.clock.now();
        listing::list(&self.store, KIND, &sale, now).await?;
        let code = self.store.eval(&OPEN, (KIND, &sale), &args).await?.code;
        if matches!(code, ReplyCode::Repeat | ReplyCode::Exists) {
            refuse_gone_meanwhile(&self.store, KIND, &sale).await?;
        }
        match code {
            ReplyCode::Done | ReplyCode::Repeat => {
                // A sale with this id may have existed before, which Redis and the ledger have lost.
                self.venues.forget(&sale).await;
                confirm_opened(&self.store, &self.ledger, KIND, &sale, now, origin).await?;
                if plan.ends.is_some() {
                    schedule_end(&self.store, KIND, &sale).await?;
                }
                Ok(Opened { categories: Price::of_hall(&hall, &prices), sale, existed: code == ReplyCode::Repeat })
            }
            ReplyCode::Exists => Err(taken_on_other_terms(&sale)),
            ReplyCode::TooLate => Err(too_late(&plan, self.clock.now())),
            code => Err(code.unexpected(&OPEN)),
        }
    }

    /// The hall of a sale, and its prices.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn venue(&self, sale: &str) -> Result<Arc<Venue>> {
        check_id("sale", sale)?;
        self.venues.get(sale).await
    }

    /// Attempts to hold seats for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `busy`; `unavailable` if the outcome is unknown.
    pub async fn reserve(
        &self,
        sale: &str,
        user: String,
        request_id: Option<String>,
        request: SeatRequest,
    ) -> Result<Outcome> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_new_id("user", &user));
        let request_id = checks.value(self.ids.request_id(request_id));
        checks.finish(request.check())?;
        let venue = self.venues.get(sale).await?;
        let attempt = Attempt::new(&venue.hall, user, request_id, self.ids.id(), request)?;
        let outcome = self.reservations.submit(sale, attempt).await?;
        archived_or_lost(outcome, &self.store, &self.ledger, KIND, sale).await
    }

    /// Pays an order, once. The request id identifies the payment. Sent again, the payment gets the same answer. Any
    /// other payment of the order is refunded. All calls without a request id are the same payment.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `sale_suspended`, `busy`, `unavailable`.
    pub async fn pay(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Paid> {
        check_order(sale, &order, request_id.as_deref())?;
        let change = Payment { request_id: request_id.unwrap_or_else(|| order.clone()) };
        let paid = self.payments.submit(sale, OrderAttempt { order, change }).await?;
        archived_or_lost(paid, &self.store, &self.ledger, KIND, sale).await
    }

    /// Extends the hold of an order, once, by the hold time of the sale. The request id identifies the extension, as it
    /// does a payment. The reason, which may be empty, is for the ledger.
    ///
    /// # Errors
    /// As [`Tickets::pay`].
    pub async fn extend(
        &self,
        sale: &str,
        order: String,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Extended> {
        check_change(sale, &order, &reason, request_id.as_deref())?;
        let change = Extension { request_id: request_id.unwrap_or_else(|| order.clone()), reason };
        let extended = self.extensions.submit(sale, OrderAttempt { order, change }).await?;
        archived_or_lost(extended, &self.store, &self.ledger, KIND, sale).await
    }

    /// Cancels an order and releases its seats. The cancellation is identified by the order. The reason, which may be
    /// empty, is for the ledger.
    ///
    /// # Errors
    /// As [`Tickets::pay`].
    pub async fn cancel(
        &self,
        sale: &str,
        order: String,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Cancelled> {
        check_change(sale, &order, &reason, request_id.as_deref())?;
        let cancelled = self.cancellations.submit(sale, OrderAttempt { order, change: Cancel::whole(reason) }).await?;
        archived_or_lost(cancelled, &self.store, &self.ledger, KIND, sale).await
    }

    /// Cancels a part of an order and releases its seats. If these are all that the order still has, it ends. The part
    /// is identified by the request id, or by its seats: sent again without one, they are the same part.
    ///
    /// # Errors
    /// As [`Tickets::pay`], and `bad_request` for a seat that is not of the order; `request_reused` if the request id
    /// took back other seats of it.
    pub async fn cancel_part(
        &self,
        sale: &str,
        order: String,
        seats: Vec<String>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Cancelled> {
        let mut checks = Checks::default();
        checks.note(check_change(sale, &order, &reason, request_id.as_deref()));
        checks.finish(check_part(&seats))?;
        let venue = self.venues.get(sale).await?;
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let change = Cancel::part(&venue.hall, &order, &seats, request_id, reason)?;
        let cancelled = self.cancellations.submit(sale, OrderAttempt { order, change }).await?;
        archived_or_lost(cancelled, &self.store, &self.ledger, KIND, sale).await
    }

    /// Ends the due orders of a sale. Returns their number, and the time at which the next one is due.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_suspended`, `unavailable`.
    pub async fn expire(&self, sale: &str) -> Result<(u64, Option<Millis>)> {
        let venue = self.venues.get(sale).await?;
        let mut all = 0;
        loop {
            let args = [self.clock.script_time().into_bytes(), venue.categories.clone(), number(ORDERS_AT_A_TIME)];
            let mut reply = self.store.change(&EXPIRE, (KIND, sale), &args).await?;
            if reply.code != ReplyCode::Done {
                return Err(reply.code.refusal(&EXPIRE, sale));
            }
            let (ended, next): (u64, Millis) = (reply.next_value()?, reply.next_value()?);
            all += ended;
            if ended < ORDERS_AT_A_TIME as u64 {
                return Ok((all, (next > 0).then_some(next)));
            }
        }
    }

    /// Ends the due orders of all sales. Returns their number.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        self.expiry.sweep(self, &self.store, self.clock.now()).await
    }

    /// Checks the sale's invariants, order by order and seat by seat. The verdict is `unknown` if the sale could not be
    /// checked.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`.
    pub async fn audit(&self, sale: &str) -> Result<Audit> {
        audit(self, &self.ledger, sale, self.clock.now()).await
    }

    /// Rebuilds a sale that Redis has lost from the ledger.
    ///
    /// # Errors
    /// `unknown_sale` if the ledger does not have it; `sale_exists` if Redis has it; `internal` if it has dead letters
    /// and `dead_letters` refuses them; `busy` if another recovery was faster; `unavailable`, `ledger_unavailable`.
    pub async fn recover(&self, sale: &str, dead_letters: DeadLetters) -> Result<Recovered> {
        recover(self, &self.store, &self.ledger, sale, self.ids.id(), &*self.clock, dead_letters).await
    }

    /// The script that decides an attempt.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        self.store.script_info(&RESERVE).await
    }
}

/// Orders end when they are due.
impl Expires for Tickets {
    const KIND: &str = KIND;
    const FIELD: &str = "hold_ms";

    fn first_due(_hold_ms: Millis, now: Millis) -> Millis {
        // Orders may already be due.
        now
    }

    async fn expire_due(&self, sale: &str, now: Millis) -> Result<(u64, Option<Millis>)> {
        let (ended, next) = self.expire(sale).await?;
        if ended > 0 {
            tracing::info!(sale, ended, "orders that were due have ended");
        }
        // If no order is held, the next order is due after a whole hold time at the earliest.
        let next = match next {
            Some(next) => next,
            None => now + self.venues.get(sale).await?.hold_ms,
        };
        Ok((ended, Some(next)))
    }
}

fn order_batcher<C: OrderChange>(
    store: &Store,
    clock: &Arc<dyn Clock>,
    venues: &VenueCache,
) -> Arc<Batcher<OrderScript<C>>> {
    let (store, clock, venues) = (store.clone(), clock.clone(), venues.clone());
    let room = store.waiting_room(KIND);
    Arc::new(Batcher::new(OrderScript { store, clock, venues, change: PhantomData }, room))
}

/// Checks who is meant by a request about an order.
fn check_order(sale: &str, order: &str, request_id: Option<&str>) -> Result<()> {
    let mut checks = Checks::default();
    checks.note(check_id("sale", sale));
    checks.note(request_id.map_or(Ok(()), |request_id| check_id("request_id", request_id)));
    checks.finish(check_id("order", order))
}

/// The same for a change that has a reason.
fn check_change(sale: &str, order: &str, reason: &str, request_id: Option<&str>) -> Result<()> {
    let mut checks = Checks::default();
    checks.note(check_order(sale, order, request_id));
    checks.finish(check_reason(reason))
}
