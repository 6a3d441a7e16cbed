//! What a user has, as the ledger has it.

use super::HistoryCursor;
use crate::{Cents, Millis, life::Currency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most changes of a user that are read: the newest.
pub const CHANGES_READ: u32 = 10_000;
/// The most sales in an answer.
pub const SALES_LISTED: usize = 20;
/// The most items of a sale in an answer.
pub const ITEMS_LISTED: usize = 100;

/// What a user has, at all sales.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UserHoldings")]
pub struct Holdings {
    /// The user.
    pub user: String,
    /// The sales at which the user has something, that with the latest change first.
    pub sales: Vec<SaleHoldings>,
    /// The value of `after` for the next sales; `null` if these are the last ones.
    pub next: Option<HistoryCursor>,
    /// Whether the user has more changes than are read. What was gained before those is left out.
    pub is_partial: bool,
}

/// What a user has at one sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SaleHoldings {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The latest change that the user made there, or that was made for the user.
    pub at: Millis,
    /// The number of items, also of those that are not listed.
    pub count: u64,
    /// The sum of their amounts, in cents: in the minor unit of the currency.
    pub cents: Cents,
    /// The currency of the amounts; left out if it is CNY.
    #[serde(default, skip_serializing_if = "Currency::is_default")]
    pub currency: Currency,
    /// The sum of their quantities; `null` for a kind that does not count.
    pub quantity: Option<i64>,
    /// The items, those that changed last first; not all if `count` is larger.
    pub items: Vec<OwnedItem>,
}

/// Something that a user has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnedItem {
    /// The state: the stable name of the outcome that changed it last.
    pub outcome: String,
    /// The time of that change.
    pub at: Millis,
    /// The number, name or code of the item; `null` for a kind that counts.
    pub item: Option<String>,
    /// The quantity; `null` for a kind that does not count.
    pub quantity: Option<i64>,
    /// The amount of money, in cents.
    pub cents: Cents,
    /// The id of the request that got it.
    pub request_id: Option<String>,
    /// The id of the request that changed it last; `null` if that change had none.
    pub changed_by: Option<String>,
    /// The order of the item; `null` if the kind has no orders.
    pub order: Option<String>,
    /// The name of the person for whom the item is; `null` if not given.
    pub holder: Option<String>,
}
