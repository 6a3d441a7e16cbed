//! How simulated users behave at a sale of stock.

#[cfg(feature = "ssr")]
mod scenario;

use crate::{
    crowd::{self, check_share},
    domain::from_value,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most units that a user wants at once.
pub const MOST_WANTED: u32 = 3;

/// What users want, and what becomes of their orders. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StockBehavior")]
pub struct Behavior {
    /// Share of users who want two or three; the others want one.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub several: f64,
    /// Share of orders that fail: their units are given back at once.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fail: f64,
}

impl Default for Behavior {
    fn default() -> Self {
        Self { several: 0.4, fail: 0.1 }
    }
}

impl Behavior {
    /// Reads the fields of a request; missing or null fields get their defaults.
    ///
    /// # Errors
    /// `bad_request` if a field is unknown or has the wrong type.
    pub fn from_fields(fields: &crowd::Behavior) -> Result<Self> {
        let given = fields.iter().filter(|(_, value)| !value.is_null());
        let given: crowd::Behavior = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        from_value(given.into()).map_err(|error| Error::unexpected_json(&error.to_string()))
    }

    /// The behavior as fields of a request.
    pub fn to_fields(&self) -> crowd::Behavior {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => crowd::Behavior::new(),
        }
    }

    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        check_share("several", self.several)?;
        check_share("fail", self.fail)
    }
}
