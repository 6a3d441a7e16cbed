//! The API trait of tickets, implemented by the service.

use crate::ticket::service::Tickets;
use async_trait::async_trait;
use model::ticket::{
    Cancelled, Opened, Order, Outcome, Paid, SeatInfo, SeatRequest, SeatingPlan, Snapshot, Terms, TicketApi,
};
use model::{ScriptInfo, error::Result, sale::IdOrigin};

#[async_trait]
impl TicketApi for Tickets {
    async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        self.open_as(terms, origin).await
    }

    async fn reserve(
        &self,
        sale: &str,
        user: String,
        request_id: Option<String>,
        request: SeatRequest,
    ) -> Result<Outcome> {
        self.reserve(sale, user, request_id, request).await
    }

    async fn pay(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Paid> {
        self.pay(sale, order, request_id).await
    }

    async fn cancel(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Cancelled> {
        self.cancel(sale, order, request_id).await
    }

    async fn order(&self, sale: &str, order: &str) -> Result<Order> {
        self.order(sale, order).await
    }

    async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        self.snapshot(sale).await
    }

    async fn hall(&self, sale: &str) -> Result<SeatingPlan> {
        self.hall(sale).await
    }

    async fn seat(&self, sale: &str, seat: &str) -> Result<SeatInfo> {
        self.seat(sale, seat).await
    }

    async fn script(&self) -> Result<ScriptInfo> {
        self.script().await
    }
}
