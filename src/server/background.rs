//! Background work: recording the ledger, recovering lost sales, delivering to webhooks, expiry, audits of changed
//! sales, and demonstration sales.
//!
//! Any number of servers may run it on one Redis. The holder of the writer's lease records, recovers, delivers and
//! audits. Each expiry is processed once, by any of the servers.

use crate::server::{AppState, automatic_recovery::AutomaticRecovery, webhooks::delivery::Deliverer};
use engine::list::service::Demos;
use futures::FutureExt;
use ledger::service::LedgerService;
use model::{
    Audit, EventId, Millis, Verdict,
    error::{Code, Error, Result},
    ledger::Audited,
};
use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use store::{
    embedded::room::{self, Room},
    keys,
};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

/// The interval at which due items are processed.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// The interval of checks whether a sale has changed since its audit.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// The interval of checks whether Redis is still fit to hold sales.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The shortest interval between audits of a sale. Audits also take no more than one part in [`SHARE`] of the time.
const AUDIT_EVERY: Duration = Duration::from_secs(30);
const SHARE: u32 = 20;
/// The milliseconds after which an audit that holds is repeated even if nothing has happened. Somebody may have changed
/// the sale by hand, which leaves no event.
const HOLDS_FOR: Millis = 60 * 60 * 1_000;
/// The interval of checks whether each kind has a demonstration sale in which something is left.
const DEMOS_EVERY: Duration = Duration::from_secs(5);
/// The interval of checks which webhooks there are.
const WEBHOOKS_EVERY: Duration = Duration::from_secs(1);
/// The interval of checks whether a sale has to be recovered.
const RECOVER_EVERY: Duration = Duration::from_millis(500);
/// The interval of searches for sales that Redis has lost completely.
const MISSING_EVERY: Duration = Duration::from_secs(10);

/// Starts the background work, which ends when the server stops. Closed sales are archived after `keep_closed`. With
/// `demos`, a demonstration sale in which nothing is left is followed by another one. The embedded Redis needs `room`.
/// `deliverer` sends what is recorded to webhooks. `recovers` says whether lost sales are recovered.
pub fn start(
    state: &AppState,
    keep_closed: Duration,
    recovers: bool,
    demos: Option<Demos>,
    room: Option<Room>,
    deliverer: Deliverer,
) -> TaskTracker {
    let tasks = TaskTracker::new();
    let process = state.ids.process().to_owned();
    let writer = {
        let ledger = state.ledger_service.clone();
        move || ledger.writer(process.clone())
    };
    // Another server takes over while this one drains. None has the embedded Redis.
    let until = if room.is_some() { state.shutdown.clone() } else { state.draining.clone() };
    match state.faults.writer_switch() {
        Some(switch) => tasks.spawn(switch.run(writer, until)),
        None => tasks.spawn(writer().run(until)),
    };
    let stop = || state.shutdown.clone();
    tasks.spawn(sweep(state.ledger_service.clone(), stop()));
    tasks.spawn(repeat(stop(), SWEEP_EVERY, "closed sales could not be archived", {
        let state = state.clone();
        async move || archive(&state, keep_closed).await
    }));
    tasks.spawn(repeat(stop(), WEBHOOKS_EVERY, "webhooks could not be looked up", {
        let (state, deliverer) = (state.clone(), Arc::new(deliverer));
        let mut followed = HashMap::new();
        async move || follow_webhooks(&state, &deliverer, &mut followed).await
    }));
    tasks.spawn(repeat(stop(), CHECK_EVERY, "sales could not be audited", {
        let (state, mut next) = (state.clone(), HashMap::new());
        async move || audit_changed(&state, &mut next).await
    }));
    if recovers {
        let mut recovery = AutomaticRecovery::new(state.clone());
        tasks.spawn(repeat(stop(), RECOVER_EVERY, "lost sales could not be recovered", async move || {
            recovery.round().await
        }));
    }
    tasks.spawn(repeat(stop(), MISSING_EVERY, "lost sales could not be looked for", {
        let state = state.clone();
        async move || state.missing.look().await
    }));
    tasks.spawn(repeat(stop(), LOOK_EVERY, "Redis could not be looked at", {
        let (state, mut said, mut evicted) = (state.clone(), None, 0);
        async move || {
            look_at_redis(&state, &mut said).await;
            suspend_evicted(&state, &mut evicted).await;
            Ok(())
        }
    }));
    if let Some(mut room) = room {
        let store = state.store.clone();
        tasks.spawn(repeat(stop(), room::EVERY, "room on the disk could not be kept", async move || {
            room.keep(&store).await
        }));
    }
    if let Some(mut demos) = demos {
        let state = state.clone();
        tasks.spawn(repeat(stop(), DEMOS_EVERY, "demonstration sales could not be opened", async move || {
            demos.open(&state.lists).await;
            Ok(())
        }));
    }
    tasks.close();
    tasks
}

fn panicked() -> Error {
    Error::new(Code::Internal, "The work panicked; the line before says where.")
}

/// Processes what becomes due, such as expired holds, until `shutdown`.
pub(super) async fn sweep(service: Arc<LedgerService>, shutdown: CancellationToken) {
    let work = async move || service.sweep().await.map(drop);
    repeat(shutdown, SWEEP_EVERY, "due items could not be processed", work).await;
}

/// Repeats `work` at an interval until the server stops. The stop may interrupt it, as all background work can be left
/// half done. The first failure of a series is logged.
async fn repeat(
    shutdown: CancellationToken,
    every: Duration,
    trouble: &'static str,
    mut work: impl AsyncFnMut() -> Result<()>,
) {
    let mut tick = tokio::time::interval(every);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut in_trouble = false;
    let all = async {
        loop {
            tick.tick().await;
            // A panic is a defect, but ends only this round of the work: the others, and the next, do not depend on it.
            let done = AssertUnwindSafe(work()).catch_unwind().await.unwrap_or_else(|_| Err(panicked()));
            if let (Err(error), false) = (&done, in_trouble) {
                tracing::warn!(%error, "{trouble}; trying again");
            }
            in_trouble = done.is_err();
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = all => {}
    }
}

/// Logs when Redis is no longer reliable: it may evict keys, or it became a replica. `said` is the last logged state.
async fn look_at_redis(state: &AppState, said: &mut Option<Result<()>>) {
    // The store logs that Redis is full.
    let found = Some(state.store.check_fitness().await.map(drop));
    if found == *said {
        return;
    }
    match &found {
        Some(Err(error)) => tracing::error!(%error, "Redis must not be used as it is"),
        _ if said.is_some() => tracing::info!("Redis is fit to hold sales again"),
        _ => {}
    }
    *said = found;
}

/// Suspends the sales whose keys Redis has evicted, if it has evicted any since the last call. `known` is the number of
/// evictions at that time. The count starts again when Redis starts.
async fn suspend_evicted(state: &AppState, known: &mut u64) {
    let evicted = state.store.evicted();
    if evicted > 0 && evicted != *known {
        tracing::error!(evicted, "Redis has evicted keys: looking for sales that lack some");
        if let Err(error) = state.ledger_service.suspend_lost().await {
            tracing::warn!(%error, "not all sales could be looked through; trying again");
            return;
        }
    }
    *known = evicted;
}

/// Archives sales that were closed long enough ago, if this process writes the ledger.
async fn archive(state: &AppState, keep_closed: Duration) -> Result<()> {
    if state.writes_ledger().await? {
        state.closing.archive_due(keep_closed).await?;
    }
    Ok(())
}

/// Delivers to each webhook, if this process writes the ledger. A slow receiver delays no other.
async fn follow_webhooks(
    state: &AppState,
    deliverer: &Arc<Deliverer>,
    followed: &mut HashMap<String, AbortOnDropHandle<()>>,
) -> Result<()> {
    if !state.writes_ledger().await? {
        followed.clear();
        return Ok(());
    }
    let webhooks = state.ledger.webhooks().await?;
    followed.retain(|id, task| !task.is_finished() && webhooks.iter().any(|webhook| webhook.id == *id));
    for webhook in webhooks {
        followed.entry(webhook.id).or_insert_with_key(|id| {
            let (deliverer, id, stop) = (deliverer.clone(), id.clone(), state.shutdown.clone());
            AbortOnDropHandle::new(tokio::spawn(async move { deliverer.follow(&id, &stop).await }))
        });
    }
    Ok(())
}

/// Audits each of the newest sales that has changed since its last audit, if this process writes the ledger.
async fn audit_changed(state: &AppState, next: &mut HashMap<String, Instant>) -> Result<()> {
    if !state.writes_ledger().await? {
        return Ok(());
    }
    let mut failed = None;
    let board = state.ledger_service.board(0).await?;
    // Only sales on the board are remembered.
    let due = std::mem::take(next);
    for Audited { status, audit, .. } in board.sales {
        let still_holds = audit.is_some_and(|audit| still_holds(&audit, status.last_event_id, state.clock.now()));
        let name = keys::name(&status.kind, &status.sale);
        let due = due.get(&name).filter(|due| Instant::now() < **due);
        if still_holds || due.is_some() {
            next.extend(due.map(|due| (name, *due)));
            continue;
        }
        let began = Instant::now();
        match state.ledger_service.audit(&status.kind, &status.sale).await {
            Ok(audit) if audit.verdict == Verdict::Broken => {
                tracing::error!(sale = status.sale, "an audit is broken; see /audit");
            }
            Ok(_) => {}
            Err(error) if error.code.status() < 500 => {}
            // A sale that fails does not keep others from being audited.
            Err(error) => failed = failed.or(Some(error)),
        }
        next.insert(name, Instant::now() + AUDIT_EVERY.max(began.elapsed() * SHARE));
    }
    failed.map_or(Ok(()), Err)
}

/// Whether another audit would have the same result: the last one holds and is recent, and no event has come since.
fn still_holds(audit: &Audit, last_event_id: EventId, now: Millis) -> bool {
    audit.verdict == Verdict::Holds && audit.event_id == last_event_id && now - audit.at < HOLDS_FOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_that_holds_is_made_again_after_an_event_and_after_an_hour() {
        let (at, event, later) = (1_000, EventId { millis: 5, sequence: 0 }, EventId { millis: 6, sequence: 0 });
        let audit = Audit::of(Vec::new(), event, at);
        assert!(still_holds(&audit, event, at + HOLDS_FOR - 1));
        assert!(!still_holds(&audit, later, at + 1));
        assert!(!still_holds(&audit, event, at + HOLDS_FOR), "something may have been changed by hand");
        let broken = Audit { verdict: Verdict::Broken, ..audit };
        assert!(!still_holds(&broken, event, at + 1));
    }
}
