//! Builds every key that Stampede uses in Redis.
//!
//! All keys of a sale share the hash tag `{<kind>:<sale>}`, and so one slot of a cluster. A sale's id may contain any
//! printable character, including braces. No part contains `}`, so the last `}:` always ends the id, and two sales
//! never share a key.
//!
//! All keys of all sales of a group share the hash tag `{group:<kind>:<bytes>:<group>}`. No kind is called `group`, and
//! the number of bytes says where the name of the group ends, so these keys are no others' either.

/// A key that belongs to no sale, for [`Store::key`](crate::Store::key).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalKey {
    /// Its name in a single Redis: `stampede:<name>`
    pub one: &'static str,
    /// Its name in a cluster: `{stampede}:<name>`. All have the one hash tag, so that a script can take several.
    pub cluster: &'static str,
}

macro_rules! global {
    ($name:literal) => {
        GlobalKey { one: concat!("stampede:", $name), cluster: concat!("{stampede}:", $name) }
    };
}

/// All sales, newest last: sorted set of `<kind>:<sale>` by opening time.
pub const SALES: GlobalKey = global!("sales");

/// The number of sales ever removed from [`SALES`].
pub const UNLISTED: GlobalKey = global!("unlisted");

/// Closed sales that wait for automatic archiving: sorted set of `<kind>:<sale>` by closing time.
pub const CLOSED: GlobalKey = global!("closed");

/// The process that writes the ledger. Expires when the process falls silent.
pub const WRITER: GlobalKey = global!("writer");

/// The number of recoveries of sales so far.
pub const RECOVERED: GlobalKey = global!("recovered");

/// The sales that were suspended because Redis has lost events of them, or that are gone: hash of `<kind>:<sale>` to the
/// state of the automatic recovery, as JSON; empty before its first try.
pub const LOST: GlobalKey = global!("lost");

/// The data version of the newest program that served on this Redis.
pub const FORMAT: GlobalKey = global!("format");

/// The identity of the ledger that this Redis feeds.
pub const LEDGER: GlobalKey = global!("ledger");

/// The identity of the data of this Redis. A replica has the same one; a Redis that has lost everything gets another.
pub const REDIS: GlobalKey = global!("redis");

/// The last audit of each sale: hash of `<kind>:<sale>` to JSON.
pub const AUDITS: GlobalKey = global!("audits");

/// The numbers of NOSCRIPT retries: hash of script name to count.
pub const HEALED: GlobalKey = global!("healed");

/// The current run of the lab. Expires when its server falls silent.
pub const LAB: GlobalKey = global!("lab");

/// The id of the latest run of the lab.
pub const LAB_LATEST: GlobalKey = global!("lab_latest");

/// The name of a sale in the keys above: `<kind>:<sale>`.
pub fn name(kind: &str, sale: &str) -> String {
    format!("{kind}:{sale}")
}

/// Kind and id of a sale by its [`name`]. A kind contains no colon.
pub fn split_name(name: &str) -> Option<(&str, &str)> {
    name.split_once(':')
}

/// `{<kind>:<sale>}:<part>`
pub fn sale(kind: &str, sale: &str, part: &str) -> String {
    format!("{{{kind}:{sale}}}:{part}")
}

/// `{group:<kind>:<bytes of the group>:<group>}:<sale>:<part>`
pub fn sale_of_group(kind: &str, group: &str, sale: &str, part: &str) -> String {
    format!("{{group:{kind}:{}:{group}}}:{sale}:{part}", group.len())
}

/// The status of a crowd run, as JSON.
pub fn run(run: &str) -> String {
    format!("crowd:{run}")
}

/// The latest requested change of the load of a crowd run: users a second, and an id. No run can have a name for which
/// [`run`] returns this key.
pub fn run_change(run: &str) -> String {
    format!("crowd_change:{run}")
}

/// Set when a crowd run was asked to stop. No run can have a name for which [`run`] returns this key.
pub fn run_stop(run: &str) -> String {
    format!("crowd_stop:{run}")
}

/// The status of a run of the lab, as JSON.
pub fn lab_run(run: &str) -> String {
    format!("lab:{run}")
}

/// Set when a run of the lab was asked to stop. No run can have a name for which [`lab_run`] returns this key.
pub fn lab_stop(run: &str) -> String {
    format!("lab_stop:{run}")
}
