//! Lua scripts and their SHA-1, by which Redis calls them.

use super::keys;
use std::sync::OnceLock;

/// A script from `lua/`, compiled into the program, so that what the page shows is what runs.
pub struct Script {
    /// Its path below `lua/`.
    pub name: &'static str,
    /// The parts of a sale's keys that it takes, in the order of KEYS.
    pub parts: &'static [&'static str],
    /// Its source, with the reply codes, `lib/writes` and the included files prepended.
    pub source: &'static str,
    sha: OnceLock<String>,
}

impl Script {
    /// A script from its path, key parts and source; see [`script!`].
    pub const fn new(name: &'static str, parts: &'static [&'static str], source: &'static str) -> Self {
        Self { name, parts, source, sha: OnceLock::new() }
    }

    /// SHA-1 of the source, in hex, as EVALSHA takes it.
    pub fn sha(&self) -> &str {
        self.sha.get_or_init(|| sha1_smol::Sha1::from(self.source).digest().to_string())
    }

    /// The commands that it calls, as Redis' lists of rights name them: a subcommand follows its command after a bar.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.source.split("redis.call('").skip(1).filter_map(|call| {
            // 'XADD', events … or 'XGROUP', 'CREATE', events …
            let mut words = call.split('\'');
            let command = words.next()?;
            let subcommand = words.next().filter(|between| *between == ", ").and_then(|_| words.next());
            Some(subcommand.map_or_else(|| command.to_owned(), |subcommand| format!("{command}|{subcommand}")))
        })
    }

    /// Whether it gives something away or stores something new: Redis refuses it when it is full.
    pub fn grows(&self) -> bool {
        self.source.starts_with("#!lua\n")
    }

    /// Whether it changes nothing.
    pub fn only_reads(&self) -> bool {
        self.source.starts_with("#!lua flags=no-writes\n")
    }

    /// Its KEYS for a sale.
    pub fn keys(&self, kind: &str, sale: &str) -> Vec<String> {
        self.parts.iter().map(|part| keys::sale(kind, sale, part)).collect()
    }
}

/// A script by its path below `lua/`, the parts of a sale's keys that it takes, and the files of `lua/lib/` that its
/// header includes. Every script has the reply codes and `lib/writes` before it, and its flags before everything: `allow_oom` for what
/// frees memory or settles what was begun, `no_writes` for what only reads. Redis refuses all others when it is full,
/// before they have done anything.
macro_rules! script {
    (allow_oom $($rest:tt)*) => { $crate::store::script::flagged!("#!lua flags=allow-oom\n", $($rest)*) };
    (no_writes $($rest:tt)*) => { $crate::store::script::flagged!("#!lua flags=no-writes\n", $($rest)*) };
    ($($rest:tt)*) => { $crate::store::script::flagged!("#!lua\n", $($rest)*) };
}
pub(crate) use script;

macro_rules! flagged {
    ($flags:literal, $path:literal, [$($part:literal),* $(,)?] $(, $include:literal)*) => {
        $crate::store::script::Script::new(
            $path,
            &[$($part),*],
            concat!(
                $flags,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/lib/codes.lua")),
                "\n",
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/lib/writes.lua")),
                "\n",
                $(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/", $include, ".lua")), "\n",)*
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/", $path)),
            ),
        )
    };
}
pub(crate) use flagged;
