//! Reads the body of each request completely before the request takes a permit or is processed. So a client that sends
//! slowly holds only its connection, and that not for long.

use crate::server::limits::Limits;
use axum::{
    Json,
    body::{Body, HttpBody, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use http_body_util::LengthLimitError;
use model::error::{Code, Error};
use std::error::Error as _;
use tokio::time::timeout;
use web::KINDS;

/// The largest body that a request may have, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// The endpoints that accept larger bodies, each with its limit in bytes.
fn large_bodies() -> impl Iterator<Item = &'static (&'static str, usize)> {
    KINDS.iter().flat_map(|kind| kind.large_bodies)
}

/// The largest body that an endpoint accepts, in bytes.
fn most_bytes(path: &str) -> usize {
    large_bodies().find(|(large, _)| *large == path).map_or(MAX_BODY_BYTES, |(_, bytes)| *bytes)
}

/// Reads the body.
///
/// # Errors
/// The answer to a body that is too large for its endpoint, by its Content-Length or when it exceeds the limit; to a
/// body that takes too long; and to a body that ends too early.
pub async fn read_body(limits: &Limits, request: Request) -> Result<Request, Response> {
    let size = request.body().size_hint();
    if size.exact() == Some(0) {
        return Ok(request);
    }
    let most = most_bytes(request.uri().path());
    if size.lower() > most as u64 {
        return Err(too_large(most));
    }
    let (head, body) = request.into_parts();
    let refusal = match timeout(limits.body_within, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => return Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(error)) if error.source().is_some_and(|why| why.is::<LengthLimitError>()) => too_large(most),
        Ok(Err(_)) => Error::new(Code::BadRequest, "The request body ended too early.").into_response(),
        Err(_) => {
            let seconds = limits.body_within.as_secs();
            let why = format!("The request body did not arrive within {seconds} s; nothing was tried.");
            (StatusCode::REQUEST_TIMEOUT, Json(Error::new(Code::BadRequest, why))).into_response()
        }
    };
    Err(refusal)
}

fn too_large(most: usize) -> Response {
    let message = format!("The request body is too large; at most {most} bytes are allowed.");
    (StatusCode::PAYLOAD_TOO_LARGE, Json(Error::new(Code::BadRequest, message))).into_response()
}
