//! The API trait for server functions.

use super::{
    Adjusted, ConfirmAnswer, DeductAnswer, Expired, OfSales, Opened, Paused, RecordedQuantity, Return, ReturnAnswer,
    Snapshot, Terms, Wanted,
};
use crate::{Answer, ScriptInfo, error::Result, sale::IdOrigin};
use async_trait::async_trait;

/// The API of stock sales. Implementations check every limit.
#[async_trait]
pub trait StockApi: Send + Sync {
    /// Opens a sale whose id has this origin. Opening it again on the same terms changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened>;

    /// Deducts units of one sale for a user, or of several of one group: all of them or none.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`, `ledger_unavailable`.
    async fn deduct(&self, wanted: Wanted, user: String, request_id: Option<String>) -> Result<Answer<DeductAnswer>>;

    /// Gives back units that a request deducted from one sale, all of them or a part; or all from several sales.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn give_back(&self, sales: OfSales, request: Return) -> Result<Answer<ReturnAnswer>>;

    /// Confirms the reservation of a request in one sale, or those in several: all of them or none. They no longer
    /// expire then. The reason may be empty.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn confirm(&self, sales: OfSales, reason: String, request_id: String) -> Result<Answer<ConfirmAnswer>>;

    /// Adds units.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn restock(&self, sale: &str, quantity: u64, request_id: Option<String>) -> Result<Answer<Adjusted>>;

    /// Sets the quantity to the counted one.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn correct(
        &self,
        sale: &str,
        counted: u64,
        expected: Option<i64>,
        request_id: Option<String>,
    ) -> Result<Answer<Adjusted>>;

    /// Drops the cached quantity.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn expire(&self, sale: &str) -> Result<Expired>;

    /// Stops recording in the ledger for some seconds, so that cache and ledger drift apart.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn pause(&self, sale: &str, seconds: u64) -> Result<Paused>;

    /// The current snapshot of the sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn snapshot(&self, sale: &str) -> Result<Snapshot>;

    /// The time series of the quantity in the ledger over the last ten minutes.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `ledger_unavailable`.
    async fn course(&self, sale: &str) -> Result<Vec<RecordedQuantity>>;

    /// The script that decides deductions.
    ///
    /// # Errors
    /// `unavailable`.
    async fn script(&self) -> Result<ScriptInfo>;
}
