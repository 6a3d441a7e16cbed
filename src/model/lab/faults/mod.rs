//! Faults: rehearsals of an outage on a running server. A timeline reports when a fault was injected, its observed
//! effects, and its recovery. Every step was observed; no step is reported because a time has passed.
//!
//! Faults need a server started with `--faults`. A fault and its timeline concern one server, which keeps the timeline
//! in its memory.

mod api;

use crate::Millis;
pub use api::FaultApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The number of incidents that a server keeps.
pub const KEPT: usize = 50;
/// The delay that may be added to everything sent to Redis, in milliseconds.
pub const DELAY_MS: RangeInclusive<u64> = 1..=1_000;
/// The delay unless another one is requested, in milliseconds.
pub const DEFAULT_DELAY_MS: u64 = 100;
/// The shortest length of a fault, in milliseconds.
pub const SHORTEST_MS: u64 = 100;

/// A fault that can be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// SCRIPT FLUSH: Redis forgets every script.
    ScriptsFlushed,
    /// The cached quantity of a stock sale expires.
    StockExpired,
    /// The server's ledger writer stops.
    WriterStopped,
    /// The embedded Redis is killed, and started again at the end.
    RedisKilled,
    /// Everything that the server sends to Redis arrives later.
    WireSlow,
    /// The server's connections to Redis are closed, and no new ones can be opened.
    WireCut,
}

/// The length of a fault, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FaultLength")]
pub struct Length {
    /// The length unless another one is requested, in milliseconds.
    pub default_ms: u64,
    /// The greatest length, in milliseconds.
    pub most_ms: u64,
}

impl Fault {
    /// Every fault, the mildest first.
    pub const ALL: [Self; 6] = [
        Self::ScriptsFlushed,
        Self::StockExpired,
        Self::WriterStopped,
        Self::WireSlow,
        Self::WireCut,
        Self::RedisKilled,
    ];

    /// The length of the fault; `None` if it happens at once.
    pub fn length(self) -> Option<Length> {
        let length = |default_ms, most_ms| Some(Length { default_ms, most_ms });
        match self {
            Self::ScriptsFlushed | Self::StockExpired => None,
            Self::WriterStopped => length(10_000, 60_000),
            Self::WireSlow => length(20_000, 60_000),
            Self::WireCut => length(5_000, 15_000),
            Self::RedisKilled => length(3_000, 15_000),
        }
    }
}

/// The reason why a fault cannot be injected at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FaultObstacle")]
pub enum Obstacle {
    /// The server was started without `--faults`.
    Disabled,
    /// The server uses an external Redis, not an embedded one.
    ExternalRedis,
    /// The server reaches Redis over TLS.
    Tls,
}

/// A fault, and whether it can be injected here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultInfo {
    /// The fault.
    pub fault: Fault,
    /// The reason why the fault cannot be injected; `null` if it can.
    pub obstacle: Option<Obstacle>,
    /// The length of the fault; `null` if it happens at once.
    pub length: Option<Length>,
}

/// The faults of a server, and the incidents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Faults {
    /// Whether the server was started with `--faults`.
    pub enabled: bool,
    /// Every fault.
    pub faults: Vec<FaultInfo>,
    /// The faults injected since the server started, newest first, at most 50.
    pub incidents: Vec<Incident>,
}

/// The phase of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IncidentPhase")]
pub enum Phase {
    /// The fault is active.
    Active,
    /// The fault is over, but not everything has been observed to work again.
    Healing,
    /// Everything has been observed to work again.
    Healed,
    /// The recovery is no longer observed: the same fault was injected again, or the sale has ended.
    Unwatched,
}

/// An injected fault and its timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// The id of the incident.
    pub incident: String,
    /// The fault that was injected.
    pub fault: Fault,
    /// The sale, if the fault concerns one.
    pub sale: Option<String>,
    /// The planned length, in milliseconds; 0 if the fault happens at once.
    pub ms: u64,
    /// The phase of the incident.
    pub phase: Phase,
    /// The time of the injection.
    pub injected_at: Millis,
    /// The end of the fault; `null` while it is active.
    pub ended_at: Option<Millis>,
    /// The time at which everything was observed to work again; `null` until then.
    pub healed_at: Option<Millis>,
    /// The actions and observations, in order.
    pub steps: Vec<Step>,
}

impl Incident {
    /// Whether the fault is active.
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }
}

/// A step of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "IncidentStep")]
pub struct Step {
    /// The time of the step.
    pub at: Millis,
    /// The action or the observation.
    pub what: What,
    /// A number or a duration; its meaning depends on `what`.
    pub figure: Option<u64>,
    /// The name of a script, a server or a process, depending on `what`.
    pub name: Option<String>,
}

/// The kind of a step of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IncidentStepKind")]
pub enum What {
    /// Redis was ordered to forget its scripts. It no longer knows `figure` of them.
    ScriptsForgotten,
    /// The script `name` was called and was unknown. The same call sent its source.
    ScriptReloaded,
    /// The cached quantity, `figure`, expired. Without a figure, none was cached.
    QuantityExpired,
    /// The server `name` loaded the quantity, `figure`.
    QuantityLoaded,
    /// The ledger writer of this server stopped.
    WriterStopped,
    /// `figure` events are waiting for the ledger.
    EventsWait,
    /// The process `name` writes the ledger.
    WriterRuns,
    /// The ledger has recorded every event up to the end of the fault. At most `figure` events were waiting.
    CaughtUp,
    /// The connections were closed.
    WireCut,
    /// Everything sent to Redis arrives `figure` milliseconds later.
    WireSlow,
    /// A round trip to Redis took `figure` milliseconds.
    RoundTrip,
    /// The process `name` of Redis was killed.
    RedisKilled,
    /// A call to Redis got no answer.
    Unanswered,
    /// The fault ended as planned.
    Ended,
    /// The fault was ended early.
    EndedEarly,
    /// Redis runs as process `name`.
    RedisStarted,
    /// Calls to Redis are answered.
    Answered,
    /// Redis has everything that the ledger has.
    NothingLost,
    /// Redis lacks something that the ledger has of `figure` sales. These sales are suspended.
    SalesSuspended,
}
