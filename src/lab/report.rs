//! The report of a run as a file: `GET /api/lab/report?run=&format=csv|json|html&lang=`.

mod csv;
mod html;

use super::service::LabService;
use crate::{
    crowd::runs::report::{download, language, render},
    domain::Parameters,
    error::{Error, Result},
    i18n::Kinds,
};
use axum::{
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
};
use http::request::Parts;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// What the reports need.
#[derive(Clone)]
pub struct LabReports {
    /// The lab.
    pub lab: Arc<LabService>,
    /// The names that the kinds of sale have for things.
    pub words: Kinds,
}

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LabReportFormat")]
pub enum Format {
    /// A line for each strategy.
    Csv,
    /// What `/api/lab/run` answers.
    Json,
    /// A self-contained page to read and print, without scripts.
    Html,
}

/// The query string.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The id of the run.
    run: String,
    /// The format of the file.
    format: Format,
    /// The language of the HTML, `en` or `zh`; that of the pages if left out.
    lang: Option<String>,
}

/// Answers with the file.
pub async fn report(State(reports): State<LabReports>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match file(&reports, &mut parts).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file(reports: &LabReports, parts: &mut Parts) -> Result<Response> {
    let Parameters(Wanted { run, format, lang }) = Parameters::from_request_parts(parts, &()).await?;
    let lang = language(lang)?;
    let found = reports.lab.find(&run).await?;
    let (mime, ending, text) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", csv::write(&found).map_err(Error::internal)?),
        Format::Json => ("application/json", "json", serde_json::to_string_pretty(&found).map_err(Error::internal)?),
        Format::Html => {
            let text = render(parts, lang, reports.words, || html::write(found));
            ("text/html; charset=utf-8", "html", text)
        }
    };
    Ok(download(mime, &format!("lab-{run}.{ending}"), text))
}
