//! The way to a sale's page.

use super::{
    format::segment,
    node::{El, el},
};

/// The address of a sale's page, by the kind as it stands in keys.
pub fn address(kind: &str, sale: &str) -> String {
    let folder = if kind == "ticket" { "/tickets/" } else { "/red-packets/" };
    [folder, &segment(sale)].concat()
}

/// A link that bears the sale's name.
pub fn sale_link(kind: &str, sale: &str) -> El {
    // The router decodes a link's address once too often for an id with a percent sign.
    let relation = if sale.contains('%') { "external" } else { "" };
    el("a").attr("href", address(kind, sale)).attr("rel", relation).attr("translate", "no").text(sale.to_owned())
}
