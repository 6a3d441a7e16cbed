//! What server functions call.

use super::{Opened, Outcome, Refund, Snapshot, Terms};
use crate::{ScriptInfo, error::Result, sale::IdOrigin};
use async_trait::async_trait;

/// Red packet sales, as server functions call them. Every limit is checked behind this.
#[async_trait]
pub trait RedPacketApi: Send + Sync {
    /// Opens a sale with an id from there; once only, on the same terms.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened>;

    /// Claims a packet for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome>;

    /// Refunds the unclaimed money of an expired sale, once.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn refund(&self, sale: &str) -> Result<Refund>;

    /// The sale as it is now.
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
