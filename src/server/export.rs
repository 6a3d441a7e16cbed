//! The history as a file: `GET /api/ledger/export?format=csv|jsonl`, with the parameters of a search.
//!
//! Rows are streamed as they are read, a few thousand at a time. If the ledger fails in the middle, the response is
//! aborted. With HTTP/1.0, which proxies may use, an abort looks like a normal end. So the last line has the number of
//! rows, and an incomplete file is never mistaken for a complete one.

use axum::{
    body::{Body, Bytes},
    extract::State,
    response::{IntoResponse, Response},
};
use futures::stream;
use http::header;
use ledger::service::LedgerService;
use model::{
    error::{Error, Result},
    iso,
    ledger::{ExportParams, HistoryCursor, Row, Search, export::Format},
    text::not_a_formula,
};
use std::sync::Arc;
use web::parameters::Parameters;

/// The rows read at a time.
const AT_A_TIME: u32 = 4_000;

/// Answers with the file.
pub async fn export(
    State(ledger): State<Arc<LedgerService>>,
    Parameters(wanted): Parameters<ExportParams>,
) -> Response {
    let format = wanted.format;
    let search = match wanted.search() {
        Ok(search) => Arc::new(search),
        Err(error) => return error.into_response(),
    };
    // The first rows decide between a file and an error. Afterwards the response can only be aborted.
    let first = match part(&ledger, &search, format, None).await {
        Ok(first) => first,
        Err(error) => return error.into_response(),
    };
    let (mime, name) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "ledger.csv"),
        Format::Jsonl => ("application/x-ndjson; charset=utf-8", "ledger.jsonl"),
    };
    let parts = stream::try_unfold((Next::Ready(first), 0), move |(next, rows)| {
        let (ledger, search) = (ledger.clone(), search.clone());
        async move {
            let part = match next {
                Next::Ready(part) => part,
                Next::After(cursor) => part(&ledger, &search, format, Some(cursor)).await?,
                Next::LastLine => return Ok(Some((last_line(format, rows), (Next::End, rows)))),
                Next::End => return Ok::<_, Error>(None),
            };
            Ok(Some((part.text, (part.next.map_or(Next::LastLine, Next::After), rows + part.rows))))
        }
    });
    let headers = [
        (header::CONTENT_TYPE, mime.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, Body::from_stream(parts)).into_response()
}

enum Next {
    Ready(Part),
    After(HistoryCursor),
    LastLine,
    End,
}

/// Some rows as text, and the cursor of the next rows.
struct Part {
    text: Bytes,
    rows: usize,
    next: Option<HistoryCursor>,
}

/// The last line of a complete file.
fn last_line(format: Format, rows: usize) -> Bytes {
    match format {
        Format::Csv => format!("end,rows,{rows},,,,,,,,,,\n"),
        Format::Jsonl => format!("{{\"end\":true,\"rows\":{rows}}}\n"),
    }
    .into()
}

/// The rows after a cursor.
async fn part(ledger: &LedgerService, search: &Search, format: Format, after: Option<HistoryCursor>) -> Result<Part> {
    let rows = ledger.rows(search, AT_A_TIME, after).await?;
    let next = if rows.len() == AT_A_TIME as usize { rows.last().map(|row| row.id) } else { None };
    let text = match format {
        Format::Csv => csv(&rows, after.is_none()),
        Format::Jsonl => jsonl(&rows),
    };
    text.map(|text| Part { text: text.into(), rows: rows.len(), next }).map_err(Error::internal)
}

fn csv(rows: &[Row], with_names: bool) -> std::result::Result<Vec<u8>, String> {
    const NAMES: [&str; 13] = [
        "at",
        "kind",
        "sale",
        "outcome",
        "user",
        "request_id",
        "item",
        "cents",
        "event_id",
        "place",
        "order",
        "holder",
        "at_iso",
    ];
    let mut file = csv::Writer::from_writer(Vec::with_capacity(rows.len() * 128));
    let mut write = |fields: [&str; 13]| file.write_record(fields).map_err(|error| error.to_string());
    if with_names {
        write(NAMES)?;
    }
    for row in rows {
        let text = |text: &Option<String>| not_a_formula(text.as_deref().unwrap_or_default()).into_owned();
        write([
            &row.at.to_string(),
            &row.kind,
            &not_a_formula(&row.sale),
            &row.outcome,
            &text(&row.user),
            &text(&row.request_id),
            &text(&row.item),
            &row.cents.to_string(),
            &row.event_id.to_string(),
            &row.place.to_string(),
            &text(&row.order),
            &text(&row.holder),
            &iso(row.at),
        ])?;
    }
    file.into_inner().map_err(|error| error.to_string())
}

fn jsonl(rows: &[Row]) -> std::result::Result<Vec<u8>, String> {
    let mut file = Vec::with_capacity(rows.len() * 256);
    for row in rows {
        serde_json::to_writer(&mut file, row).map_err(|error| error.to_string())?;
        file.push(b'\n');
    }
    Ok(file)
}
