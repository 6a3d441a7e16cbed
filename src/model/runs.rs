//! Runs, of crowds and of the lab: what both have, their lists, and their reports as files.

use crate::{Millis, error::Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{fmt, str::FromStr};

/// The number of newest runs that are kept, of each sale and of the lab.
pub const KEPT: u32 = 200;
/// Runs on a page, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 20;

/// The answer to `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunStarted")]
pub struct Started {
    /// The id of the run.
    pub run: String,
}

/// The status of a run, as its server publishes it.
pub trait RunStatus: Serialize + DeserializeOwned {
    /// Whether the run has ended, for any reason.
    fn is_over(&self) -> bool;

    /// The time at which the server of the run published this status.
    fn reported_at(&self) -> Millis;

    /// Makes this the status of a run whose server stopped.
    fn lose(&mut self);
}

/// A run that is over, with all that is kept of it.
pub trait KeptRun: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The run in a list.
    type Entry: RunEntry;

    /// The kind of its sale; `lab` for the lab.
    fn kind(&self) -> &str;

    /// The id of its sale; empty for the lab.
    fn sale(&self) -> &str;

    /// The part that lists show.
    fn entry(&self) -> Self::Entry;
}

/// A run that is over, in a list.
pub trait RunEntry: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The id of the run.
    fn run(&self) -> &str;

    /// The time of the start.
    fn started_at(&self) -> Millis;

    /// Whether the run was lost with its server.
    fn is_lost(&self) -> bool;
}

/// A page of runs, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{E}Page")]
pub struct RunPage<E> {
    /// The runs.
    pub runs: Vec<E>,
    /// The cursor of the next page; `null` on the last page.
    pub next: Option<RunCursor>,
}

/// The position of a run in its list, which is ordered by start and then by id: `<started_at>-<run>`.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", inline)]
pub struct RunCursor {
    /// The start of the run.
    pub started_at: Millis,
    /// The id of the run.
    pub run: String,
}

impl fmt::Display for RunCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.started_at, self.run)
    }
}

impl FromStr for RunCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let place = text.split_once('-').and_then(|(at, run)| {
            let cursor = Self { started_at: at.parse().ok()?, run: run.to_owned() };
            crate::check_id("after", &cursor.run).is_ok().then_some(cursor)
        });
        place.ok_or_else(|| {
            Error::bad("after", format!("\"{text}\" is not a position in the list of runs; use the `next` of a page."))
        })
    }
}

impl Serialize for RunCursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunCursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// One line per figure of a crowd, or per strategy of the lab.
    Csv,
    /// The answer of `/api/crowd/run` or `/api/lab/run`.
    Json,
    /// A self-contained page to read and print, without scripts and other files.
    Html,
}

/// The parameters of a report.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportParams {
    /// The id of the run.
    pub run: String,
    /// The format of the file.
    pub format: ReportFormat,
    /// The language of the HTML, `en` or `zh`; the language of the pages if left out.
    pub lang: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_its_text() {
        let cursor = RunCursor { started_at: 1_767_225_610_000, run: "019b76da-c000-7000".to_owned() };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "1767225610000", "x-y", "1767225610000-", "1-a\0b"] {
            assert!(text.parse::<RunCursor>().is_err(), "{text:?}");
        }
    }
}
