//! The server functions of a sale's life, which are also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
#[cfg(feature = "ssr")]
use model::life::{end, start};
use model::{
    Answer, StrictJson,
    error::Result,
    life::{Described, HoldClock, Instant, Paused, Reopened, Resumed, Scheduled, Texts},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pauses a sale.
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
    /// The reason, which users are shown.
    reason: Option<String>,
    /// What deadlines of holds do meanwhile.
    hold_clock: Option<HoldClock>,
    /// Identifies the change.
    request_id: Option<String>,
) -> Result<Answer<Paused>> {
    services()?.life.pause(&kind, &sale, reason.unwrap_or_default(), hold_clock.unwrap_or_default(), request_id).await
}

/// Resumes a paused sale.
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
    /// Identifies the change.
    request_id: Option<String>,
) -> Result<Answer<Resumed>> {
    services()?.life.resume(&kind, &sale, request_id).await
}

/// Changes start or end.
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
    /// The start.
    opens_at: Option<Instant>,
    /// The start.
    opens_in_s: Option<u64>,
    /// The end.
    ends_at: Option<Instant>,
    /// The end.
    ends_in_s: Option<u64>,
    /// Identifies the change.
    request_id: Option<String>,
) -> Result<Answer<Scheduled>> {
    services()?.life.schedule(&kind, &sale, start(opens_at, opens_in_s)?, end(ends_at, ends_in_s)?, request_id).await
}

/// Reopens a closed sale.
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
    /// The end.
    ends_at: Option<Instant>,
    /// The end.
    ends_in_s: Option<u64>,
    /// Identifies the change.
    request_id: Option<String>,
) -> Result<Answer<Reopened>> {
    services()?.life.reopen(&kind, &sale, end(ends_at, ends_in_s)?, request_id).await
}

/// Changes title and description.
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
    /// The title.
    title: Option<Texts>,
    /// The description.
    description: Option<Texts>,
    /// Identifies the change.
    request_id: Option<String>,
) -> Result<Answer<Described>> {
    services()?
        .life
        .describe(&kind, &sale, title.unwrap_or_default(), description.unwrap_or_default(), request_id)
        .await
}
