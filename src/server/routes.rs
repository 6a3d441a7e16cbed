//! The routes of the server.

use super::{AppState, guard::guard, limits::limit, site};
use crate::{
    app::{App, shell},
    error::{Code, Error},
    ledger::export::export,
    live,
    sales::KINDS,
};
use axum::{
    Json, Router,
    body::{Body, HttpBody},
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use http::{StatusCode, header};
use http_body_util::Limited;
use leptos_axum::{ErrorHandler, LeptosRoutes, generate_route_list};
use serde_json::json;
use std::time::Duration;
use tower_http::{
    compression::{
        CompressionLayer, Predicate,
        predicate::{NotForContentType, SizeAbove},
    },
    timeout::RequestBodyTimeoutLayer,
};

/// How long a body may pause.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest body that a request may have, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
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
        .layer(middleware::from_fn(limit_body))
        .layer(RequestBodyTimeoutLayer::new(BODY_TIMEOUT))
        .layer(middleware::from_fn_with_state(state.limits.clone(), limit))
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

/// The endpoints that accept larger bodies, with their limits.
fn large_bodies() -> impl Iterator<Item = &'static (&'static str, usize)> {
    KINDS.iter().flat_map(|kind| kind.server.large_bodies)
}

fn most_bytes(path: &str) -> usize {
    large_bodies().find(|(large, _)| *large == path).map_or(MAX_BODY_BYTES, |(_, bytes)| *bytes)
}

/// Refuses a body that is too large for its endpoint, by its Content-Length or once it exceeds the limit.
async fn limit_body(request: Request, next: Next) -> Response {
    let most = most_bytes(request.uri().path());
    match request.body().size_hint().exact() {
        Some(bytes) if bytes > most as u64 => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        // The connection delivers no more than was announced.
        Some(_) => next.run(request).await,
        None => next.run(request.map(|body| Body::new(Limited::new(body, most)))).await,
    }
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
