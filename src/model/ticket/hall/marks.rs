//! Marks of seats: what is not for sale at first, and what buyers must know.

use crate::ticket::hall::MAX_CATEGORY_LETTERS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most characters of a note.
pub const MAX_NOTE: usize = 100;

/// What is special about a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SeatMark")]
pub enum Mark {
    /// The seat is not for sale when the sale opens. An operator may unblock it.
    Blocked,
    /// The place is for a wheelchair.
    Wheelchair,
    /// The view from the seat is restricted.
    RestrictedView,
}

impl Mark {
    /// Every mark.
    pub const ALL: [Self; 3] = [Self::Blocked, Self::Wheelchair, Self::RestrictedView];

    /// The name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Wheelchair => "wheelchair",
            Self::RestrictedView => "restricted_view",
        }
    }

    /// The mark with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.name() == name)
    }
}

/// What is said about some seats: at least one of the three.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SeatMarking")]
pub struct Marking {
    /// The mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The ids of the seats.
    #[schemars(length(min = 1))]
    pub seats: Vec<String>,
    /// What buyers must know, such as "behind a pillar".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_NOTE))]
    pub note: Option<String>,
    /// The category of these seats, if it is not that of their section: so they have a price of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CATEGORY_LETTERS))]
    pub category: Option<String>,
}

/// The marks of one seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatMarks {
    /// The marks.
    pub marks: Vec<Mark>,
    /// The notes of all of them.
    pub note: Option<String>,
}

impl SeatMarks {
    /// Adds a mark with its note.
    pub(super) fn add(&mut self, marking: &Marking) {
        self.marks.extend(marking.mark);
        if let Some(note) = &marking.note {
            self.note = Some(self.note.take().map_or_else(|| note.clone(), |known| format!("{known}; {note}")));
        }
    }

    /// Whether the seat is blocked when the sale opens.
    pub fn is_blocked(&self) -> bool {
        self.marks.contains(&Mark::Blocked)
    }
}
