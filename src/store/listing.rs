//! The list of sales in Redis, and the fields of a sale's record. Both tolerate foreign data under their keys.

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

/// The version of the list: the number of listed sales, and how many were ever removed and recovered. It changes
/// whenever a sale is added, removed or recovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    listed: u64,
    unlisted: u64,
    /// The number of recoveries so far. A recovery may make something due again in a sale in which nothing was due any
    /// more.
    pub recovered: u64,
}

/// Reads the version of the list, at constant cost.
///
/// # Errors
/// `unavailable`; `store_refused` if the key of the list or of a count holds something else.
pub async fn version(store: &Store) -> Result<Version> {
    let (mut listed, mut unlisted, mut recovered) = (command("ZCARD"), command("GET"), command("GET"));
    listed.arg(store.key(keys::SALES));
    unlisted.arg(store.key(keys::UNLISTED));
    recovered.arg(store.key(keys::RECOVERED));
    let mut pipeline = Pipeline::with_capacity(3);
    // No transaction, because a full Redis takes none. In this order, a sale removed between the commands makes a
    // version that never recurs.
    pipeline.add_command(unlisted).add_command(recovered).add_command(listed);
    let counts = store.pipeline::<(Option<Vec<u8>>, Option<Vec<u8>>, u64)>(&pipeline).await;
    // A key of another type.
    let (unlisted, recovered, listed) =
        counts.map_err(|error| if error.code == Code::Internal { unreadable(store) } else { error })?;
    let parse = |text: Vec<u8>| std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    let count = |text: Option<Vec<u8>>| text.map_or(Ok(0), |text| parse(text).ok_or_else(|| unreadable(store)));
    let version = Version { listed, unlisted: count(unlisted)?, recovered: count(recovered)? };
    store.inner.groups.note_recovered(version.recovered);
    Ok(version)
}

fn unreadable(store: &Store) -> Error {
    let why = format!(
        "Redis has something else in place of the list of sales, so nothing is recorded: `{}` must be a sorted set, `{}` and \
         `{}` must be numbers. Delete the one that is not; what it held is made anew.",
        store.key(keys::SALES),
        store.key(keys::UNLISTED),
        store.key(keys::RECOVERED)
    );
    Error::new(Code::StoreRefused, why)
}

/// Every name on the list, `<kind>:<sale>`, oldest first. The groups of all of them are known afterwards.
///
/// # Errors
/// `unavailable`.
pub async fn names(store: &Store) -> Result<Vec<String>> {
    let names = store.query("ZRANGE", (store.key(keys::SALES), 0, -1)).await.map(readable)?;
    store.find_groups(&names).await?;
    store.inner.groups.note_listed(&names);
    Ok(names)
}

/// The names of a list that are text. Other names were put there by hand.
pub fn readable(names: Vec<Vec<u8>>) -> Vec<String> {
    names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect()
}

/// The state of a sale in Redis. `None` if Redis has no record of it, or if something else is stored under its key.
///
/// # Errors
/// `unavailable`, `store_refused`.
pub async fn state_of(store: &Store, kind: &str, sale: &str) -> Result<Option<String>> {
    field_of(store, kind, sale, "state").await
}

/// A field of the record of a sale. `None` as in [`state_of`].
///
/// # Errors
/// As [`state_of`].
pub async fn field_of(store: &Store, kind: &str, sale: &str, field: &str) -> Result<Option<String>> {
    loop {
        let meta = store.sale_key(kind, sale, "meta");
        if store.query::<String>("TYPE", &meta).await? != "hash" {
            return Ok(None);
        }
        let (value, group): (Option<String>, Option<String>) = store.query("HMGET", (meta, field, "group")).await?;
        // The record may be that of an id in a group that this process does not know yet.
        if value.is_some() || group.is_none() || !store.find_group(kind, sale).await? {
            return Ok(value);
        }
    }
}

/// Removes a sale from the list. Its keys belong to no sale: [`keys::SALES`], [`keys::AUDITS`], [`keys::CLOSED`],
/// [`keys::UNLISTED`].
pub static UNLIST: Script = script!("sale/unlist.lua");

/// Adds a sale to the list, with its opening time, unless it is listed.
///
/// # Errors
/// `unavailable`.
pub async fn list(store: &Store, kind: &str, sale: &str, opened_at: Millis) -> Result<()> {
    let name = keys::name(kind, sale);
    store.query::<i64>("ZADD", (store.key(keys::SALES), "NX", opened_at, &name)).await?;
    store.inner.groups.note_added(&name);
    Ok(())
}

/// Removes a name from the list, and from everything else stored by name.
///
/// # Errors
/// `unavailable`.
pub async fn unlist(store: &Store, name: &str) -> Result<()> {
    let keys = [store.key(keys::SALES), store.key(keys::AUDITS), store.key(keys::CLOSED), store.key(keys::UNLISTED)]
        .map(str::to_owned);
    match store.eval_on(&UNLIST, &keys, name).await?.code {
        ReplyCode::Done => {
            store.inner.groups.forget(name);
            Ok(())
        }
        code => Err(code.unexpected(&UNLIST)),
    }
}
