//! The API trait of coupons, implemented by the service.

use crate::coupon::service::Coupons;
use async_trait::async_trait;
use model::coupon::{ByLimit, CouponApi, End, LimitName, LimitsSet, Opened, Outcome, Snapshot, Terms, UserCoupons};
use model::{ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl CouponApi for Coupons {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome> {
        self.claim(sale, user, request_id).await
    }

    async fn redeem(&self, sale: &str, code: &str, request_id: Option<String>) -> Result<End> {
        self.redeem(sale, code, request_id).await
    }

    async fn give_back(&self, sale: &str, code: &str, request_id: Option<String>) -> Result<End> {
        self.give_back(sale, code, request_id).await
    }

    async fn set_limits(
        &self,
        sale: &str,
        limits: ByLimit,
        unlimited: &[LimitName],
        request_id: Option<String>,
    ) -> Result<LimitsSet> {
        self.set_limits(sale, limits, unlimited, request_id).await
    }

    async fn user(&self, sale: &str, user: String) -> Result<UserCoupons> {
        self.user(sale, user).await
    }

    async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        self.snapshot(sale).await
    }

    async fn script(&self) -> Result<ScriptInfo> {
        self.script().await
    }
}
