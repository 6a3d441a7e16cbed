//! The explanation of an attempt: each command that the script of a sale calls, with its arguments, reply and time. The
//! same script decides real attempts. Here it runs on a copy of the sale's keys, so the sale itself is not affected.

mod api;

pub use api::ExplainApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The script's run for one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The path of the script below `lua/`.
    pub script: String,
    /// The name of the reply code, as in `lua/README.md`: `sold out`; `null` if the script did not finish.
    pub code: Option<String>,
    /// The reply of the script: a code and a detail for the attempt, then the generation and the last event id that the
    /// caller has seen of the sale.
    pub reply: String,
    /// Whether the script finished. If not, the reply gives the reason.
    pub has_ended: bool,
    /// The run time of the script in microseconds, including the time to record its commands.
    pub micros: u64,
    /// The commands that the script called, in order.
    pub commands: Vec<ExplainedCommand>,
}

/// A command that a script called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedCommand {
    /// The line in the script's source, as on the script's page; `null` if Lua does not know it.
    pub line: Option<u32>,
    /// The command and its arguments; keys are shown by their parts. Long words are cut.
    pub words: Vec<String>,
    /// The reply. A long reply is cut.
    pub reply: String,
    /// The run time of the command, in microseconds.
    pub micros: u64,
}
