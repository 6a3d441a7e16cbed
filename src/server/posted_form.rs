//! Forms that a browser submits without a script, because it has not loaded yet or there is no JavaScript. A `POST` to
//! the page of a sale makes an attempt there. The answer is the page with the outcome.

use crate::server::{AppState, guard::media_type};
use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use http::{Method, StatusCode, request::Parts};
use model::{error::Error, form::FormValues, url::decode_segment};
use web::kind_of_pages;
use web::{components::PostedForm, kind::Registration};

const FORM: &str = "application/x-www-form-urlencoded";

/// Makes the attempt of a form that was posted to the page of a sale, and adds the outcome to the request for that
/// page. Any other request stays unchanged.
///
/// # Errors
/// The answer to a body that is not a form.
pub async fn take_form(state: &AppState, request: Request) -> Result<Request, Response> {
    let (mut head, body) = request.into_parts();
    let Some((kind, sale)) = sale_of(&head) else { return Ok(Request::from_parts(head, body)) };
    if media_type(&head.headers).is_none_or(|sent| !sent.eq_ignore_ascii_case(FORM)) {
        let api = state.access.base_path.join("/api");
        let why =
            format!("The page of a sale takes a form (Content-Type: {FORM}); the API, which takes JSON, is at {api}.");
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(Error::bad("content-type", why))).into_response());
    }
    // The body was read and measured before (`read_body`).
    let body = to_bytes(body, usize::MAX).await.map_err(|error| Error::internal(error).into_response())?;
    let values = FormValues::decode(&body);
    let kind = state.kinds.find(kind.info.id).map_err(IntoResponse::into_response)?;
    let answer = kind.attempt_by_form(&sale, &values).await;
    head.extensions.insert(PostedForm { values, answer });
    Ok(Request::from_parts(head, Body::empty()))
}

/// The kind and the id of the sale to whose page the request is sent.
fn sale_of(head: &Parts) -> Option<(&'static Registration, String)> {
    if head.method != Method::POST {
        return None;
    }
    let (pages, sale) = head.uri.path().strip_prefix('/')?.split_once('/')?;
    Some((kind_of_pages(pages)?, decode_segment(sale)))
}
