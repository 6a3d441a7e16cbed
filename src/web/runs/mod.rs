//! Finished runs, of crowds and of the lab: their lists, their comparison and their reports.

mod card;
mod choice;
mod comparison;
pub mod curves;
mod lines;
mod list;
#[cfg(feature = "ssr")]
pub mod report;
pub mod words;

pub use card::RunsCard;
pub use lines::{Line, Section, Value, figure_line, line};

use crate::i18n::lang;
use leptos::prelude::*;
use model::{
    Millis,
    error::Result,
    runs::{RunCursor, RunEntry, RunPage},
    url::with_query,
};
use serde::{Serialize, de::DeserializeOwned};

/// A source of runs, and their presentation.
pub trait RunSource: Copy + Send + Sync + 'static {
    /// A run in the list.
    type Entry: RunEntry;
    /// A run in a comparison.
    type Run: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The parameter of the address that names the two runs to compare.
    const PARAMETER: &'static str;

    /// Loads a page of the list.
    fn page(self, after: Option<RunCursor>) -> impl Future<Output = Result<RunPage<Self::Entry>>> + Send;

    /// Loads a run to compare, with its start.
    fn find(self, run: String) -> impl Future<Output = Result<(Millis, Self::Run)>> + Send;

    /// Renders the column heads between the start of a run and its comparison link.
    fn head(self) -> AnyView;

    /// Renders the cells of a run in these columns. `id` is that of the element that names the run.
    fn cells(self, entry: Self::Entry, id: String) -> AnyView;

    /// Returns the lines of a run in a comparison, under the same titles for each run.
    fn sections(self, run: &Self::Run) -> Vec<Section>;

    /// Renders the curves of two runs over each other, if there are any. The earlier run is the first.
    fn overlay(self, first: &Self::Run, second: &Self::Run) -> AnyView;
}

/// Returns the formats of a report, each with its name and its URL; `path` is that of the report.
pub fn report_links(path: &str, run: &str) -> [(&'static str, String); 3] {
    [("CSV", "csv"), ("JSON", "json"), ("HTML", "html")].map(|(name, format)| {
        let lang = (format == "html").then(|| lang().tag());
        (name, with_query(path, [("run", Some(run)), ("format", Some(format)), ("lang", lang)]))
    })
}
