//! A share as a bar.

use super::node::{El, el};
use crate::nodes;

/// A part and the whole that it is of.
pub type Share = (u64, u64);

/// A bar that is as long as the share, with its figures for screen readers.
pub fn meter(
    role: &'static str,
    label: &'static str,
    share: impl Fn() -> Share + Clone + Send + 'static,
    text: impl Fn() -> String + Send + 'static,
) -> El {
    let (part, whole) = (share.clone(), share.clone());
    let length = move || {
        let (part, whole) = share();
        // Three digits are more than a bar shows, and keep the attribute still.
        ["--share:", &(part * 1_000).checked_div(whole).unwrap_or_default().min(1_000).to_string()].concat()
    };
    el("div")
        .class("meter")
        .attr("role", role)
        .attr("aria-label", label)
        .attr("aria-valuemin", "0")
        .live("aria-valuemax", move || whole().1.to_string())
        .live("aria-valuenow", move || part().0.to_string())
        .live("aria-valuetext", text)
        .with(nodes![el("span").live("style", length)])
}
