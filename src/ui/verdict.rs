//! What an audit or a judgement says.

use super::{
    icons::{Icon, icon},
    node::{El, el},
};
use crate::{i18n::words, nodes, sales::Verdict};

/// A verdict, in a sign and a word.
pub fn verdict(verdict: Verdict) -> El {
    let (class, sign) = match verdict {
        Verdict::Holds => ("badge good", Icon::Check),
        Verdict::Broken => ("badge bad", Icon::Cross),
        Verdict::Unknown => ("badge warn", Icon::Question),
    };
    el("span").class(class).with(nodes![icon(sign), (words().verdict)(verdict)])
}
