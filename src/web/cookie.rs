//! What the server needs to know of a reader before it renders a page (language, theme, time zone, name), kept in cookies.

use codee::string::FromToStringCodec;
use leptos::prelude::*;
use leptos_use_cookie::{SameSite, UseCookieOptions, use_cookie_with_options};
#[cfg(feature = "ssr")]
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
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

/// Keeps a text from now on, by the setter of [`use_kept`]; on the server with the answer to the request, of which the setter
/// knows nothing.
pub fn keep(name: &str, text: String, set: WriteSignal<Option<String>>) {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');
        let value = utf8_percent_encode(&text, ENCODED);
        let cookie = format!("{name}={value}; Max-Age={}; Path=/; SameSite=Lax", KEPT_FOR_MS / 1_000);
        let cookie = http::HeaderValue::try_from(cookie).expect("a cookie of ASCII characters");
        response.append_header(http::header::SET_COOKIE, cookie);
    }
    #[cfg(not(feature = "ssr"))]
    let _name = name;
    set.set(Some(text));
}
