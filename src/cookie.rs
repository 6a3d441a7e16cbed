//! What a reader has chosen, kept in cookies, so that the server renders pages accordingly.

use codee::string::FromToStringCodec;
use leptos::prelude::*;
use leptos_use_cookie::{SameSite, UseCookieOptions, use_cookie_with_options};
use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

/// How long a choice is kept, in milliseconds: a year.
const KEPT_FOR_MS: i64 = 365 * 86_400_000;

/// A choice, and how to choose otherwise. `None` while nothing was chosen; one that is `readonly` is never written.
pub fn use_choice<T>(name: &str, readonly: bool) -> (Signal<Option<T>>, WriteSignal<Option<T>>)
where
    T: Display + FromStr<Err: Debug> + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let options = UseCookieOptions::default().max_age(KEPT_FOR_MS).path("/").same_site(SameSite::Lax);
    use_cookie_with_options::<T, FromToStringCodec>(name, options.readonly(readonly))
}
