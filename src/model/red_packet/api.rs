//! The API trait for server functions.

use super::{Opened, Outcome, Refund, Snapshot, Terms};
use crate::{Answer, ScriptInfo, error::Result, sale::IdOrigin};
use async_trait::async_trait;

/// The API of red packet sales. Implementations check every limit.
#[async_trait]
pub trait RedPacketApi: Send + Sync {
    /// Opens a sale whose id has this origin. Opening it again on the same terms changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened>;

    /// Claims a packet for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Answer<Outcome>>;

    /// Refunds the unclaimed money of an expired sale, once.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn refund(&self, sale: &str) -> Result<Refund>;

    /// The current snapshot of the sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn snapshot(&self, sale: &str) -> Result<Snapshot>;

    /// The script that decides claims.
    ///
    /// # Errors
    /// `unavailable`.
    async fn script(&self) -> Result<ScriptInfo>;
}
