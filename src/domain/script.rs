//! The script that decides a sale's attempts, for whoever wants to read it.

use serde::{Deserialize, Serialize};

/// The script that decides, as it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptInfo {
    /// `red_packet/claim.lua`
    pub name: String,
    pub source: String,
    /// SHA-1 of the source: the name by which Redis calls it.
    pub sha: String,
    /// How often NOSCRIPT was healed, by all servers on this Redis.
    pub healed: u64,
}
