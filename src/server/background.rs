//! What a server does by itself: it writes the ledger, refunds what has expired, audits what has changed.
//!
//! Any number of servers may do so on one Redis: one of them has the writer's lease, and audits besides; a
//! refund happens once, whoever asks.

use super::AppState;
use crate::{domain::Verdict, error::Result, ledger::Audited, store::keys};
use std::{collections::HashMap, time::Duration};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::task::TaskTracker;

/// How soon an expired sale is refunded.
const SWEPT_EVERY: Duration = Duration::from_secs(1);
/// How often somebody looks whether a sale has changed since its audit.
const LOOKED_EVERY: Duration = Duration::from_secs(2);
/// A sale is audited by itself at most so often, and at most for a twentieth of the time.
const AUDITED_EVERY: Duration = Duration::from_secs(30);
const SHARE: u32 = 20;

/// Starts all of it; it ends by itself when the server stops.
pub fn start(state: &AppState) -> TaskTracker {
    let tasks = TaskTracker::new();
    let process = process(state);
    let writer = state.books.writer(process.clone());
    tasks.spawn(writer.run(state.shutdown.clone()));
    tasks.spawn(sweep(state.clone()));
    tasks.spawn(audit(state.clone(), process));
    tasks.close();
    tasks
}

/// Who this process is, for people and other processes.
fn process(state: &AppState) -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let id = state.ids.id();
    format!("{host}/{}/{}", std::process::id(), &id[id.len() - 6..])
}

async fn sweep(state: AppState) {
    let mut tick = tokio::time::interval(SWEPT_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut in_trouble = false;
    loop {
        tokio::select! {
            () = state.shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        let swept = state.books.sweep().await;
        if let (Err(error), false) = (&swept, in_trouble) {
            tracing::warn!(%error, "expired sales could not be looked for; trying again");
        }
        in_trouble = swept.is_err();
    }
}

async fn audit(state: AppState, process: String) {
    let mut tick = tokio::time::interval(LOOKED_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next: HashMap<String, Instant> = HashMap::new();
    let mut in_trouble = false;
    loop {
        tokio::select! {
            () = state.shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        let looked = tokio::select! {
            () = state.shutdown.cancelled() => return,
            looked = look(&state, &process, &mut next) => looked,
        };
        if let (Err(error), false) = (&looked, in_trouble) {
            tracing::warn!(%error, "sales could not be audited; trying again");
        }
        in_trouble = looked.is_err();
    }
}

/// Audits each of the newest sales that has changed since its last audit, if we are the one to do it.
async fn look(state: &AppState, process: &str, next: &mut HashMap<String, Instant>) -> Result<()> {
    let writer: Option<String> = state.store.query("GET", keys::WRITER).await?;
    if writer.as_deref() != Some(process) {
        return Ok(());
    }
    for Audited { status, audit } in state.books.board().await?.sales {
        // A sale that is settled and whose audit is of its last event cannot look different tomorrow.
        let seen = audit.is_some_and(|audit| audit.event_id == status.last_event_id && audit.verdict == Verdict::Holds);
        let name = format!("{}:{}", status.kind, status.sale);
        if seen || next.get(&name).is_some_and(|next| Instant::now() < *next) {
            continue;
        }
        let began = Instant::now();
        match state.books.audit(&status.kind, &status.sale).await {
            Ok(audit) if audit.verdict == Verdict::Broken => {
                tracing::error!(sale = status.sale, "an audit is broken; see /audit");
            }
            Ok(_) => {}
            Err(error) if error.code.status() < 500 => {}
            Err(error) => return Err(error),
        }
        next.insert(name, Instant::now() + AUDITED_EVERY.max(began.elapsed() * SHARE));
    }
    Ok(())
}
