//! The newest sales of a kind.

use crate::{
    error::Result,
    store::{Store, keys},
};

/// Lines in a list of sales.
const LISTED: usize = 50;
/// Sales of all kinds among which they are looked for, the newest.
const LOOKED_AT: usize = 1_000;

/// Their ids, newest first; also of such as are not open yet.
///
/// # Errors
/// `unavailable`.
pub async fn newest(store: &Store, kind: &str) -> Result<Vec<String>> {
    let names: Vec<String> = store.query("ZREVRANGE", (keys::SALES, 0, LOOKED_AT - 1)).await?;
    let sales = names.iter().filter_map(|name| name.strip_prefix(kind)?.strip_prefix(':'));
    Ok(sales.take(LISTED).map(str::to_owned).collect())
}
