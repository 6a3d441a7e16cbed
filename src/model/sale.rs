//! What every kind of sale has: its names, its state, its script and the sample of refused attempts.

use crate::{
    Millis,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The names of a kind of sale in keys, URLs and the ledger.
#[derive(Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// In keys, in the ledger and in JSON: `red_packet`.
    pub id: &'static str,
    /// In the URLs of its endpoints and its live view: `red-packet`.
    pub segment: &'static str,
    /// In the URLs of its pages: `red-packets`.
    pub pages: &'static str,
    /// The id of its demonstration sale; of later ones `<demo>-2` and so on.
    pub demo: &'static str,
    /// The outcomes that the ledger records for it.
    pub outcomes: &'static [&'static str],
    /// The one of them by which an item becomes a user's.
    pub win: &'static str,
}

impl KindInfo {
    /// Whether a sale of this kind is a demonstration, by its id.
    pub fn is_demo(&self, sale: &str) -> bool {
        let nth = sale.strip_prefix(self.demo);
        nth.is_some_and(|nth| nth.is_empty() || nth.strip_prefix('-').is_some_and(is_number))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where the id of a sale to open comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdOrigin {
    /// The client gave it, or the request id that it is made from; so a sale may have had it before.
    Client,
    /// It was generated for this call; no sale has had it.
    Generated,
}

/// Makes ids and seeds.
pub trait IdSource: Send + Sync {
    /// A new id.
    fn id(&self) -> String;

    /// A seed that is short enough to be copied by hand.
    fn seed(&self) -> u64;

    /// The seed of what this request makes: the same one whenever it is sent again.
    fn seed_of_request(&self, request_id: &str) -> u64;

    /// The id of a sale to open: the one that its client gives, or that its request gets, or a new one.
    ///
    /// # Errors
    /// `bad_request`.
    fn id_of_sale(&self, id: Option<String>, request_id: Option<&str>) -> Result<(String, IdOrigin)>;
}

/// Something that belongs to one kind of sale.
pub trait OfKind {
    /// The kind that it belongs to.
    fn info(&self) -> &'static KindInfo;
}

/// The one of these that belongs to the kind with this id.
///
/// # Errors
/// `bad_request`, which names the kinds that there are.
pub fn find_kind<'a, K: OfKind + ?Sized + 'a>(kinds: impl Iterator<Item = &'a K> + Clone, id: &str) -> Result<&'a K> {
    let known = kinds.clone().find(|kind| kind.info().id == id);
    known.ok_or_else(|| Error::unknown_kind(id, kinds.map(|kind| kind.info().id)))
}

/// The state of a sale of any kind, as lists and badges show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaleState {
    /// Its items are still being loaded; it does not accept attempts yet.
    Opening,
    /// Accepting attempts.
    Open,
    /// Open, but nothing is left.
    SoldOut,
    /// Past its end; what is left has not been refunded yet.
    Expired,
    /// Past its end; what was left has been refunded.
    Refunded,
    /// Redis has lost part of the sale: no attempts until it is recovered from the ledger.
    Suspended,
    /// Closed by an operator: no more attempts; what is pending is settled as usual.
    Closed,
    /// Removed from Redis; its history is in the ledger.
    Archived,
}

impl SaleState {
    /// Every state, in the order of filters.
    pub const ALL: [Self; 8] = [
        Self::Opening,
        Self::Open,
        Self::SoldOut,
        Self::Expired,
        Self::Refunded,
        Self::Suspended,
        Self::Closed,
        Self::Archived,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Open => "open",
            Self::SoldOut => "sold_out",
            Self::Expired => "expired",
            Self::Refunded => "refunded",
            Self::Suspended => "suspended",
            Self::Closed => "closed",
            Self::Archived => "archived",
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The script that decides the attempts at a sale, as shown on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptInfo {
    /// Its path below `lua/`: `red_packet/claim.lua`.
    pub name: String,
    /// Its Lua source, exactly as it runs.
    pub source: String,
    /// SHA-1 of the source in hex, by which EVALSHA calls it.
    pub sha: String,
    /// Number of NOSCRIPT retries, by all servers on this Redis.
    pub healed: u64,
}

/// An attempt that changed nothing, from the sample that the live view shows; `O` is the type of its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{O}Sample")]
pub struct DeclinedAttempt<O> {
    /// Unique within the sale: the id of its entry in the sample and the place in that entry.
    pub id: String,
    /// Who made the attempt.
    pub user: String,
    /// How it was answered.
    pub outcome: O,
    /// When it was answered.
    pub at: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demonstration_is_known_by_its_id() {
        let kind = KindInfo { id: "raffle", segment: "raffle", pages: "raffles", demo: "fair", outcomes: &[], win: "" };
        for (sale, is_demo) in [
            ("fair", true),
            ("fair-2", true),
            ("fair-", false),
            ("fair-+2", false),
            ("fair-summer", false),
            ("fairs", false),
            ("a", false),
        ] {
            assert_eq!(kind.is_demo(sale), is_demo, "{sale}");
        }
    }
}
