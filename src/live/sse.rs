//! The hub's frames as server-sent events.

use super::hub::{Hub, Sight, Source};
use crate::{domain::EventId, error::Error, server::api_error};
use axum::{
    extract::{Path, Query, State},
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, future, stream};
use serde::Deserialize;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// How soon a browser comes back after a broken connection.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
pub struct Resume {
    after: Option<String>,
}

/// `GET /live/<kind>/<sale>?after=<event id>`
pub async fn live<S: Source>(
    State(hub): State<Hub<S>>,
    Path(sale): Path<String>,
    Query(resume): Query<Resume>,
    headers: HeaderMap,
) -> Response {
    // A browser that comes back names the last id it saw; that is newer than what its page began with.
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = match header.map(str::to_owned).or(resume.after).map(|id| id.parse::<EventId>()).transpose() {
        Ok(after) => after,
        Err(_) => return api_error(&Error::bad("after", "`after` is no event id; one looks like 1700000000000-0.")),
    };
    match hub.watch(&sale).await {
        Ok(receiver) => {
            let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
            Sse::new(events::<S>(receiver, after)).keep_alive(keep_alive).into_response()
        }
        Err(error) => api_error(&error),
    }
}

fn events<S: Source>(
    receiver: watch::Receiver<Sight<S::Frame>>,
    after: Option<EventId>,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let hello = stream::once(future::ready(Event::default().retry(RETRY).comment("hello")));
    let mut first = true;
    let mut down = false;
    let mut seen: Option<Arc<S::Frame>> = None;
    let sights = WatchStream::new(receiver).flat_map(move |sight| {
        let mut events = Vec::with_capacity(2);
        match sight {
            Sight::Frame { id, frame } => {
                if std::mem::take(&mut down) {
                    events.push(Event::default().event("store").data("up"));
                }
                // What the page was rendered with need not be sent again.
                let is_known = std::mem::take(&mut first) && after == Some(id);
                if !is_known {
                    match S::write(&frame, seen.as_deref()) {
                        Ok(json) => events.push(Event::default().id(id.to_string()).data(json)),
                        Err(error) => tracing::error!(%error, "a frame of the live view could not be written"),
                    }
                }
                seen = Some(frame);
            }
            Sight::Down => {
                down = true;
                events.push(Event::default().event("store").data("down"));
            }
        }
        stream::iter(events)
    });
    hello.chain(sights).map(Ok)
}
