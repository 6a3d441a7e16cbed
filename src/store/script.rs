//! Lua scripts and their SHA-1, by which Redis calls them.

use crate::keys;
use std::sync::OnceLock;

/// A script from `lua/`, compiled into the program, so that what the page shows is what runs. A debug build reads its
/// files when it is first needed: after a change, a restart is enough.
pub struct Script {
    /// Its path below `lua/`.
    pub name: &'static str,
    /// The parts of a sale's keys that it takes, in the order of KEYS.
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

    /// The same, from its files.
    #[cfg(debug_assertions)]
    pub const fn read(
        name: &'static str,
        parts: &'static [&'static str],
        flags: &'static str,
        paths: &'static [&'static str],
    ) -> Self {
        Self { name, parts, source: Source::Files { flags, paths, text: OnceLock::new() }, sha: OnceLock::new() }
    }

    /// Its source, with the reply codes, `lib/writes` and the included files prepended.
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

    /// SHA-1 of the source, in hex, as EVALSHA takes it.
    pub fn sha(&self) -> &str {
        self.sha.get_or_init(|| sha1_smol::Sha1::from(self.source()).digest().to_string())
    }

    /// The commands that it calls, as Redis' lists of rights name them: a subcommand follows its command after a bar.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.source().split("redis.call('").skip(1).filter_map(|call| {
            // 'XADD', events … or 'XGROUP', 'CREATE', events …
            let mut words = call.split('\'');
            let command = words.next()?;
            let subcommand = words.next().filter(|between| *between == ", ").and_then(|_| words.next());
            Some(subcommand.map_or_else(|| command.to_owned(), |subcommand| format!("{command}|{subcommand}")))
        })
    }

    /// Whether it gives something away or stores something new: Redis refuses it when it is full.
    pub fn grows(&self) -> bool {
        self.source().starts_with("#!lua\n")
    }

    /// Whether it changes nothing.
    pub fn only_reads(&self) -> bool {
        self.source().starts_with("#!lua flags=no-writes\n")
    }

    /// Its KEYS for a sale.
    pub fn keys(&self, kind: &str, sale: &str) -> Vec<String> {
        self.parts.iter().map(|part| keys::sale(kind, sale, part)).collect()
    }
}

/// A script by its path below `lua/`, the parts of a sale's keys that it takes, and the files of `lua/lib/` that its
/// header includes. Every script has the reply codes and `lib/writes` before it, and its flags before everything:
/// `allow_oom` for what frees memory or settles what was begun, `no_writes` for what only reads. Redis refuses all others
/// when it is full, before they have done anything. Only what is `alone` has nothing before it: a script of others, to
/// compare with.
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
