//! Positions in the list of sales.

use crate::kind_of;
use model::{
    Millis,
    error::{Error, Result},
};
use std::{fmt, str::FromStr};

/// The position of a sale in the list, which is ordered by opening time and then by name. The newest sale is the
/// greatest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListCursor {
    pub opened_at: Millis,
    /// The name: `<kind>:<sale>`.
    name: String,
}

impl ListCursor {
    /// The position of a name; `None` if it is not a `<kind>:<sale>`.
    pub fn of(opened_at: Millis, name: String) -> Option<Self> {
        name.contains(':').then_some(Self { opened_at, name })
    }

    /// Whether a sale can be at this position: it has a time, a known kind, and an id.
    fn is_possible(&self) -> bool {
        self.opened_at >= 0 && kind_of(self.kind()).is_some() && !self.sale().is_empty()
    }

    /// The name of the sale, `<kind>:<sale>`, as in keys.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of the sale; empty if the name is malformed.
    pub fn kind(&self) -> &str {
        self.name.split_once(':').map_or("", |(kind, _)| kind)
    }

    /// The id of the sale; empty if the name is malformed.
    pub fn sale(&self) -> &str {
        self.name.split_once(':').map_or("", |(_, sale)| sale)
    }
}

impl fmt::Display for ListCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.opened_at, self.name)
    }
}

impl FromStr for ListCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let place = text.split_once('-').and_then(|(at, name)| Self::of(at.parse().ok()?, name.to_owned()));
        place.filter(Self::is_possible).ok_or_else(|| no_such_place(text))
    }
}

pub(super) fn no_such_place(text: &str) -> Error {
    Error::bad("after", format!("\"{text}\" is not a position in the list; use the `next` of a page."))
}
