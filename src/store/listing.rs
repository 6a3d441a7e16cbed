//! The list of the sales that Redis has, and what its record of one says, also where somebody has stored something else in
//! its place.

use crate::{
    Store, command, keys,
    reply::ReplyCode,
    script::{Script, script},
};
use model::{
    Millis,
    error::{Code, Error, Result},
};
use redis::Pipeline;

/// The version of the list, which changes whenever a sale is added, removed or recovered: the number of sales on the list,
/// and how many were ever removed and recovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    listed: u64,
    unlisted: u64,
    /// How many sales were ever recovered: a sale in which nothing was due any more may have something due again.
    pub recovered: u64,
}

/// Reads the version of the list, at constant cost.
///
/// # Errors
/// `unavailable`; `store_refused` if somebody has stored something else in the place of the list or its counts.
pub async fn version(store: &Store) -> Result<Version> {
    let (mut listed, mut unlisted, mut recovered) = (command("ZCARD"), command("GET"), command("GET"));
    listed.arg(keys::SALES);
    unlisted.arg(keys::UNLISTED);
    recovered.arg(keys::RECOVERED);
    let mut pipeline = Pipeline::with_capacity(3);
    // No transaction, as a full Redis takes none. In this order, a sale that is taken off in between makes a version that
    // never comes again.
    pipeline.add_command(unlisted).add_command(recovered).add_command(listed);
    let counts = store.pipeline::<(Option<Vec<u8>>, Option<Vec<u8>>, u64)>(&pipeline).await;
    // What has another type.
    let (unlisted, recovered, listed) =
        counts.map_err(|error| if error.code == Code::Internal { unreadable() } else { error })?;
    let parse = |text: Vec<u8>| std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    let count = |text: Option<Vec<u8>>| text.map_or(Ok(0), |text| parse(text).ok_or_else(unreadable));
    Ok(Version { listed, unlisted: count(unlisted)?, recovered: count(recovered)? })
}

fn unreadable() -> Error {
    let why = format!(
        "Redis has something else in place of the list of sales, so nothing is recorded: `{}` must be a sorted set, `{}` and \
         `{}` must be numbers. Delete the one that is not; what it held is made anew.",
        keys::SALES,
        keys::UNLISTED,
        keys::RECOVERED
    );
    Error::new(Code::StoreRefused, why)
}

/// Every name on the list, `<kind>:<sale>`, oldest first.
///
/// # Errors
/// `unavailable`.
pub async fn names(store: &Store) -> Result<Vec<String>> {
    store.query("ZRANGE", (keys::SALES, 0, -1)).await.map(readable)
}

/// The names on a list that are texts: nobody but somebody by hand has put others there.
pub fn readable(names: Vec<Vec<u8>>) -> Vec<String> {
    names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect()
}

/// The state that Redis has of a sale; `None` if it has no record of it, also if somebody has stored something else in the
/// place of that record.
///
/// # Errors
/// `unavailable`, `store_refused`.
pub async fn state_of(store: &Store, kind: &str, sale: &str) -> Result<Option<String>> {
    field_of(store, kind, sale, "state").await
}

/// A field of the record of a sale; `None` as with [`state_of`].
///
/// # Errors
/// As [`state_of`].
pub async fn field_of(store: &Store, kind: &str, sale: &str, field: &str) -> Result<Option<String>> {
    let meta = keys::sale(kind, sale, "meta");
    if store.query::<String>("TYPE", &meta).await? != "hash" {
        return Ok(None);
    }
    store.query("HGET", (meta, field)).await
}

/// Its keys are of no sale: [`keys::SALES`], [`keys::AUDITS`], [`keys::CLOSED`], [`keys::UNLISTED`].
pub static UNLIST: Script = script!(allow_oom "sale/unlist.lua", []);

/// Puts a sale on the list, as one that was opened at this time, unless it is there.
///
/// # Errors
/// `unavailable`.
pub async fn list(store: &Store, kind: &str, sale: &str, opened_at: Millis) -> Result<()> {
    store.query::<i64>("ZADD", (keys::SALES, "NX", opened_at, keys::name(kind, sale))).await.map(drop)
}

/// Takes a name off the list, and out of whatever is kept by name.
///
/// # Errors
/// `unavailable`.
pub async fn unlist(store: &Store, name: &str) -> Result<()> {
    let keys = [keys::SALES, keys::AUDITS, keys::CLOSED, keys::UNLISTED].map(str::to_owned);
    match store.eval_on(&UNLIST, &keys, name).await?.code {
        ReplyCode::Done => Ok(()),
        code => Err(code.unexpected(&UNLIST)),
    }
}
