//! Lua scripts, and the SHA-1 by which Redis calls them.

use crate::{format::FORMAT, keys, reply_code::ReplyCode};
use std::{borrow::Cow, collections::HashSet, fmt::Write, sync::OnceLock};

/// A script from `lua/`, compiled into the program, so that the page shows the code that runs. A debug build reads its
/// files at its first use: after a change, a restart is enough. What a script takes and needs is read from its header.
pub struct Script {
    /// The path below `lua/`.
    pub name: &'static str,
    text: Text,
    is_alone: bool,
    loaded: OnceLock<Loaded>,
}

/// What is made of the text of a script.
struct Loaded {
    parts: Vec<String>,
    source: String,
    sha: String,
}

/// The text of a file of `lua/`; see [`text!`].
pub enum Text {
    /// The text.
    Here(&'static str),
    /// The path of the file.
    At(&'static str),
}

impl Text {
    fn read(&self) -> Cow<'static, str> {
        match self {
            Self::Here(text) => Cow::Borrowed(text),
            Self::At(path) => {
                Cow::Owned(std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}")))
            }
        }
    }
}

/// The text of a file that scripts share.
fn shared(name: &str) -> Text {
    match name {
        "lib/changes" => text!("lib/changes.lua"),
        "lib/coupons" => text!("lib/coupons.lua"),
        "lib/fence" => text!("lib/fence.lua"),
        "lib/items" => text!("lib/items.lua"),
        "lib/life" => text!("lib/life.lua"),
        "lib/orders" => text!("lib/orders.lua"),
        "lib/pause" => text!("lib/pause.lua"),
        "lib/plan" => text!("lib/plan.lua"),
        "lib/reads" => text!("lib/reads.lua"),
        "lib/reasons" => text!("lib/reasons.lua"),
        "lib/recovery" => text!("lib/recovery.lua"),
        "lib/release" => text!("lib/release.lua"),
        "lib/rows" => text!("lib/rows.lua"),
        "lib/stock" => text!("lib/stock.lua"),
        "lib/stream" => text!("lib/stream.lua"),
        other => panic!("scripts share no {other}"),
    }
}

impl Script {
    /// A script that consists of this text only.
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self::from_file(name, Text::Here(text), true)
    }

    /// See [`script!`].
    pub const fn from_file(name: &'static str, text: Text, is_alone: bool) -> Self {
        Self { name, text, is_alone, loaded: OnceLock::new() }
    }

    fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let own = self.text.read();
            let (parts, source) =
                if self.is_alone { (Vec::new(), own.into_owned()) } else { (keys_of(&own), whole(self.name, &own)) };
            let sha = sha1_smol::Sha1::from(&source).digest().to_string();
            Loaded { parts, source, sha }
        })
    }

    /// The source, after the constants, `lib/reads`, the included files and what the header says of KEYS and ARGV.
    pub fn source(&self) -> &str {
        &self.loaded().source
    }

    /// The SHA-1 of the source, in hex, for EVALSHA.
    pub fn sha(&self) -> &str {
        &self.loaded().sha
    }

    /// The names of KEYS: for the scripts of a kind, the parts of a sale's keys.
    pub fn parts(&self) -> &[String] {
        &self.loaded().parts
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

    /// The KEYS for a sale without a group.
    pub fn keys(&self, kind: &str, sale: &str) -> Vec<String> {
        self.parts().iter().map(|part| keys::sale(kind, sale, part)).collect()
    }
}

/// The comment that a script opens with, line by line.
fn header(own: &str) -> impl Iterator<Item = &str> {
    own.lines().map_while(|line| line.strip_prefix("--"))
}

/// The names of the entries that a header numbers from 1 after this title, and whether more may follow, as in `3 ..`.
fn numbered<'a>(own: &'a str, title: &str) -> (Vec<&'a str>, bool) {
    let mut lines = header(own).skip_while(|line| !line.starts_with(title));
    let first = lines.next().and_then(|line| line.strip_prefix(title));
    let mut entries = Vec::new();
    for line in first.into_iter().chain(lines.take_while(|line| line.starts_with("    "))) {
        let mut words = line.split_whitespace();
        // Other lines continue an entry.
        if words.next().and_then(|word| word.parse().ok()) == Some(entries.len() + 1) {
            match words.next() {
                Some("..") => return (entries, true),
                word => entries.extend(word),
            }
        }
    }
    (entries, false)
}

fn keys_of(own: &str) -> Vec<String> {
    numbered(own, " KEYS").0.into_iter().map(str::to_owned).collect()
}

fn is_between_words(c: char) -> bool {
    !c.is_ascii_alphanumeric() && c != '_'
}

/// A script as Redis gets it. Flags, constants and `lib/reads` precede every script, then the files that its header
/// includes. Its KEYS are locals of the names in the header.
fn whole(name: &str, own: &str) -> String {
    let flags = header(own).find_map(|line| line.strip_prefix(" Flags: "));
    let includes = header(own).find_map(|line| line.strip_prefix(" Includes "));
    let mut source = flags.map_or_else(|| "#!lua\n".to_owned(), |flags| format!("#!lua flags={flags}\n"));

    let mut text = String::new();
    for name in ["lib/reads"].into_iter().chain(includes.into_iter().flat_map(|names| names.split(", "))) {
        text.extend([shared(name).read().as_ref(), "\n"]);
    }
    // Only those that it uses: a script may have 200 local variables.
    source += "-- Reply codes, and the version of the data.\n\n";
    let words: HashSet<&str> = [&text, own].into_iter().flat_map(|text| text.split(is_between_words)).collect();
    for code in ReplyCode::ALL {
        let constant = code.name().to_uppercase().replace(' ', "_");
        if words.contains(&*constant) {
            writeln!(source, "local {constant} = {}", *code as i64).expect("a string takes everything");
        }
    }
    source += &format!("local FORMAT = {FORMAT}\n\n");
    source += &text;

    let ((keys, more_keys), (args, more_args)) = (numbered(own, " KEYS"), numbered(own, " ARGV"));
    let compared = |has_more| if has_more { ">=" } else { "==" };
    let numbers =
        format!("#KEYS {} {} and #ARGV {} {}", compared(more_keys), keys.len(), compared(more_args), args.len());
    let names = match keys.is_empty() {
        true => String::new(),
        false => format!("local {} = unpack(KEYS)\n", keys.join(", ")),
    };
    source += &format!("-- From the header of {name}.\n\n{names}assert({numbers}, '{name} expects {numbers}')\n\n");
    source + own
}

/// Declares a script by its path below `lua/`. A full Redis refuses it before it has done anything, unless its header
/// has the flag `allow-oom`, for the scripts that `lua/README.md` names, or `no-writes`, for scripts that only read. An `alone` script has nothing before it: it is a foreign script, for comparison.
#[macro_export]
macro_rules! script {
    (alone $path:literal) => {
        $crate::script::Script::from_file($path, $crate::script::text!($path), true)
    };
    ($path:literal) => {
        $crate::script::Script::from_file($path, $crate::script::text!($path), false)
    };
}
pub use script;

/// The text of a file below `lua/`: a debug build has only its path.
#[cfg(debug_assertions)]
#[doc(hidden)]
#[macro_export]
macro_rules! text {
    ($path:literal) => {
        $crate::script::Text::At(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lua/", $path))
    };
}
#[cfg(not(debug_assertions))]
#[doc(hidden)]
#[macro_export]
macro_rules! text {
    ($path:literal) => {
        $crate::script::Text::Here(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lua/", $path)))
    };
}
pub use text;
