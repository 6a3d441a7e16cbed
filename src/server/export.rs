//! The history as a file: `GET /api/ledger/export?format=csv|jsonl`, with the parameters of a search. Newest first, or with
//! `recorded_after` in the order of recording, as for a copy that is kept up to date.
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
    ledger::{
        ExportParams, HistoryCursor, Row, Search,
        export::{End, Format},
    },
    text::{BYTE_ORDER_MARK, attachment, not_a_formula},
};
use serde::Serialize;
use std::sync::Arc;
use web::parameters::Parameters;

/// The rows read at a time.
const AT_A_TIME: u32 = 4_000;

/// Answers with the file.
pub async fn export(
    State(ledger): State<Arc<LedgerService>>,
    Parameters(wanted): Parameters<ExportParams>,
) -> Response {
    match file(ledger, wanted).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file(ledger: Arc<LedgerService>, wanted: ExportParams) -> Result<Response> {
    let format = wanted.format;
    let begin = match wanted.recorded_after()? {
        Some(after) => Place::Recorded { after, upto: ledger.last_recorded("recorded_after", after).await? },
        None => Place::Newest(None),
    };
    let search = Arc::new(wanted.search()?);
    let name = format!("{}.{}", ledger.file_name(&search)?, ending(format));
    // The first rows decide between a file and an error. Afterwards the response can only be aborted.
    let first = part(&ledger, &search, format, begin, true).await?;
    let parts = stream::try_unfold((Next::Ready(first), 0), move |(next, rows)| {
        let (ledger, search) = (ledger.clone(), search.clone());
        async move {
            let part = match next {
                Next::Ready(part) => part,
                Next::At(place) => part(&ledger, &search, format, place, false).await?,
                Next::LastLine => return Ok(Some((last_line(format, rows, begin)?, (Next::End, rows)))),
                Next::End => return Ok::<_, Error>(None),
            };
            Ok(Some((part.text, (part.next.map_or(Next::LastLine, Next::At), rows + part.rows))))
        }
    });
    let headers = [(header::CONTENT_TYPE, mime(format).to_owned()), (header::CONTENT_DISPOSITION, attachment(&name))];
    Ok((headers, Body::from_stream(parts)).into_response())
}

/// The media type of a file in this format.
pub(super) fn mime(format: Format) -> &'static str {
    match format {
        Format::Csv => "text/csv; charset=utf-8",
        Format::Jsonl => "application/x-ndjson; charset=utf-8",
    }
}

/// The ending of the name of such a file.
pub(super) fn ending(format: Format) -> &'static str {
    match format {
        Format::Csv => "csv",
        Format::Jsonl => "jsonl",
    }
}

/// Where in an order the next rows are.
#[derive(Clone, Copy)]
enum Place {
    /// Newest first, after this row; the newest if `None`.
    Newest(Option<HistoryCursor>),
    /// In the order of recording, after one place and up to another.
    Recorded { after: u64, upto: u64 },
}

enum Next {
    Ready(Part),
    At(Place),
    LastLine,
    End,
}

/// Some rows as text, and the place of the next rows.
struct Part {
    text: Bytes,
    rows: usize,
    next: Option<Place>,
}

/// The last line of a complete file that began at this place.
fn last_line(format: Format, rows: usize, begin: Place) -> Result<Bytes> {
    let next = match begin {
        Place::Newest(_) => None,
        Place::Recorded { upto, .. } => Some(upto),
    };
    match format {
        Format::Csv => {
            let [name, value] = next.map_or_else(Default::default, |next| ["next".to_owned(), next.to_string()]);
            Ok(format!("end,rows,{rows},{name},{value},,,,,,,,,,\n").into())
        }
        Format::Jsonl => jsonl(&[End { end: true, rows, next }]).map(Bytes::from).map_err(Error::internal),
    }
}

/// The rows at a place.
async fn part(ledger: &LedgerService, search: &Search, format: Format, place: Place, is_first: bool) -> Result<Part> {
    let (rows, next) = match place {
        Place::Newest(after) => {
            let rows = ledger.rows(search, AT_A_TIME, after).await?;
            let next = rows.last().filter(|_| rows.len() == AT_A_TIME as usize);
            let next = next.map(|row| Place::Newest(Some(row.id)));
            (rows, next)
        }
        Place::Recorded { after, upto } => {
            let to = upto.min(after + u64::from(AT_A_TIME));
            let next = (to < upto).then_some(Place::Recorded { after: to, upto });
            (ledger.recorded(search, after, to).await?, next)
        }
    };
    let text = match format {
        Format::Csv => csv(&rows, is_first),
        Format::Jsonl => jsonl(&rows),
    };
    text.map(|text| Part { text: text.into(), rows: rows.len(), next }).map_err(Error::internal)
}

fn csv(rows: &[Row], with_names: bool) -> std::result::Result<Vec<u8>, String> {
    const NAMES: [&str; 15] = [
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
        "recorded",
        "reason",
    ];
    let mut text = Vec::with_capacity(rows.len() * 128);
    if with_names {
        text.extend(BYTE_ORDER_MARK.bytes());
    }
    let mut file = csv::Writer::from_writer(text);
    let mut write = |fields: [&str; 15]| file.write_record(fields).map_err(|error| error.to_string());
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
            &row.recorded.to_string(),
            &text(&row.reason),
        ])?;
    }
    file.into_inner().map_err(|error| error.to_string())
}

/// Values as JSON Lines.
pub(super) fn jsonl(rows: &[impl Serialize]) -> std::result::Result<Vec<u8>, String> {
    let mut file = Vec::with_capacity(rows.len() * 256);
    for row in rows {
        serde_json::to_writer(&mut file, row).map_err(|error| error.to_string())?;
        file.push(b'\n');
    }
    Ok(file)
}
