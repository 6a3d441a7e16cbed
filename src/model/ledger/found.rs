//! What a text finds: sales, users, orders, requests and codes that begin with it.

use super::SaleName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most of each that are found.
pub const MOST_FOUND: usize = 5;

/// What begins with a text, in the order of the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Sales whose id begins with it.
    pub sales: Vec<SaleName>,
    /// Users whose name begins with it.
    pub users: Vec<String>,
    /// Orders whose id begins with it.
    pub orders: Vec<FoundId>,
    /// Requests whose id begins with it.
    pub requests: Vec<FoundId>,
    /// Codes that begin with it.
    pub codes: Vec<FoundId>,
}

impl Found {
    /// Whether nothing begins with the text.
    pub fn is_empty(&self) -> bool {
        let Self { sales, users, orders, requests, codes } = self;
        sales.is_empty() && users.is_empty() && orders.is_empty() && requests.is_empty() && codes.is_empty()
    }
}

/// The id of an order or of a request, or a code, and its first change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundId {
    /// The id or the code.
    pub id: String,
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The user; `null` if the change has none.
    pub user: Option<String>,
}
