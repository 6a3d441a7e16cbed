//! The routes of the server.

use crate::server::{
    AppState,
    api::{self, Readiness},
    base_path::take_off,
    body::read_body,
    changes::changes,
    export::export,
    guard::guard,
    limits::limit,
    notes::notes,
    posted_form::take_form,
    site, sse,
};
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{OriginalUri, Request, State},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use http::{HeaderValue, Method, StatusCode, Uri, Version, header};
use leptos::server_fn::error::SERVER_FN_ERROR_HEADER;
use leptos_axum::{AxumRouteListing, ErrorHandler, LeptosRoutes, generate_route_list};
use leptos_router::SsrMode;
use listen::App as Service;
use model::{
    crowd::runs::RunReport,
    error::{Code, Error},
    lab::run::Run,
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;
use tower::{ServiceBuilder, ServiceExt};
use tower_http::compression::{
    CompressionBody, CompressionLayer, Predicate,
    predicate::{NotForContentType, SizeAbove},
};
use web::{
    app::{App, build, shell},
    runs::report::report,
};

/// The smallest response that is compressed, in bytes. A shorter one fits into one packet anyway.
const MIN_COMPRESSED_BYTES: u16 = 1024;
/// The target of the log's lines about requests, so that they can be switched on by themselves.
const REQUESTS: &str = "requests";
/// The time after which the ledger is reported as silent. It is queried every two seconds.
const LEDGER_ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// The whole server: the routes, and the processing of every request and every answer.
///
/// It is one service around the whole router. A layer of the router would wrap each of its routes. Layers are boxed
/// there, and each route clones all of them for every request.
pub fn app(state: AppState) -> impl Service {
    let router = router(state.clone());
    let pass = move |request| {
        let (state, router) = (state.clone(), router.clone());
        async move { Ok(pass(state, router, request).await) }
    };
    ServiceBuilder::new()
        .map_response(|response: Response<CompressionBody<Body>>| response.map(Body::new))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        .service_fn(pass)
}

/// Passes a request to its route, unless it is refused first.
async fn pass(state: AppState, router: Router, mut request: Request) -> Response {
    let began = Instant::now();
    let client = state.access.proxies.identify(&mut request);
    let (method, asked, version) = (request.method().clone(), request.uri().clone(), request.version());
    let beside = take_off(&state.access.base_path, &mut request);
    let uri = request.uri().clone();
    if uri.path().starts_with("/api/") {
        // server_fn answers a client that accepts HTML, as Java's does by default, with a redirect, as it would a form.
        request.headers_mut().remove(header::ACCEPT);
    }
    // Probes and files are answered even if pages are not.
    let is_page = is_page(&method, uri.path())
        && !matches!(uri.path(), "/healthz" | "/readyz")
        && !site::is_file(&state.leptos, uri.path());
    let refusal = || guard(&state.access.hosts, &request).err().map(IntoResponse::into_response);
    let response = match beside.or_else(refusal) {
        None => match without_trailing_slash(&method, &uri) {
            Some(page) => Redirect::permanent(&state.access.base_path.join(&page)).into_response(),
            None => route(state.clone(), router, request, is_page).await,
        },
        Some(refusal) => refusal,
    };
    let mut response = complete(&method, asked.path(), response);
    let (status, elapsed) = (response.status().as_u16(), began.elapsed());
    state.requests.answered(uri.path(), is_page, status, elapsed);
    tracing::debug!(
        target: REQUESTS,
        client = client.map(tracing::field::display),
        %method,
        path = asked.path(),
        status,
        took_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        "a request was answered"
    );
    if state.draining.is_cancelled() && version < Version::HTTP_2 {
        // The client opens its next connection, and a load balancer chooses another server for it. With HTTP/2, the end
        // of the connection says by itself which requests were not read.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Answers a request once its body has arrived, as soon as the limits allow.
async fn route(state: AppState, router: Router, request: Request, is_page: bool) -> Response {
    let request = match read_body(&state.limits, request).await {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    // This comes before the request takes a permit for a page, as it may have to wait.
    let request = match take_form(&state, request).await {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    let pages = is_page.then(|| state.limits.pages.clone());
    let answer = async move {
        let routed = async |request| router.oneshot(request).await.unwrap_or_else(|never| match never {});
        limit(&state.limits, request, routed).await
    };
    match pages {
        Some(places) => to_the_end(answer, places).await,
        None => with_status_of_error(answer.await).await,
    }
}

/// Gives an error of a server function its own status. server_fn answers every error with 500.
async fn with_status_of_error(answer: Response) -> Response {
    if !answer.headers().contains_key(SERVER_FN_ERROR_HEADER) {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    let body = match to_bytes(body, usize::MAX).await {
        Ok(body) => body,
        Err(error) => return Error::internal(error).into_response(),
    };
    let status =
        serde_json::from_slice(&body).ok().and_then(|error: Error| StatusCode::from_u16(error.code.status()).ok());
    head.status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Response::from_parts(head, body.into())
}

/// Whether the request is for a page, including a form posted to it. The API, a live view and a file of the program are
/// no pages. (A path that does not exist is answered with a page, too.)
fn is_page(method: &Method, path: &str) -> bool {
    let is_elsewhere = ["/api/", "/live/", "/pkg/"].iter().any(|room| path.starts_with(room));
    matches!(*method, Method::GET | Method::HEAD | Method::POST) && !is_elsewhere
}

/// Renders a page to its end, even if its client has left. Otherwise all signals of the page would be disposed of with
/// the request, while other threads still render parts of the page. It holds its permit until then, as the connection
/// of the request may be gone.
async fn to_the_end(answer: impl Future<Output = Response> + Send + 'static, places: Arc<Semaphore>) -> Response {
    let place = places.acquire_owned().await;
    let page = tokio::spawn(async move {
        let _place = place;
        answer.await
    });
    let failed =
        |_| Error::new(Code::Internal, "The page could not be made; the server's log says why.").into_response();
    page.await.unwrap_or_else(failed)
}

/// The URL of a page that was requested with a trailing slash, which some programs add.
fn without_trailing_slash(method: &Method, uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/').filter(|path| !path.is_empty())?;
    // Two slashes at the beginning would lead to another host.
    let is_here = !path.starts_with("//") && !path.contains('\\');
    if !(is_page(method, path) && is_here) {
        return None;
    }
    Some(uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

fn router(state: AppState) -> Router {
    let mut routes = generate_route_list(App);
    // Browsers also post forms to the pages of sales.
    routes.push(AxumRouteListing::new("/{kind}/{id}".to_owned(), SsrMode::Async, [leptos_router::Method::Post], []));
    let context = {
        let state = state.clone();
        move || state.provide()
    };
    let options = state.leptos.clone();
    let not_found = ErrorHandler::new_with_context(context.clone(), shell, options.clone());
    let files = site::files(&options).fallback(not_found);
    // An explicit route is needed. Otherwise a missing file would be taken for the page of a sale, `/<kind>/<sale>`.
    let built = format!("{}{{*file}}", options.site_pkg_dir_route_base());
    let files = Router::new()
        .route_service(&built, files.clone())
        .fallback_service(files)
        .layer(middleware::from_fn_with_state(options.clone(), site::caching));
    let pages = Router::new().leptos_routes_with_context(&state, routes, context, move || shell(options.clone()));
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/live/{kind}/{sale}", get(sse::live))
        .route("/api/ledger/changes", get(changes))
        .route("/api/ledger/export", get(export))
        .route("/api/ledger/notes", get(notes))
        .route("/api/crowd/report", get(report::<RunReport>))
        .route("/api/lab/report", get(report::<Run>))
        .route(api::PATH, get(api::openapi))
        .route("/api/{*rest}", axum::routing::any(no_such_endpoint))
        .merge(pages)
        .merge(files)
        .with_state(state)
}

/// Selects pages and long lists for compression, but not live views, whose events must be sent at once.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(MIN_COMPRESSED_BYTES).and(NotForContentType::SSE).and(NotForContentType::IMAGES)
}

async fn healthz() -> impl IntoResponse {
    Json(json!({ "status": "ok" }))
}

async fn readyz(State(state): State<AppState>) -> Response {
    if state.draining.is_cancelled() {
        return Error::new(Code::Busy, "This server is stopping and takes its last requests; use another one.")
            .into_response();
    }
    match state.store.ready().await {
        Ok(is_full) => {
            let (missing, suspended) = (state.missing.latest().count, state.missing.suspended());
            let silent = state.store.wakefulness().unanswered_for().filter(|silent| *silent > LEDGER_ANSWERS_WITHIN);
            let cluster = state.store.partial_cluster();
            Json(Readiness {
                status: "ready".to_owned(),
                build: build(&state.leptos),
                // The server is still ready, as payments continue, although nothing new can be sold.
                redis: match (is_full, state.store.has_room()) {
                    (true, _) => Some("full".to_owned()),
                    (false, false) => Some("disk_full".to_owned()),
                    (false, true) => None,
                },
                cluster: cluster.map(|cluster| cluster.to_string()),
                refused_masters: refused_masters(&state),
                silent_masters: cluster.map(|_| silent_masters(&state)),
                missing_sales: (missing > 0).then_some(missing),
                suspended_sales: (suspended > 0).then_some(suspended),
                ledger_silent_s: silent.map(|silent| silent.as_secs()),
            })
            .into_response()
        }
        Err(error) => not_ready(error).into_response(),
    }
}

fn refused_masters(state: &AppState) -> BTreeMap<String, String> {
    let statuses = state.store.redis_statuses().into_iter();
    statuses.filter_map(|master| Some((master.address, master.refusal?))).collect()
}

fn silent_masters(state: &AppState) -> Vec<String> {
    let statuses = state.store.redis_statuses().into_iter();
    statuses.filter(|master| !master.answers).map(|master| master.address).collect()
}

/// The error of a server that is not ready. Nothing was tried, so no request needs to be repeated.
fn not_ready(error: Error) -> Error {
    match error.code {
        Code::Unavailable => Error::new(
            Code::Unavailable,
            "Redis does not answer, so this server can neither take attempts nor open sales. Check that Redis is running \
             and can be reached; the server is ready again as soon as it answers.",
        ),
        _ => error,
    }
}

async fn no_such_endpoint(State(state): State<AppState>, OriginalUri(asked): OriginalUri, method: Method) -> Response {
    let page = state.access.base_path.join("/api");
    let why = format!("There is no endpoint {method} {}; the page {page} lists them.", asked.path());
    (StatusCode::NOT_FOUND, Json(Error::bad("path", why))).into_response()
}

/// Turns the router's refusal of a method into an error of the API, and adds the headers that every response has.
fn complete(method: &Method, path: &str, mut response: Response) -> Response {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let why = format!("{method} {path} is not possible; the header Allow says which methods are.");
        let allowed = response.headers_mut().remove(header::ALLOW);
        response = (StatusCode::METHOD_NOT_ALLOWED, Json(Error::bad("method", why))).into_response();
        response.headers_mut().extend(allowed.map(|allowed| (header::ALLOW, allowed)));
    }
    // Routes do this by themselves. Refusals must look like the answers that they replace.
    if method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    let headers = response.headers_mut();
    // This is the framework's own mark of an error. The status makes it redundant.
    headers.remove("serverfnerror");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // Files say by themselves how long they may be kept. Everything else is true for its moment and its reader.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let is_html = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/html");
    if headers.get(header::CONTENT_TYPE).is_some_and(is_html) {
        headers.append(header::VARY, HeaderValue::from_static("cookie, accept-language"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::poll;
    use std::pin::pin;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn a_page_whose_reader_has_left_keeps_its_place_until_it_is_made() {
        let places = Arc::new(Semaphore::new(1));
        let (make, made) = oneshot::channel::<()>();
        let page = async move {
            made.await.expect("it goes on without its reader");
            StatusCode::OK.into_response()
        };
        {
            let mut left = pin!(to_the_end(page, places.clone()));
            assert!(poll!(&mut left).is_pending());
        }
        let mut next = pin!(to_the_end(async { StatusCode::OK.into_response() }, places.clone()));
        assert!(poll!(&mut next).is_pending());
        assert_eq!(places.available_permits(), 0);
        make.send(()).expect("the page is being made");
        assert_eq!(next.await.status(), StatusCode::OK);
    }
}
