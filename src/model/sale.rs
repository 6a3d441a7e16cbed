//! The common parts of every kind of sale: names, state, script, and the sample of refused attempts.

use crate::{
    Millis, Ownership,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The names of a kind of sale in keys, URLs and the ledger.
#[derive(Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// The id in keys, in the ledger and in JSON: `red_packet`.
    pub id: &'static str,
    /// The segment in the URLs of endpoints and of the live view: `red-packet`.
    pub segment: &'static str,
    /// The segment in the URLs of pages: `red-packets`.
    pub pages: &'static str,
    /// The id of the first demonstration sale; later ones have `<demo>-2` and so on.
    pub demo: &'static str,
    /// The outcomes that the ledger records for sales of the kind.
    pub outcomes: &'static [&'static str],
    /// The outcome by which an item becomes a user's.
    pub win: &'static str,
    /// What the outcomes say about what a user has.
    pub ownership: Ownership,
}

impl KindInfo {
    /// Whether the id belongs to a demonstration sale of this kind.
    pub fn is_demo(&self, sale: &str) -> bool {
        let nth = sale.strip_prefix(self.demo);
        nth.is_some_and(|nth| nth.is_empty() || nth.strip_prefix('-').is_some_and(is_number))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The origin of the id of a sale to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdOrigin {
    /// The client gave the id, or the request id from which it is made. A sale may have had it before.
    Client,
    /// The id was generated for this call. No sale has had it.
    Generated,
}

/// A source of ids and seeds.
pub trait IdSource: Send + Sync {
    /// A new id.
    fn id(&self) -> String;

    /// A seed short enough to be copied by hand.
    fn seed(&self) -> u64;

    /// The seed of the result of this request. Repeats of the request get the same seed.
    fn seed_of_request(&self, request_id: &str) -> u64;

    /// The id of a sale to be opened: given by the client, made from its request id, or new.
    ///
    /// # Errors
    /// `bad_request`.
    fn id_of_sale(&self, id: Option<String>, request_id: Option<&str>) -> Result<(String, IdOrigin)>;
}

/// A part of the program that belongs to one kind of sale.
pub trait OfKind {
    /// The kind of sale.
    fn info(&self) -> &'static KindInfo;
}

/// The item that belongs to the kind with this id.
///
/// # Errors
/// `bad_request`, which names the existing kinds.
pub fn find_kind<'a, K: OfKind + ?Sized + 'a>(kinds: impl Iterator<Item = &'a K> + Clone, id: &str) -> Result<&'a K> {
    let known = kinds.clone().find(|kind| kind.info().id == id);
    known.ok_or_else(|| Error::unknown_kind(id, kinds.map(|kind| kind.info().id)))
}

/// The state of a sale of any kind, as in lists and badges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaleState {
    /// Items are still being loaded, so the sale does not accept attempts yet.
    Opening,
    /// The sale accepts attempts from its start on.
    Scheduled,
    /// The sale accepts attempts.
    Open,
    /// The sale is open, but nothing is left.
    SoldOut,
    /// An operator paused the sale. It accepts no attempts until it is resumed.
    Paused,
    /// The sale has ended. The rest of a red packet sale has not been refunded yet.
    Expired,
    /// The sale has ended, and its rest has been refunded.
    Refunded,
    /// Redis has lost part of the sale. It accepts no attempts until it is recovered from the ledger.
    Suspended,
    /// An operator closed the sale. It accepts no attempts; pending orders are settled as usual.
    Closed,
    /// The sale was removed from Redis. Its history is in the ledger.
    Archived,
}

impl SaleState {
    /// Every state, in the order of filters.
    pub const ALL: [Self; 10] = [
        Self::Opening,
        Self::Scheduled,
        Self::Open,
        Self::SoldOut,
        Self::Paused,
        Self::Expired,
        Self::Refunded,
        Self::Suspended,
        Self::Closed,
        Self::Archived,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Scheduled => "scheduled",
            Self::Open => "open",
            Self::SoldOut => "sold_out",
            Self::Paused => "paused",
            Self::Expired => "expired",
            Self::Refunded => "refunded",
            Self::Suspended => "suspended",
            Self::Closed => "closed",
            Self::Archived => "archived",
        }
    }

    /// Whether the sale is running or about to: it stands above those that are over.
    pub fn is_live(self) -> bool {
        match self {
            Self::Opening | Self::Scheduled | Self::Open | Self::Paused | Self::Suspended => true,
            Self::SoldOut | Self::Expired | Self::Refunded | Self::Closed | Self::Archived => false,
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The script that decides the attempts at a sale, as on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptInfo {
    /// The path of the script below `lua/`: `red_packet/claim.lua`.
    pub name: String,
    /// The Lua source, exactly as it runs.
    pub source: String,
    /// The SHA-1 of the source in hex, by which EVALSHA calls the script.
    pub sha: String,
    /// The number of NOSCRIPT retries, by all servers on this Redis.
    pub healed: u64,
}

/// An attempt that changed nothing, from the sample in the live view. `O` is the type of its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{O}Sample")]
pub struct DeclinedAttempt<O> {
    /// The id of the attempt, unique within the sale: the id of its entry in the sample, and its index in that entry.
    pub id: String,
    /// The user who made the attempt.
    pub user: String,
    /// The answer to the attempt.
    pub outcome: O,
    /// The time of the answer.
    pub at: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demonstration_is_known_by_its_id() {
        let kind = KindInfo {
            id: "raffle",
            segment: "raffle",
            pages: "raffles",
            demo: "fair",
            outcomes: &[],
            win: "",
            ownership: Ownership::NOTHING,
        };
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
