//! The API trait of tickets, implemented by the service.

use crate::ticket::service::Tickets;
use async_trait::async_trait;
use model::ticket::{
    Blocked, Cancelled, Extended, Opened, Order, Outcome, Paid, SeatInfo, SeatRequest, SeatingPlan, Snapshot, Terms,
    TicketApi, Unblocked,
};
use model::{Answer, ScriptInfo, error::Result, sale::IdOrigin};

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
    ) -> Result<Answer<Outcome>> {
        let request_id = request_id.unwrap_or_else(|| self.ids.id());
        let outcome = self.reserve(sale, user, Some(request_id.clone()), request).await;
        Answer::to(request_id, outcome)
    }

    async fn pay(&self, sale: &str, order: String, request_id: Option<String>) -> Result<Answer<Paid>> {
        // All payments of an order without a request id are the same.
        let id = request_id.clone().unwrap_or_else(|| order.clone());
        Answer::to(id, self.pay(sale, order, request_id).await)
    }

    async fn cancel(
        &self,
        sale: &str,
        order: String,
        seats: Option<Vec<String>>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Cancelled> {
        match seats {
            None => self.cancel(sale, order, reason, request_id).await,
            Some(seats) => self.cancel_part(sale, order, seats, reason, request_id).await,
        }
    }

    async fn extend(
        &self,
        sale: &str,
        order: String,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Extended>> {
        // All extensions of an order without a request id are the same.
        let id = request_id.clone().unwrap_or_else(|| order.clone());
        Answer::to(id, self.extend(sale, order, reason, request_id).await)
    }

    async fn block(
        &self,
        sale: &str,
        seats: Vec<String>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Blocked>> {
        self.block(sale, &seats, reason, request_id).await
    }

    async fn unblock(
        &self,
        sale: &str,
        seats: Vec<String>,
        reason: String,
        request_id: Option<String>,
    ) -> Result<Answer<Unblocked>> {
        self.unblock(sale, &seats, reason, request_id).await
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
