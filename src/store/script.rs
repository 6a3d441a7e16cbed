//! Lua scripts, and the SHA-1 by which Redis calls them.

use crate::keys;
use std::sync::OnceLock;

/// A script from `lua/`, compiled into the program, so that the page shows the code that runs. A debug build reads its
/// files at its first use: after a change, a restart is enough.
pub struct Script {
    /// The path below `lua/`.
    pub name: &'static str,
    /// The parts of a sale's keys, in the order of KEYS.
    pub parts: &'static [&'static str],
    source: Source,
    sha: OnceLock<String>,
}

enum Source {
    Text(&'static str),
    #[cfg(debug_assertions)]
    Files {
        flags: &'static str,
        paths: &'static [&'static str],
        text: OnceLock<String>,
    },
}

impl Script {
    /// A script from its path, key parts and source; see [`script!`].
    pub const fn new(name: &'static str, parts: &'static [&'static str], source: &'static str) -> Self {
        Self { name, parts, source: Source::Text(source), sha: OnceLock::new() }
    }

    /// Like [`Script::new`], from files.
    #[cfg(debug_assertions)]
    pub const fn read(
        name: &'static str,
        parts: &'static [&'static str],
        flags: &'static str,
        paths: &'static [&'static str],
    ) -> Self {
        Self { name, parts, source: Source::Files { flags, paths, text: OnceLock::new() }, sha: OnceLock::new() }
    }

    /// The source, after the reply codes, `lib/writes` and the included files.
    pub fn source(&self) -> &str {
        match &self.source {
            Source::Text(text) => text,
            #[cfg(debug_assertions)]
            Source::Files { flags, paths, text } => text.get_or_init(|| {
                let read = |path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
                format!("{flags}{}", paths.iter().map(read).collect::<Vec<_>>().join("\n"))
            }),
        }
    }

    /// The SHA-1 of the source, in hex, for EVALSHA.
    pub fn sha(&self) -> &str {
        self.sha.get_or_init(|| sha1_smol::Sha1::from(self.source()).digest().to_string())
    }

    /// The commands that the script calls, in the notation of Redis' ACL: command and subcommand are separated by a
    /// bar.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.source().split("redis.call('").skip(1).filter_map(|call| {
            // 'XADD', events … or 'XGROUP', 'CREATE', events …
            let mut words = call.split('\'');
            let command = words.next()?;
            let subcommand = words.next().filter(|between| *between == ", ").and_then(|_| words.next());
            Some(subcommand.map_or_else(|| command.to_owned(), |subcommand| format!("{command}|{subcommand}")))
        })
    }

    /// Whether the script gives something away or stores something new. A full Redis refuses such a script.
    pub fn grows(&self) -> bool {
        self.source().starts_with("#!lua\n")
    }

    /// Whether the script only reads.
    pub fn only_reads(&self) -> bool {
        self.source().starts_with("#!lua flags=no-writes\n")
    }

    /// The KEYS for a sale.
    pub fn keys(&self, kind: &str, sale: &str) -> Vec<String> {
        self.parts.iter().map(|part| keys::sale(kind, sale, part)).collect()
    }
}

/// Declares a script: its path below `lua/`, the parts of a sale's keys that it takes, and the files of `lua/lib/` that
/// its header includes. The flags, the reply codes and `lib/writes` precede the source of every script. `allow_oom` is
/// for scripts that free memory or settle something begun earlier, `no_writes` for scripts that only read. A full Redis
/// refuses all other scripts before they have done anything. An `alone` script has nothing before it: it is a foreign
/// script, for comparison.
#[macro_export]
macro_rules! script {
    (alone $path:literal) => { $crate::script::of_files!($path, [], "", [$path]) };
    (allow_oom $($rest:tt)*) => { $crate::script::flagged!("#!lua flags=allow-oom\n", $($rest)*) };
    (no_writes $($rest:tt)*) => { $crate::script::flagged!("#!lua flags=no-writes\n", $($rest)*) };
    ($($rest:tt)*) => { $crate::script::flagged!("#!lua\n", $($rest)*) };
}
pub use script;

#[doc(hidden)]
#[macro_export]
macro_rules! flagged {
    ($flags:literal, $path:literal, [$($part:literal),* $(,)?] $(, $include:literal)*) => {
        $crate::script::of_files!(
            $path,
            [$($part),*],
            $flags,
            ["lib/codes.lua", "lib/writes.lua", $(concat!($include, ".lua"),)* $path]
        )
    };
}
pub use flagged;

#[cfg(debug_assertions)]
#[doc(hidden)]
#[macro_export]
macro_rules! of_files {
    ($name:literal, [$($part:literal),*], $flags:literal, [$($path:expr),* $(,)?]) => {
        $crate::script::Script::read(
            $name,
            &[$($part),*],
            $flags,
            &[$(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lua/", $path)),*],
        )
    };
}
#[cfg(not(debug_assertions))]
#[doc(hidden)]
#[macro_export]
macro_rules! of_files {
    ($name:literal, [$($part:literal),*], $flags:literal, [$path:expr $(, $more:expr)* $(,)?]) => {
        $crate::script::Script::new(
            $name,
            &[$($part),*],
            concat!(
                $flags,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lua/", $path)),
                $("\n", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lua/", $more)),)*
            ),
        )
    };
}
pub use of_files;
