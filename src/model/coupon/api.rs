//! The API trait for server functions.

use super::{ByLimit, End, LimitName, LimitsSet, Opened, Outcome, Part, Snapshot, Terms, Uploaded, UserCoupons};
use crate::{Answer, ScriptInfo, error::Result, sale::IdOrigin};
use async_trait::async_trait;

/// The API of coupon sales. Implementations check every limit.
#[async_trait]
pub trait CouponApi: Send + Sync {
    /// Opens a sale whose id has this origin. Opening it again on the same terms changes nothing.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened>;

    /// Uploads a part of a list. Uploading it again changes nothing.
    ///
    /// # Errors
    /// `bad_request`, also if the list has an entry already, or a part before it is missing; `request_reused` if other
    /// entries were uploaded there; `unknown_sale`, `sale_suspended`, `unavailable`.
    async fn upload(&self, sale: &str, part: Part) -> Result<Uploaded>;

    /// Claims a coupon for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Answer<Outcome>>;

    /// Redeems a coupon.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn redeem(&self, sale: &str, code: &str, request_id: Option<String>) -> Result<Answer<End>>;

    /// Gives a coupon back. The reason may be empty.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn give_back(
        &self,
        sale: &str,
        code: &str,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<End>>;

    /// Takes the redemption of a coupon by this request back. The reason may be empty.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn void(&self, sale: &str, code: &str, reason: String, request_id: String) -> Result<Answer<End>>;

    /// Sets some limits and lifts others.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `request_reused`, `unavailable`.
    async fn set_limits(
        &self,
        sale: &str,
        limits: ByLimit,
        unlimited: &[LimitName],
        request_id: Option<String>,
    ) -> Result<Answer<LimitsSet>>;

    /// The coupons of a user, and how many more each limit allows.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    async fn user(&self, sale: &str, user: String) -> Result<UserCoupons>;

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
