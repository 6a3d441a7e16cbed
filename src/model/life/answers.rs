//! The answers to changes of a sale's life.

use crate::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to pausing a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SalePaused")]
pub enum Paused {
    /// The sale is paused now.
    Paused { paused_at: Millis },
    /// The sale is paused already, or this request paused it before. Nothing changed.
    Repeat,
    /// The sale ended at `ends_at`. Nothing changed.
    Ended { ends_at: Millis },
    /// An operator closed the sale at `closed_at`. Nothing changed.
    Closed { closed_at: Millis },
}

/// The answer to resuming a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SaleResumed")]
pub enum Resumed {
    /// The sale goes on now.
    Resumed,
    /// The sale is not paused, or this request resumed it before. Nothing changed.
    Repeat,
    /// An operator closed the sale at `closed_at`. Nothing changed.
    Closed { closed_at: Millis },
}

/// The answer to a change of a sale's start or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SaleScheduled")]
pub enum Scheduled {
    /// These times are in force now.
    Scheduled { opens_at: Option<Millis>, ends_at: Option<Millis> },
    /// These times were in force already, or this request set them before. Nothing changed. The times in force are
    /// returned.
    Repeat { opens_at: Option<Millis>, ends_at: Option<Millis> },
    /// The time to change has passed, or the new one is past, or the end would not be after the start. Nothing changed.
    /// The times in force and the server's time are returned.
    TooLate { opens_at: Option<Millis>, ends_at: Option<Millis>, now: Millis },
    /// An operator closed the sale at `closed_at`. Nothing changed.
    Closed { closed_at: Millis },
}

/// The answer to reopening a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SaleReopened")]
pub enum Reopened {
    /// The sale accepts attempts again, until `ends_at` if it has an end.
    Reopened { ends_at: Option<Millis> },
    /// The sale is not closed, or this request reopened it before. Nothing changed.
    Repeat,
    /// The sale ended at `ends_at`. Nothing changed.
    Ended { ends_at: Millis },
    /// The rest of the money was refunded to the sender, so nothing is left to claim. Nothing changed.
    Refunded,
}

/// The answer to a change of a sale's title and description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "SaleDescribed")]
pub enum Described {
    /// The texts are in force now.
    Described,
    /// These texts were in force already, or this request set them before. Nothing changed.
    Repeat,
}
