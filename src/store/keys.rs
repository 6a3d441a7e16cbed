//! Every key that Stampede has in Redis is built here.
//!
//! All keys of a sale share the hash tag `{<kind>:<sale>}` and so one slot of a cluster. A sale's id
//! may hold any printable character, braces included: no part contains `}`, so the last `}:` always
//! ends the id and two sales never meet.

/// All sales, newest last: sorted set of `<kind>:<sale>` by opening time.
pub const SALES: &str = "stampede:sales";

/// How often a sale was taken off [`SALES`].
pub const UNLISTED: &str = "stampede:unlisted";

/// Closed sales that are archived by themselves: sorted set of `<kind>:<sale>` by closing time.
pub const CLOSED: &str = "stampede:closed";

/// The process that writes the ledger now, gone when it is silent.
pub const WRITER: &str = "stampede:writer";

/// The identity of the ledger that this Redis feeds.
pub const LEDGER: &str = "stampede:ledger";

/// The last audit of each sale: hash of `<kind>:<sale>` to JSON.
pub const AUDITS: &str = "stampede:audits";

/// How often NOSCRIPT was healed: hash of script name to count.
pub const HEALED: &str = "stampede:healed";

/// `<kind>:<sale>`: a sale as the keys above name it.
pub fn name(kind: &str, sale: &str) -> String {
    format!("{kind}:{sale}")
}

/// Kind and id of a sale by its [`name`]. A kind has no colon in it.
pub fn split_name(name: &str) -> Option<(&str, &str)> {
    name.split_once(':')
}

/// `{<kind>:<sale>}:<part>`
pub fn sale(kind: &str, sale: &str, part: &str) -> String {
    format!("{{{kind}:{sale}}}:{part}")
}

/// The status of a crowd run, as JSON.
pub fn run(run: &str) -> String {
    format!("crowd:{run}")
}

/// Set when somebody asked a crowd run to stop. No run can be called so that [`run`] gives this key.
pub fn run_stop(run: &str) -> String {
    format!("crowd_stop:{run}")
}
