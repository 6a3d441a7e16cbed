//! Stepping through a strategy: what is played, and what is seen at each step. Shared by browser and server.

use super::{Anomaly, Told};
use serde::{Deserialize, Serialize};

/// The letter of the worker in a schedule, for a strategy that has one.
pub const WORKER: char = 'w';
/// The letter of time in a schedule: the lifetimes of all locks end.
pub const TIME: char = 't';
/// The most attempts that can be stepped through.
pub const MOST_ATTEMPTS: usize = 4;
/// The most steps in a schedule.
pub const MOST_STEPS: usize = 200;

/// What is played: who comes for how much, and who takes a step when. Small enough for a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Play {
    /// The id of the strategy.
    pub strategy: String,
    /// Items to get.
    pub stock: u32,
    /// The user of each attempt, a digit each: `12` are two users, `11` is one user who tries twice.
    pub users: String,
    /// A letter for each step: `a` for the first attempt, `b` for the second and so on, [`WORKER`], [`TIME`].
    pub schedule: String,
}

/// One way to break a strategy, as the matrix shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What goes wrong.
    pub anomaly: Anomaly,
    /// Items to get.
    pub stock: u32,
    /// The user of each attempt; see [`Play::users`].
    pub users: &'static str,
    /// The steps, to the end of every attempt; see [`Play::schedule`].
    pub schedule: &'static str,
}

/// What a schedule led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The records before the first step.
    pub before: Vec<Record>,
    /// The steps, in the order of the schedule.
    pub steps: Vec<Step>,
    /// Everybody who takes part, and what they are about to do.
    pub participants: Vec<Participant>,
    /// What has gone wrong, once every attempt has its answer.
    pub outcome: Option<Vec<Anomaly>>,
}

/// A key or a row, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Record {
    /// The part of the key, such as `stock`; or the table of the row.
    pub name: String,
    /// What it holds, as text.
    pub value: String,
}

/// One who takes part in a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// The letter in the schedule.
    pub letter: char,
    /// What comes next, unless it has ended.
    pub next: Option<Call>,
    /// Whether it can take a step. Who waits for somebody else cannot.
    pub can_go: bool,
    /// What the attempt was told, if it has ended.
    pub told: Option<Told>,
}

/// A step: one call, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Whose step; see [`Play::schedule`].
    pub letter: char,
    /// What was called.
    pub call: Call,
    /// The reply; nothing if the call waits for somebody else and will be made again.
    pub reply: Option<String>,
    /// What the attempt has noted since: names and values.
    pub locals: Vec<(String, String)>,
    /// What the attempt was told, if this was its last step.
    pub told: Option<Told>,
    /// The records after it.
    pub records: Vec<Record>,
}

/// A call that a strategy makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// The form in which it is sent.
    pub form: Form,
    /// The commands or statements, each with its arguments. Keys by their parts.
    pub commands: Vec<Vec<String>>,
    /// The line of the strategy's source that makes it; 0 for the passing of time.
    pub line: u32,
}

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A command.
    Command,
    /// Commands that are sent together, between which others may come.
    Pipeline,
    /// MULTI and EXEC around commands.
    Transaction,
    /// A Lua script.
    Script,
    /// A statement of SQL.
    Sql,
    /// A lock in the memory of a server.
    Lock,
    /// Work that takes a while and calls nobody.
    Work,
    /// The lifetimes of all locks end.
    Time,
}
