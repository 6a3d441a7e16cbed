//! Attempts at several sales of one group: all of their items, or none.

use super::{Confirmed, DeductionState, GivenBack, Outcome, check_quantity};
use crate::{
    Checks, Millis, check_id,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most sales in one attempt.
pub const MAX_ITEMS: usize = 20;

/// A quantity of a sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StockItem")]
pub struct Item {
    /// The id of the sale.
    pub sale: String,
    /// The quantity, in units.
    pub quantity: u64,
}

/// What a request deducted from one of its sales.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockItemDeducted")]
pub struct DeductedItem {
    /// The id of the sale.
    pub sale: String,
    /// The deducted quantity, in units.
    pub quantity: u64,
    /// The units that remained after it.
    pub left: u64,
    /// The current state of the deduction.
    pub state: DeductionState,
    /// The deadline of a reservation; missing in sales without reservations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Millis>,
}

/// Whether items of several sales were deducted now or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockItemsWon")]
pub enum ItemsWon {
    /// The user got all items.
    Won,
    /// The same request was answered before. Nothing changed.
    Repeat,
}

/// Whether items of several sales were given back now or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockItemsReturned")]
pub enum ItemsReturned {
    /// The units of the items are given back now.
    Returned,
    /// All units were back before. Nothing changed.
    Repeat,
}

/// Whether items of several sales were confirmed now or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockItemsConfirmed")]
pub enum ItemsConfirmed {
    /// The user has all items for good: none of them expires any more.
    Confirmed,
    /// All were confirmed before, or need no confirmation. Nothing changed.
    Repeat,
}

/// The answer to an attempt to deduct a quantity of one sale, or quantities of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "StockDeducted")]
pub enum DeductAnswer {
    /// Of several items: what the sale `refused_by` answers, the first in the order of the request that does not have
    /// its item. Nothing changed in any sale.
    Refused {
        /// The id of the sale that refuses.
        refused_by: String,
        #[serde(flatten)]
        outcome: Outcome,
    },
    /// Of several items: what the request got.
    Items { outcome: ItemsWon, items: Vec<DeductedItem> },
    /// Of one sale.
    One(Outcome),
}

/// The answer to an attempt to give back what a request deducted from one sale, or from several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "StockReturn")]
pub enum ReturnAnswer {
    /// Of several sales: what the sale `refused_by` answers. Nothing changed in any sale.
    Refused {
        /// The id of the sale that refuses.
        refused_by: String,
        #[serde(flatten)]
        outcome: GivenBack,
    },
    /// Of several sales: the quantities that came back now, 0 of what was back before.
    Items { outcome: ItemsReturned, user: String, items: Vec<Item> },
    /// Of one sale.
    One(GivenBack),
}

/// The answer to an attempt to confirm the reservation of one sale, or those of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "StockConfirmation")]
pub enum ConfirmAnswer {
    /// Of several sales: what the sale `refused_by` answers. Nothing changed in any sale.
    Refused {
        /// The id of the sale that refuses.
        refused_by: String,
        #[serde(flatten)]
        outcome: Confirmed,
    },
    /// Of several sales: the quantities that the user has.
    Items { outcome: ItemsConfirmed, user: String, items: Vec<Item> },
    /// Of one sale.
    One(Confirmed),
}

/// What an attempt is about: a quantity of one sale, or of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    One { sale: String, quantity: u64 },
    Items(Vec<Item>),
}

impl Wanted {
    /// What the fields of a request say.
    ///
    /// # Errors
    /// `bad_request` if a field is missing, or there are both.
    pub fn of(sale: Option<String>, quantity: Option<u64>, items: Option<Vec<Item>>) -> Result<Self> {
        match (sale, quantity, items) {
            (None, None, Some(items)) => Ok(Self::Items(items)),
            (Some(sale), Some(quantity), None) => Ok(Self::One { sale, quantity }),
            (_, _, Some(_)) => Err(Error::bad("items", "Give either `sale` and `quantity`, or `items`.")),
            (None, _, None) => Err(Error::bad("sale", "`sale` is missing; give it and `quantity`, or `items`.")),
            (_, None, None) => Err(Error::bad("quantity", "`quantity` is missing.")),
        }
    }
}

/// The sales of a request: one, or several of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfSales {
    One(String),
    Several(Vec<String>),
}

impl OfSales {
    /// What the fields of a request say.
    ///
    /// # Errors
    /// `bad_request` if there is neither or there are both.
    pub fn of(sale: Option<String>, sales: Option<Vec<String>>) -> Result<Self> {
        match (sale, sales) {
            (Some(sale), None) => Ok(Self::One(sale)),
            (None, Some(sales)) => Ok(Self::Several(sales)),
            (Some(_), Some(_)) => Err(Error::bad("sales", "Give either `sale` or `sales`.")),
            (None, None) => Err(Error::bad("sale", "`sale` is missing; give it, or `sales`.")),
        }
    }
}

/// Checks the items of an attempt: quantities of one to [`MAX_ITEMS`] different sales.
///
/// # Errors
/// `bad_request`, naming the field, as in `items[1].quantity`.
pub fn check_items(items: &[Item]) -> Result<()> {
    let mut checks = Checks::default();
    for (at, item) in items.iter().enumerate().take(MAX_ITEMS) {
        checks.note(check_quantity(item.quantity).map_err(|error| of_entry(error, "items", at)));
    }
    let sales: Vec<&str> = items.iter().map(|item| item.sale.as_str()).collect();
    checks.finish(check_different("items", &sales, |at| format!("items[{at}].sale")))
}

/// Checks the sales of a request about several: one to [`MAX_ITEMS`] different ones.
///
/// # Errors
/// `bad_request`, naming the field, as in `sales[1]`.
pub fn check_sales(sales: &[String]) -> Result<()> {
    let sales: Vec<&str> = sales.iter().map(String::as_str).collect();
    check_different("sales", &sales, |at| format!("sales[{at}]"))
}

fn check_different(field: &str, sales: &[&str], entry: impl Fn(usize) -> String) -> Result<()> {
    let count = sales.len();
    if !(1..=MAX_ITEMS).contains(&count) {
        let why = format!("`{field}` has {count} entries; it must have 1 to {MAX_ITEMS}.");
        return Err(Error::bad(field, why));
    }
    let (mut checks, mut known) = (Checks::default(), HashSet::new());
    for (at, sale) in sales.iter().enumerate() {
        let field = entry(at);
        checks.note(check_id(&field, sale));
        if !known.insert(sale) {
            let why = format!("`{field}` repeats \"{sale}\"; each sale may appear once.");
            checks.note::<()>(Err(Error::bad(&field, why)));
        }
    }
    checks.finish(Ok(()))
}

/// An error about a field of an entry of a list.
fn of_entry(error: Error, list: &str, at: usize) -> Error {
    let field = error.field.clone().unwrap_or_default();
    let named = format!("{list}[{at}].{field}");
    Error::bad(&named, error.message.replace(&format!("`{field}`"), &format!("`{named}`")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn item(sale: &str, quantity: u64) -> Item {
        Item { sale: sale.to_owned(), quantity }
    }

    #[test]
    fn items_are_of_one_to_twenty_different_sales() {
        assert_eq!(check_items(&[item("a", 1), item("b", 2)]), Ok(()));
        assert_eq!(wrong_fields(check_items(&[])), ["items"]);
        assert_eq!(check_items(&[item("a", 1)]), Ok(()), "a basket may have one item");
        let many: Vec<Item> = (0..=MAX_ITEMS).map(|nth| item(&nth.to_string(), 1)).collect();
        assert_eq!(wrong_fields(check_items(&many)), ["items"]);
        assert_eq!(wrong_fields(check_items(&[item("a", 1), item("a", 1)])), ["items[1].sale"]);
        let wrong = wrong_fields(check_items(&[item("", 1), item("b", 0)]));
        assert_eq!(wrong, ["items[1].quantity", "items[0].sale"]);
        assert_eq!(wrong_fields(check_sales(&["a".to_owned(), "a".to_owned()])), ["sales[1]"]);
    }

    #[test]
    fn a_request_is_about_one_sale_or_several() {
        let (sale, items) = (|| Some("a".to_owned()), || Some(vec![item("a", 1)]));
        assert_eq!(Wanted::of(sale(), Some(1), None), Ok(Wanted::One { sale: "a".to_owned(), quantity: 1 }));
        assert_eq!(Wanted::of(None, None, items()), Ok(Wanted::Items(vec![item("a", 1)])));
        for (sale, quantity, items, field) in [
            (sale(), None, None, "quantity"),
            (None, Some(1), None, "sale"),
            (sale(), None, items(), "items"),
            (None, Some(1), items(), "items"),
        ] {
            assert_eq!(Wanted::of(sale, quantity, items).map_err(|error| error.field), Err(Some(field.to_owned())));
        }
        assert_eq!(OfSales::of(sale(), None), Ok(OfSales::One("a".to_owned())));
        assert_eq!(wrong_fields(OfSales::of(None, None).map(drop)), ["sale"]);
        assert_eq!(wrong_fields(OfSales::of(sale(), Some(Vec::new())).map(drop)), ["sales"]);
    }

    /// Clients tell the forms of an answer by its fields.
    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let not_enough = Outcome::NotEnough { left: 3 };
        let deducted =
            DeductedItem { sale: "a".to_owned(), quantity: 1, left: 2, state: DeductionState::Held, due: Some(5) };
        for (answer, json) in [
            (
                DeductAnswer::Refused { refused_by: "b".to_owned(), outcome: not_enough.clone() },
                r#"{"refused_by":"b","outcome":"not_enough","left":3}"#,
            ),
            (DeductAnswer::One(not_enough), r#"{"outcome":"not_enough","left":3}"#),
            (
                DeductAnswer::Items { outcome: ItemsWon::Won, items: vec![deducted] },
                r#"{"outcome":"won","items":[{"sale":"a","quantity":1,"left":2,"state":"held","due":5}]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&answer).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<DeductAnswer>(json).expect("an answer"), answer);
        }
    }
}
