//! The names of a crowd's users: `u7-<the random end of the run's id>`. They are unique to the run, so that items of
//! others are never taken for theirs.

/// The name of the user at this position in a run.
pub fn user_name(run: &str, place: u32) -> String {
    format!("u{place}-{}", suffix_of(run))
}

/// The position of the user of this name in a run; `None` if it is none of its users.
pub fn place_of_user(run: &str, user: &str) -> Option<u32> {
    user.strip_prefix('u')?.strip_suffix(suffix_of(run))?.strip_suffix('-')?.parse().ok()
}

/// The random end of a run's id.
fn suffix_of(run: &str) -> &str {
    run.rsplit('-').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_of_a_run_are_known_by_their_names() {
        let run = "019b-7c1e-5f3a";
        assert_eq!(user_name(run, 17), "u17-5f3a");
        assert_eq!(place_of_user(run, "u17-5f3a"), Some(17));
        assert_eq!(["ann", "u17", "u17-2", "ux-5f3a"].map(|user| place_of_user(run, user)), [None; 4]);
    }
}
