//! The lab as a service: runs, duels and plays. One run takes place at a time, over all servers, and any server can
//! report its progress. All records of a run are in the lab's own logical database.

use crate::{
    contender::chosen,
    database::Database,
    duel::{self, Duels},
    failure,
    home::Lab,
    line::Line,
    mistakes::{MISTAKES, mistake},
    orders::{self, Limits},
    runner, stepper,
    strategies::{STRATEGIES, Storage, Strategy},
};
use engine::{
    crowd::scripts::keep,
    kind::Resources,
    runs::{self, TICK, give_back, history::RunHistory, hold, publish_end},
};
use ledger::database::Ledger;
use model::{
    check_id,
    error::{Code, Error, Result},
    lab::{
        Settings,
        duel::{Duel, Match},
        orders::{MOST_MOMENTS, MOST_MOMENTS_SQL, Orders},
        registry::Strategies,
        run::{KIND, Phase, Progress, Run, RunEntry},
        trace::{Play, Trace, renumbered},
    },
    runs::{RunCursor, RunPage, RunStatus, Started},
};
use moka::sync::Cache;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use store::{
    Store, keys,
    lab_redis::LabRedis,
    runtime::{Clock, Ids, locked},
};
use tokio::{
    sync::{OnceCell, watch},
    task::JoinHandle,
    time::{Instant, MissedTickBehavior},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The number of plays that a process serves at a time, as each has its own connections, and with those that wait for
/// their turn: a class that opens a page together.
const MAX_PLAYS: usize = 8;
const MAX_PLAYS_IN_LINE: usize = 256;
/// The most steps of a play for which a search may have all of its moments. A program may take more, and each moment of
/// it then takes longer.
const USUAL_STEPS: usize = 28;
/// The number of scenes whose orders a process remembers.
const MAX_SCENES: u64 = 200;
/// The number of searches that a process runs at a time, beside its plays, and with those that wait for their turn.
const MAX_SEARCHES: usize = 2;
const MAX_SEARCHES_IN_LINE: usize = 32;
/// The longest that a search takes, for a Redis that is far away.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Runs strategies, and plays them step by step. Cheap to clone.
#[derive(Clone)]
pub struct LabService {
    resources: Resources,
    history: Arc<RunHistory<Run>>,
    redis: LabRedis,
    /// Opened at its first use, which never comes on most servers.
    lab: Arc<OnceCell<Lab>>,
    plays: Arc<Line>,
    duels: Arc<Duels>,
    /// The orders of scenes. They are the same every time, so they are searched once.
    scenes: Cache<Play, Arc<OnceCell<Orders>>>,
    searches: Arc<Line>,
    /// The runs of this server that are in progress, or whose end is not published yet. While Redis is away, only this
    /// server knows their progress.
    active: Arc<Mutex<HashMap<String, Run>>>,
    /// Cancelled when the server stops.
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

impl LabService {
    /// The lab of a server, in this Redis. Its runs end when `shutdown` is cancelled.
    pub fn new(resources: &Resources, redis: LabRedis, shutdown: CancellationToken) -> Self {
        Self {
            resources: resources.clone(),
            redis,
            history: Arc::new(RunHistory::new(resources.ledger.clone(), vec![KIND], shutdown.clone())),
            lab: Arc::default(),
            plays: Arc::new(Line::new("plays", MAX_PLAYS, MAX_PLAYS_IN_LINE)),
            duels: Arc::default(),
            scenes: Cache::new(MAX_SCENES),
            searches: Arc::new(Line::new("searches", MAX_SEARCHES, MAX_SEARCHES_IN_LINE)),
            active: Arc::default(),
            shutdown,
            tasks: TaskTracker::new(),
        }
    }

    /// Every strategy and mistake, with its known failures.
    pub fn strategies(&self) -> Strategies {
        let infos = |all: &[Strategy]| all.iter().map(Strategy::info).collect();
        Strategies { strategies: infos(&STRATEGIES), mistakes: infos(&MISTAKES) }
    }

    /// Starts a run.
    ///
    /// # Errors
    /// `bad_request`; `lab_running` while another run is in progress, on any server; `store_refused` if Redis has no
    /// logical database for the lab; `lab_unavailable` if the lab has no Redis; `unavailable`.
    pub async fn start(&self, settings: Settings) -> Result<Started> {
        settings.check()?;
        chosen(&settings.strategies)?;
        let lab = self.lab().await?;
        let now = self.clock().now();
        let run = Run {
            run: self.ids().id(),
            settings,
            database: lab.database().engine().to_owned(),
            phase: Phase::Running,
            started_at: now,
            reported_at: now,
            now: None,
            strategies: Vec::new(),
            courses: Vec::new(),
            reason: None,
        };
        if !self.take_lease(&run.run).await? {
            return Err(lab_running());
        }
        self.keep_lost().await;
        let published = async {
            self.publish(&run).await?;
            keep(self.store(), self.store().key(keys::LAB_LATEST).to_owned(), &run.run).await
        };
        if let Err(error) = published.await {
            self.give_back_lease(&run.run).await;
            return Err(error);
        }
        self.note(&run);
        let (this, started) = (self.clone(), Started { run: run.run.clone() });
        self.tasks.spawn(async move { this.run(lab, run).await });
        Ok(started)
    }

    /// The run in progress, if there is one.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn current(&self) -> Result<Option<Run>> {
        match self.store().query::<Option<String>>("GET", self.store().key(keys::LAB)).await? {
            Some(run) => Ok(self.published(&run).await?.filter(|run| !run.is_over())),
            None => Ok(None),
        }
    }

    /// A run, in progress or ended.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `unavailable`, `ledger_unavailable`.
    pub async fn find(&self, run: &str) -> Result<Run> {
        check_id("run", run)?;
        match self.published(run).await? {
            // The end of a lost run may be in the ledger alone. The ledger is not needed to show that the run was
            // interrupted.
            Some(lost) if lost.phase == Phase::Lost => Ok(self.history.report(run).await.unwrap_or(lost)),
            Some(run) => Ok(run),
            None => self.history.report(run).await,
        }
    }

    /// Requests the stop of a run, on any server. A finished run does not change.
    ///
    /// # Errors
    /// As [`LabService::find`].
    pub async fn stop(&self, run: &str) -> Result<Run> {
        let found = self.find(run).await?;
        if !found.is_over() {
            keep(self.store(), keys::lab_stop(run), "1").await?;
        }
        Ok(found)
    }

    /// The finished runs, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn runs(&self, limit: Option<u32>, after: Option<&RunCursor>) -> Result<RunPage<RunEntry>> {
        self.history.page(KIND, "", limit, after, self.keep_lost()).await
    }

    /// Plays a schedule from the beginning.
    ///
    /// # Errors
    /// `bad_request` for a schedule that cannot be played; `busy`, `store_refused`, `lab_unavailable`, `internal`.
    pub async fn step(&self, play: &Play) -> Result<Trace> {
        stepper::check(play)?;
        let lab = self.lab().await?;
        let _turn = self.plays.turn().await?;
        stepper::replay(&lab, play).await
    }

    /// Plays all orders of a scene, which is a play whose schedule does not matter, and in which users have no names.
    /// Whoever asks for a scene that is being searched waits for that search. It goes on to its end, even if nobody
    /// waits any longer.
    ///
    /// # Errors
    /// `bad_request`; `busy`, `store_refused`, `lab_unavailable`, `internal`.
    pub async fn orders(&self, scene: &Play) -> Result<Orders> {
        let contender = stepper::check(scene)?;
        let most_moments = match (&contender.program, contender.strategy.storage) {
            (Some(program), _) => {
                MOST_MOMENTS * USUAL_STEPS / (scene.users.len() * program.statements.len()).max(USUAL_STEPS)
            }
            (None, Storage::Rows) => MOST_MOMENTS_SQL,
            (None, _) => MOST_MOMENTS,
        };
        // Only mistakes have users of certain numbers.
        let users = if mistake(&scene.strategy).is_some() { scene.users.clone() } else { renumbered(&scene.users) };
        let strategy = contender.program.as_ref().map_or_else(|| scene.strategy.clone(), |program| program.id());
        let as_asked = |found: Orders| Orders { strategy: scene.strategy.clone(), users: scene.users.clone(), ..found };
        let (this, scene) = (self.clone(), Play { strategy, users, stock: scene.stock, schedule: String::new() });
        let remembered = self.scenes.get_with(scene.clone(), Arc::default);
        if let Some(known) = remembered.get() {
            return Ok(as_asked(known.clone()));
        }
        let searched = self.tasks.spawn(async move {
            let search = async || {
                let _turn = this.searches.turn().await?;
                let limits = Limits {
                    moments: most_moments,
                    until: Some(Instant::now() + MOST_TIME),
                    stop: this.shutdown.child_token(),
                };
                orders::orders(&this.lab().await?, &scene, &limits).await
            };
            remembered.get_or_try_init(search).await.cloned()
        });
        searched.await.unwrap_or_else(|error| Err(Error::internal(error))).map(as_asked)
    }

    /// A duel. The one that is kept, if there is one, unless another is asked for. One takes place at a time: who asks
    /// meanwhile waits for it.
    ///
    /// # Errors
    /// `bad_request` for a strategy that cannot be on the left; `lab_running` while a run is in progress, on any
    /// server, or a duel on another one; `busy`, `store_refused`, `lab_unavailable`, `unavailable`, `internal`.
    pub async fn duel(&self, asked: Match, again: bool) -> Result<Duel> {
        asked.check()?;
        if let Some(kept) = self.duels.find(&asked).filter(|_| !again) {
            return Ok(kept);
        }
        // Whoever leaves meanwhile loses the turn.
        let turn = self.duels.line.turn().await?;
        // Perhaps it is the one that this has waited for.
        if let Some(kept) = self.duels.find(&asked).filter(|_| !again) {
            return Ok(kept);
        }
        let this = self.clone();
        // In a task of its own, which cleans up even if nobody waits for the answer any more.
        let duel = async move {
            let _turn = turn;
            this.new_duel(asked).await
        };
        self.tasks.spawn(duel).await.map_err(Error::internal)?
    }

    async fn new_duel(&self, asked: Match) -> Result<Duel> {
        let (lab, id, stop) = (self.lab().await?, self.ids().id(), self.shutdown.child_token());
        if !self.take_lease(&id).await? {
            return Err(lab_running());
        }
        let ended = tokio::select! {
            ended = duel::run(&lab, &asked, &stop) => ended,
            () = self.keep_lease(&id, &stop) => unreachable!("it has no end of its own"),
        };
        self.give_back_lease(&id).await;
        match ended {
            Ok(duel) => {
                self.duels.keep(asked, &duel);
                Ok(duel)
            }
            Err(error) => {
                if let Err(error) = sweep(&lab, &asked.settings()).await {
                    tracing::warn!(error = format!("{error:#}"), "what a duel has left could not be deleted");
                }
                Err(failure::told(&error))
            }
        }
    }

    /// Renews the lease of a duel. Stops the duel if it no longer has the lease.
    async fn keep_lease(&self, id: &str, stop: &CancellationToken) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if self.hold(id).await.is_ok_and(|holder| holder.is_some()) {
                stop.cancel();
            }
        }
    }

    /// Waits until the runs of this server have ended.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn lab(&self) -> Result<Lab> {
        let open = async || {
            let database = Database::beside(self.ledger());
            Lab::open(self.resources.clone(), &self.redis, database).await
        };
        self.lab.get_or_try_init(open).await.cloned().map_err(|error| failure::told(&error))
    }

    /// Publishes the progress of a run. Stops the run on request, or if it no longer has the lease.
    async fn report(
        &self,
        run: &mut Run,
        progress: &watch::Receiver<Progress>,
        was_asked: &mut bool,
        stop: &CancellationToken,
    ) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            let Progress { now, strategies, courses } = progress.borrow().clone();
            *run = Run { now, strategies, courses, reported_at: self.clock().now(), ..run.clone() };
            self.note(run);
            if let Err(error) = self.publish(run).await {
                tracing::warn!(run = run.run, %error, "the lab's progress could not be published");
            }
            // A request to stop stays in force: Redis may be unreachable at the next check.
            *was_asked |= self.is_asked_to_stop(&run.run).await;
            // While Redis is unreachable, no other run gets the lease either.
            if *was_asked || self.hold(&run.run).await.is_ok_and(|holder| holder.is_some()) {
                stop.cancel();
            }
        }
    }

    async fn run(&self, lab: Lab, mut run: Run) {
        let (told, progress) = watch::channel(Progress::default());
        let stop = self.shutdown.child_token();
        let settings = run.settings.clone();
        let mut was_asked = false;
        let _active = Active { runs: self.active.clone(), run: run.run.clone() };
        let ended = tokio::select! {
            ended = runner::run(&lab, &settings, &told, &stop) => ended,
            // Beside the run. The run goes on while Redis answers these requests.
            () = self.report(&mut run, &progress, &mut was_asked, &stop) => unreachable!("it has no end of its own"),
        };
        let Progress { strategies, courses, .. } = progress.borrow().clone();
        let phase = match &ended {
            Err(_) => Phase::Failed,
            Ok(_) if was_asked => Phase::Stopped,
            Ok(_) if stop.is_cancelled() => Phase::Lost,
            Ok(_) => Phase::Done,
        };
        let reason = ended.err().map(|error| failure::told(&error).message);
        run = Run { now: None, strategies, courses, phase, reason, reported_at: self.clock().now(), ..run };
        tracing::info!(run = run.run, ?phase, strategies = run.strategies.len(), "a run of the lab is over");
        self.note(&run);
        let publish = async {
            publish_end(self.store(), &run.run, &self.shutdown, || self.publish(&run)).await;
            self.give_back_lease(&run.run).await;
            // A failed run may have left records.
            if phase == Phase::Failed
                && let Err(error) = sweep(&lab, &settings).await
            {
                tracing::warn!(run = run.run, error = format!("{error:#}"), "what a run has left could not be deleted");
            }
        };
        // Neither waits for the other: Redis may be away, or the ledger.
        tokio::join!(publish, self.history.keep(&run));
    }

    /// Keeps the latest run if its server is gone, because no other process does. If that server wakes up and finishes
    /// the run, its result replaces this one.
    async fn keep_lost(&self) -> Option<JoinHandle<()>> {
        let latest: Option<String> =
            self.store().query("GET", self.store().key(keys::LAB_LATEST)).await.unwrap_or_default();
        let run = self.published(&latest?).await.ok().flatten().filter(|run| run.phase == Phase::Lost)?;
        let history = self.history.clone();
        Some(self.tasks.spawn(async move { history.keep(&run).await }))
    }

    async fn is_asked_to_stop(&self, run: &str) -> bool {
        let asked: Result<Option<String>> = self.store().query("GET", keys::lab_stop(run)).await;
        asked.is_ok_and(|asked| asked.is_some())
    }

    /// Takes the lease, also from a finished run that could not give it back because Redis was away.
    async fn take_lease(&self, run: &str) -> Result<bool> {
        let Some(holder) = self.hold(run).await? else { return Ok(true) };
        if !self.published(&holder).await?.is_some_and(|run| run.is_over()) {
            return Ok(false);
        }
        self.give_back_lease(&holder).await;
        Ok(self.hold(run).await?.is_none())
    }

    async fn hold(&self, run: &str) -> Result<Option<String>> {
        hold(self.store(), self.store().key(keys::LAB), run).await
    }

    async fn give_back_lease(&self, run: &str) {
        give_back(self.store(), self.store().key(keys::LAB), run).await;
    }

    fn note(&self, run: &Run) {
        locked(&self.active).insert(run.run.clone(), run.clone());
    }

    async fn publish(&self, run: &Run) -> Result<()> {
        let json = serde_json::to_string(run).map_err(Error::internal)?;
        keep(self.store(), keys::lab_run(&run.run), &json).await
    }

    /// The status of a run: the current one for a run of this server, the last published one for any other.
    async fn published(&self, run: &str) -> Result<Option<Run>> {
        if let Some(run) = locked(&self.active).get(run) {
            return Ok(Some(run.clone()));
        }
        runs::published(self.store(), keys::lab_run(run), self.clock().now()).await
    }

    fn store(&self) -> &Store {
        &self.resources.store
    }

    fn ledger(&self) -> &Ledger {
        &self.resources.ledger
    }

    fn clock(&self) -> &Arc<dyn Clock> {
        &self.resources.clock
    }

    fn ids(&self) -> &Ids {
        &self.resources.ids
    }
}

fn lab_running() -> Error {
    Error::new(Code::LabRunning, "A run or a duel of the lab is in progress; wait until it is done, or stop the run.")
}

/// A run in progress on this server. It is removed from the runs in the end, whatever ends it.
struct Active {
    runs: Arc<Mutex<HashMap<String, Run>>>,
    run: String,
}

impl Drop for Active {
    fn drop(&mut self) {
        locked(&self.runs).remove(&self.run);
    }
}

/// Deletes the leftovers of runs with these settings.
async fn sweep(lab: &Lab, settings: &Settings) -> anyhow::Result<()> {
    lab.sweep(&chosen(&settings.strategies)?).await
}
