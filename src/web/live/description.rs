//! The description of the live view's API.

use crate::openapi::{Endpoint, Group, MakeSchema, OF_A_SALE};
use model::{
    KindInfo,
    error::Code,
    live::{ALIVE, FEW, FRAME, FRAME_OF_MANY},
};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The parameters of a live view.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Parameters {
    /// The kind of the sale, as in the addresses of its endpoints.
    kind: String,
    /// The id of the sale.
    sale: String,
    /// The id of the last message that was seen.
    after: Option<model::EventId>,
}

/// Returns the live view of sales of these kinds, with the schemas of their snapshots.
pub fn group(snapshots: Vec<(&'static KindInfo, MakeSchema)>) -> Group {
    let segments: Vec<&str> = snapshots.iter().map(|(kind, _)| kind.segment).collect();
    let example = json!({ "kind": segments.first(), "sale": "spring" });
    let endpoint = Endpoint::get::<Parameters>(
        "/live/{kind}/{sale}",
        &["kind", "sale"],
        &format!(
            "A sale's snapshots as server-sent events, at most {few_a_second} a second while up to {FEW} watch the sale \
         and as many sales of its kind are watched, otherwise {a_second}. The data of a message is the JSON that the \
         snapshot endpoint of the kind answers with. A client that reconnects passes the last event id as `?after=`; \
         browsers do so with `Last-Event-ID`.\n\n\
         The first message may be named `build`: its data tells the build of the server's pages. A message named `store` says `down` when Redis becomes unreachable, and `up` when it is reachable again; one \
         named `alive` comes at once and every {silence} seconds: its data is the server's time in epoch milliseconds, and \
         what was said last still holds; one named \
         `gone` ends the stream of a sale that was archived or lost. The stream of a server that stops ends with a `retry` \
         of 1 to 4 seconds.",
            silence = ALIVE.as_secs(),
            few_a_second = 1_000 / FRAME.as_millis(),
            a_second = 1_000 / FRAME_OF_MANY.as_millis(),
        ),
    )
    .limit("kind", json!({ "enum": segments }))
    .id("sale")
    .stream(&["text/event-stream"], move |generator| {
        let kinds: Vec<Value> = snapshots.iter().map(|(_, snapshot)| snapshot(generator).to_value()).collect();
        schemars::json_schema!({ "anyOf": kinds })
    })
    .errors(&OF_A_SALE)
    .errors(&[Code::BadRequest])
    .example("the first message", example, "retry: 1000\n: hello\n\nid: 1767225601500-0\ndata: {…}\n\n".into());
    Group {
        name: "Live view",
        description: "What happens at a sale, as it happens.".to_owned(),
        endpoints: vec![endpoint],
    }
}
