//! Kinds of sale, as every room may know them.

/// A kind of sale: its names in keys, addresses and the ledger.
#[derive(Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// In keys, in the ledger and in JSON: `red_packet`.
    pub id: &'static str,
    /// In the addresses of its endpoints and its live view: `red-packet`.
    pub segment: &'static str,
    /// In the addresses of its pages: `red-packets`.
    pub pages: &'static str,
    /// The outcomes that the ledger records of it.
    pub outcomes: &'static [&'static str],
}

/// What belongs to one kind of sale.
pub trait OfKind {
    fn info(&self) -> &'static KindInfo;
}
