//! The routes of the server.

use super::{
    AppState,
    body::{most_bytes, read_body},
    guard::guard,
    limits::limit,
    site,
};
use crate::{
    app::{App, shell},
    error::{Code, Error},
    ledger::export::export,
    live,
};
use axum::{
    Json, Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use http::{StatusCode, header};
use leptos_axum::{ErrorHandler, LeptosRoutes, generate_route_list};
use serde_json::json;
use tower_http::compression::{
    CompressionLayer, Predicate,
    predicate::{NotForContentType, SizeAbove},
};

/// The smallest response that is compressed, in bytes: a shorter one fits into one packet anyway.
const MIN_COMPRESSED_BYTES: u16 = 1024;

/// The whole server.
pub fn router(state: AppState) -> Router {
    let routes = generate_route_list(App);
    let context = {
        let state = state.clone();
        move || state.provide()
    };
    let options = state.leptos.clone();
    let not_found = ErrorHandler::new_with_context(context.clone(), shell, options.clone());
    let files = site::files(&options).fallback(not_found);
    // An explicit route; otherwise a missing file would be taken for the page of a sale, `/<kind>/<sale>`.
    let built = format!("{}{{*file}}", options.site_pkg_dir_route_base());
    let files = Router::new()
        .route_service(&built, files.clone())
        .fallback_service(files)
        .layer(middleware::from_fn_with_state(options.clone(), site::caching));
    let pages = Router::new().leptos_routes_with_context(&state, routes, context, move || shell(options.clone()));
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/live/{kind}/{sale}", get(live::sse::live))
        .route("/api/ledger/export", get(export))
        .route("/api/{*rest}", axum::routing::any(no_such_endpoint))
        .merge(pages)
        .merge(files)
        .layer(middleware::from_fn_with_state(state.limits.clone(), limit))
        .layer(middleware::from_fn_with_state(state.limits.clone(), read_body))
        .layer(middleware::from_fn_with_state(state.hosts.clone(), guard))
        .layer(middleware::from_fn(answer))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        .with_state(state)
}

/// Compresses pages and long lists, but not live views, whose events must be sent at once.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(MIN_COMPRESSED_BYTES).and(NotForContentType::SSE).and(NotForContentType::IMAGES)
}

async fn healthz() -> impl IntoResponse {
    Json(json!({ "status": "ok" }))
}

async fn readyz(State(state): State<AppState>) -> Response {
    match state.store.ready().await {
        Ok(false) => Json(json!({ "status": "ready" })).into_response(),
        // Still ready, as payments go on, although nothing new can be sold.
        Ok(true) => Json(json!({ "status": "ready", "redis": "full" })).into_response(),
        Err(error) => error.into_response(),
    }
}

async fn no_such_endpoint(request: Request) -> Response {
    let why = format!("There is no endpoint {} {}; the README lists them.", request.method(), request.uri().path());
    (StatusCode::NOT_FOUND, Json(Error::bad("path", why))).into_response()
}

/// Turns the refusals of a large body and of a method into errors of the API, and adds the headers that every response has.
async fn answer(request: Request, next: Next) -> Response {
    let most = most_bytes(request.uri().path());
    let call = format!("{} {}", request.method(), request.uri().path());
    let mut response = next.run(request).await;
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let message = format!("The request body is too large; at most {most} bytes are allowed.");
        response = Error::new(Code::BadRequest, message).into_response();
    }
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let error = Error::bad("method", format!("{call} is not possible; the header Allow says which methods are."));
        response = (StatusCode::METHOD_NOT_ALLOWED, Json(error)).into_response();
    }
    let headers = response.headers_mut();
    // The framework's own mark of an error, which the status makes redundant.
    headers.remove("serverfnerror");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, http::HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, http::HeaderValue::from_static("same-origin"));
    headers.insert(header::X_FRAME_OPTIONS, http::HeaderValue::from_static("DENY"));
    response
}
