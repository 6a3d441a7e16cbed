//! What the server needs to know of a reader before it renders a page (language, theme, time zone, name), kept in cookies.

use codee::string::FromToStringCodec;
use leptos::prelude::*;
use leptos_use_cookie::{SameSite, UseCookieOptions, use_cookie_with_options};
use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

/// How long it is kept, in milliseconds: a year.
const KEPT_FOR_MS: i64 = 365 * 86_400_000;

/// The value of a cookie, and its setter. `None` while there is none.
pub fn use_kept<T>(name: &str) -> (Signal<Option<T>>, WriteSignal<Option<T>>)
where
    T: Display + FromStr<Err: Debug> + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let options = UseCookieOptions::default().max_age(KEPT_FOR_MS).path("/").same_site(SameSite::Lax);
    use_cookie_with_options::<T, FromToStringCodec>(name, options)
}

/// The value of a cookie as the request has it; it is not written again.
#[cfg(feature = "ssr")]
pub fn kept<T>(name: &str) -> Option<T>
where
    T: Display + FromStr<Err: Debug> + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let options = UseCookieOptions::default().readonly(true);
    use_cookie_with_options::<T, FromToStringCodec>(name, options).0.get_untracked()
}
