//! The name that the reader goes by, which the browser remembers.

use super::platform;

/// The id of the field that it is in, and where the browser keeps it.
pub const NAME: &str = "user";

/// Puts the name into its field once the browser has taken over: the one of last time, or one that another browser
/// is unlikely to have.
pub fn keep() {
    let name = platform::remembered(NAME).unwrap_or_else(new_name);
    platform::remember(NAME, &name);
    platform::type_in(NAME, &name);
}

/// The name as it is now; remembered from now on.
pub fn typed() -> String {
    let name = platform::typed(NAME);
    platform::remember(NAME, &name);
    name
}

fn new_name() -> String {
    let id = platform::random_id();
    let tail: String = id.chars().rev().take(4).collect();
    ["me-", &tail].concat()
}
