//! The server functions of a sale's life, which are also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    Answer, StrictJson,
    error::Result,
    life::{Described, HoldClock, Instant, Paused, Reopened, Resumed, Scheduled, Texts},
};
#[cfg(feature = "ssr")]
use model::{
    Checks,
    life::{end, start},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pauses a sale: its attempts get the outcome `paused` with the reason until it is resumed. Payments, cancellations,
/// redemptions and give-backs go on. A sale that is paused when its end comes has ended.
#[server(
    name = PauseRequest,
    prefix = "/api",
    endpoint = "/sales/pause",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn pause(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// The reason, which users are shown: one line.
    reason: Option<String>,
    /// What the deadlines of holds do meanwhile: `stops` moves each of them by the length of the pause.
    hold_clock: Option<HoldClock>,
    /// Identifies the change: sent again, it changes nothing. The newest 32 changes of a sale are remembered; a request that
    /// changed nothing is not.
    request_id: Option<String>,
) -> Result<Answer<Paused>> {
    services()?.life.pause(&kind, &sale, reason.unwrap_or_default(), hold_clock.unwrap_or_default(), request_id).await
}

/// Resumes a paused sale: its attempts are answered again.
#[server(
    name = ResumeRequest,
    prefix = "/api",
    endpoint = "/sales/resume",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn resume(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// Identifies the change: sent again, it changes nothing. The newest 32 changes of a sale are remembered; a request that
    /// changed nothing is not.
    request_id: Option<String>,
) -> Result<Answer<Resumed>> {
    services()?.life.resume(&kind, &sale, request_id).await
}

/// Changes the start or the end of a sale, each until it has passed. What is not given stays, but
/// the end of red packets moves with their start.
#[server(
    name = ScheduleRequest,
    prefix = "/api",
    endpoint = "/sales/schedule",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn schedule(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// The new start, in epoch milliseconds or RFC 3339 with an offset.
    opens_at: Option<Instant>,
    /// The new start, in seconds from now; 0 for at once.
    opens_in_s: Option<u64>,
    /// The new end, as `opens_at`.
    ends_at: Option<Instant>,
    /// The new end, in seconds from the start, or from now if that has passed.
    ends_in_s: Option<u64>,
    /// Identifies the change: sent again, it changes nothing. The newest 32 changes of a sale are remembered; a request that
    /// changed nothing is not.
    request_id: Option<String>,
) -> Result<Answer<Scheduled>> {
    let mut checks = Checks::default();
    let opens = checks.value(start(opens_at, opens_in_s));
    let ends = checks.finish(end(ends_at, ends_in_s))?;
    services()?.life.schedule(&kind, &sale, opens, ends, request_id).await
}

/// Reopens a closed sale that has not ended and is not archived. A red packet sale cannot be reopened, as closing it has
/// refunded its rest.
#[server(
    name = ReopenRequest,
    prefix = "/api",
    endpoint = "/sales/reopen",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn reopen(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// A new end, in epoch milliseconds or RFC 3339 with an offset; without one, the end stays.
    ends_at: Option<Instant>,
    /// A new end, in seconds from now.
    ends_in_s: Option<u64>,
    /// Identifies the change: sent again, it changes nothing. The newest 32 changes of a sale are remembered; a request that
    /// changed nothing is not.
    request_id: Option<String>,
) -> Result<Answer<Reopened>> {
    services()?.life.reopen(&kind, &sale, end(ends_at, ends_in_s)?, request_id).await
}

/// Changes the title and the description of a sale. A text that is not given stays; an empty one is removed.
#[server(
    name = DescribeRequest,
    prefix = "/api",
    endpoint = "/sales/describe",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn describe(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// The title, in each language or in one of them.
    title: Option<Texts>,
    /// The description, likewise; it may have several lines.
    description: Option<Texts>,
    /// Identifies the change: sent again, it changes nothing. The newest 32 changes of a sale are remembered; a request that
    /// changed nothing is not.
    request_id: Option<String>,
) -> Result<Answer<Described>> {
    services()?
        .life
        .describe(&kind, &sale, title.unwrap_or_default(), description.unwrap_or_default(), request_id)
        .await
}
