//! Languages and their texts. Each module has its own table (`words.rs`), with each text in both languages; a text
//! without one of them does not compile. This module has the texts that several modules share.

mod kind;
mod sale_name;
mod table;
mod words;

pub use kind::{
    KindWords, Kinds, effect_of_closing, explained_attempt, invariant_name, item_name, kind_info, kind_name,
    kind_names, outcome_name, outcome_names, outcomes,
};
pub use sale_name::sale_name;
pub(crate) use table::words;
pub use words::{Words, words};

use crate::cookie::use_kept;
use leptos::prelude::*;

/// The error for an invalid id of any object. A literal, so that `concat!` can append to it.
macro_rules! id_error {
    (en) => {
        "Up to 64 visible characters (21 in Chinese)."
    };
    (zh) => {
        "最多 64 个可见字符（汉字最多 21 个）。"
    };
}

pub(crate) use id_error;

/// The cookie with the tag of the reader's chosen language.
const COOKIE: &str = "lang";

/// The languages of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Returns its BCP 47 tag, as in `<html lang>` and in the cookie.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// Returns the language of a tag, by its first part: `zh-Hans-CN` is [`Lang::Zh`].
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag.split('-').next()?.trim().to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    /// Returns the available language that an `Accept-Language` header prefers; on a tie, the first.
    pub fn accepted(header: &str) -> Self {
        let mut best = (0.0, Self::default());
        for preference in header.split(',') {
            let (tag, weight) = preference.split_once(";q=").unwrap_or((preference, "1"));
            let weight = weight.trim().parse().unwrap_or(0.0);
            if let Some(lang) = Self::from_tag(tag.trim())
                && weight > best.0
            {
                best = (weight, lang);
            }
        }
        best.1
    }

    /// Returns its name in the language itself, for the language switch.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "中文",
        }
    }
}

/// Returns the language of the current page.
pub fn lang() -> Lang {
    use_context().unwrap_or_default()
}

/// Detects the language of the page. On the server, it comes from the request's cookie, else from its `Accept-Language`
/// header, else it is English. In the browser, it is the language of the server's page.
pub fn detect_lang() -> Lang {
    #[cfg(feature = "ssr")]
    {
        // The list of routes is generated once, at start-up, without a request.
        let Some(parts) = use_context::<http::request::Parts>() else { return Lang::default() };
        let chosen: Option<String> = crate::cookie::kept(COOKIE);
        let accepted = || {
            let header = parts.headers.get(http::header::ACCEPT_LANGUAGE);
            Lang::accepted(header.and_then(|value| value.to_str().ok()).unwrap_or_default())
        };
        chosen.and_then(|tag| Lang::from_tag(&tag)).unwrap_or_else(accepted)
    }
    #[cfg(not(feature = "ssr"))]
    {
        let root = leptos::prelude::document().document_element();
        root.and_then(|root| root.get_attribute("lang")).and_then(|tag| Lang::from_tag(&tag)).unwrap_or_default()
    }
}

/// Returns the setter of the language, which reloads the pages of all tabs.
pub fn use_lang_choice() -> impl Fn(Lang) + Copy + 'static {
    let shown = lang();
    let (chosen, choose) = use_kept::<String>(COOKIE);
    // Runs after `use_cookie`'s own effect has written the cookie; in other tabs, when the cookie's channel reports the
    // change.
    Effect::watch(
        move || chosen.get(),
        move |tag, _, _| {
            if tag.as_deref().is_some_and(|tag| tag != shown.tag()) {
                _ = window().location().reload();
            }
        },
        false,
    );
    move |lang| choose.set(Some(lang.tag().to_owned()))
}

/// Returns the texts of one module in the language of the page. Another language would be another argument, so that no
/// module compiles without it.
pub fn by_lang<W>(en: &'static W, zh: &'static W) -> &'static W {
    match lang() {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// The texts of a form field.
#[derive(Clone, Copy, Default)]
pub struct FieldWords {
    pub label: &'static str,
    /// A unit or a limit; empty if the label is enough.
    pub hint: &'static str,
    /// A description of valid input; shown when the input is invalid.
    pub error: &'static str,
}

/// The texts of a figure.
#[derive(Clone, Copy)]
pub struct FigureWords {
    /// Its name.
    pub label: &'static str,
    /// A sentence or two: what it counts or measures; empty if the name is enough.
    pub meaning: &'static str,
}

impl From<&'static str> for FigureWords {
    fn from(label: &'static str) -> Self {
        Self { label, meaning: "" }
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn the_preferred_language_wins() {
        let of = ["", "fr", "zh-CN,zh;q=0.9,en;q=0.8", "en-GB,zh;q=0.5", "fr, zh-Hans;q=0.3, en;q=0.4", "zh;q=0"];
        use Lang::{En, Zh};
        assert_eq!(of.map(Lang::accepted), [En, En, Zh, En, En, En]);
    }
}
