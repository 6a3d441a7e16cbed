//! The report of a run as a file: `GET /api/crowd/report` or `/api/lab/report`, with
//! `?run=&format=csv|json|html&lang=`.

use crate::{
    i18n::{Lang, detect_lang, lang},
    kind_words,
    parameters::Parameters,
    services::Services,
};
use axum::{
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
};
use http::{header, request::Parts};
use leptos::prelude::*;
use model::{
    error::{Error, Result},
    runs::{ReportFormat as Format, ReportParams},
    text::{BYTE_ORDER_MARK, attachment},
};
use serde::Serialize;
use std::sync::Arc;

/// The pages' styles for colours, tables and charts.
const SHARED_STYLE: &str = concat!(
    "@layer tokens, parts;\n",
    include_str!("../../../style/tokens.css"),
    include_str!("../../../style/tables.css"),
    include_str!("../../../style/charts.css")
);
/// Nothing is loaded, and no script runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A run that can be reported as a file. A JSON file has the run itself.
pub trait Reported: Serialize + Sized + Send {
    /// The name of the file, without its ending.
    fn file_name(&self) -> String;

    /// Finds the run with this id.
    fn find(services: &Services, run: &str) -> impl Future<Output = Result<Self>> + Send;

    /// Writes the run as CSV.
    fn write_csv(&self, file: &mut csv::Writer<Vec<u8>>) -> csv::Result<()>;

    /// Renders the run as a standalone page, by [`page`].
    fn html(self) -> String;
}

/// Answers a request with the file.
pub async fn report<R: Reported>(State(services): State<Arc<Services>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match file::<R>(&services, &mut parts).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file<R: Reported>(services: &Services, parts: &mut Parts) -> Result<Response> {
    let Parameters(ReportParams { run, format, lang }) = Parameters::from_request_parts(parts, &()).await?;
    let lang = lang.map(known).transpose()?;
    let found = R::find(services, &run).await?;
    let name = found.file_name();
    let (mime, ending, text) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", csv(&found)?),
        Format::Json => ("application/json", "json", serde_json::to_string_pretty(&found).map_err(Error::internal)?),
        Format::Html => ("text/html; charset=utf-8", "html", render(parts, lang, || found.html())),
    };
    let headers = [
        (header::CONTENT_TYPE, mime.to_owned()),
        (header::CONTENT_DISPOSITION, attachment(&format!("{name}.{ending}"))),
    ];
    Ok((headers, text).into_response())
}

fn known(tag: String) -> Result<Lang> {
    Lang::from_tag(&tag).ok_or_else(|| Error::bad("lang", format!("`lang` is \"{tag}\"; it must be en or zh.")))
}

/// Returns the run as CSV.
///
/// # Errors
/// `internal`.
pub fn csv(run: &impl Reported) -> Result<String> {
    let mut file = csv::Writer::from_writer(BYTE_ORDER_MARK.into());
    run.write_csv(&mut file).map_err(Error::internal)?;
    String::from_utf8(file.into_inner().map_err(Error::internal)?).map_err(Error::internal)
}

/// Renders a page outside a page request, in this language or in the one that the request asks for.
fn render(parts: &Parts, lang: Option<Lang>, write: impl FnOnce() -> String) -> String {
    // A root owner: a child would be disposed together with an earlier request on this thread.
    Owner::new_root(None).with(|| {
        provide_context(parts.clone());
        provide_context(lang.unwrap_or_else(detect_lang));
        provide_context(kind_words());
        write()
    })
}

/// Renders a standalone page in the language of the context. Styles and charts are inlined, no script is needed, and
/// the page prints well. `style` is that of its charts.
pub fn page(title: String, style: &str, main: impl IntoView) -> String {
    let style = [SHARED_STYLE, style, include_str!("report.css")].concat();
    view! {
        <!DOCTYPE html>
        <html lang=lang().tag()>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content=POLICY />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{title}</title>
                <style inner_html=style></style>
            </head>
            <body>
                <main>{main.into_any()}</main>
            </body>
        </html>
    }
    .to_html()
}
