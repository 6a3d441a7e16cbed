//! Every word on screen, once per language. A language that lacks one does not compile.

mod en;
pub mod ticket;
pub mod ticket_crowd;
mod zh;

use crate::{
    crowd::{ArrivalKind, Phase},
    error::Code,
    live::browser::Link,
    sales::{
        Verdict,
        red_packet::{Splitter, page::Standing},
    },
};
use leptos::prelude::use_context;

/// The languages that the page speaks.
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

    /// The language that an `Accept-Language` header likes best of those we have; of equals, the one
    /// named first.
    pub fn accepted(header: &str) -> Self {
        let mut best = (0.0, Self::default());
        for wish in header.split(',') {
            let (tag, weight) = wish.split_once(";q=").unwrap_or((wish, "1"));
            let weight = weight.trim().parse().unwrap_or(0.0);
            if let Some(lang) = Self::from_tag(tag.trim())
                && weight > best.0
            {
                best = (weight, lang);
            }
        }
        best.1
    }

    pub fn words(self) -> &'static Words {
        match self {
            Self::En => &en::EN,
            Self::Zh => &zh::ZH,
        }
    }
}

/// The language of the page that is being made or shown.
pub fn lang() -> Lang {
    use_context().unwrap_or_default()
}

/// The language of the page: on the server what the request's cookie says, else its browser's setting, else English;
/// in the browser what the server wrote the page in.
pub fn detect_lang() -> Lang {
    #[cfg(feature = "ssr")]
    {
        use http::header::{ACCEPT_LANGUAGE, COOKIE};
        // The list of routes is made once, at start-up, without a request.
        let Some(parts) = use_context::<http::request::Parts>() else { return Lang::default() };
        let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut cookies = header(COOKIE).split(';').filter_map(|pair| pair.trim().split_once('='));
        let chosen = cookies.find(|(name, _)| *name == "lang").and_then(|(_, tag)| Lang::from_tag(tag));
        chosen.unwrap_or_else(|| Lang::accepted(header(ACCEPT_LANGUAGE)))
    }
    #[cfg(not(feature = "ssr"))]
    {
        let root = leptos::prelude::document().document_element();
        root.and_then(|root| root.get_attribute("lang")).and_then(|tag| Lang::from_tag(&tag)).unwrap_or_default()
    }
}

/// Remembers the language and loads the page again in it.
pub fn choose_lang(lang: Lang) {
    use wasm_bindgen::JsCast;
    const A_YEAR_S: u64 = 365 * 86_400;
    let document: web_sys::HtmlDocument = leptos::prelude::document().unchecked_into();
    // Where the browser keeps no cookies the page stays as it is.
    _ = document.set_cookie(&format!("lang={}; Max-Age={A_YEAR_S}; Path=/; SameSite=Lax", lang.tag()));
    _ = leptos::prelude::window().location().reload();
}

/// The words of [`lang`].
pub fn words() -> &'static Words {
    lang().words()
}

/// The catalogue. Where words go around figures, the figures come written out.
pub struct Words {
    // Around the page.
    pub brand: &'static str,
    /// The language's name for itself, on the switch that leads to it.
    pub own_name: &'static str,
    pub skip: &'static str,
    pub navigation: &'static str,
    pub theme: &'static str,
    pub theme_system: &'static str,
    pub theme_light: &'static str,
    pub theme_dark: &'static str,
    pub loading: &'static str,
    pub copied: &'static str,
    pub as_table: &'static str,
    /// Days in front of hours in a countdown.
    pub days: fn(u64) -> String,

    // What went wrong.
    pub error_title: fn(Code) -> &'static str,
    /// A sentence with the next step.
    pub error: fn(Code) -> &'static str,
    /// The same where somebody only wanted to look.
    pub unseen: fn(Code) -> &'static str,
    /// What belongs into a field of a request, where that says more than the code.
    pub field_error: fn(&str) -> Option<&'static str>,
    pub no_page: &'static str,
    pub no_page_means: &'static str,
    pub try_again: &'static str,
    pub to_the_sales: &'static str,

    // The first page.
    pub home_title: &'static str,
    pub home_intro: &'static str,
    pub sales: &'static str,
    pub sale: &'static str,
    pub sales_empty: &'static str,
    pub left_of: fn(String, String) -> String,
    pub money_of: fn(String, String) -> String,
    pub crowd_here: &'static str,
    pub open_title: &'static str,
    pub open: &'static str,
    pub count_hint: &'static str,
    pub total_yuan: &'static str,
    pub total_hint: &'static str,
    pub hours: &'static str,
    pub minutes: &'static str,
    pub expiry_hint: &'static str,
    pub sale_id: &'static str,
    pub id_hint: &'static str,
    pub splitter: &'static str,
    pub splitter_name: fn(Splitter) -> &'static str,
    pub splitter_means: fn(Splitter) -> &'static str,
    pub seed: &'static str,
    pub seed_hint: &'static str,

    // The head of a sale.
    pub red_packet: &'static str,
    pub copy_id: &'static str,
    pub standing: fn(Standing) -> &'static str,
    pub link: fn(Link) -> &'static str,
    pub opened_at: &'static str,
    pub expires_at: &'static str,
    pub time_left: fn(String) -> String,
    pub refund: &'static str,
    pub refund_question: fn(String, u64) -> String,
    pub refund_yes: &'static str,
    pub refund_no: &'static str,
    pub refunded_now: fn(String) -> String,
    pub refunded_before: fn(String) -> String,
    pub not_expired: &'static str,

    // Queues and figures.
    pub queues: &'static str,
    pub pending: &'static str,
    pub pending_means: &'static str,
    pub claimed: &'static str,
    pub claimed_means: &'static str,
    pub of: fn(String) -> String,
    pub queue_text: fn(String, String, String) -> String,
    pub per_cell: fn(u64) -> String,
    pub refunded_line: fn(u64, String) -> String,
    pub figures: &'static str,
    pub total: &'static str,
    pub remaining: &'static str,
    pub packets: &'static str,
    pub attempts: &'static str,
    pub calls: &'static str,
    pub mean_batch: &'static str,
    pub luckiest: &'static str,
    pub luckiest_who: fn(String, String) -> String,
    pub luckiest_none: &'static str,
    pub histogram: &'static str,
    pub histogram_empty: &'static str,
    pub packets_at_most: fn(u64) -> String,

    // Outcomes.
    pub won: &'static str,
    pub repeat: &'static str,
    pub sold_out: &'static str,
    pub expired: &'static str,
    pub unknown: &'static str,

    // The feed.
    pub feed: &'static str,
    pub feed_rows: &'static str,
    pub feed_sample: &'static str,
    pub feed_empty: &'static str,
    pub filter: &'static str,
    pub filter_user: &'static str,
    pub pause: &'static str,
    pub paused: fn(String) -> String,
    pub time: &'static str,
    pub user: &'static str,
    pub outcome: &'static str,
    pub packet: &'static str,
    /// A packet or a seat.
    pub item: &'static str,
    pub amount: &'static str,

    // The reader's own try.
    pub me: &'static str,
    pub your_name: &'static str,
    pub grab: &'static str,
    pub you_won: fn(String) -> String,
    pub you_have: fn(String) -> String,
    pub you_are_late: &'static str,
    pub it_expired: &'static str,

    // The crowd.
    pub crowd: &'static str,
    pub crowd_means: &'static str,
    pub users: &'static str,
    pub users_hint: &'static str,
    pub concurrency: &'static str,
    pub concurrency_hint: &'static str,
    pub repeat_rate: &'static str,
    pub repeat_rate_hint: &'static str,
    pub arrival: &'static str,
    pub arrival_name: fn(ArrivalKind) -> &'static str,
    pub arrival_means: fn(ArrivalKind) -> &'static str,
    pub per_s: &'static str,
    pub per_s_hint: &'static str,
    pub over_s: &'static str,
    pub over_s_hint: &'static str,
    pub start: &'static str,
    pub stop: &'static str,
    pub phase: fn(Phase) -> &'static str,
    pub progress: &'static str,
    pub done_of: fn(String, String) -> String,
    pub time_taken: fn(String) -> String,
    /// Users, how many at a time, arrival, repeat rate, seed.
    pub orders: fn(String, String, &str, String, String) -> String,
    pub now_per_s: &'static str,
    pub mean_per_s: &'static str,
    pub slowest: &'static str,
    pub chart_rate: &'static str,
    pub chart_latency: &'static str,
    pub second: &'static str,

    // Audit and judgement.
    pub verdict_title: &'static str,
    pub verdict: fn(Verdict) -> &'static str,
    pub oversold: &'static str,
    pub doubled: &'static str,
    pub lost: &'static str,
    pub unexpected: &'static str,
    pub cents_expected: &'static str,
    pub cents_found: &'static str,
    pub could_not_look: &'static str,
    pub audit: &'static str,
    pub tickets: &'static str,
    pub audit_now: &'static str,
    pub audit_none: &'static str,
    pub looked_at: &'static str,
    pub invariant: &'static str,
    pub invariant_name: fn(&str) -> Option<&'static str>,
    pub expected: &'static str,
    pub found: &'static str,

    // The ledger and its history.
    pub ledger: &'static str,
    pub ledger_means: &'static str,
    pub search: &'static str,
    pub request_id: &'static str,
    pub event_id: &'static str,
    pub any_outcome: &'static str,
    pub outcome_name: fn(&str) -> Option<&'static str>,
    pub history: &'static str,
    pub history_rows: &'static str,
    /// Rows found, and whether nobody counted to the end.
    pub rows_found: fn(u64, bool) -> String,
    pub nothing_found: &'static str,
    pub newest: &'static str,
    pub older_rows: &'static str,
    pub export_csv: &'static str,
    pub export_jsonl: &'static str,

    // How far the ledger is behind, and what ails it.
    pub behind: &'static str,
    /// Events, and tenths of a second.
    pub behind_by: fn(u64, String) -> String,
    pub last_event: &'static str,
    pub set_aside: fn(u64) -> String,
    pub set_aside_means: &'static str,
    pub tried: fn(u32) -> String,
    /// Entries applied, and those that are still set aside.
    pub retried: fn(String, String) -> String,
    pub long_stream: fn(String) -> String,
    pub not_in_redis: &'static str,
    pub suspended_means: &'static str,

    // The board of audits.
    pub board: &'static str,
    pub board_means: &'static str,
    pub board_empty: &'static str,
    pub audit_all: &'static str,
    pub not_looked: &'static str,
    pub writer: &'static str,
    pub no_writer: &'static str,
    pub unreachable: &'static str,

    // The source.
    pub source: &'static str,
    pub source_means: &'static str,
    pub source_code: &'static str,
    pub show_source: &'static str,
    pub script: &'static str,
    pub sha: &'static str,
    pub copy_sha: &'static str,
    pub healed: &'static str,
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn the_best_liked_language_wins() {
        let of = ["", "fr", "zh-CN,zh;q=0.9,en;q=0.8", "en-GB,zh;q=0.5", "fr, zh-Hans;q=0.3, en;q=0.4", "zh;q=0"];
        use Lang::{En, Zh};
        assert_eq!(of.map(Lang::accepted), [En, En, Zh, En, En, En]);
    }
}
