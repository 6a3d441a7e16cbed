//! `GET /metrics`: what this server and its sales do, for Prometheus. It has a listener of its own, because it is no
//! public page.
//!
//! Everything is counted where it happens, and read when it is asked for. What all servers share, such as the lag of the
//! ledger, is the same from each of them. What cannot be read now is left out, so that nobody takes it for zero.

mod exposition;
mod process;
pub mod requests;

use crate::server::{AppState, metrics::exposition::Exposition};
use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::get,
};
use futures::join;
use http::header;
use listen::App;
use model::{
    error::Result,
    ledger::{Status, VerdictCounts},
};
use prometheus_client::encoding::prometheus_text::CONTENT_TYPE;
use std::time::Duration;
use store::{fitness::RedisStatus, format::FORMAT};
use tokio::time::timeout;

/// The time in which Redis and the ledger must answer. Prometheus waits for 10 s.
const WITHIN: Duration = Duration::from_secs(5);

/// The service of the listener for Prometheus.
pub fn app(state: AppState) -> impl App {
    Router::new().route("/metrics", get(scrape)).with_state(state)
}

async fn scrape(State(state): State<AppState>) -> Response {
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text(&state).await).into_response()
}

/// All metrics of this server, in the text format of Prometheus.
pub async fn text(state: &AppState) -> String {
    let mut metrics = Exposition::default();
    build(&mut metrics);
    attempts(state, &mut metrics);
    // All at once, so that Prometheus gets the rest in time even if none answers.
    let (is_up, status, dead_letters, verdicts) = join!(
        in_time(state.store.wake_attempts()),
        in_time(state.ledger_service.status(None)),
        in_time(state.ledger.dead_letter_count()),
        in_time(state.ledger_service.verdict_counts()),
    );
    redis(state, &mut metrics, is_up.is_some());
    ledger(state, &mut metrics, status, dead_letters, verdicts);
    sales(state, &mut metrics);
    let requests = state.requests.read();
    let answered = requests.iter().flat_map(|(route, answers)| {
        answers.by_status.iter().map(move |(status, count)| ([("route", *route), ("status", *status)], *count as f64))
    });
    metrics.counter("stampede_http_requests", "Requests, by route and class of status", answered);
    let seconds = requests.iter().map(|(route, answers)| ([("route", *route)], answers.seconds.clone()));
    metrics.histogram("stampede_http_request_seconds", "Time from a request to the head of its answer", seconds);
    process::add(&mut metrics);
    metrics.text()
}

fn build(metrics: &mut Exposition) {
    let (version, format) = (env!("CARGO_PKG_VERSION"), FORMAT.to_string());
    let labels = [("version", version), ("format", format.as_str())];
    metrics.gauge("stampede_build_info", "The version of the program, and of its data in Redis", [(labels, 1.0)]);
}

fn attempts(state: &AppState, metrics: &mut Exposition) {
    let counts = state.store.counts();
    let attempts = counts.attempts();
    let by_outcome = attempts
        .iter()
        .map(|((kind, outcome), count)| ([("kind", *kind), ("outcome", outcome.as_str())], *count as f64));
    metrics.counter("stampede_attempts", "Attempts, by kind and outcome", by_outcome);
    let seconds = counts.attempt_seconds().into_iter().map(|(kind, seconds)| ([("kind", kind)], seconds));
    metrics.histogram("stampede_attempt_seconds", "Time from the arrival of an attempt to its answer", seconds);
    let sizes = counts.batch_attempts().into_iter().map(|(script, sizes)| ([("script", script)], sizes));
    metrics.histogram("stampede_batch_attempts", "Attempts in one call of a script", sizes);
    let seconds = counts.script_seconds();
    let seconds = seconds
        .iter()
        .map(|((script, node), seconds)| ([("script", *script), ("node", node.as_str())], seconds.clone()));
    metrics.histogram("stampede_script_seconds", "Time of one call of a script", seconds);
    let reloads = counts.script_reloads() as f64;
    metrics.counter("stampede_script_reloads", "Scripts that Redis had forgotten and got again", [([], reloads)]);
    let waiting = state.store.waiting_attempts() as f64;
    metrics.gauge("stampede_waiting_attempts", "Attempts that wait to leave for Redis", [([], waiting)]);
    let unknown = counts.unknown_outcomes() as f64;
    metrics.counter("stampede_unknown_outcomes", "Attempts that got no answer from Redis", [([], unknown)]);
    let viewers = state.limits.live_views() as f64;
    metrics.gauge("stampede_live_viewers", "Open live views", [([], viewers)]);
}

/// Each master of a cluster is a node.
fn redis(state: &AppState, metrics: &mut Exposition, is_up: bool) {
    let nodes = state.store.redis_statuses();
    let of_nodes = |value: fn(&RedisStatus) -> f64| {
        nodes.iter().map(move |node| ([("node", node.address.as_str())], value(node))).collect::<Vec<_>>()
    };
    let up = of_nodes(|node| number(node.answers)).into_iter().map(|(of, answers)| (of, answers * number(is_up)));
    metrics.gauge("stampede_redis_up", "Whether this Redis answers", up);
    let no_room = number(!state.store.has_room());
    let full = of_nodes(|node| number(node.is_full)).into_iter().map(|(of, is_full)| (of, is_full.max(no_room)));
    metrics.gauge(
        "stampede_redis_full",
        "Whether this Redis has no memory, or its disk no room, for anything new",
        full,
    );
    let evicted = of_nodes(|node| node.evicted as f64);
    metrics.counter("stampede_redis_evicted_keys", "Keys that this Redis has evicted", evicted);
    metrics.gauge(
        "stampede_redis_clock_skew_seconds",
        "How far the clock of Redis is ahead of the clock of this machine",
        [([], process::ahead_of_machine(state.clock.now()))],
    );
}

/// What the ledger has answered in time.
fn ledger(
    state: &AppState,
    metrics: &mut Exposition,
    status: Option<Status>,
    dead_letters: Option<u64>,
    verdicts: Option<VerdictCounts>,
) {
    let rows = state.ledger.recorded_rows() as f64;
    metrics.counter("stampede_ledger_rows", "Rows that this server has recorded", [([], rows)]);
    if let Some(status) = status {
        let events: u64 = status.sales.iter().map(|sale| sale.lag_events).sum();
        let seconds = status.sales.iter().map(|sale| sale.lag_seconds).fold(0.0, f64::max);
        let is_writer = status.writer.as_deref() == Some(state.ids.process());
        metrics.gauge(
            "stampede_ledger_lag_events",
            "Events that wait for the ledger, of the newest 50 sales",
            [([], events as f64)],
        );
        metrics.gauge("stampede_ledger_lag_seconds", "How long the oldest of these events has waited", [([], seconds)]);
        metrics.gauge("stampede_writer", "Whether this server writes the ledger", [([], number(is_writer))]);
    }
    if let Some(count) = dead_letters {
        metrics.gauge("stampede_dead_letters", "Events that the ledger could not record", [([], count as f64)]);
    }
    if let Some(VerdictCounts { holds, broken, unknown, not_audited }) = verdicts {
        let counts = [("holds", holds), ("broken", broken), ("unknown", unknown), ("not_audited", not_audited)];
        let by_verdict = counts.map(|(verdict, count)| ([("verdict", verdict)], count as f64));
        metrics.gauge("stampede_audits", "Sales by what their last audit found", by_verdict);
    }
}

fn sales(state: &AppState, metrics: &mut Exposition) {
    let Some((mut states, missing)) = state.missing.recent() else { return };
    for kind in state.kinds.iter() {
        // So that none can be told from not looked.
        states.entry((kind.info().id.to_owned(), "suspended".to_owned())).or_default();
    }
    let by_state = states
        .iter()
        .map(|((kind, state), count)| ([("kind", kind.as_str()), ("state", state.as_str())], *count as f64));
    metrics.gauge("stampede_sales", "Sales in Redis and in the ledger, by kind and state", by_state);
    metrics.gauge("stampede_sales_missing", "Sales of the ledger that Redis has lost", [([], missing as f64)]);
}

/// The answer, if it comes in time.
async fn in_time<T>(answer: impl Future<Output = Result<T>>) -> Option<T> {
    timeout(WITHIN, answer).await.ok()?.ok()
}

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}
