//! What an audit or a judgement says.

use super::icons::{Icon, icon};
use crate::{sales::Verdict, words::words};
use leptos::prelude::*;

/// A verdict, in a sign and a word.
pub fn verdict(verdict: Verdict) -> AnyView {
    let words = words();
    let (class, sign) = match verdict {
        Verdict::Holds => ("badge good", Icon::Check),
        Verdict::Broken => ("badge bad", Icon::Cross),
        Verdict::Unknown => ("badge warn", Icon::Question),
    };
    view! { <span class=class>{icon(sign)} {(words.verdict)(verdict)}</span> }.into_any()
}
