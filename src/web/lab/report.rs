//! The report of a run as a file: `GET /api/lab/report?run=&format=csv|json|html&lang=`.

mod csv;
mod html;

use crate::{
    crowd::runs::report::{download, language, render},
    parameters::Parameters,
    services::Services,
};
use axum::{
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
};
use http::request::Parts;
use model::{
    error::{Error, Result},
    lab::{ReportFormat as Format, ReportParams},
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
    let found = services.lab.find(&run).await?;
    let (mime, ending, text) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", csv::write(&found).map_err(Error::internal)?),
        Format::Json => ("application/json", "json", serde_json::to_string_pretty(&found).map_err(Error::internal)?),
        Format::Html => {
            let text = render(parts, lang, || html::write(found));
            ("text/html; charset=utf-8", "html", text)
        }
    };
    Ok(download(mime, &format!("lab-{run}.{ending}"), text))
}
