//! Plays a schedule: attempts of a strategy on a real Redis, one step at a time, in the chosen order. A play starts
//! from nothing, under its own keys. So a shorter schedule undoes a step, and the whole state of the page is a
//! [`Play`].
//!
//! Only one participant runs at a time, so the same schedule always gives the same steps. A participant that waits for
//! another (for a lock, an answer) reports it, and is chosen again later. Time passes only as a separate step, and only
//! while a participant is at work. The lock of that participant then expires. SQL is played on SQLite, whatever
//! database the server has.

use crate::{
    contender::Contender,
    database::Database,
    failure::{self, OfStrategy},
    home::Lab,
    mistakes::mistake,
    state::StoredState,
    strategies::Storage,
    verdict::{Answers, Finding, is_drained},
    wire::{
        Link, Wire,
        gate::{Event, Turns},
    },
};
use anyhow::Context;
use model::{
    error::{Error, Result},
    lab::{
        Anomaly, Told,
        trace::{ATTEMPTS, Call, Form, MOST_STEPS, Participant, Play, Record, Step, TIME, Trace, WORKER},
    },
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinSet,
};

/// Checks every limit, and finds the strategy, the mistake or the program.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check(play: &Play) -> Result<Contender> {
    let named = Contender::named(&play.strategy, "strategy")?;
    let Some(contender) = named.or_else(|| mistake(&play.strategy).map(Contender::from)) else {
        return Err(Error::bad("strategy", format!("There is no strategy `{}`.", play.strategy)));
    };
    let (fewest, most) = (*ATTEMPTS.start(), *ATTEMPTS.end());
    if !(1..=most as u32).contains(&play.stock) {
        return Err(Error::bad("stock", format!("`stock` is {}; it must be 1 to {most}.", play.stock)));
    }
    let is_fine = play.users.chars().all(|user| user.is_ascii_digit());
    if !is_fine || !ATTEMPTS.contains(&play.users.len()) {
        let why = format!("`users` must be {fewest} to {most} digits, one for each attempt.");
        return Err(Error::bad("users", why));
    }
    if play.schedule.chars().count() > MOST_STEPS {
        return Err(Error::bad("schedule", format!("`schedule` may have at most {MOST_STEPS} steps.")));
    }
    Ok(contender)
}

/// Plays a schedule from the beginning. Returns the effect of each step and the possible next steps. A play that has
/// started is played to the end of the schedule and cleaned up, even if the caller no longer waits for it.
///
/// # Errors
/// `bad_request` for a schedule that cannot be played, such as a step of an attempt that has ended; `internal` if Redis
/// fails.
pub async fn replay(lab: &Lab, play: &Play) -> Result<Trace> {
    let (lab, play) = (lab.clone(), play.clone());
    let played = tokio::spawn(async move { play_through(&lab, &play).await });
    played.await.unwrap_or_else(|error| Err(Error::internal(error)))
}

async fn play_through(lab: &Lab, play: &Play) -> Result<Trace> {
    let mut stage = Stage::set(lab, play).await?;
    let played = async {
        let before = stage.records().await?;
        let mut steps = Vec::new();
        for letter in play.schedule.chars() {
            let mut step = stage.step(letter).await?;
            step.records = stage.records().await?;
            steps.push(step);
        }
        Ok(Trace { before, steps, participants: stage.participants(), outcome: stage.outcome().await? })
    }
    .await;
    stage.clear().await?;
    played
}

/// A play in progress.
pub struct Stage {
    lab: Lab,
    /// The id of the play.
    run: String,
    strategy: &'static str,
    stock: u32,
    users: Vec<String>,
    state: StoredState,
    database: Option<Database>,
    players: Vec<Player>,
    events: mpsc::UnboundedReceiver<(usize, Event)>,
    /// The players' tasks. They end when this is dropped.
    _tasks: JoinSet<()>,
}

struct Player {
    letter: char,
    turns: mpsc::UnboundedSender<()>,
    next: Option<Call>,
    waits: bool,
    /// The noted values: names, and their latest values.
    locals: Vec<(String, String)>,
    told: Option<Told>,
}

impl Stage {
    /// Prepares the stock, and lets every participant run up to its first call. The schedule is not played.
    ///
    /// # Errors
    /// `bad_request`; `unavailable` and the like if Redis or the database fails.
    pub async fn set(lab: &Lab, play: &Play) -> Result<Self> {
        let contender = check(play)?;
        let run = lab.new_id();
        let prepared = Self::prepared(lab, &contender, play, &run).await.context(OfStrategy(contender.strategy.id));
        prepared.map_err(|error| failure::told(&error))
    }

    async fn prepared(lab: &Lab, contender: &Contender, play: &Play, run: &str) -> anyhow::Result<Self> {
        let strategy = contender.strategy;
        let database = (strategy.storage == Storage::Rows).then(|| Database::for_play(run));
        if let Some(database) = &database {
            database.create().await?;
        }
        let of_state = database.as_ref().unwrap_or(lab.database());
        let mut state = lab.state(contender, run, Duration::ZERO, of_state).await?;
        let stored = async {
            state.prepare(play.stock).await?;
            if let Some(begin) = strategy.begin {
                state.begin(begin(&state.sale)).await?;
            }
            anyhow::Ok(())
        };
        if let Err(error) = stored.await {
            lab.leave(run, false);
            return Err(error);
        }
        let (sender, events) = mpsc::unbounded_channel();
        let users = play.users.chars().map(|digit| format!("user-{digit}")).collect();
        let (stock, players, _tasks) = (play.stock, Vec::new(), JoinSet::new());
        let (lab_of_play, run, id) = (lab.clone(), run.to_owned(), strategy.id);
        let mut stage =
            Self { lab: lab_of_play, run, strategy: id, stock, users, state, database, players, events, _tasks };

        let servers: Vec<_> = (0..strategy.servers).map(|_| Arc::new(Mutex::new(()))).collect();
        let letters = ('1'..).take(stage.users.len()).chain(strategy.work.map(|_| WORKER));
        for (place, letter) in letters.enumerate() {
            let sql = match &stage.database {
                Some(database) => Some(database.session_that_waits(Duration::ZERO).await?),
                None => None,
            };
            let process = servers[place % servers.len()].clone();
            let (packets, program) = (stage.state.packets.clone(), stage.state.program.clone());
            let link = Link { redis: lab.connection().await?, sql, packets, program, process };
            let (turns, of_player) = mpsc::unbounded_channel();
            let events = sender.clone();
            let of_player = Turns { place, events, turns: of_player, locals: Vec::new(), backed_off: false };
            let mut wire = Wire::stepped(link, holder(letter), of_player);
            let (sale, user) = (stage.state.sale.clone(), stage.users.get(place).cloned());
            stage._tasks.spawn(async move {
                let told = match (user, strategy.work) {
                    (Some(user), _) => (strategy.claim)(&mut wire, &sale, &user).await,
                    // A worker never ends. An attempt that waits for its answer does.
                    (None, Some(work)) => work(&mut wire, &sale).await.map(|()| Told::Busy),
                    (None, None) => Err(anyhow::anyhow!("There is no such participant.")),
                };
                wire.end(told);
            });
            stage.players.push(Player { letter, turns, next: None, waits: false, locals: Vec::new(), told: None });
            stage.until_next_call(place).await?;
        }
        Ok(stage)
    }

    /// Every participant, including time while it can pass.
    pub fn participants(&self) -> Vec<Participant> {
        let players = self.players.iter().map(|player| Participant {
            letter: player.letter,
            next: player.next.clone(),
            can_go: player.next.is_some() && !player.waits,
            locals: player.locals.clone(),
            told: player.told,
        });
        let time = self.time_can_pass().then(Participant::time);
        players.chain(time).collect()
    }

    /// Whether every attempt has its answer, and the worker is done with what it has taken up: its next call takes
    /// something from a list.
    pub fn is_over(&self) -> bool {
        let is_idle = |player: &Player| {
            let verb = player.next.as_ref().and_then(|next| next.commands.first()?.first());
            player.letter == WORKER && verb.is_some_and(|verb| verb == "BRPOP")
        };
        self.players.iter().all(|player| player.told.is_some() || is_idle(player))
    }

    /// Takes a step. The records after it are not read.
    ///
    /// # Errors
    /// `bad_request` if there is no such participant, or it has ended; `unavailable` and the like if Redis or the
    /// database fails.
    pub async fn step(&mut self, letter: char) -> Result<Step> {
        if letter == TIME {
            if !self.time_can_pass() {
                return Err(Error::bad("schedule", "Nobody is at work, so no time passes."));
            }
            let passed = self.pass_time().await;
            return passed.map_err(|error| self.told(error));
        }
        let place = self.players.iter().position(|player| player.letter == letter && player.next.is_some());
        let Some(place) = place else {
            return Err(Error::bad("schedule", format!("`{letter}` does not take part, or has no step left.")));
        };
        let went = self.turn(place).await;
        went.map_err(|error| self.told(error))
    }

    /// The anomalies, once the play is over.
    ///
    /// # Errors
    /// `unavailable` and the like if Redis or the database fails.
    pub async fn outcome(&mut self) -> Result<Option<Vec<Anomaly>>> {
        if !self.is_over() {
            return Ok(None);
        }
        let mut answers = Answers::default();
        for (player, user) in self.players.iter().zip(&self.users) {
            if let Some(told) = player.told {
                answers.note(user.clone(), told);
            }
        }
        let records = async { anyhow::Ok((self.state.holdings().await?, self.state.left().await?)) };
        let (recorded, left) = records.await.map_err(|error: anyhow::Error| self.told(error))?;
        let mut anomalies = Finding::of(self.stock, &answers, &recorded).anomalies();
        anomalies.extend(is_drained(self.stock, left, &recorded).then_some(Anomaly::Drained));
        Ok(Some(anomalies))
    }

    /// The records as they are now.
    ///
    /// # Errors
    /// `unavailable` and the like if Redis or the database fails.
    pub async fn records(&mut self) -> Result<Vec<Record>> {
        let records = self.state.records().await;
        records.map_err(|error| self.told(error))
    }

    /// Ends the play, and deletes its records.
    ///
    /// # Errors
    /// `unavailable` and the like if Redis or the database fails.
    pub async fn clear(mut self) -> Result<()> {
        self._tasks.shutdown().await;
        let cleared = self.state.clean_up().await;
        let cleared = cleared.map_err(|error| {
            // The rows of a play are in a separate file.
            self.lab.leave(&self.run, false);
            self.told(error)
        });
        if let (Some(session), Some(database)) = (self.state.sql, self.database) {
            session.close().await;
            database.remove();
        }
        cleared
    }

    fn told(&self, error: anyhow::Error) -> Error {
        failure::told(&error.context(OfStrategy(self.strategy)))
    }

    /// Whether time can pass: while a participant is at work, long enough for its lock to expire.
    fn time_can_pass(&self) -> bool {
        self.at_work().next().is_some()
    }

    fn at_work(&self) -> impl Iterator<Item = char> {
        let is_at_work = |player: &&Player| player.next.as_ref().is_some_and(|next| next.form == Form::Work);
        self.players.iter().filter(is_at_work).map(|player| player.letter)
    }

    async fn pass_time(&mut self) -> anyhow::Result<Step> {
        let holders: Vec<String> = self.at_work().map(holder).collect();
        let call = Call { form: Form::Time, commands: self.state.expire_locks(&holders).await?, line: 0 };
        // Where no lock expired, who waits would wait again.
        if !call.commands.is_empty() {
            self.somebody_went(None);
        }
        let (reply, locals, records) = (Some("OK".to_owned()), Vec::new(), Vec::new());
        Ok(Step { letter: TIME, call, reply, waits: false, locals, told: None, records })
    }

    async fn turn(&mut self, place: usize) -> anyhow::Result<Step> {
        let player = &mut self.players[place];
        let letter = player.letter;
        let call = player.next.take().context("It has no call.")?;
        player.turns.send(()).ok().context("The participant is gone.")?;
        let (reply, locals) = self.until_next_call(place).await?;
        // A participant that waits has changed nothing, so no other participant can go on either.
        if reply.is_some() && !self.players[place].waits {
            self.somebody_went(place.into());
        }
        let Player { told, waits, .. } = self.players[place];
        Ok(Step { letter, call, reply, waits, locals, told, records: Vec::new() })
    }

    /// Lets participants that wait for another one go again.
    fn somebody_went(&mut self, who: Option<usize>) {
        for (place, player) in self.players.iter_mut().enumerate() {
            player.waits &= Some(place) == who;
        }
    }

    /// Lets a participant run up to its next call, or to its end. Returns the reply to its previous call, and its noted
    /// values.
    async fn until_next_call(&mut self, place: usize) -> anyhow::Result<(Option<String>, Vec<(String, String)>)> {
        let mut reply = None;
        loop {
            let (who, event) = self.events.recv().await.context("The participants are gone.")?;
            // No other participant runs, not even when this one releases a lock in the process.
            debug_assert_eq!(who, place, "one at a time");
            let player = &mut self.players[who];
            match event {
                Event::Replied(text) => reply = Some(text),
                Event::Waits => {}
                Event::Arrived { call, locals, waits } => {
                    (player.next, player.waits) = (Some(call), waits);
                    note(&mut player.locals, &locals);
                    return Ok((reply, locals));
                }
                Event::Ended { told, locals } => {
                    player.told = Some(told?);
                    note(&mut player.locals, &locals);
                    return Ok((reply, locals));
                }
            }
        }
    }
}

/// The prefix of a participant's tokens.
fn holder(letter: char) -> String {
    format!("{letter}-")
}

/// Replaces the values of known names, and adds the others.
fn note(known: &mut Vec<(String, String)>, news: &[(String, String)]) {
    for (name, value) in news {
        match known.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => known.push((name.clone(), value.clone())),
        }
    }
}
