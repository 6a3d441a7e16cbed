//! A name and what it names.

use super::node::{El, Node, el};
use crate::nodes;

/// A name and what it names, for a `<dl>`.
pub fn term(name: &'static str, value: Vec<Node>) -> El {
    el("div").with(nodes![el("dt").text(name), el("dd").with(value)])
}
