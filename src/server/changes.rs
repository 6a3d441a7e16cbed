//! The change feed: `GET /api/ledger/changes?after=…&wait_s=…`.

use crate::server::AppState;
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use model::ledger::ChangesParams;
use web::parameters::Parameters;

/// Answers with a part of the feed.
pub async fn changes(State(state): State<AppState>, Parameters(wanted): Parameters<ChangesParams>) -> Response {
    let part = async { state.ledger_service.changes(&wanted.query()?, &state.shutdown).await };
    match part.await {
        Ok(part) => Json(part).into_response(),
        Err(error) => error.into_response(),
    }
}
