//! A Lua script and the name by which Redis calls it.

use std::sync::OnceLock;

/// A script from `lua/`, compiled into the program: what the page shows is what runs.
pub struct Script {
    /// Its path below `lua/`.
    pub name: &'static str,
    pub source: &'static str,
    sha: OnceLock<String>,
}

impl Script {
    pub const fn new(name: &'static str, source: &'static str) -> Self {
        Self { name, source, sha: OnceLock::new() }
    }

    /// SHA-1 of the source, in hex, as EVALSHA takes it.
    pub fn sha(&self) -> &str {
        self.sha.get_or_init(|| sha1_smol::Sha1::from(self.source).digest().to_string())
    }
}
