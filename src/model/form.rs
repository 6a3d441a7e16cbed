//! The input of a form, as browsers send it.

use crate::{
    Cents,
    error::{Error, Result},
    life::Currency,
    parse::{parse_count, parse_money, parse_percent},
};
use serde::{Deserialize, Serialize};

/// The field that has the id of the request.
pub const REQUEST_ID: &str = "request_id";
/// The field that has the reader's name.
pub const USER: &str = "user";

/// The fields of a submitted form: names and values, in the order of the form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormValues(Vec<(String, String)>);

impl FormValues {
    /// Reads a form as browsers send it: `application/x-www-form-urlencoded`.
    pub fn decode(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// All fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The values of all fields of this name, in order.
    pub fn values(&self, field: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// The value of a field without surrounding space; empty if the form has no such field.
    pub fn text(&self, field: &str) -> String {
        self.values(field).next().unwrap_or_default().trim().to_owned()
    }

    /// The value of a field that may be empty.
    pub fn optional(&self, field: &str) -> Option<String> {
        Some(self.text(field)).filter(|text| !text.is_empty())
    }

    /// Whether a checkbox is ticked.
    pub fn is_checked(&self, field: &str) -> bool {
        self.values(field).next().is_some()
    }

    /// A whole number.
    ///
    /// # Errors
    /// `bad_request` with the field.
    pub fn number<T: TryFrom<u64>>(&self, field: &str) -> Result<T> {
        let number = parse_count(&self.text(field)).and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| Error::bad(field, format!("`{field}` is not a valid number.")))
    }

    /// A whole number that may be left out.
    ///
    /// # Errors
    /// As [`FormValues::number`].
    pub fn optional_number<T: TryFrom<u64>>(&self, field: &str) -> Result<Option<T>> {
        self.optional(field).map(|_| self.number(field)).transpose()
    }

    /// A share typed in percent, as 0 to 1.
    ///
    /// # Errors
    /// As [`FormValues::number`].
    pub fn percent(&self, field: &str) -> Result<f64> {
        parse_percent(&self.text(field)).ok_or_else(|| Error::bad(field, format!("`{field}` is not a percentage.")))
    }

    /// An amount of a currency, in its minor unit.
    ///
    /// # Errors
    /// `bad_request` with the field.
    pub fn money(&self, field: &str, currency: Currency) -> Result<Cents> {
        parse_money(&self.text(field), currency)
            .ok_or_else(|| Error::bad(field, format!("`{field}` is not an amount.")))
    }
}
