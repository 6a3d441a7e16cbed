//! The ledger's API described.

use crate::{
    health,
    ledger::api::{
        AuditNowRequest, BoardRequest, LastAuditRequest, RequeueRequest, RetryRequest, RowRequest, SearchRequest,
        SetAsideRequest, StatusRequest, UndeliveredRequest, WebhooksRequest,
    },
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE},
};
use model::{
    KindInfo, LATEST,
    error::Code,
    ledger::{
        Changes, ChangesParams, DEFAULT_LIMIT, ExportParams, Line, MOST_LIMIT,
        changes::{LONGEST_WAIT_S, MOST_PLACES},
    },
    notes::{self, export::NotesParams},
};
use serde_json::{Value, json};

/// The endpoints of the ledger and of audits, for these kinds of sale.
pub fn groups(kinds: &[&'static KindInfo]) -> [Group; 3] {
    let ids: Vec<&str> = kinds.iter().map(|kind| kind.id).collect();
    let mut names: Vec<&str> = kinds.iter().flat_map(|kind| kind.outcomes).copied().collect();
    names.sort_unstable();
    names.dedup();
    let first = ids.first().copied().unwrap_or_default();
    let outcomes = kinds.iter().map(|kind| {
        let outcomes = kind.outcomes.iter().map(|outcome| format!("`{outcome}`")).collect::<Vec<_>>().join(", ");
        format!("of the kind `{}` {outcomes}", kind.id)
    });
    let ledger = Group {
        name: "Ledger",
        description: format!(
            "The history of all sales, as the database has it. The outcomes in it are, for sales {}.",
            outcomes.collect::<Vec<_>>().join("; ")
        ),
        endpoints: vec![
            search(&ids, &names),
            a_row(first),
            export(&ids, &names),
            notes(&ids),
            changes(&ids, &names),
            status(first),
            dead_letters(&ids),
            retry(&ids),
        ],
    };
    let audits = Group {
        name: "Audits",
        description: "The audits of all sales, which the server repeats by itself, and how the whole of it is doing."
            .to_owned(),
        endpoints: vec![health::description::endpoint(first), board(first), audit(&ids), last_audit(&ids)],
    };
    [ledger, webhooks(first), audits]
}

/// What programs and the page of audits ask about webhooks.
fn webhooks(kind: &str) -> Group {
    let description = format!(
        "A webhook is an address to which the rows of the change feed are sent as they are recorded, those of each sale in \
         order. `stampede webhook add` adds one, and shows the secret with which the messages are signed.\n\n\
         A message is a `POST` of JSON: `type`, such as `{kind}.won`, `timestamp`, and `data`, a row as in the change feed. \
         Its headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks, whose \
         libraries check them. Any status from 200 to 299 within 10 s accepts it. Otherwise the same message, with the same \
         `webhook-id`, comes again: after about 2 s, then after twice as long each time, up to half an hour. The later rows \
         of the sale wait for it, those of other sales do not. After a day it is a dead letter, and the sale goes on \
         without it. A message may come twice, also after it was accepted; its `webhook-id` tells.",
    );
    Group {
        name: "Webhooks",
        description,
        endpoints: vec![
            Endpoint::of::<WebhooksRequest>().errors(&[Code::LedgerUnavailable]).example(
                "there are none",
                json!({}),
                json!([]),
            ),
            Endpoint::of::<UndeliveredRequest>().errors(&[Code::LedgerUnavailable]).example(
                "of all",
                json!({}),
                json!([]),
            ),
            Endpoint::of::<RequeueRequest>().errors(&[Code::LedgerUnavailable]).example(
                "all",
                json!({}),
                json!({ "requeued": 0 }),
            ),
        ],
    }
}

/// A row of the examples, which are about a sale of the first kind.
fn row(kind: &str) -> Value {
    json!({
        "id": "1767225601500-0-1-0",
        "kind": kind,
        "sale": "spring",
        "event_id": "1767225601500-0",
        "place": 0,
        "at": 1_767_225_601_500_i64,
        "outcome": "won",
        "user": "mei",
        "request_id": "mei-1",
        "item": "1",
        "cents": 30,
        "recorded": 2,
    })
}

fn search(kinds: &[&str], outcomes: &[&str]) -> Endpoint {
    let first = kinds.first().copied().unwrap_or_default();
    searched(Endpoint::of::<SearchRequest>(), kinds, outcomes)
        .range("limit", 1, MOST_LIMIT)
        .default("limit", DEFAULT_LIMIT)
        .errors(&[Code::LedgerUnavailable])
        .example(
            "what a user has won since the year began",
            json!({ "sale": "spring", "user": "mei", "outcome": "won", "from": 1_767_225_600_000_i64 }),
            json!({
                "rows": [row(first)],
                "total": 1,
                "total_is_at_least": false,
                "sums": [{ "kind": first, "outcome": "won", "rows": 1, "cents": 30, "quantity": null }],
                "next": null,
            }),
        )
}

/// The limits of the fields of a search.
fn searched(endpoint: Endpoint, kinds: &[&str], outcomes: &[&str]) -> Endpoint {
    endpoint
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .id("user")
        .id("request_id")
        .id("order")
        .limit("outcome", json!({ "enum": outcomes }))
        .range("from", 0, LATEST)
        .range("to", 0, LATEST)
}

fn a_row(kind: &str) -> Endpoint {
    Endpoint::of::<RowRequest>().errors(&[Code::LedgerUnavailable]).example(
        "a win",
        json!({ "id": "1767225601500-0-1-0" }),
        row(kind),
    )
}

fn export(kinds: &[&str], outcomes: &[&str]) -> Endpoint {
    let endpoint = Endpoint::get::<ExportParams>(
        "/api/ledger/export",
        &[],
        "The history as a file: all rows of a search, newest first. To keep a copy up to date, give `recorded_after`: 0 the \
         first time, then the `next` in the last line of the file before. Such a file has the rows in the order in which \
         they were recorded, and each row exactly once. Do not go by time: a row that is recorded late, because the \
         database was away or an entry was set aside, has the time at which it happened. In CSV, which \
         begins with a byte order mark so that spreadsheets know the text for UTF-8, the first line has the names of the columns, \
         and a text that begins with `=`, `+`, `-` or `@` gets a `'` before it, so that no spreadsheet takes it for a \
         formula; `at_iso` is `at` as ISO 8601 in UTC. In JSON Lines, each line is a row as a search gives it. The last line says \
         how many rows there are (`end,rows,2,…` or `{\"end\":true,\"rows\":2}`), and with `recorded_after` where the next file \
         begins (`end,rows,2,next,7,…` or `{\"end\":true,\"rows\":2,\"next\":7}`): a file without it is incomplete, as the \
         answer is aborted if the ledger fails in the middle.",
    )
    .stream(&["text/csv", "application/x-ndjson"], |generator| generator.subschema_for::<Line>())
    .errors(&[Code::BadRequest, Code::Internal, Code::LedgerUnavailable, Code::Busy]);
    searched(endpoint, kinds, outcomes).example(
        "JSON Lines",
        json!({ "format": "jsonl", "sale": "spring", "user": "mei" }),
        format!("{}\n{{\"end\":true,\"rows\":1}}\n", row(kinds.first().copied().unwrap_or_default())).into(),
    )
}

fn notes(kinds: &[&str]) -> Endpoint {
    let kind = kinds.first().copied().unwrap_or_default();
    let note = json!({
        "kind": kind, "sale": "spring", "at": 1_767_225_604_000_i64, "text": "Posters say 10:00.", "request_id": "note-1",
    });
    Endpoint::get::<NotesParams>(
        "/api/ledger/notes",
        &[],
        "The notes on a sale as a file, newest first. The export of its history does not have them. A sale that is archived \
         keeps its notes; one that never was has none. CSV and JSON Lines are as in the export, the last line included.",
    )
    .stream(&["text/csv", "application/x-ndjson"], |generator| generator.subschema_for::<notes::export::Line>())
    .limit("kind", json!({ "enum": kinds }))
    .id("sale")
    .errors(&[Code::BadRequest, Code::Internal, Code::LedgerUnavailable])
    .example(
        "JSON Lines",
        json!({ "format": "jsonl", "sale": "spring", "kind": kind }),
        format!("{note}\n{{\"end\":true,\"rows\":1}}\n").into(),
    )
}

fn changes(kinds: &[&str], outcomes: &[&str]) -> Endpoint {
    let description = format!(
        "The change feed: the rows of the history in the order in which they were recorded, for a program that reacts to \
         them. Give the `next` of each answer as `after` of the next request: each row comes exactly once, also one that \
         is recorded late, because the database was away or an entry was set aside, and so has the time at which it \
         happened. With `wait_s`, a request that finds no row waits for one; the answer comes as soon as there is one, or \
         without rows once the time is over or the server stops.\n\n\
         An answer with fewer rows than `limit` may not be the end: where rows are left out by their kind, sale or \
         outcome, an answer passes over {MOST_PLACES} rows at most. The feed is at its end if `next` is the `after` of the \
         request. The rows of a sale stay in the feed, with the same id, when it is closed or archived. A program that \
         stops between an answer and the work on its rows gets them again, if it keeps `next` only after that work.\n\n\
         An `after` that the ledger has not come to is an error: its database has been restored without its latest rows, \
         and records them anew at the same places. Read again from a place before.",
    );
    Endpoint::get::<ChangesParams>("/api/ledger/changes", &[], &description)
        .json::<Changes>()
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .limit("outcome", json!({ "enum": outcomes }))
        .range("limit", 1, MOST_LIMIT)
        .default("limit", DEFAULT_LIMIT)
        .range("wait_s", 0, LONGEST_WAIT_S)
        .default("wait_s", 0)
        .default("after", 0)
        .errors(&[Code::LedgerUnavailable, Code::Busy])
        .example(
            "what came after the first row",
            json!({ "after": 1, "wait_s": 30 }),
            json!({ "rows": [row(kinds.first().copied().unwrap_or_default())], "next": 2 }),
        )
}

/// The ledger's lag behind the sale of the examples.
fn lag(kind: &str) -> Value {
    json!({
        "kind": kind,
        "sale": "spring",
        "applied_event_id": "1767225601500-0",
        "last_event_id": "1767225601500-0",
        "lag_events": 0,
        "lag_seconds": 0.0,
        "set_aside": 0,
        "missing_events": 0,
        "stream_length": 2,
        "alarm": false,
        "lost": false,
        "archived": false,
    })
}

fn status(kind: &str) -> Endpoint {
    Endpoint::of::<StatusRequest>().id("sale").errors(&OF_THE_STORE).errors(&[Code::UnknownSale]).example(
        "a sale",
        json!({ "sale": "spring" }),
        json!({ "sales": [lag(kind)], "writer": "shop-1/4321/9c1b3f", "unreachable": null }),
    )
}

fn dead_letters(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<SetAsideRequest>()
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .errors(&[Code::LedgerUnavailable])
        .example("of a kind", json!({ "kind": kinds.first() }), json!([]))
}

fn retry(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<RetryRequest>()
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .errors(&OF_THE_STORE)
        .errors(&[Code::LedgerUnavailable])
        .example("all", json!({}), json!({ "applied": 0, "still_set_aside": 0 }))
}

fn board(kind: &str) -> Endpoint {
    Endpoint::of::<BoardRequest>().errors(&OF_THE_STORE).example(
        "one sale",
        json!({}),
        json!({
            "sales": [{ "status": lag(kind), "opened_at": 1_767_225_600_000_i64, "audit": holds() }],
            "counts": { "holds": 1, "broken": 0, "unknown": 0, "not_audited": 0 },
            "next": null,
            "writer": "shop-1/4321/9c1b3f",
            "unreachable": null,
        }),
    )
}

fn audit(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<AuditNowRequest>()
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening])
        .example("everything holds", json!({ "kind": kinds.first(), "sale": "spring" }), holds())
}

fn last_audit(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<LastAuditRequest>().limit("kind", json!({ "enum": kinds })).id("sale").errors(&OF_THE_STORE).example(
        "everything held",
        json!({ "kind": kinds.first(), "sale": "spring" }),
        holds(),
    )
}

fn holds() -> Value {
    json!({
        "verdict": "holds",
        "invariants": [{ "name": "packets", "expected": 100, "found": 100 }],
        "event_id": "1767225601500-0",
        "at": 1_767_225_603_000_i64,
        "reason": null,
    })
}
