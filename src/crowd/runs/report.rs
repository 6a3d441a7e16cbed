//! The report of a run as a file: `GET /api/crowd/report?run=&format=csv|json|html&lang=`.

use super::{csv, history::RunHistory, html};
use crate::{
    crowd::panel::CrowdKindForm,
    domain::Parameters,
    error::{Error, Result},
    i18n::{Kinds, Lang, detect_lang},
};
use axum::{
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
};
use http::{header, request::Parts};
use leptos::prelude::{Owner, provide_context};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// What the reports are made of.
#[derive(Clone)]
pub struct Reports {
    /// The runs.
    pub history: Arc<RunHistory>,
    /// What the kinds of sale call things.
    pub words: ReportWords,
}

/// What the kinds of sale call things.
#[derive(Clone, Copy)]
pub struct ReportWords {
    /// Their texts.
    pub kinds: Kinds,
    /// What the kind with this id adds to crowds.
    pub crowd: fn(&str) -> Option<CrowdKindForm>,
}

/// The format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReportFormat")]
pub enum Format {
    /// A line for each figure.
    Csv,
    /// What `/api/crowd/run` answers.
    Json,
    /// A page to read and print, which needs nothing else: no script, and no other file.
    Html,
}

/// The query string.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportParams {
    /// The id of the run.
    run: String,
    /// The format of the file.
    format: Format,
    /// The language of the HTML, `en` or `zh`; that of the pages if left out.
    lang: Option<String>,
}

/// Answers with the file.
pub async fn report(State(reports): State<Reports>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match file(&reports, &mut parts).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file(reports: &Reports, parts: &mut Parts) -> Result<Response> {
    let Parameters(ReportParams { run, format, lang }) = Parameters::from_request_parts(parts, &()).await?;
    let lang = language(lang)?;
    let report = reports.history.report(&run).await?;
    let (mime, ending, text) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", csv::write(&report).map_err(Error::internal)?),
        Format::Json => ("application/json", "json", serde_json::to_string_pretty(&report).map_err(Error::internal)?),
        Format::Html => {
            let form = (reports.words.crowd)(&report.record.kind);
            let text = render(parts, lang, reports.words.kinds, || html::write(report, form));
            ("text/html; charset=utf-8", "html", text)
        }
    };
    Ok(download(mime, &format!("run-{run}.{ending}"), text))
}

/// The language that the parameter `lang` asks for.
///
/// # Errors
/// `bad_request`, naming it.
pub fn language(lang: Option<String>) -> Result<Option<Lang>> {
    let known = |tag: String| {
        Lang::from_tag(&tag).ok_or_else(|| Error::bad("lang", format!("`lang` is \"{tag}\"; it must be en or zh.")))
    };
    lang.map(known).transpose()
}

/// Renders a page outside of a page's request, in this language or in the one that the request asks for.
pub fn render(parts: &Parts, lang: Option<Lang>, kinds: Kinds, write: impl FnOnce() -> String) -> String {
    // A root: a child would be disposed of with whatever request this thread has served before.
    Owner::new_root(None).with(|| {
        provide_context(parts.clone());
        provide_context(lang.unwrap_or_else(detect_lang));
        provide_context(kinds);
        write()
    })
}

/// A file to be saved under this name.
pub fn download(mime: &str, name: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, mime.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, text).into_response()
}
