//! Languages and their texts. Each room has a catalogue of its own, one static per language, and a language that lacks
//! a text does not compile. This module has the texts that several rooms share.

mod en;
mod kind;
mod sale_name;
mod zh;

pub use kind::{
    KindWords, Kinds, effect_of_closing, explained_attempt, invariant_name, item_name, kind_info, kind_name,
    kind_names, outcome_name, outcome_names, outcomes,
};
pub use sale_name::sale_name;

use crate::cookie::use_kept;
use leptos::prelude::*;
use model::{SaleState, Verdict, error::Code};

/// What a form says of an invalid id, whatever it is the id of. A literal, so that `concat!` can add to it.
macro_rules! id_error {
    (en) => {
        "Use 1 to 64 printable characters, at most 21 if Chinese."
    };
    (zh) => {
        "请填写 1 至 64 个可见字符，汉字最多 21 个。"
    };
}

pub(crate) use id_error;

/// The cookie with the tag of the language that the reader chose.
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
    /// Its BCP 47 tag, as in `<html lang>` and in the cookie.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The language of a tag, by its first part: `zh-Hans-CN` is [`Lang::Zh`].
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag.split('-').next()?.trim().to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    /// The available language that an `Accept-Language` header prefers; on a tie, the one named
    /// first.
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

    /// Its name in the language itself, for the language switch.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "中文",
        }
    }
}

/// The language of the current page.
pub fn lang() -> Lang {
    use_context().unwrap_or_default()
}

/// Detects the language of the page: on the server from the request's cookie, else from its `Accept-Language` header,
/// else English; in the browser from the page that the server rendered.
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

/// How to choose another language: all tabs load their pages again.
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

/// The texts of one room in the language of the page. Another language would be another argument, so that no room
/// compiles without it.
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
    /// What to enter; shown when the input is invalid.
    pub error: &'static str,
}

/// The shared texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it
/// selects singular or plural.
pub struct Words {
    // The frame around all pages.
    pub brand: &'static str,
    /// Above every page where there is no JavaScript.
    pub without_script: &'static str,
    /// The link to the page as it stands now, where there is no JavaScript.
    pub update: &'static str,
    /// On an error page that is the answer to the form of an attempt.
    pub attempt_made: &'static str,
    pub send_again: &'static str,
    pub skip: &'static str,
    pub navigation: &'static str,
    pub theme: &'static str,
    pub theme_system: &'static str,
    pub theme_light: &'static str,
    pub theme_dark: &'static str,
    pub loading: &'static str,
    pub copied: &'static str,
    pub as_table: &'static str,
    /// The days of a countdown, before its hours.
    pub days: fn(u64) -> String,
    pub time_left: fn(String) -> String,

    // Errors.
    pub error_title: fn(Code) -> &'static str,
    /// What happened, and the next step.
    pub error: fn(Code) -> &'static str,
    /// The same for an attempt, which can be sent again under its request id to get the original answer.
    pub attempt_error: fn(Code) -> &'static str,
    /// Before the time at which an outage was noticed.
    pub outage_since: &'static str,
    /// Before the time at which the figures were true.
    pub figures_as_of: &'static str,
    /// What can still be done meanwhile.
    pub outage_advice: fn(Code) -> &'static str,
    /// As [`Words::error`], if data could not be loaded, so that nothing was attempted.
    pub load_error: fn(Code) -> &'static str,
    /// Followed by the command that recovers the sale of the page.
    pub recover_by: &'static str,
    /// Followed by links to the sales of other kinds that have the id for which this kind has none.
    pub same_id_elsewhere: &'static str,
    pub not_found: &'static str,
    pub not_found_hint: &'static str,
    pub try_again: &'static str,
    pub back_to_sales: &'static str,
    pub view_history: &'static str,

    // Shared by all kinds of sale.
    pub sale: &'static str,
    pub sale_id: FieldWords,
    pub seed: FieldWords,
    pub your_name: FieldWords,
    /// On the button of the form that opens one.
    pub open_sale: &'static str,
    pub copy_id: &'static str,
    pub opened_at: &'static str,
    pub state_name: fn(SaleState) -> &'static str,
    pub terms: &'static str,
    pub attempts: &'static str,
    pub calls: &'static str,
    pub repeat: &'static str,
    pub time: &'static str,
    pub user: &'static str,
    pub outcome: &'static str,
    pub amount: &'static str,

    // The audit.
    pub audit: &'static str,
    pub audit_now: &'static str,
    pub audited_at: &'static str,
    pub verdict_title: &'static str,
    pub verdict: fn(Verdict) -> &'static str,
    pub verdict_unknown: &'static str,
    pub invariant: &'static str,
    pub invariants: &'static str,
    /// Labels of the invariants that all kinds have, by their stable names.
    pub invariant_name: fn(&str) -> Option<&'static str>,
    pub expected: &'static str,
    pub found: &'static str,

    // The script that decides.
    pub source: &'static str,
    pub source_intro: &'static str,
    pub source_code: &'static str,
    pub show_source: &'static str,
    pub script: &'static str,
    /// The label of its SHA-1, by which EVALSHA calls it.
    pub sha: &'static str,
    pub copy_sha: &'static str,
    pub healed: &'static str,
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
