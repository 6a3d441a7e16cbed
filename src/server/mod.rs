//! The server: settings, state, routes, health and telemetry.

pub mod audit;
pub mod background;
pub mod bench;
pub mod demo;
pub mod open;
pub mod recover;
pub mod routes;
pub mod settings;
pub mod telemetry;

use crate::{
    crowd::runner::Crowds,
    domain::EventId,
    error::{Code, Error, Result},
    ledger::{self, book::Book, books::Books, database::Ledger},
    live::hub::{Hub, Source},
    runtime::{Clock, Ids},
    sales::{
        red_packet::service::{RedPackets, SCRIPTS},
        ticket::{self, service::Tickets, view::View},
    },
    store::Store,
};
use axum::response::{IntoResponse, Response};
use leptos::prelude::{LeptosOptions, use_context};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What every request may need. Cheap to clone; holds nothing that another server would have to know.
#[derive(Clone, axum::extract::FromRef)]
pub struct AppState {
    pub store: Store,
    pub ledger: Ledger,
    /// Redis and ledger side by side.
    pub books: Books,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<Ids>,
    pub red_packet: RedPackets,
    pub tickets: Tickets,
    pub crowd: Crowds,
    pub live: Hub<RedPackets>,
    pub live_tickets: Hub<Tickets>,
    pub leptos: LeptosOptions,
    /// Cancelled when the server stops: ends the live views and the crowds.
    #[from_ref(skip)]
    pub shutdown: CancellationToken,
}

impl AppState {
    /// `stream_alarm`: how many events of a sale may wait for the ledger.
    pub fn new(
        store: Store,
        ledger: Ledger,
        clock: Arc<dyn Clock>,
        ids: Arc<Ids>,
        leptos: LeptosOptions,
        stream_alarm: u64,
    ) -> Self {
        let shutdown = CancellationToken::new();
        let red_packet = RedPackets::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
        let tickets = Tickets::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
        let books =
            Books::new(store.clone(), ledger.clone(), kinds(&red_packet, &tickets), clock.clone(), stream_alarm);
        let crowd = Crowds::new(
            store.clone(),
            clock.clone(),
            ids.clone(),
            books.clone(),
            red_packet.clone(),
            tickets.clone(),
            shutdown.clone(),
        );
        let live = Hub::new(red_packet.clone(), shutdown.clone());
        let live_tickets = Hub::new(tickets.clone(), shutdown.clone());
        Self { store, ledger, books, clock, ids, red_packet, tickets, crowd, live, live_tickets, leptos, shutdown }
    }
}

/// Every script of every kind.
pub fn scripts() -> Vec<&'static crate::store::script::Script> {
    SCRIPTS.iter().chain(&ticket::service::SCRIPTS).chain(&ledger::script::SCRIPTS).copied().collect()
}

/// Every kind of sale, as the ledger knows it.
pub fn kinds(red_packet: &RedPackets, tickets: &Tickets) -> Arc<[Arc<dyn Book>]> {
    [Arc::new(red_packet.clone()) as Arc<dyn Book>, Arc::new(tickets.clone())].into()
}

/// The state, inside a server function.
///
/// # Errors
/// `internal` when the request is over already: whoever asked is gone, and so is what came with it.
pub fn state() -> Result<AppState> {
    use_context().ok_or_else(|| Error::new(Code::Internal, "The request is over."))
}

impl Source for RedPackets {
    type Frame = String;

    async fn frame(&self, sale: &str) -> Result<(EventId, String)> {
        let snapshot = self.snapshot(sale).await?;
        Ok((snapshot.event_id, json(&snapshot)?))
    }

    fn write(frame: &String, _seen: Option<&String>) -> Result<String> {
        Ok(frame.clone())
    }
}

impl Source for Tickets {
    type Frame = View;

    async fn frame(&self, sale: &str) -> Result<(EventId, View)> {
        let view = self.view(sale).await?;
        Ok((view.snapshot.event_id, view))
    }

    fn write(frame: &View, seen: Option<&View>) -> Result<String> {
        json(&frame.since(seen))
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

/// An error as the JSON API gives it, for routes that are no server functions.
pub fn api_error(error: &Error) -> Response {
    let status = http::StatusCode::from_u16(error.code.status()).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    (status, axum::Json(error)).into_response()
}
