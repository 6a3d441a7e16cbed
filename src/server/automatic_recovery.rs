//! The recovery that a server makes by itself: of sales that Redis has lost, and of those that are suspended because it
//! has lost their newest events, as a promoted replica may.
//!
//! The server that writes the ledger makes it, as it alone knows what is being recorded. Whoever suspends such a sale
//! notes it in Redis ([`keys::LOST`]), so that looking for them costs the same however many sales there are. The steps
//! and guards are those of `stampede recover`. A sale that a person has suspended, or whose data are damaged, is left to a
//! person: its record does not say that an event is lost.

use crate::server::{
    AppState,
    recovery::{Attempted, Recovery, Report},
};
use ledger::{kind::DeadLetters, service::Name};
use model::{Millis, error::Result, ledger::Recovering};
use std::collections::HashMap;
use store::keys;
use tokio_util::task::AbortOnDropHandle;

/// The number of sales that are recovered at a time. The others wait.
const AT_A_TIME: usize = 4;
/// The milliseconds before a sale that could not be recovered is tried again, after the first try. They double with each
/// further one.
const FIRST_PAUSE: Millis = 1_000;
const LONGEST_PAUSE: Millis = 60_000;

/// The recoveries of this server.
pub struct AutomaticRecovery {
    state: AppState,
    /// The recoveries in progress, by the name of the sale.
    running: HashMap<String, AbortOnDropHandle<()>>,
}

impl AutomaticRecovery {
    pub fn new(state: AppState) -> Self {
        Self { state, running: HashMap::new() }
    }

    /// Begins the recoveries that are due, if this server writes the ledger; otherwise drops those in progress, which
    /// another server makes then.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn round(&mut self) -> Result<()> {
        self.running.retain(|_, recovery| !recovery.is_finished());
        if !self.state.writes_ledger().await? {
            self.running.clear();
            return Ok(());
        }
        let store = &self.state.store;
        let noted: HashMap<String, String> = store.query("HGETALL", store.key(keys::LOST)).await?;
        let now = self.state.clock.now();
        for (name, noted) in noted {
            if self.running.len() >= AT_A_TIME {
                break;
            }
            // Empty until the first try.
            let before: Recovering = serde_json::from_str(&noted).unwrap_or_default();
            if before.again_at.is_some_and(|at| at > now) || self.running.contains_key(&name) {
                continue;
            }
            let recovery = recover(self.state.clone(), name.clone(), before);
            self.running.insert(name, AbortOnDropHandle::new(tokio::spawn(recovery)));
        }
        Ok(())
    }
}

/// Recovers a sale, unless there is no need any more, and notes how that went.
async fn recover(state: AppState, name: String, before: Recovering) {
    let recovered = match keys::split_name(&name) {
        Some((kind, sale)) => try_to_recover(&state, kind, sale, &before).await,
        None => Ok(Outcome::NotDue),
    };
    let failed = match recovered {
        Ok(Outcome::Failed(reason)) => reason,
        Ok(Outcome::Done) => return,
        Ok(Outcome::NotDue) => return forget(&state, &name).await,
        Err(error) => error.message,
    };
    let pause = FIRST_PAUSE.saturating_mul(1 << before.tries.min(16)).min(LONGEST_PAUSE);
    tracing::error!(
        sale = name,
        reason = failed,
        again_in_s = pause / 1_000,
        "a sale could not be recovered; it stays suspended"
    );
    let again_at = Some(state.clock.now() + pause);
    let tries = before.tries.saturating_add(1);
    note(&state, &name, &Recovering { tries, reason: Some(failed), again_at }).await;
}

/// How a try went.
enum Outcome {
    Done,
    /// The sale is live, archived, or not to be recovered by a server.
    NotDue,
    /// With the reason.
    Failed(String),
}

async fn try_to_recover(state: &AppState, kind: &str, sale: &str, before: &Recovering) -> Result<Outcome> {
    if !is_due(state, kind, sale).await? {
        return Ok(Outcome::NotDue);
    }
    let known = state.ledger.sale(kind, sale).await?;
    if known.as_ref().is_some_and(|known| known.is_archived()) {
        return Ok(Outcome::NotDue);
    }
    let dead_letters = known.map_or(0, |known| known.dead_letters);
    if dead_letters > 0 {
        return Ok(Outcome::Failed(format!(
            "{dead_letters} of its events could not be recorded in the ledger (dead letters), so what they gave would be \
             given to others. Fix the cause and retry them on the audit page, or give them up with `stampede recover`."
        )));
    }
    note(state, &keys::name(kind, sale), &Recovering { again_at: None, ..before.clone() }).await;
    let mut recovery = Recovery::new(&state.store, &state.ledger_service, None, DeadLetters::Refuse);
    let name: Name = (kind.to_owned(), sale.to_owned());
    match recovery.recover(name).await {
        Attempted::Back(report) => {
            log(state, &report).await;
            Ok(Outcome::Done)
        }
        Attempted::Failed { error, .. } => Ok(Outcome::Failed(error)),
    }
}

/// Whether Redis has lost a sale, or has suspended it because it has lost events of it.
async fn is_due(state: &AppState, kind: &str, sale: &str) -> Result<bool> {
    state.store.find_group(kind, sale).await?;
    let meta = state.store.sale_key(kind, sale, "meta");
    match state.store.query::<String>("TYPE", &meta).await?.as_str() {
        "none" => Ok(state.ledger.sale(kind, sale).await?.is_some()),
        "hash" => {
            let fields: (Option<String>, Option<String>) = state.store.query("HMGET", (meta, "state", "lost")).await?;
            Ok(matches!(fields, (Some(state), Some(_)) if state == "suspended"))
        }
        _ => Ok(false),
    }
}

/// Says what a recovered sale has lost.
async fn log(state: &AppState, Report { kind, sale, recovered, audit }: &Report) {
    // What an interrupted recovery had counted counts, too.
    let kept = state.ledger.sale(kind, sale).await.ok().flatten().and_then(|known| known.recovery);
    let report = kept.unwrap_or_else(|| recovered.report(state.clock.now(), None));
    let (verdict, upto) = (audit.verdict, report.upto);
    if !report.lost_something() {
        tracing::warn!(kind, sale, %upto, ?verdict, "a sale was recovered up to this event; nothing is known to have been answered after it");
        return;
    }
    tracing::warn!(
        kind,
        sale,
        %upto,
        ?verdict,
        unseen = report.unseen,
        lost_wins = report.lost_wins,
        lost_event = report.lost_event.map(tracing::field::display),
        conflicts = report.conflicts,
        described = ?report.described,
        "a sale was recovered, but for what was lost"
    );
}

/// Notes the state of a recovery, for pages. If that fails, it is not shown.
async fn note(state: &AppState, name: &str, recovering: &Recovering) {
    let Ok(json) = serde_json::to_string(recovering) else { return };
    state.store.query::<i64>("HSET", (state.store.key(keys::LOST), name, json)).await.ok();
}

/// Removes a note. If that fails, it is removed next time.
async fn forget(state: &AppState, name: &str) {
    state.store.query::<i64>("HDEL", (state.store.key(keys::LOST), name)).await.ok();
}
