//! The halls of sales, and a cache of them.

use crate::{
    life::history::GivenPlan,
    terms::{RecordField, RecordedTerms},
    ticket::scripts::{KIND, Places, RESERVE, json, key, pack},
};
use ledger::{absence::archived_or_lost, database::Ledger};
use model::{
    Cents, Millis,
    error::{Code, Error, Result},
    ticket::{
        OrderState,
        hall::{Hall, Layout},
        index,
    },
};
use moka::future::Cache;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Store, failure::damaged, format::FORMAT, listing::state_of, reply::ReplyCode, runtime::blocking};

/// The field `extendable` of a sale whose holds can be extended; others have none.
pub(super) const EXTENDABLE: &str = "1";

/// The halls kept in the cache. Each takes a few hundred kB.
const HALLS: u64 = 64;

/// The hall of a sale, which never changes and can be cached.
pub struct Venue {
    /// The hall.
    pub hall: Hall,
    /// The price of a seat in cents, by category.
    pub prices: Vec<Cents>,
    /// The hold time in milliseconds.
    pub hold_ms: Millis,
    /// Whether the hold of an order can be extended, once, by the hold time.
    pub extendable: bool,
    /// The index of each category, serialized for the scripts.
    pub(super) categories: Vec<u8>,
}

impl Venue {
    /// # Errors
    /// If the layout exceeds a limit.
    pub(super) fn new(layout: Layout, prices: Vec<Cents>, hold_ms: Millis, extendable: bool) -> Result<Self> {
        let hall = Hall::new(layout)?;
        let categories = pack(&index::categories(&hall, &prices));
        Ok(Self { hall, prices, hold_ms, extendable, categories })
    }

    /// Whether the hold of an order in this state can still be extended.
    pub(super) fn can_extend(&self, state: OrderState, was_extended: bool) -> bool {
        self.extendable && state == OrderState::Held && !was_extended
    }

    /// The seats with these numbers, as in records.
    pub(super) fn places(&self, seats: impl Iterator<Item = u32>) -> Places {
        let seats: Vec<_> = seats.filter_map(|seat| self.hall.seat(seat)).collect();
        Places::of(&seats)
    }

    /// The price of the seats with these numbers.
    pub(super) fn price_of(&self, seats: impl Iterator<Item = u32>) -> Cents {
        seats.filter_map(|seat| self.hall.seat(seat)).map(|seat| self.price(seat.row)).sum()
    }

    /// The price of a seat in this row.
    pub(super) fn price(&self, row: u32) -> Cents {
        let category = self.hall.rows.get(row as usize).map_or(0, |row| usize::from(row.category));
        self.prices.get(category).copied().unwrap_or(0)
    }
}

/// The terms on which a sale was opened, as stored in the ledger: all data needed to rebuild it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredTerms {
    /// The layout of the hall.
    pub hall: Layout,
    /// The price of a seat, by category.
    pub prices: Vec<Cents>,
    /// The most tickets that a user may have.
    pub limit: u32,
    /// The hold time of an order, in milliseconds.
    pub hold_ms: Millis,
    /// Whether the hold of an order can be extended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extendable: bool,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The plan with which it was opened: start, end, texts, currency.
    #[serde(default, skip_serializing_if = "GivenPlan::is_empty")]
    pub plan: GivenPlan,
}

impl StoredTerms {
    pub(super) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(super) fn venue(self) -> Result<Venue> {
        Venue::new(self.hall, self.prices, self.hold_ms, self.extendable)
    }
}

impl RecordedTerms for StoredTerms {
    fn fields(&self) -> Result<Vec<RecordField>> {
        let Self { hall, prices, limit, hold_ms, extendable, opened_at, .. } = self;
        let mut fields = vec![
            ("hall", json(hall)?),
            ("prices", json(prices)?),
            ("limit", limit.to_string().into_bytes()),
            ("hold_ms", hold_ms.to_string().into_bytes()),
            ("opened_at", opened_at.to_string().into_bytes()),
        ];
        if *extendable {
            fields.push(("extendable", EXTENDABLE.into()));
        }
        Ok(fields)
    }
}

/// The halls of recently used sales.
#[derive(Clone)]
pub struct VenueCache {
    store: Store,
    ledger: Ledger,
    by_sale: Cache<String, Arc<Venue>>,
}

impl VenueCache {
    pub(super) fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, by_sale: Cache::new(HALLS) }
    }

    /// The hall of a sale that is in Redis.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_archived`, `sale_lost`, `unavailable`.
    pub(super) async fn get(&self, sale: &str) -> Result<Arc<Venue>> {
        let venue = self.in_redis(sale).await?.ok_or_else(|| Error::unknown_sale(sale));
        archived_or_lost(venue, &self.store, &self.ledger, KIND, sale).await
    }

    /// Like [`VenueCache::get`], for answers from memory without a script that would detect a sale that is no longer in
    /// Redis.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_archived`, `sale_lost`, `unavailable`.
    pub(super) async fn get_living(&self, sale: &str) -> Result<Arc<Venue>> {
        if state_of(&self.store, KIND, sale).await?.is_none_or(|state| state == "archived") {
            self.forget(sale).await;
            return archived_or_lost(Err(Error::unknown_sale(sale)), &self.store, &self.ledger, KIND, sale).await;
        }
        self.get(sale).await
    }

    /// The hall of a sale in Redis. It is built once for any number of simultaneous callers.
    async fn in_redis(&self, sale: &str) -> Result<Option<Arc<Venue>>> {
        let load = async {
            let venue = self.store.or_suspend((KIND, sale), self.load(sale).await).await;
            venue.map_err(Some)?.ok_or(None::<Error>)
        };
        match self.by_sale.try_get_with_by_ref(sale, load).await {
            Ok(venue) => Ok(Some(venue)),
            Err(why) => why.as_ref().clone().map_or(Ok(None), Err),
        }
    }

    async fn load(&self, sale: &str) -> Result<Option<Arc<Venue>>> {
        let fields = (key(sale, "meta"), "state", "format", "hall", "prices", "hold_ms", "extendable");
        let [state, format, hall, prices, hold_ms, extendable]: [Option<Vec<u8>>; 6] =
            self.store.query("HMGET", fields).await?;
        if format.and_then(|format| std::str::from_utf8(&format).ok()?.parse().ok()).is_some_and(|it: u32| it > FORMAT)
        {
            return Err(ReplyCode::NewerFormat.refusal(&RESERVE, sale));
        }
        let (hall, prices, hold_ms) = match (state.as_deref(), hall, prices, hold_ms) {
            (_, Some(hall), Some(prices), Some(hold_ms)) => (hall, prices, hold_ms),
            // The sale may be archived by now, or a recovery may have begun.
            (None | Some(b"archived" | b"suspended"), ..) => return Ok(None),
            _ => return Err(damaged("its hall, its prices or its hold time is missing")),
        };
        let build = move || {
            let layout: Layout = serde_json::from_slice(&hall).map_err(damaged)?;
            let hold_ms: Millis = serde_json::from_slice(&hold_ms).map_err(damaged)?;
            let prices: Vec<Cents> = serde_json::from_slice(&prices).map_err(damaged)?;
            if prices.len() != layout.categories.len() {
                return Err(damaged("it does not have one price for each category"));
            }
            Venue::new(layout, prices, hold_ms, extendable.is_some()).map_err(|error| damaged(error.message))
        };
        Ok(Some(Arc::new(blocking(build).await?)))
    }

    /// The hall of a sale in Redis or in the ledger.
    ///
    /// # Errors
    /// `unknown_sale` if neither has it; `unavailable`, `ledger_unavailable`.
    pub(super) async fn find(&self, sale: &str) -> Result<Arc<Venue>> {
        match self.in_redis(sale).await {
            Ok(Some(venue)) => return Ok(venue),
            // The ledger may still have data that somebody has damaged in Redis.
            Err(error) if !matches!(error.code, Code::SaleSuspended | Code::StoreRefused) => return Err(error),
            Ok(None) | Err(_) => {}
        }
        let known = self.ledger.sale(KIND, sale).await?;
        let terms = known.and_then(|known| StoredTerms::read(known.terms.as_deref()?));
        let terms = terms.ok_or_else(|| Error::unknown_sale(sale))?;
        Ok(Arc::new(blocking(move || terms.venue()).await?))
    }

    /// Removes the hall of a sale from the cache, because another sale may have taken its id.
    pub(super) async fn forget(&self, sale: &str) {
        self.by_sale.invalidate(sale).await;
    }
}
