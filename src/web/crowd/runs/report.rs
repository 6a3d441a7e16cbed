//! The report of a run as a file: `GET /api/crowd/report?run=&format=csv|json|html&lang=`.

use crate::{
    crowd::runs::{csv, html},
    i18n::{Lang, detect_lang},
    parameters::Parameters,
    services::Services,
};
use crate::{kind_of, kind_words};
use axum::{
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
};
use http::{header, request::Parts};
use leptos::prelude::{Owner, provide_context};
use model::{
    crowd::runs::{ReportFormat as Format, ReportParams},
    error::{Error, Result},
};
use std::sync::Arc;

/// Answers with the file.
pub async fn report(State(services): State<Arc<Services>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match file(&services, &mut parts).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file(services: &Services, parts: &mut Parts) -> Result<Response> {
    let Parameters(ReportParams { run, format, lang }) = Parameters::from_request_parts(parts, &()).await?;
    let lang = language(lang)?;
    let report = services.crowds.report(&run).await?;
    let (mime, ending, text) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", csv::write(&report).map_err(Error::internal)?),
        Format::Json => ("application/json", "json", serde_json::to_string_pretty(&report).map_err(Error::internal)?),
        Format::Html => {
            let form = kind_of(&report.record.kind).map(|kind| kind.pages.crowd);
            let text = render(parts, lang, || html::write(report, form));
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
pub fn render(parts: &Parts, lang: Option<Lang>, write: impl FnOnce() -> String) -> String {
    // A root: a child would be disposed of with whatever request this thread has served before.
    Owner::new_root(None).with(|| {
        provide_context(parts.clone());
        provide_context(lang.unwrap_or_else(detect_lang));
        provide_context(kind_words());
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
