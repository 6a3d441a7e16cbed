//! The API trait for server functions.

use super::{
    Blocked, Cancelled, Extended, Opened, Order, Outcome, Paid, SeatInfo, SeatRequest, SeatingPlan, Snapshot, Terms,
    Unblocked,
};
use crate::{Answer, ScriptInfo, error::Result, sale::IdOrigin};
use async_trait::async_trait;

/// The API of ticket sales. Implementations check every limit.
#[async_trait]
pub trait TicketApi: Send + Sync {
    /// Opens a sale whose id has this origin. Opening it again on the same terms changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened>;

    /// Holds seats for a user: chosen seats, or the best available.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn reserve(
        &self,
        sale: &str,
        user: String,
        request_id: Option<String>,
        request: SeatRequest,
    ) -> Result<Answer<Outcome>>;

    /// Pays an order.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `unavailable`.
    async fn pay(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Answer<Paid>>;

    /// Cancels an order, or a part of it: these seats. The reason may be empty.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `request_reused`, `unavailable`.
    async fn cancel(
        &self,
        sale: &str,
        order: String,
        seats: Option<Vec<String>>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Cancelled>;

    /// Extends the hold of an order. The reason may be empty.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `unavailable`.
    async fn extend(
        &self,
        sale: &str,
        order: String,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Extended>>;

    /// Takes free seats off sale: all of them or none.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn block(
        &self,
        sale: &str,
        seats: Vec<String>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Blocked>>;

    /// Puts blocked seats on sale again: all of them or none.
    ///
    /// # Errors
    /// As [`TicketApi::block`].
    async fn unblock(
        &self,
        sale: &str,
        seats: Vec<String>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Unblocked>>;

    /// An order with its current state.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unknown_order`, `unavailable`.
    async fn order(&self, sale: &str, order: &str) -> Result<Order>;

    /// The current snapshot of the sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn snapshot(&self, sale: &str) -> Result<Snapshot>;

    /// The hall with its prices.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn hall(&self, sale: &str) -> Result<SeatingPlan>;

    /// A seat and its state.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn seat(&self, sale: &str, seat: &str) -> Result<SeatInfo>;

    /// The script that decides attempts.
    ///
    /// # Errors
    /// `unavailable`.
    async fn script(&self) -> Result<ScriptInfo>;
}
