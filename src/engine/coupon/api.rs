//! The API trait of coupons, implemented by the service.

use crate::coupon::service::Coupons;
use async_trait::async_trait;
use model::coupon::{
    ByLimit, CouponApi, End, LimitName, LimitsSet, Opened, Outcome, Part, Snapshot, Terms, Uploaded, UserCoupons,
};
use model::{Answer, ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl CouponApi for Coupons {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn upload(&self, sale: &str, part: Part) -> Result<Uploaded> {
        self.upload(sale, part).await
    }

    async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Answer<Outcome>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.claim(sale, user, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn redeem(&self, sale: &str, code: &str, request_id: Option<String>) -> Result<Answer<End>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.redeem(sale, code, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn give_back(
        &self,
        sale: &str,
        code: &str,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<End>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.give_back(sale, code, reason, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn void(&self, sale: &str, code: &str, reason: String, request_id: String) -> Result<Answer<End>> {
        let outcome = self.void(sale, code, reason, request_id.clone()).await;
        Answer::to(request_id, outcome)
    }

    async fn set_limits(
        &self,
        sale: &str,
        limits: ByLimit,
        unlimited: &[LimitName],
        request_id: Option<String>,
    ) -> Result<Answer<LimitsSet>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.set_limits(sale, limits, unlimited, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
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
