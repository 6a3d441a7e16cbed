//! Runs crowds: simulated users, each with a place in the row, going the way of every attempt.
//!
//! A run lives in one process, what is known of it in Redis: any server answers for it and may stop it. What
//! users do, and how a run is judged, is the kind's own: `red_packet.rs`, `ticket.rs`.

mod game;
mod red_packet;
mod run;
mod ticket;
mod times;

use super::{ArrivalKind, Judgement, Kind, Orders, Phase, Started, Status};
use crate::{
    domain::{Millis, Verdict, check_id},
    error::{Code, Error, Result},
    ledger::books::Books,
    runtime::{Clock, Ids},
    sales::{red_packet::service::RedPackets, ticket::service::Tickets},
    store::{Store, command, keys},
};
pub(super) use ticket::TRIES;

use game::Game;
use run::Run;
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often a run says how it goes.
const TICK: Duration = Duration::from_millis(100);
/// A run that has said nothing for so long has lost its server.
const SILENT_FOR: Millis = 5_000;
/// What is known of a run is kept for a day.
const KEPT_S: u64 = 86_400;

/// Starts, watches and stops crowds.
#[derive(Clone)]
pub struct Crowds {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    books: Books,
    red_packet: RedPackets,
    tickets: Tickets,
    /// Cancelled when the server stops.
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

impl Crowds {
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<Ids>,
        books: Books,
        red_packet: RedPackets,
        tickets: Tickets,
        shutdown: CancellationToken,
    ) -> Self {
        Self { store, clock, ids, books, red_packet, tickets, shutdown, tasks: TaskTracker::new() }
    }

    /// The kind of which there is a sale of this id.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn kind_of(&self, sale: &str) -> Result<Kind> {
        check_id("sale", sale)?;
        for kind in Kind::ALL {
            if self.store.query("EXISTS", keys::sale(kind.name(), sale, "meta")).await? {
                return Ok(kind);
            }
        }
        Err(Error::unknown_sale(sale))
    }

    /// Lets a crowd loose on a sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`; `busy` while another crowd is at the sale.
    pub async fn start(&self, orders: Orders) -> Result<Started> {
        orders.check()?;
        match &orders.taste {
            None => {
                let game = red_packet::Fight::new(self.red_packet.clone(), &orders).await?;
                self.launch(orders, game).await
            }
            Some(taste) => {
                let game = ticket::Fight::new(self.tickets.clone(), &orders.sale, taste.clone()).await?;
                self.launch(orders, game).await
            }
        }
    }

    async fn launch<G: Game>(&self, orders: Orders, game: G) -> Result<Started> {
        let run = self.ids.id();
        // Gone by itself when this server is: the next crowd need not wait for a dead one.
        let place = key(&orders, "crowd_lock");
        let free: Option<String> = self.store.query("SET", (&place, &run, "NX", "PX", SILENT_FOR)).await?;
        if free.is_none() {
            return Err(Error::new(Code::Busy, "A crowd is at this sale already; stop it or wait until it is done."));
        }
        let crowd = Arc::new(Run::new(run.clone(), orders, self.clock.now(), G::ANSWERS));
        let this = self.clone();
        self.publish(&crowd.status(Phase::Running)).await?;
        self.tasks.spawn(async move { this.run(crowd, game).await });
        Ok(Started { run })
    }

    /// Where a run stands.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn status(&self, run: &str) -> Result<Status> {
        crate::domain::check_id("run", run)?;
        let json: Option<String> = self.store.query("GET", keys::run(run)).await?;
        match json {
            Some(json) => read(&json, self.clock.now()),
            None => Err(Error {
                code: Code::UnknownRun,
                message: format!("There is no crowd run \"{run}\"; runs are kept for a day."),
                field: Some("run".to_owned()),
            }),
        }
    }

    /// Asks a run to stop, wherever it runs. Answers on their way still count.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn stop(&self, run: &str) -> Result<Status> {
        let status = self.status(run).await?;
        if !status.phase.is_over() {
            let _ok: String = self.store.query("SET", (keys::run_stop(run), 1, "EX", KEPT_S)).await?;
        }
        Ok(status)
    }

    async fn run<G: Game>(&self, crowd: Arc<Run>, game: G) {
        let workers: Vec<_> = (0..crowd.orders.concurrency.min(crowd.orders.users))
            .map(|_| tokio::spawn(worker(crowd.clone(), game.clone())))
            .collect();
        let finished = async {
            for worker in workers {
                // A worker that panicked has made attempts whose outcome nobody noted.
                if worker.await.is_err() {
                    crowd.unknown.fetch_add(1, Relaxed);
                }
            }
            game.settle().await;
        };
        tokio::pin!(finished);
        let mut tick = tokio::time::interval_at(crowd.start + TICK, TICK);
        // After a stall, ticks in a bunch would make stretches too short to tell a speed.
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = &mut finished => break,
                _ = tick.tick() => {
                    crowd.mark();
                    self.say(&crowd.status(Phase::Running)).await;
                    if self.asked_to_stop(&crowd.run).await {
                        crowd.stopped.store(true, Relaxed);
                    }
                }
                () = self.shutdown.cancelled() => return,
            }
        }
        crowd.mark();
        crowd.finish();
        self.say(&crowd.status(Phase::Judging)).await;
        let judgement = tokio::select! {
            judgement = self.judge(&crowd, &game) => judgement,
            () = self.keep_saying(&crowd) => return,
        };
        let phase = if crowd.stopped.load(Relaxed) { Phase::Stopped } else { Phase::Done };
        let mut status = crowd.status(phase);
        status.verdict = Some(judgement.verdict);
        status.judgement = Some(judgement);
        tracing::info!(
            run = status.run, sale = status.orders.sale, attempts = status.answered, per_s = status.mean_per_s,
            p99_us = status.p99_us, verdict = ?status.verdict, "a crowd is done"
        );
        self.say(&status).await;
        let _free: Result<i64> = self.store.query("DEL", key(&crowd.orders, "crowd_lock")).await;
    }

    /// Says that the run is being judged until that is done or the server stops.
    async fn keep_saying(&self, crowd: &Run) {
        let mut tick = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = tick.tick() => self.say(&crowd.status(Phase::Judging)).await,
                () = self.shutdown.cancelled() => return,
            }
        }
    }

    /// Tells Redis how the run goes; where Redis does not hear it now, the next tick says more.
    async fn say(&self, status: &Status) {
        if let Err(error) = self.publish(status).await {
            tracing::warn!(run = status.run, %error, "the crowd's status could not be published");
        }
    }

    async fn publish(&self, status: &Status) -> Result<()> {
        let json = serde_json::to_string(status).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let orders = &status.orders;
        let mut pipeline = redis::Pipeline::with_capacity(3);
        let mut set = |key: String| {
            let mut set = command("SET");
            set.arg((key, &json, "EX", KEPT_S));
            pipeline.add_command(set);
        };
        set(keys::run(&status.run));
        set(key(orders, "crowd"));
        let mut renew = command("PEXPIRE");
        renew.arg((key(orders, "crowd_lock"), SILENT_FOR));
        pipeline.add_command(renew);
        let _: (String, String, i64) = self.store.pipeline(&pipeline).await?;
        Ok(())
    }

    async fn asked_to_stop(&self, run: &str) -> bool {
        self.store.query("EXISTS", keys::run_stop(run)).await.unwrap_or(false)
    }

    /// Compares what was acknowledged with what is there: the kind's own look, then the audit's.
    async fn judge<G: Game>(&self, crowd: &Run, game: &G) -> Judgement {
        match self.compare(crowd, game).await {
            Ok(judgement) => judgement,
            Err(error) => Judgement {
                verdict: Verdict::Unknown,
                oversold: 0,
                doubled: 0,
                lost: 0,
                unexpected: 0,
                expected_cents: 0,
                found_cents: 0,
                reason: Some(error.message),
            },
        }
    }

    async fn compare<G: Game>(&self, crowd: &Run, game: &G) -> Result<Judgement> {
        let found = game.compare(crowd).await?;
        let audit = self.books.audit(crowd.orders.kind().name(), &crowd.orders.sale).await?;
        if audit.verdict == Verdict::Unknown {
            return Err(Error::new(Code::Unavailable, audit.reason.unwrap_or_default()));
        }
        let invariant = |name: &str| audit.invariants.iter().find(|invariant| invariant.name == name);
        let excess =
            |name: &str| invariant(name).map_or(0, |invariant| (invariant.found - invariant.expected).max(0) as u64);
        let (expected_cents, found_cents) = invariant("money").map_or((0, 0), |money| (money.expected, money.found));
        let doubled = found.doubled + excess("doubled") + excess("twice");
        let oversold = found.oversold + excess("packets");
        let lost = found.lost + excess("lost");
        let unexpected = found.unexpected + excess("unexpected");
        let clean = oversold + doubled + lost + unexpected == 0 && audit.verdict == Verdict::Holds;
        let verdict = if clean { Verdict::Holds } else { Verdict::Broken };
        Ok(Judgement { verdict, oversold, doubled, lost, unexpected, expected_cents, found_cents, reason: None })
    }
}

/// The key of one of the parts of the sale that a crowd is at.
fn key(orders: &Orders, part: &str) -> String {
    keys::sale(orders.kind().name(), &orders.sale, part)
}

/// Reads a published status; one that says it runs but has been silent has lost its server.
///
/// # Errors
/// `unavailable` when it cannot be read.
pub fn read(json: &str, now: Millis) -> Result<Status> {
    let mut status: Status = serde_json::from_str(json)
        .map_err(|error| Error::new(Code::Unavailable, format!("The crowd's status cannot be read: {error}.")))?;
    let last_word = status.started_at + status.elapsed_ms as Millis;
    if !status.phase.is_over() && now - last_word > SILENT_FOR {
        status.phase = Phase::Lost;
        status.left_ms = None;
    }
    Ok(status)
}

/// One of `concurrency` hands: takes the next place in the row, waits until that user is due, and lets it come.
async fn worker<G: Game>(crowd: Arc<Run>, game: G) {
    loop {
        let place = crowd.next_place.fetch_add(1, Relaxed);
        if place >= crowd.orders.users || crowd.is_stopped() {
            return;
        }
        let due = crowd.start + Duration::from_micros(crowd.orders.arrival.due_us(place));
        let begun = if due > Instant::now() {
            if !wait_until(due, &crowd).await {
                return;
            }
            due
        } else if crowd.orders.arrival.kind == ArrivalKind::Burst {
            Instant::now()
        } else {
            due
        };
        game.come(&crowd, place, begun).await;
    }
}

/// Waits for a user's moment; false when the crowd was stopped meanwhile.
async fn wait_until(due: Instant, crowd: &Run) -> bool {
    loop {
        if crowd.is_stopped() {
            return false;
        }
        let now = Instant::now();
        if now >= due {
            return true;
        }
        tokio::time::sleep_until(due.min(now + TICK)).await;
    }
}
