//! The base path, taken off each request, so that routes, limits and refusals know nothing of it.

use axum::{
    Json,
    extract::{OriginalUri, Request},
    response::{IntoResponse, Redirect, Response},
};
use http::{Method, StatusCode, Uri};
use model::error::Error;
use web::base_path::BasePath;

/// Takes the base path off the URI of a request, which keeps its [`OriginalUri`] for messages. Returns the answer to a
/// request for anything beside it.
pub fn take_off(base: &BasePath, request: &mut Request) -> Option<Response> {
    if base.as_str().is_empty() {
        return None;
    }
    let asked = request.uri().clone();
    let below = asked.path_and_query().and_then(|path| base.strip(path.as_str())?.parse().ok());
    let mut parts = asked.clone().into_parts();
    let within = below.and_then(|below| {
        parts.path_and_query = Some(below);
        Uri::from_parts(parts).ok()
    });
    let Some(uri) = within else { return Some(beside(base, request.method(), &asked)) };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(OriginalUri(asked));
    None
}

/// The answer to a request for something else than this server, or for its first page without the slash at its end.
fn beside(base: &BasePath, method: &Method, asked: &Uri) -> Response {
    let first_page = base.join("/");
    if asked.path() == base.as_str() && matches!(*method, Method::GET | Method::HEAD) {
        let query = asked.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Redirect::permanent(&format!("{first_page}{query}")).into_response();
    }
    let why = format!("There is nothing at this address; everything of this server is below {first_page}.");
    (StatusCode::NOT_FOUND, Json(Error::bad("path", why))).into_response()
}
