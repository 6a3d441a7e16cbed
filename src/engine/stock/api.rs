//! The API trait of stock, implemented by the service.

use crate::stock::service::Stock;
use async_trait::async_trait;
use model::stock::{
    Adjusted, ConfirmAnswer, DeductAnswer, Expired, OfSales, Opened, Paused, RecordedQuantity, Return, ReturnAnswer,
    Snapshot, StockApi, Terms, Wanted,
};
use model::{Answer, ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl StockApi for Stock {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn deduct(&self, wanted: Wanted, user: String, request_id: Option<String>) -> Result<Answer<DeductAnswer>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let id = Some(request_id.clone());
        let answer = match wanted {
            Wanted::One { sale, quantity } => self.deduct(&sale, user, quantity, id).await.map(DeductAnswer::One),
            Wanted::Items(items) => self.deduct_items(items, user, id).await,
        };
        Answer::to(request_id, answer)
    }

    async fn give_back(&self, sales: OfSales, request: Return) -> Result<Answer<ReturnAnswer>> {
        let request_id = request.request_id.clone();
        let answer = match sales {
            OfSales::One(sale) => self.give_back(&sale, request).await.map(ReturnAnswer::One),
            OfSales::Several(sales) => self.give_back_items(&sales, request).await,
        };
        Answer::to(request_id, answer)
    }

    async fn confirm(&self, sales: OfSales, reason: String, request_id: String) -> Result<Answer<ConfirmAnswer>> {
        let id = request_id.clone();
        let answer = match sales {
            OfSales::One(sale) => self.confirm(&sale, reason, request_id).await.map(ConfirmAnswer::One),
            OfSales::Several(sales) => self.confirm_items(&sales, reason, request_id).await,
        };
        Answer::to(id, answer)
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
