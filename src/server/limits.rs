//! How many costly requests are served at a time. Some more may wait for their turn; the others are refused as `busy`
//! before anything is done for them.

use crate::error::{Code, Error};
use axum::{
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Live views at a time.
pub const MAX_LIVE_VIEWS: usize = 2_000;
/// Exports at a time: each reads the ledger to its end.
pub const MAX_EXPORTS: usize = 4;
/// Audits at a time: each reads all of a sale.
pub const MAX_AUDITS: usize = 8;
/// Sales being opened at a time: a sale may have a million packets.
pub const MAX_OPENS: usize = 8;
/// Audits, and sales to be opened, that may wait for their turn.
pub const MAX_IN_LINE: usize = 56;

/// A kind of costly request, and how many more of it may be served.
struct Limit {
    what: &'static str,
    /// Those served and those in line.
    most: usize,
    places: Arc<Semaphore>,
    served: Arc<Semaphore>,
    is_one: fn(&str) -> bool,
}

/// The limits of one server.
#[derive(Clone)]
pub struct Limits(Arc<[Limit]>);

impl Default for Limits {
    fn default() -> Self {
        let limit = |what, served, in_line, is_one| Limit {
            what,
            most: served + in_line,
            places: Arc::new(Semaphore::new(served + in_line)),
            served: Arc::new(Semaphore::new(served)),
            is_one,
        };
        Self(Arc::new([
            limit("live views", MAX_LIVE_VIEWS, 0, |path| path.starts_with("/live/")),
            limit("exports", MAX_EXPORTS, 0, |path| path == "/api/ledger/export"),
            limit("audits", MAX_AUDITS, MAX_IN_LINE, |path| {
                path.starts_with("/api/audit/now") || is_api(path, "/audit")
            }),
            limit("sales being opened", MAX_OPENS, MAX_IN_LINE, |path| is_api(path, "/open")),
        ]))
    }
}

/// Whether it is the endpoint of this name of some kind of sale: `/api/<kind>/<name>`.
fn is_api(path: &str, name: &str) -> bool {
    path.starts_with("/api/") && path.ends_with(name)
}

/// Serves a costly request if there is room for it; it takes its room until the last byte of its answer has left.
pub async fn limit(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let Some(limit) = limits.0.iter().find(|limit| (limit.is_one)(path)) else { return next.run(request).await };
    let Ok(place) = limit.places.clone().try_acquire_owned() else {
        let why =
            format!("{} {} are the most at a time; nothing was tried. Try again in a moment.", limit.most, limit.what);
        return Error::new(Code::Busy, why).into_response();
    };
    let turn = limit.served.clone().acquire_owned().await;
    next.run(request).await.map(|body| {
        Body::from_stream(body.into_data_stream().inspect(move |_| {
            let _held = (&place, &turn);
        }))
    })
}
