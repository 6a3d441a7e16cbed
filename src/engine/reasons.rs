//! Why operators made the changes of a batch, as `lua/lib/reasons.lua` adds it to an event.

use std::iter;
use store::stream::{Entry, Read, packed};

/// The reason of each change of an entry, in their order; `None` for each that has none.
///
/// # Errors
/// If it does not have the form that the scripts write.
pub fn reasons(entry: &Entry) -> Read<impl Iterator<Item = Option<String>> + use<>> {
    const FIELD: &str = "reasons";
    // Older programs write no such field, and neither do events in which no change has a reason.
    let given: Vec<String> = if entry.1.bytes(FIELD).is_some() { packed(entry, FIELD)? } else { Vec::new() };
    let given = given.into_iter().map(|reason| Some(reason).filter(|reason| !reason.is_empty()));
    Ok(given.chain(iter::repeat(None)))
}
