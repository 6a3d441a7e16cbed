//! Cookies with the facts about a reader that the server needs before it renders a page: language, theme, time zone,
//! name, and whether single characters act.

use crate::base_path::base_path;
use codee::string::FromToStringCodec;
use leptos::prelude::*;
use leptos_use_cookie::{SameSite, UseCookieOptions, use_cookie_with_options};
#[cfg(feature = "ssr")]
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

/// The lifetime of a cookie, in milliseconds: a year.
const KEPT_FOR_MS: i64 = 365 * 86_400_000;

/// Returns the value of a cookie, and its setter. The value is `None` while there is no cookie.
pub fn use_kept<T>(name: &str) -> (Signal<Option<T>>, WriteSignal<Option<T>>)
where
    T: Display + FromStr<Err: Debug> + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let base = base_path();
    let options = UseCookieOptions::default().max_age(KEPT_FOR_MS).path(base.of_cookies()).same_site(SameSite::Lax);
    use_cookie_with_options::<T, FromToStringCodec>(name, options)
}

/// Returns the value of a cookie in the request, without writing it again.
#[cfg(feature = "ssr")]
pub fn kept<T>(name: &str) -> Option<T>
where
    T: Display + FromStr<Err: Debug> + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let options = UseCookieOptions::default().readonly(true);
    use_cookie_with_options::<T, FromToStringCodec>(name, options).0.get_untracked()
}

/// Keeps a text from now on, by the setter of [`use_kept`]. On the server the setter does nothing, so the cookie is set
/// in the response.
pub fn keep(name: &str, text: String, set: WriteSignal<Option<String>>) {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');
        let value = utf8_percent_encode(&text, ENCODED);
        let (base, seconds) = (base_path(), KEPT_FOR_MS / 1_000);
        let cookie = format!("{name}={value}; Max-Age={seconds}; Path={}; SameSite=Lax", base.of_cookies());
        let cookie = http::HeaderValue::try_from(cookie).expect("a cookie of ASCII characters");
        response.append_header(http::header::SET_COOKIE, cookie);
    }
    #[cfg(not(feature = "ssr"))]
    let _name = name;
    set.set(Some(text));
}
