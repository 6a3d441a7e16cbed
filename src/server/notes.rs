//! The notes on a sale as a file, beside that of its history: `GET /api/ledger/notes?format=csv|jsonl&sale=…`.

use crate::server::export::{ending, jsonl, mime};
use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::header;
use ledger::service::LedgerService;
use model::{
    error::{Error, Result},
    iso,
    ledger::{
        Search,
        export::{End, Format},
    },
    notes::{
        Note,
        export::{NoteOfSale, NotesParams},
    },
    text::{BYTE_ORDER_MARK, attachment, not_a_formula},
};
use std::sync::Arc;
use web::parameters::Parameters;

/// Answers with the file. A sale has few notes, so it is made as a whole.
pub async fn notes(State(ledger): State<Arc<LedgerService>>, Parameters(wanted): Parameters<NotesParams>) -> Response {
    match file(&ledger, wanted).await {
        Ok(file) => file,
        Err(error) => error.into_response(),
    }
}

async fn file(ledger: &LedgerService, NotesParams { format, sale, kind }: NotesParams) -> Result<Response> {
    // As where a form leaves a field empty.
    let kind = kind.filter(|kind| !kind.is_empty());
    let notes = ledger.notes(kind.as_deref(), &sale).await?;
    let text = match format {
        Format::Csv => csv(&notes),
        Format::Jsonl => jsonl(&notes).and_then(|mut text| {
            text.extend(jsonl(&[End { end: true, rows: notes.len(), next: None }])?);
            Ok(text)
        }),
    };
    let text = text.map_err(Error::internal)?;
    let of_sale = ledger.file_name(&Search { sale: Some(sale), kind, ..Search::default() })?;
    let name = format!("{of_sale}-notes.{}", ending(format));
    let headers = [(header::CONTENT_TYPE, mime(format).to_owned()), (header::CONTENT_DISPOSITION, attachment(&name))];
    Ok((headers, text).into_response())
}

fn csv(notes: &[NoteOfSale]) -> std::result::Result<Vec<u8>, String> {
    let mut file = csv::Writer::from_writer(BYTE_ORDER_MARK.as_bytes().to_vec());
    let mut write = |fields: [&str; 6]| file.write_record(fields).map_err(|error| error.to_string());
    write(["at", "kind", "sale", "text", "request_id", "at_iso"])?;
    for NoteOfSale { kind, sale, note: Note { at, text, request_id } } in notes {
        let [sale, text, request_id] = [sale, text, request_id].map(|text| not_a_formula(text));
        write([&at.to_string(), kind, &sale, &text, &request_id, &iso(*at)])?;
    }
    write(["end", "rows", &notes.len().to_string(), "", "", ""])?;
    file.into_inner().map_err(|error| error.to_string())
}
