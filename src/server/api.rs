//! The API of this server described: what all rooms say of their endpoints, and what holds for all of them.

use crate::server::{
    AppState,
    body::MAX_BODY_BYTES,
    limits::{
        BODY_WITHIN, MAX_AUDITS, MAX_EXPORTS, MAX_FEED_READERS, MAX_IN_LINE, MAX_LIVE_VIEWS, MAX_OPENS, MAX_PAGES,
        MAX_REPLAYS, SETTLED,
    },
    output,
};
use ::lab::{mistakes::MISTAKES, strategies::STRATEGIES};
use axum::{extract::State, response::IntoResponse};
use http::header;
use leptos::{prelude::*, server_fn::codec::Json};
use listen::{
    ConnectionLimits,
    http2::{MAX_HEAD_BYTES, MAX_STREAMS, PING_EVERY, PONG_WITHIN},
};
use model::{
    MAX_ID_BYTES, StrictJson,
    error::{Code, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use store::batcher::MAX_WAITING;
use web::{
    base_path::BasePath,
    components::format::count,
    crowd, kind_description, lab, ledger, live,
    openapi::{ApiDocument, Endpoint, Group, Nothing, document, id_of, page::DescriptionRequest},
    people,
};

/// The path of the document.
pub const PATH: &str = "/api/openapi.json";

const ABOUT: &str = "All endpoints take `POST` with `Content-Type: application/json`, except those for which `GET` is \
                     stated. The pages use the same endpoints. Amounts are integer cents, and times are milliseconds \
                     since 1970-01-01 (UTC).\n\n\
                     A request that is sent again with its `request_id` changes nothing and gets the original answer; a \
                     sale opened without an `id` gets one from its `request_id`. (Once such a sale is archived, the \
                     answer is `sale_archived`.)\n\n\
                     A refusal is an outcome and has status 200; it changed nothing and is not kept, so the same request \
                     may succeed later. An error is `{\"error\":{\"code\",\"message\",\"field\"}}`, with another status; \
                     `field` names the field of the request that is at fault, if there is one. A \
                     field that an endpoint does not know is an error.";

/// Prints the description of the API.
///
/// # Errors
/// If it cannot be written.
pub fn run() -> anyhow::Result<()> {
    let ApiDocument(document) = description(&BasePath::default());
    let json = serde_json::to_string_pretty(&document)?;
    Ok(output::print(|out| writeln!(out, "{json}"))?)
}

/// `GET /api/openapi.json`
pub async fn openapi(State(state): State<AppState>) -> impl IntoResponse {
    // It is the same as long as the server runs, and writing it anew for many clients would delay attempts.
    let written = state.written_api.get_or_init(|| state.api.0.to_string().into()).clone();
    ([(header::CACHE_CONTROL, "no-cache"), (header::CONTENT_TYPE, "application/json")], written)
}

/// All endpoints of a server under this path.
pub fn description(base: &BasePath) -> ApiDocument {
    let sales = kind_description::description();
    let kinds: Vec<_> = sales.snapshots.iter().map(|(kind, _)| *kind).collect();
    let mut groups = sales.groups;
    groups.push(live::description::group(sales.snapshots));
    groups.push(crowd::description::group(sales.behavior));
    groups.push(lab::description::group(
        &STRATEGIES.each_ref().map(|strategy| strategy.id),
        &MISTAKES.each_ref().map(|mistake| mistake.id),
    ));
    groups.push(people::description::group(&kinds));
    groups.extend(ledger::description::groups(&kinds));
    groups.push(group(&groups));
    let info = json!({
        "title": "Stampede",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": env!("CARGO_PKG_DESCRIPTION"),
        "description": ABOUT,
        "license": { "name": "MIT", "identifier": "MIT" },
        "x-limits": limits(),
    });
    ApiDocument(document(base, &info, &groups))
}

fn limits() -> String {
    let ConnectionLimits { most, head, stalled } = ConnectionLimits::default();
    format!(
        "Ids of sales and users are 1 to {MAX_ID_BYTES} bytes of visible characters in composed form (NFC), with single \
         plain spaces inside only; letters of several alphabets may be mixed, some of which look alike. Request ids are 1 \
         to {MAX_ID_BYTES} bytes of anything but control characters, compared byte by byte.\n\n\
         Bodies of {} KiB, or more where stated; {} connections (fewer where the system allows the server fewer open \
         files), {} s for the head of a request (with TLS also for the handshake) and as long without a request, {} s for \
         its body and {} s in which a client reads nothing of its answer; with HTTP/2, {MAX_STREAMS} requests at a time \
         on a connection, {} KiB for the head of each, and a ping every {} s that must be answered within {} s; {} live \
         views at a time, the oldest of which ends to make room for \
         another once it is {} s old; {MAX_EXPORTS} exports and {MAX_FEED_READERS} readers of the change feed at a time, \
         and {MAX_AUDITS} audits, {MAX_OPENS} sales being opened and {MAX_REPLAYS} replays, with {MAX_IN_LINE} of each \
         in line, beyond which requests are refused as `busy`; {MAX_PAGES} pages being \
         made at a time, while more wait; {} attempts waiting in one server, beyond which attempts are refused as `busy`.",
        MAX_BODY_BYTES / 1024,
        count(most as u64),
        head.as_secs(),
        BODY_WITHIN.as_secs(),
        stalled.as_secs(),
        MAX_HEAD_BYTES / 1024,
        PING_EVERY.as_secs(),
        PONG_WITHIN.as_secs(),
        count(MAX_LIVE_VIEWS as u64),
        SETTLED.as_secs(),
        count(MAX_WAITING as u64),
    )
}

/// Whether the process is alive.
#[derive(JsonSchema)]
#[schemars(rename = "Health")]
#[allow(dead_code, reason = "only its schema is used")]
struct Health {
    /// `ok`
    status: String,
}

/// Whether the server can take new sales.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Readiness")]
pub(super) struct Readiness {
    /// `ready`
    pub status: String,
    /// The build of its pages; left out of a development build. A page of another build may not understand its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// `full` if Redis is full, `disk_full` if the disk of the embedded Redis is nearly so: nothing new can be sold; payments
    /// go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redis: Option<String>,
    /// How many masters of a cluster answer, if not all do: `2 of 3 masters answer`. The server is ready as long as one does:
    /// the sales of the others take no attempts, and those of this one go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The addresses of the masters that do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent_masters: Option<Vec<String>>,
    /// The masters of a cluster to which nothing new is given, with the reason: they evict, say, or have too few replicas.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub refused_masters: BTreeMap<String, String>,
    /// How many sales Redis has lost that the ledger has, if any: `stampede recover --all` brings them back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_sales: Option<u64>,
    /// How many sales are suspended, if any, because Redis has lost a part of them: `stampede recover --all` brings them
    /// back, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_sales: Option<u64>,
    /// For how many seconds the ledger has given this server no answer, if it has been silent: sales go on, and are recorded
    /// later. Servers with another Redis may take the ledger over after 20 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger_silent_s: Option<u64>,
}

/// Does nothing: the baseline for measuring the speed of other endpoints.
#[server(
    name = PingRequest,
    prefix = "/api",
    endpoint = "/ping",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn ping() -> Result<()> {
    Ok(())
}

/// The endpoints of the server itself; one describes these groups, too.
fn group(others: &[Group]) -> Group {
    const NAME: &str = "Server";
    let pages: Vec<String> = others.iter().map(|group| group.name).chain([NAME, "types"]).map(id_of).collect();
    Group {
        name: NAME,
        description: "What monitors and tools ask.".to_owned(),
        endpoints: vec![
            Endpoint::get::<Nothing>("/healthz", &[], "Whether the process is alive.").json::<Health>().example(
                "alive",
                json!({}),
                json!({ "status": "ok" }),
            ),
            Endpoint::get::<Nothing>(
                "/readyz",
                &[],
                "Whether Redis answers, can take new sales and knows the scripts, and the server is not about to stop.",
            )
            .json::<Readiness>()
            .errors(&[Code::Unavailable, Code::StoreRefused, Code::Busy])
            .example("ready", json!({}), json!({ "status": "ready" })),
            Endpoint::of::<PingRequest>().example("nothing", json!({}), json!(null)),
            Endpoint::get::<Nothing>(PATH, &[], "This description, as OpenAPI 3.1.")
                .answer(|_| schemars::json_schema!({ "type": "object" }))
                .example("shortened", json!({}), json!({ "openapi": "3.1.0" })),
            Endpoint::of::<DescriptionRequest>().limit("group", json!({ "enum": pages })).example(
                "shortened",
                json!({ "group": "types" }),
                json!({ "groups": [], "html": "<section>…</section>" }),
            ),
        ],
    }
}
