//! The sample of attempts that changed nothing, which the scripts of every kind keep in the same form.

use crate::{
    domain::DeclinedAttempt,
    error::Result,
    store::{
        reply::ReplyCode,
        stream::{Entry, Unreadable, number_field, packed},
    },
};

/// Reads at most `most` of the newest attempts in the sample, newest first; `outcome` maps a reply code to what is
/// shown, if anything.
///
/// # Errors
/// `unavailable` if an entry is not in the form that the scripts write.
pub fn refused_sample<O>(
    entries: &[Entry],
    most: usize,
    outcome: fn(ReplyCode) -> Option<O>,
) -> Result<Vec<DeclinedAttempt<O>>> {
    let mut refused = Vec::with_capacity(most);
    for entry in entries {
        let at = number_field(entry, "at")?;
        for (place, words) in packed::<String>(entry, "data")?.chunks_exact(2).enumerate().rev() {
            let (user, code) = (&words[0], &words[1]);
            let code = code.parse().ok().and_then(ReplyCode::from_number);
            let code = code.ok_or_else(|| Unreadable(format!("entry {} has no reply code", entry.0)))?;
            if let Some(outcome) = outcome(code) {
                refused.push(DeclinedAttempt { id: format!("{}/{place}", entry.0), user: user.clone(), outcome, at });
            }
        }
    }
    refused.truncate(most);
    Ok(refused)
}
