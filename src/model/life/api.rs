//! The API trait for server functions.

use super::{Described, HoldClock, Paused, Reopened, Resumed, Scheduled, Texts, When};
use crate::{Answer, error::Result};
use async_trait::async_trait;

/// The API of a sale's life, the same for every kind. Implementations check every limit. Each change is made once: sent
/// again under its request id, it is answered with `repeat`.
#[async_trait]
pub trait LifeApi: Send + Sync {
    /// Pauses a sale: its attempts are refused until it is resumed.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`, `sale_suspended`, `request_reused`, `unavailable`.
    async fn pause(
        &self,
        kind: &str,
        sale: &str,
        reason: String,
        hold_clock: HoldClock,
        request_id: Option<String>,
    ) -> Result<Answer<Paused>>;

    /// Resumes a paused sale.
    ///
    /// # Errors
    /// As [`LifeApi::pause`].
    async fn resume(&self, kind: &str, sale: &str, request_id: Option<String>) -> Result<Answer<Resumed>>;

    /// Changes the start or the end of a sale, until it has passed.
    ///
    /// # Errors
    /// As [`LifeApi::pause`].
    async fn schedule(
        &self,
        kind: &str,
        sale: &str,
        opens: Option<When>,
        ends: Option<When>,
        request_id: Option<String>,
    ) -> Result<Answer<Scheduled>>;

    /// Reopens a closed sale that has not ended.
    ///
    /// # Errors
    /// As [`LifeApi::pause`].
    async fn reopen(
        &self,
        kind: &str,
        sale: &str,
        ends: Option<When>,
        request_id: Option<String>,
    ) -> Result<Answer<Reopened>>;

    /// Changes the title and the description. A text that is not given stays; an empty one is removed.
    ///
    /// # Errors
    /// As [`LifeApi::pause`].
    async fn describe(
        &self,
        kind: &str,
        sale: &str,
        title: Texts,
        description: Texts,
        request_id: Option<String>,
    ) -> Result<Answer<Described>>;
}
