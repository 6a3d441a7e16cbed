//! What the script of a sale does in an attempt: each command that it calls, with its arguments, its reply and its time.
//! The script is the one that decides, and runs on a copy of the sale's keys; the sale never sees anything of it.

mod api;

pub use api::ExplainApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an attempt made the script do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The script, by its path below `lua/`.
    pub script: String,
    /// The name of the code that the attempt was answered with, as in `lua/README.md`: `sold out`; `null` if the script
    /// did not come to its end.
    pub code: Option<String>,
    /// What the script answered: for the attempt a code and a detail, then what its caller has seen of the sale.
    pub reply: String,
    /// Whether the script came to its end; if not, the reply says why.
    pub has_ended: bool,
    /// How long the script took, in microseconds, with the time that it took to note its commands.
    pub micros: u64,
    /// The commands that it called, in their order.
    pub commands: Vec<ExplainedCommand>,
}

/// A command that a script called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedCommand {
    /// The line of the script's source, as its page shows it; `null` where Lua does not know it.
    pub line: Option<u32>,
    /// The command and its arguments, keys by their parts. What is long is cut.
    pub words: Vec<String>,
    /// The reply. What is long is cut.
    pub reply: String,
    /// How long it took, in microseconds.
    pub micros: u64,
}
