//! The sample of attempts that changed nothing, which the scripts of every kind keep alike.

use crate::{
    domain::DeclinedAttempt,
    error::Result,
    store::stream::{Entry, number_field, packed},
};

/// Reads at most so many of the sample's newest, newest first; `outcome` says what a reply code means.
///
/// # Errors
/// `unavailable` where an entry is none of ours.
pub fn declined<O>(entries: &[Entry], most: usize, outcome: fn(i64) -> O) -> Result<Vec<DeclinedAttempt<O>>> {
    let mut declined = Vec::with_capacity(most);
    for entry in entries {
        let at = number_field(entry, "at")?;
        for (place, words) in packed::<String>(entry, "data")?.chunks_exact(2).enumerate().rev() {
            let outcome = outcome(words[1].parse().unwrap_or_default());
            declined.push(DeclinedAttempt { id: format!("{}/{place}", entry.0), user: words[0].clone(), outcome, at });
        }
    }
    declined.truncate(most);
    Ok(declined)
}
