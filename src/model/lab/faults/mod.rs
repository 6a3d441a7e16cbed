//! Faults: an outage is rehearsed on a running server. What happened is told as a timeline: when a fault was injected, what
//! was noticed of it, and how it healed. Every step of it was observed; nothing is told because its time has come.
//!
//! Only where the server was started with `--faults`. A fault concerns one server, and so does its timeline, which is
//! kept in that server's memory.

mod api;

use crate::Millis;
pub use api::FaultApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How many incidents a server keeps.
pub const KEPT: usize = 50;
/// How much later what is sent to Redis may arrive, in milliseconds.
pub const DELAY_MS: RangeInclusive<u64> = 1..=1_000;
/// How much later it arrives unless another delay is asked for.
pub const DEFAULT_DELAY_MS: u64 = 100;
/// The shortest that a fault may last, in milliseconds.
pub const SHORTEST_MS: u64 = 100;

/// What can be broken.
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
    /// Whatever the server sends to Redis arrives later.
    WireSlow,
    /// The server's connections to Redis are closed, and no new ones come about.
    WireCut,
}

/// How long a fault lasts, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FaultLength")]
pub struct Length {
    /// Unless another length is asked for.
    pub default_ms: u64,
    /// At most.
    pub most_ms: u64,
}

impl Fault {
    /// All of them, the gentlest first.
    pub const ALL: [Self; 6] = [
        Self::ScriptsFlushed,
        Self::StockExpired,
        Self::WriterStopped,
        Self::WireSlow,
        Self::WireCut,
        Self::RedisKilled,
    ];

    /// How long it lasts; `None` if it happens at once.
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

/// Why a fault cannot be injected at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FaultObstacle")]
pub enum Obstacle {
    /// The server was started without `--faults`.
    Disabled,
    /// Its Redis is not one of its own.
    ExternalRedis,
    /// It reaches Redis over TLS.
    Tls,
}

/// A fault, and whether it can be injected here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultInfo {
    /// Which one.
    pub fault: Fault,
    /// Why it cannot be injected; `null` if it can.
    pub obstacle: Option<Obstacle>,
    /// How long it lasts; `null` if it happens at once.
    pub length: Option<Length>,
}

/// The faults of a server, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Faults {
    /// Whether the server was started with `--faults`.
    pub enabled: bool,
    /// Every fault.
    pub faults: Vec<FaultInfo>,
    /// What was injected since the server started, newest first, at most 50.
    pub incidents: Vec<Incident>,
}

/// How far an incident is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IncidentPhase")]
pub enum Phase {
    /// The fault lasts.
    Active,
    /// The fault is over; not everything has been seen to work again.
    Healing,
    /// Everything has been seen to work again.
    Healed,
    /// Nobody looks any more whether everything works again: the same fault was injected again, or its sale has ended.
    Unwatched,
}

/// A fault that was injected, and its timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// Its id.
    pub incident: String,
    /// What was injected.
    pub fault: Fault,
    /// The sale, if it concerns one.
    pub sale: Option<String>,
    /// How long it was to last, in milliseconds; 0 if it happened at once.
    pub ms: u64,
    /// How far it is.
    pub phase: Phase,
    /// When it was injected.
    pub injected_at: Millis,
    /// When the fault was over; `null` while it lasts.
    pub ended_at: Option<Millis>,
    /// When everything was seen to work again; `null` until then.
    pub healed_at: Option<Millis>,
    /// What was done and noticed, in order.
    pub steps: Vec<Step>,
}

impl Incident {
    /// Whether the fault lasts.
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }
}

/// A line of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "IncidentStep")]
pub struct Step {
    /// When.
    pub at: Millis,
    /// What was done or noticed.
    pub what: What,
    /// How many, or how long; what it counts depends on `what`.
    pub figure: Option<u64>,
    /// Of what: a script, a server, a process; depends on `what`.
    pub name: Option<String>,
}

/// What can stand in a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IncidentStepKind")]
pub enum What {
    /// Redis was told to forget its scripts; it no longer knows `figure` of them.
    ScriptsForgotten,
    /// The script `name` was called, and was unknown: the same call sent its source.
    ScriptReloaded,
    /// The cached quantity, `figure`, expired; without a figure, there was none.
    QuantityExpired,
    /// The server `name` loaded the quantity, `figure`.
    QuantityLoaded,
    /// The writer of this server ended.
    WriterStopped,
    /// `figure` events wait for the ledger.
    EventsWait,
    /// The process `name` writes the ledger.
    WriterRuns,
    /// The ledger has everything that had happened when the fault was over; at most `figure` events waited.
    CaughtUp,
    /// The connections were closed.
    WireCut,
    /// What is sent to Redis arrives `figure` milliseconds later.
    WireSlow,
    /// A round trip to Redis took `figure` milliseconds.
    RoundTrip,
    /// The process `name` of Redis was killed.
    RedisKilled,
    /// A call to Redis got no answer.
    Unanswered,
    /// The fault was over, as intended.
    Ended,
    /// The fault was ended early.
    EndedEarly,
    /// Redis runs as process `name`.
    RedisStarted,
    /// Calls to Redis are answered.
    Answered,
    /// Redis has everything that the ledger has.
    NothingLost,
    /// Redis lacks something that the ledger has of `figure` sales, which are suspended.
    SalesSuspended,
}
