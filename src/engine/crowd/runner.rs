//! Runs crowds: simulated users, each with a position in the queue. Their attempts take the same path as all others.
//!
//! A run takes place in one process. Its status is in Redis, so any server can report it and stop the run. The kind of
//! sale defines the actions of users and the verification of a run ([`Scenario`]).

use crate::{
    crowd::{
        run::Run,
        scenario::{CrowdKind, Discrepancies, Scenario},
        scripts,
        times::SHORTEST_POINT,
    },
    runs::{TICK, give_back, history::RunHistory, hold, publish_end, published, try_again},
};
use ledger::service::LedgerService;
use model::{
    Audit, Checks, KindInfo, Verdict, check_id, check_within,
    crowd::{
        MAX_CHANGES, MAX_PER_S, MAX_RUNS, Phase, RunConfig, Status, Verification,
        runs::{RunRecord, RunReport},
    },
    error::{Code, Error, Result},
    find_kind,
    life::Currency,
    runs::{RunCursor, RunPage, Started},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, atomic::Ordering::Relaxed},
    time::Duration,
};
use store::{
    Store, keys,
    listing::{field_of, state_of},
    runtime::{Clock, Ids, locked},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, sleep_until},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long an interrupted run that cannot be verified is left alone: each try is an audit.
const SETTLE_EVERY: Duration = Duration::from_secs(60);

/// Starts, watches and stops crowds. Cheap to clone.
#[derive(Clone)]
pub struct Crowds {
    pub(super) store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    pub(super) ledger: Arc<LedgerService>,
    pub(super) kinds: Arc<[Arc<dyn CrowdKind>]>,
    pub history: Arc<RunHistory<RunReport>>,
    /// The token that is cancelled when the server stops.
    shutdown: CancellationToken,
    tasks: TaskTracker,
    places: Arc<Semaphore>,
    /// The runs of this process that make attempts, by id.
    active: Arc<Mutex<HashMap<String, Arc<Run>>>>,
    /// Interrupted runs that this process verifies, or could not verify, and when it may try again.
    settled_until: Arc<Mutex<HashMap<String, Instant>>>,
}

impl Crowds {
    /// The crowds for these kinds of sale. They end when `shutdown` is cancelled.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<Ids>,
        ledger: Arc<LedgerService>,
        kinds: Arc<[Arc<dyn CrowdKind>]>,
        history: Arc<RunHistory<RunReport>>,
        shutdown: CancellationToken,
    ) -> Self {
        let places = Arc::new(Semaphore::new(MAX_RUNS));
        Self {
            store,
            clock,
            ids,
            ledger,
            kinds,
            history,
            shutdown,
            tasks: TaskTracker::new(),
            places,
            active: Arc::default(),
            settled_until: Arc::default(),
        }
    }

    /// The first kind that has a sale with this id.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `unavailable`.
    pub async fn kind_of(&self, sale: &str) -> Result<&'static KindInfo> {
        check_id("sale", sale)?;
        for kind in self.kinds.iter().map(|kind| kind.info()) {
            // An archived sale is still marked for a while.
            if state_of(&self.store, kind.id, sale).await?.is_some_and(|state| state != "archived") {
                return Ok(kind);
            }
        }
        let mut error = Error::unknown_sale(sale);
        for kind in self.kinds.iter() {
            error = self.ledger.archived_or_lost(error, kind.info().id, sale).await;
        }
        Err(error)
    }

    /// Starts a crowd at a sale of this kind; `config.behavior` may contain any fields of the request.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`; `crowd_running` while another crowd is at the sale; `busy` while
    /// this process runs the most crowds that it may.
    pub async fn start(&self, kind: &str, mut config: RunConfig) -> Result<Started> {
        let kind = find_kind(self.kinds.iter().map(AsRef::as_ref), kind)?;
        let mut checks = Checks::default();
        checks.note(config.check());
        config.behavior = checks.finish(kind.behavior(&config.behavior.unwrap_or_default()))?;
        let scenario = kind.scenario(&config).await?;
        let (id, info) = (self.ids.id(), kind.info());
        let place = self.places.clone().try_acquire_owned().map_err(|_| {
            let why = format!("{MAX_RUNS} crowds run on this server, which is the most at a time; stop one or wait.");
            Error::new(Code::Busy, why)
        })?;
        let lock = lock(&self.store, info, &config.sale);
        if !self.take_lock(&lock, &id).await? {
            return Err(Error::new(
                Code::CrowdRunning,
                format!("A crowd is at the sale \"{}\" already; stop it or wait until it is done.", config.sale),
            ));
        }
        self.keep_lost(info.id, &config.sale).await;
        let begin = async {
            // Read under the lock: a crowd before this one takes nothing any more.
            let left = kind.left(&config.sale).await?;
            let run = Run::new(id.clone(), info, config, self.clock.now(), left, scenario.answers());
            self.publish(info, &run.status(Phase::Running, self.clock.now())).await?;
            Ok::<_, Error>(Arc::new(run))
        };
        let run = match begin.await {
            Ok(run) => run,
            Err(error) => {
                give_back(&self.store, &lock, &id).await;
                return Err(error);
            }
        };
        let this = self.clone();
        self.active().insert(id.clone(), run.clone());
        self.tasks.spawn(async move { this.run(run, scenario, place).await });
        Ok(Started { run: id })
    }

    /// The status of a run.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn status(&self, run: &str) -> Result<Status> {
        check_id("run", run)?;
        published(&self.store, keys::run(run), self.clock.now()).await?.ok_or_else(|| {
            Error::of_field(
                Code::UnknownRun,
                "run",
                format!("There is no crowd run \"{run}\"; runs are kept for a day."),
            )
        })
    }

    /// Asks a run to stop, on any server. Answers in flight still count. A run of this process also stops while Redis
    /// is away.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn stop(&self, run: &str) -> Result<Status> {
        let own = self.active().get(run).cloned();
        if let Some(own) = own {
            own.stopped.store(true, Relaxed);
            return Ok(own.status(Phase::Running, self.clock.now()));
        }
        let status = self.status(run).await?;
        // A run that seems lost may only have been silent for a while, because its machine slept.
        if !matches!(status.phase, Phase::Done | Phase::Stopped) {
            scripts::keep(&self.store, keys::run_stop(run), "1").await?;
        }
        Ok(status)
    }

    /// Changes the load of a run, on any server, to `per_s` users a second. An ended run is not changed.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `unavailable`.
    pub async fn change(&self, run: &str, per_s: u32) -> Result<Status> {
        let mut checks = Checks::default();
        checks.note(check_id("run", run));
        checks.finish(check_within("per_s", per_s, 1..=MAX_PER_S, ""))?;
        let status = self.status(run).await?;
        if status.phase == Phase::Running {
            if status.changes.len() == MAX_CHANGES {
                return Err(Error::bad("run", format!("A run takes at most {MAX_CHANGES} changes of its load.")));
            }
            // The id distinguishes the request from an earlier one for the same rate.
            scripts::keep(&self.store, keys::run_change(run), &format!("{per_s} {}", self.ids.id())).await?;
        }
        Ok(status)
    }

    fn active(&self) -> MutexGuard<'_, HashMap<String, Arc<Run>>> {
        locked(&self.active)
    }

    async fn run(&self, run: Arc<Run>, scenario: Arc<dyn Scenario>, place: OwnedSemaphorePermit) {
        let workers: Vec<_> = (0..run.config.concurrency.min(run.config.users))
            .map(|_| tokio::spawn(worker(run.clone(), scenario.clone())))
            .collect();
        let finished = async {
            for worker in workers {
                // A worker that panicked has made an attempt whose outcome was not recorded.
                if worker.await.is_err() {
                    run.note_unanswered(Code::Internal);
                }
            }
            scenario.settle().await;
        };
        tokio::pin!(finished);
        let mut heard = None;
        let mut tick = tokio::time::interval_at(run.start + TICK, TICK);
        // After a stall, a burst of ticks would make intervals too short to measure a rate.
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut mark = run.start + SHORTEST_POINT;
        loop {
            tokio::select! {
                () = &mut finished => break,
                () = sleep_until(mark) => mark = run.mark(),
                _ = tick.tick() => {
                    self.report(run.kind, &run.status(Phase::Running, self.clock.now())).await;
                    if self.hears(&run, &mut heard).await || !self.keeps_lock(&run).await {
                        run.stopped.store(true, Relaxed);
                    }
                }
                () = self.shutdown.cancelled() => {
                    // No more attempts are made. Attempts in flight still get their answers.
                    run.stopped.store(true, Relaxed);
                    finished.await;
                    self.active().remove(&run.id);
                    self.break_off(&run).await;
                    return;
                }
            }
        }
        run.finish();
        self.active().remove(&run.id);
        tracing::info!(run = run.id, sale = run.config.sale, "a crowd has made its attempts; verifying");
        self.report(run.kind, &run.status(Phase::Verifying, self.clock.now())).await;
        let (verification, audit) = tokio::select! {
            verified = self.verify(&run, &*scenario) => verified,
            () = self.keep_reporting(&run) => {
                self.break_off(&run).await;
                return;
            }
        };
        let phase = if run.stopped.load(Relaxed) { Phase::Stopped } else { Phase::Done };
        let mut status = run.status(phase, self.clock.now());
        status.verdict = Some(verification.verdict);
        status.verification = Some(verification);
        tracing::info!(
            run = status.run, sale = status.config.sale, attempts = status.answered, per_s = status.mean_per_s,
            p99_us = status.p99_us, verdict = ?status.verdict, "a crowd is done"
        );
        // The lock may have expired while Redis was unreachable.
        self.keeps_lock(&run).await;
        publish_end(&self.store, &run.id, &self.shutdown, || self.publish(run.kind, &status)).await;
        self.give_back_lock(&run).await;
        // The permit is released first, so that another crowd need not wait for the ledger.
        drop(place);
        self.history.keep(&RunReport::new(run.kind.id, status, audit)).await;
    }

    /// Reports a run whose server stops before the run has been verified.
    async fn break_off(&self, run: &Run) {
        let status = run.status(Phase::Lost, self.clock.now());
        self.report(run.kind, &status).await;
        self.give_back_lock(run).await;
        self.history.keep(&RunReport::new(run.kind.id, status, None)).await;
    }

    /// The ended runs of a sale, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn runs(
        &self,
        kind: &str,
        sale: &str,
        limit: Option<u32>,
        after: Option<&RunCursor>,
    ) -> Result<RunPage<RunRecord>> {
        check_id("sale", sale)?;
        self.history.page(kind, sale, limit, after, self.keep_lost(kind, sale)).await
    }

    /// Verifies and keeps the latest run at a sale if its server is gone, as nobody else will. If its server verifies it
    /// after all, that report replaces this one.
    async fn keep_lost(&self, kind: &str, sale: &str) -> Option<JoinHandle<()>> {
        let latest = published(&self.store, self.store.sale_key(kind, sale, "crowd"), self.clock.now())
            .await
            .unwrap_or_default();
        let is_open = |status: &Status| status.phase == Phase::Lost && status.verification.is_none();
        let status = latest.filter(is_open)?;
        let kind = find_kind(self.kinds.iter().map(AsRef::as_ref), kind).ok()?.info();
        let now = Instant::now();
        {
            let mut settled_until = locked(&self.settled_until);
            settled_until.retain(|_, until| *until > now);
            if settled_until.contains_key(&status.run) {
                return None;
            }
            settled_until.insert(status.run.clone(), now + SETTLE_EVERY);
        }
        let this = self.clone();
        Some(self.tasks.spawn(async move { this.settle_lost(kind, status).await }))
    }

    /// Verifies a run whose server is gone, by the audit alone: nobody knows any more what its users were told. Keeps
    /// it, unverified if that cannot be done now.
    async fn settle_lost(&self, kind: &'static KindInfo, mut status: Status) {
        let audit = match self.verify_lost(kind, &status.config).await {
            Ok((verification, audit)) => {
                (status.verdict, status.verification) = (Some(verification.verdict), Some(verification));
                self.publish_settled(kind, &status).await;
                Some(audit)
            }
            Err(error) => {
                tracing::warn!(run = status.run, %error, "an interrupted run cannot be verified yet");
                None
            }
        };
        self.history.keep(&RunReport::new(kind.id, status, audit)).await;
    }

    async fn verify_lost(&self, kind: &'static KindInfo, config: &RunConfig) -> Result<(Verification, Audit)> {
        let scenario = find_kind(self.kinds.iter().map(AsRef::as_ref), kind.id)?.scenario(config).await?;
        self.refuse_lost(kind, &config.sale).await?;
        let audit = self.audit(kind, &config.sale).await?;
        Ok((self.verified(kind, &config.sale, scenario.audited(&audit), &audit).await?, audit))
    }

    /// Publishes the status of a verified run, unless another crowd has come or its own server is back.
    async fn publish_settled(&self, kind: &'static KindInfo, status: &Status) {
        let lock = lock(&self.store, kind, &status.config.sale);
        if !matches!(hold(&self.store, &lock, &status.run).await, Ok(None)) {
            return;
        }
        // A server that only could not reach Redis may have reported the run since: then the run is its own again.
        let key = self.store.sale_key(kind.id, &status.config.sale, "crowd");
        let latest: Option<Status> = published(&self.store, key, self.clock.now()).await.unwrap_or_default();
        let of_run = latest.filter(|latest| latest.run == status.run);
        if of_run.as_ref().is_some_and(|latest| latest.reported_at == status.reported_at) {
            self.report(kind, status).await;
        }
        if of_run.is_none_or(|latest| latest.phase.is_over()) {
            give_back(&self.store, &lock, &status.run).await;
        }
    }

    /// Takes the lock of a sale, also from a run whose end is published but which has yet to give the lock back.
    async fn take_lock(&self, lock: &str, run: &str) -> Result<bool> {
        let Some(holder) = hold(&self.store, lock, run).await? else { return Ok(true) };
        let status: Option<Status> = published(&self.store, keys::run(&holder), self.clock.now()).await?;
        // A run that seems lost may only have been silent.
        if !status.is_some_and(|status| matches!(status.phase, Phase::Done | Phase::Stopped)) {
            return Ok(false);
        }
        give_back(&self.store, lock, &holder).await;
        Ok(hold(&self.store, lock, run).await?.is_none())
    }

    async fn give_back_lock(&self, run: &Run) {
        give_back(&self.store, &lock(&self.store, run.kind, &run.config.sale), &run.id).await;
    }

    /// Whether the run still has the sale. After a long silence, another crowd may have come.
    async fn keeps_lock(&self, run: &Run) -> bool {
        // Once another crowd has come, the run stays superseded, even when that crowd has ended.
        if run.superseded.load(Relaxed) {
            return false;
        }
        // While Redis is out of reach, nobody else gets the lock either.
        let other =
            hold(&self.store, &lock(&self.store, run.kind, &run.config.sale), &run.id).await.unwrap_or_default();
        run.superseded.store(other.is_some(), Relaxed);
        other.is_none()
    }

    /// Waits until the runs of this server have ended.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Publishes the status while the run is being verified, until the server stops.
    async fn keep_reporting(&self, run: &Run) {
        let mut tick = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = tick.tick() => {
                    self.report(run.kind, &run.status(Phase::Verifying, self.clock.now())).await;
                    self.keeps_lock(run).await;
                }
                () = self.shutdown.cancelled() => return,
            }
        }
    }

    /// Publishes a status. If that fails, the next tick publishes a newer one.
    async fn report(&self, kind: &KindInfo, status: &Status) {
        if let Err(error) = self.publish(kind, status).await {
            tracing::warn!(run = status.run, %error, "the crowd's status could not be published");
        }
    }

    async fn publish(&self, kind: &KindInfo, status: &Status) -> Result<()> {
        let json = serde_json::to_string(status).map_err(Error::internal)?;
        let sale = (kind.id, status.config.sale.as_str());
        let of_run = scripts::keep(&self.store, keys::run(&status.run), &json);
        let of_sale = scripts::publish(&self.store, sale, &status.run, &json);
        futures::try_join!(of_run, of_sale)?;
        Ok(())
    }

    /// Reads the requests that concern the run. Returns whether to stop. Changes the load to that of the latest
    /// request, unless `heard` is that request.
    async fn hears(&self, run: &Run, heard: &mut Option<String>) -> bool {
        // Two commands, as the keys may be on different servers of a cluster. If Redis is unreachable, both are read again
        // at the next tick.
        let read = async |key: String| self.store.query::<Option<String>>("GET", key).await.unwrap_or_default();
        let (stop, change) = futures::join!(read(keys::run_stop(&run.id)), read(keys::run_change(&run.id)));
        if change.is_some() && change != *heard {
            if let Some(per_s) = change.as_deref().and_then(|change| change.split(' ').next()?.parse().ok()) {
                run.change(per_s);
            }
            *heard = change;
        }
        stop.is_some()
    }

    /// Verifies that every acknowledged item is stored, first by the scenario's own comparison, then by the audit,
    /// which is returned as well. A run that ends while Redis is away is verified when Redis is back.
    async fn verify(&self, run: &Run, scenario: &dyn Scenario) -> (Verification, Option<Audit>) {
        let mut tries = 0;
        let reason = loop {
            match self.try_verify(run, scenario).await {
                Ok((verification, audit)) => return (verification, Some(audit)),
                Err(_) if try_again(&self.store, &mut tries).await => {}
                Err(error) => break error.message,
            }
        };
        let verification = Verification {
            verdict: Verdict::Unknown,
            oversold: 0,
            doubled: 0,
            lost: 0,
            unexpected: 0,
            before_start: None,
            expected_cents: 0,
            found_cents: 0,
            currency: Currency::default(),
            reason: Some(reason),
        };
        (verification, None)
    }

    /// Refuses to verify a run while Redis lacks its sale, or a part of it.
    async fn refuse_lost(&self, kind: &KindInfo, sale: &str) -> Result<()> {
        match state_of(&self.store, kind.id, sale).await?.as_deref() {
            None => Err(Error::sale_lost(sale)),
            Some("suspended") => Err(Error::sale_suspended(sale)),
            Some(_) => Ok(()),
        }
    }

    async fn try_verify(&self, run: &Run, scenario: &dyn Scenario) -> Result<(Verification, Audit)> {
        self.refuse_lost(run.kind, &run.config.sale).await?;
        let compared = scenario.compare(run).await?;
        let audit = self.audit(run.kind, &run.config.sale).await?;
        let found = compared + scenario.audited(&audit);
        Ok((self.verified(run.kind, &run.config.sale, found, &audit).await?, audit))
    }

    /// The audit of a sale that Redis has.
    async fn audit(&self, kind: &KindInfo, sale: &str) -> Result<Audit> {
        let audit = self.ledger.audit(kind.id, sale).await?;
        // Redis may have lost the sale in between. Missing items then say nothing about the run.
        self.refuse_lost(kind, sale).await?;
        match audit.verdict {
            Verdict::Unknown => Err(Error::new(Code::Unavailable, audit.reason.unwrap_or_default())),
            Verdict::Holds | Verdict::Broken => Ok(audit),
        }
    }

    /// Combines discrepancies, an audit, and what was given away before the start into a verification.
    async fn verified(
        &self,
        kind: &KindInfo,
        sale: &str,
        discrepancies: Discrepancies,
        audit: &Audit,
    ) -> Result<Verification> {
        let money = audit.invariants.iter().find(|invariant| invariant.name == "money");
        let (expected_cents, found_cents) = money.map_or((0, 0), |money| (money.expected, money.found));
        let before_start = self.given_before_start(kind, sale).await?;
        let currency = field_of(&self.store, kind.id, sale, "currency").await?;
        let currency = currency.as_deref().and_then(Currency::from_code).unwrap_or_default();
        let Discrepancies { oversold, doubled, lost, unexpected } = discrepancies;
        let none = oversold + doubled + lost + unexpected + before_start.unwrap_or_default();
        let is_clean = none == 0 && audit.verdict == Verdict::Holds;
        let verdict = if is_clean { Verdict::Holds } else { Verdict::Broken };
        Ok(Verification {
            verdict,
            oversold,
            doubled,
            lost,
            unexpected,
            before_start,
            expected_cents,
            found_cents,
            currency,
            reason: None,
        })
    }
}

/// The key of a sale's lock, whose value is the run at the sale.
fn lock(store: &Store, kind: &KindInfo, sale: &str) -> String {
    store.sale_key(kind.id, sale, "crowd_lock")
}

/// One of `concurrency` workers: takes the next user, waits until the user is due, and runs the user.
async fn worker(run: Arc<Run>, scenario: Arc<dyn Scenario>) {
    loop {
        let place = run.next_place.fetch_add(1, Relaxed);
        if place >= run.config.users || run.is_stopped() {
            return;
        }
        let Some(begun) = arrival(place, &run).await else { return };
        scenario.visit(&run, place, begun).await;
    }
}

/// Waits until a user is due, and returns the due time. In a burst, it returns the time at which the user was let in.
/// Returns `None` if the crowd was stopped in the meantime.
async fn arrival(place: u32, run: &Run) -> Option<Instant> {
    loop {
        if run.is_stopped() {
            return None;
        }
        // The due time is read again each time, as the load may have been changed.
        let ((due, is_burst), now) = (run.due(place), Instant::now());
        if now >= due {
            return Some(if is_burst { now } else { due });
        }
        sleep_until(due.min(now + TICK)).await;
    }
}
