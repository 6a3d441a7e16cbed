//! The sample of attempts that changed nothing. The scripts of every kind keep it in the same form.

use model::DeclinedAttempt;
use store::{
    reply::ReplyCode,
    stream::{Entry, number_field, packed},
};

/// Reads at most `most` of the newest attempts in the sample, newest first. `outcome` maps a reply code to the shown
/// outcome, if there is one. Entries in another form than the scripts write are left out.
pub fn refused_sample<O>(
    entries: &[Entry],
    most: usize,
    outcome: fn(ReplyCode) -> Option<O>,
) -> Vec<DeclinedAttempt<O>> {
    let mut refused = Vec::with_capacity(most);
    for entry in entries {
        let (Ok(at), Ok(data)) = (number_field(entry, "at"), packed::<String>(entry, "data")) else { continue };
        for (place, words) in data.chunks_exact(2).enumerate().rev() {
            let (user, code) = (&words[0], &words[1]);
            let code = code.parse().ok().and_then(ReplyCode::from_number);
            if let Some(outcome) = code.and_then(outcome) {
                refused.push(DeclinedAttempt { id: format!("{}/{place}", entry.0), user: user.clone(), outcome, at });
            }
        }
    }
    refused.truncate(most);
    refused
}
