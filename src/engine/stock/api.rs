//! The API trait of stock, implemented by the service.

use crate::stock::service::Stock;
use async_trait::async_trait;
use model::stock::{
    Adjusted, Confirmed, Expired, GivenBack, Opened, Outcome, Paused, RecordedQuantity, Return, Snapshot, StockApi,
    Terms,
};
use model::{Answer, ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl StockApi for Stock {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn deduct(
        &self,
        sale: &str,
        user: String,
        quantity: u64,
        request_id: Option<String>,
    ) -> Result<Answer<Outcome>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.deduct(sale, user, quantity, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn give_back(&self, sale: &str, request: Return) -> Result<Answer<GivenBack>> {
        Answer::to(request.request_id.clone(), self.give_back(sale, request).await)
    }

    async fn confirm(&self, sale: &str, request_id: String) -> Result<Answer<Confirmed>> {
        Answer::to(request_id.clone(), self.confirm(sale, request_id).await)
    }

    async fn restock(&self, sale: &str, quantity: u64, request_id: Option<String>) -> Result<Answer<Adjusted>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.restock(sale, quantity, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn correct(
        &self,
        sale: &str,
        counted: u64,
        expected: Option<i64>,
        request_id: Option<String>,
    ) -> Result<Answer<Adjusted>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.correct(sale, counted, expected, Some(request_id.clone())).await;
        Answer::to(request_id, outcome)
    }

    async fn expire(&self, sale: &str) -> Result<Expired> {
        self.expire(sale).await
    }

    async fn pause(&self, sale: &str, seconds: u64) -> Result<Paused> {
        self.pause(sale, seconds).await
    }

    async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        self.snapshot(sale).await
    }

    async fn course(&self, sale: &str) -> Result<Vec<RecordedQuantity>> {
        self.course(sale).await
    }

    async fn script(&self) -> Result<ScriptInfo> {
        self.script().await
    }
}
