//! The live view as server-sent events.

use crate::server::AppState;
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, header},
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use engine::hub::Message;
use futures::{Stream, StreamExt, future, stream};
use model::{EventId, error::Error, live::ALIVE, sale::IdSource};
use serde::Deserialize;
use std::{convert::Infallible, time::Duration};
use tokio::time::MissedTickBehavior;
use web::{app::build, parameters::Parameters};

/// The pause before a browser reconnects after a broken connection.
const RETRY: Duration = Duration::from_secs(1);
/// The time over which the viewers of a server that stops are spread, beyond [`RETRY`], so that they do not come to the
/// others all at once.
const SPREAD_MILLIS: u64 = 3_000;

/// The query of a live view.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    after: Option<String>,
}

/// `GET /live/<kind>/<sale>?after=<event id>`
pub async fn live(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    Parameters(resume): Parameters<Resume>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path((kind, sale))) = path else {
        return Error::bad("sale", "The address is not UTF-8; percent-encode the id of the sale.").into_response();
    };
    let Some(view) = state.live.by_segment(&kind) else {
        let error =
            Error::bad("kind", format!("There is no kind of sale \"{kind}\" to watch; the page /api lists them."));
        return error.into_response();
    };
    // A browser that reconnects sends the last id that it saw. That id is newer than the one with which its page began.
    // Browsers send none if they saw no id, other clients an empty one.
    let header = headers.get("last-event-id").filter(|id| !id.is_empty());
    let header = header.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    let field = if header.is_some() { "last-event-id" } else { "after" };
    let after = match header.or(resume.after).map(|id| id.parse::<EventId>()).transpose() {
        Ok(after) => after,
        Err(_) => {
            let why = format!("`{field}` is no event id; one looks like 1700000000000-0.");
            return Error::bad(field, why).into_response();
        }
    };
    match view.messages(&sale, after).await {
        Ok(messages) => events(messages, &state),
        // A browser that has watched the sale before cannot read a status, and would retry for ever.
        Err(error) if after.is_some() && error.code.is_sale_gone() => {
            events(stream::once(future::ready(Message::Gone)), &state)
        }
        Err(error) => error.into_response(),
    }
}

fn events(messages: impl Stream<Item = Message> + Send + 'static, state: &AppState) -> Response {
    let hello = Event::default().retry(RETRY).comment("hello");
    // It comes before all frames: if a page cannot read them, it knows why.
    let build = build(&state.leptos).map(|build| Event::default().event("build").data(build));
    let hello = stream::iter([Some(hello), build].into_iter().flatten());
    // They confirm that the last state still holds, and a page goes by the time in them.
    let mut ticks = tokio::time::interval(ALIVE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let alive = stream::unfold((ticks, state.clock.clone()), async |(mut ticks, clock)| {
        ticks.tick().await;
        Some((Some(Event::default().event("alive").data(clock.now().to_string())), (ticks, clock)))
    });
    let messages = messages.map(|message| Some(event(message))).chain(stream::once(future::ready(None)));
    // The stream ends with the messages.
    let both = stream::select(messages, alive).scan((), |(), event| future::ready(event));
    let (shutdown, ids) = (state.shutdown.clone(), state.ids.clone());
    let end = future::lazy(move |_| {
        let later = Duration::from_millis(ids.seed() % SPREAD_MILLIS);
        shutdown.is_cancelled().then(|| Event::default().retry(RETRY + later))
    });
    let end = stream::once(end).filter_map(future::ready);
    let events = hello.chain(both).chain(end).map(Ok::<_, Infallible>);
    // A proxy must pass each event on at once, unchanged: nginx, for one, would wait for its buffer to be full.
    let unbuffered = [("x-accel-buffering", "no"), (header::CACHE_CONTROL.as_str(), "no-store, no-transform")];
    (unbuffered, Sse::new(events)).into_response()
}

fn event(message: Message) -> Event {
    match message {
        Message::Frame { id, json } => Event::default().id(id.to_string()).data(json),
        Message::StoreDown => Event::default().event("store").data("down"),
        Message::StoreUp => Event::default().event("store").data("up"),
        // Browsers ignore a message without data.
        Message::Gone => Event::default().event("gone").data("gone"),
    }
}
