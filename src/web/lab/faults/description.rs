//! The description of the faults' API.

use crate::{
    lab::faults::api::{EndFaultRequest, FaultsRequest, InjectRequest},
    openapi::{Endpoint, OF_A_SALE},
};
use model::{
    error::Code,
    lab::faults::{DELAY_MS, Fault, SHORTEST_MS},
};
use serde_json::{Value, json};

const INCIDENT: &str = "019b76da-c000-7000-8000-000000000009";

/// Returns the endpoints of faults.
pub fn endpoints() -> [Endpoint; 3] {
    [faults(), inject(), end()]
}

fn faults() -> Endpoint {
    let flushed = json!({ "fault": "scripts_flushed", "obstacle": null, "length": null });
    let killed = json!({
        "fault": "redis_killed",
        "obstacle": "external_redis",
        "length": { "default_ms": 3_000, "most_ms": 15_000 },
    });
    Endpoint::of::<FaultsRequest>().example(
        "shortened",
        json!({}),
        json!({ "enabled": true, "faults": [flushed, killed], "incidents": [incident()] }),
    )
}

fn inject() -> Endpoint {
    let most = Fault::ALL.into_iter().filter_map(Fault::length).map(|length| length.most_ms).max();
    Endpoint::of::<InjectRequest>()
        .id("sale")
        .range("ms", SHORTEST_MS, most.unwrap_or_default())
        .range("delay_ms", *DELAY_MS.start(), *DELAY_MS.end())
        .errors(&OF_A_SALE)
        .errors(&[Code::FaultsDisabled, Code::FaultActive, Code::LedgerUnavailable])
        .example("SCRIPT FLUSH", json!({ "fault": "scripts_flushed" }), incident())
}

fn end() -> Endpoint {
    Endpoint::of::<EndFaultRequest>().errors(&[Code::FaultsDisabled, Code::UnknownIncident]).example(
        "over already",
        json!({ "incident": INCIDENT }),
        incident(),
    )
}

fn incident() -> Value {
    json!({
        "incident": INCIDENT,
        "fault": "scripts_flushed",
        "sale": null,
        "ms": 0,
        "phase": "healing",
        "injected_at": 1_767_225_610_000_i64,
        "ended_at": 1_767_225_610_000_i64,
        "healed_at": null,
        "steps": [{ "at": 1_767_225_610_000_i64, "what": "scripts_forgotten", "figure": 58, "name": null }],
    })
}
