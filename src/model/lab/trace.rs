//! Stepping through a strategy: the play, and the effect of each step. Shared by browser and server.

use crate::{
    error::{Error, Result},
    lab::{Anomaly, Told},
    url::with_query,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The page for stepping through a play.
pub const PATH: &str = "/lab/step";
/// The letter of the worker in a schedule, for a strategy that has a worker.
pub const WORKER: char = 'w';
/// The letter of time in a schedule: the locks of attempts at work expire.
pub const TIME: char = 't';
/// The number of attempts that can be stepped through.
pub const ATTEMPTS: RangeInclusive<usize> = 2..=4;
/// The most steps in a schedule.
pub const MOST_STEPS: usize = 200;

/// A play: the stock, the attempts, and the order of their steps. It is small enough for a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabPlay")]
pub struct Play {
    /// The id of the strategy, or a program.
    pub strategy: String,
    /// The number of items.
    pub stock: u32,
    /// The user of each attempt, one digit each. `12` stands for two users, `11` for one user who tries twice.
    pub users: String,
    /// One character per step: the number of the attempt that takes it, `w` for the worker, or `t` to let the locks of
    /// attempts at work expire.
    pub schedule: String,
}

impl Play {
    /// The play of this many attempts, with defaults for missing arguments. Commas in the schedule are ignored.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn of(
        strategy: String,
        attempts: Option<u32>,
        users: Option<String>,
        stock: Option<u32>,
        schedule: &str,
    ) -> Result<Self> {
        let (fewest, most) = (*ATTEMPTS.start(), *ATTEMPTS.end());
        let number = match (attempts, &users) {
            (Some(number), _) => number as usize,
            (None, Some(users)) => users.chars().count(),
            (None, None) => fewest,
        };
        if !ATTEMPTS.contains(&number) {
            let field = if attempts.is_some() { "attempts" } else { "users" };
            return Err(Error::bad(field, format!("There must be {fewest} to {most} attempts, not {number}.")));
        }
        let users = users.unwrap_or_else(|| different(number));
        if users.chars().count() != number {
            return Err(Error::bad("users", format!("`users` must have a digit for each of the {number} attempts.")));
        }
        let stock = stock.unwrap_or_else(|| usual_stock(&users));
        let schedule = schedule.chars().filter(|step| *step != ',' && !step.is_whitespace()).collect();
        Ok(Self { strategy, stock, users, schedule })
    }

    /// The URL of the page that shows the play.
    pub fn url(&self) -> String {
        let attempts = self.users.chars().count();
        with_query(
            PATH,
            [
                ("strategy", Some(self.strategy.clone())),
                ("attempts", Some(attempts.to_string())),
                ("users", (self.users != different(attempts)).then(|| self.users.clone())),
                ("stock", (self.stock != usual_stock(&self.users)).then(|| self.stock.to_string())),
                ("schedule", (!self.schedule.is_empty()).then(|| self.schedule.clone())),
            ],
        )
    }
}

/// The same users by the numbers 1, 2 and so on, in the order of their first attempts: `3373` is `1121`.
pub fn renumbered(users: &str) -> String {
    let mut known: Vec<char> = Vec::new();
    let number = |user: char| {
        let place = known.iter().position(|other| *other == user).unwrap_or_else(|| {
            known.push(user);
            known.len() - 1
        });
        ('1'..).nth(place).unwrap_or(user)
    };
    users.chars().map(number).collect()
}

/// A different user for each attempt.
fn different(attempts: usize) -> String {
    ('1'..).take(attempts).collect()
}

/// The default stock: one item too few for different users; for repeated users, one item per attempt.
fn usual_stock(users: &str) -> u32 {
    let attempts = users.chars().count();
    let is_different = users.chars().enumerate().all(|(place, user)| !users.chars().take(place).any(|one| one == user));
    (attempts - usize::from(is_different && attempts > 1)) as u32
}

/// A failure of a strategy, as in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The anomaly.
    pub anomaly: Anomaly,
    /// The number of items.
    pub stock: u32,
    /// The user of each attempt, as in [`Play::users`].
    pub users: &'static str,
    /// The steps until every attempt has ended, as in [`Play::schedule`].
    pub schedule: &'static str,
}

/// The effect of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabTrace")]
pub struct Trace {
    /// The records before the first step.
    pub before: Vec<Record>,
    /// The steps, in the order of the schedule.
    pub steps: Vec<Step>,
    /// The participants, each with its next call.
    pub participants: Vec<Participant>,
    /// The anomalies that happened, once every attempt has its answer and the worker is done; `null` before that.
    pub outcome: Option<Vec<Anomaly>>,
}

/// A key or a row, and its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabRecord")]
pub struct Record {
    /// The part of a key, such as `stock`, or the table of a row.
    pub name: String,
    /// The value, as text.
    pub value: String,
}

/// A participant of a play: an attempt, the worker, or time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabParticipant")]
pub struct Participant {
    /// The letter of the participant in the schedule.
    pub letter: char,
    /// The next call; `null` if the participant has ended.
    pub next: Option<Call>,
    /// Whether the participant can take a step. It cannot while it waits for another participant.
    pub can_go: bool,
    /// The latest values of its local variables, by name.
    pub locals: Vec<(String, String)>,
    /// The answer to the attempt, if it has ended.
    pub told: Option<Told>,
}

/// The situation after some of the steps of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The records.
    pub records: Vec<Record>,
    /// The participants, each with its next call.
    pub participants: Vec<Participant>,
    /// The anomalies that happened, once every attempt has its answer.
    pub outcome: Option<Vec<Anomaly>>,
}

impl Trace {
    /// The situation after this many steps; the last one if there are fewer.
    pub fn at(&self, steps: usize) -> Moment {
        let (past, future) = self.steps.split_at(steps.min(self.steps.len()));
        let players = self.participants.iter().filter(|one| one.letter != TIME);
        let mut participants: Vec<Participant> = players.map(|last| last.at(past, future)).collect();
        let is_at_work = |one: &Participant| one.next.as_ref().is_some_and(|next| next.form == Form::Work);
        if participants.iter().any(is_at_work) {
            participants.push(Participant::time());
        }
        Moment {
            records: past.last().map_or(&self.before, |step| &step.records).clone(),
            participants,
            outcome: self.outcome.clone().filter(|_| future.is_empty()),
        }
    }
}

impl Participant {
    /// Time, while it can pass.
    pub fn time() -> Self {
        Self { letter: TIME, next: None, can_go: true, locals: Vec::new(), told: None }
    }

    /// The participant between the past and the future steps of a trace, at whose end it is as here.
    fn at(&self, past: &[Step], future: &[Step]) -> Self {
        let is_own = |step: &&Step| step.letter == self.letter;
        let next = future.iter().find(is_own).map(|step| step.call.clone()).or_else(|| self.next.clone());
        // What is noted before the first call is in no step.
        let is_noted = |name: &String| {
            let steps = past.iter().chain(future).filter(is_own);
            steps.flat_map(|step| &step.locals).any(|(noted, _)| noted == name)
        };
        let mut locals: Vec<(String, String)> =
            self.locals.iter().filter(|(name, _)| !is_noted(name)).cloned().collect();
        for (name, value) in past.iter().filter(is_own).flat_map(|step| &step.locals) {
            locals.retain(|(known, _)| known != name);
            locals.push((name.clone(), value.clone()));
        }
        // Whoever waits can go again once somebody else has gone on. Time goes on only where a lock expires.
        let stays = |step: &Step| step.waits || (step.call.form == Form::Time && step.call.commands.is_empty());
        let last = past.iter().rposition(|step| step.letter == self.letter);
        let waits = last.is_some_and(|last| past[last].waits && past[last + 1..].iter().all(stays));
        Self {
            letter: self.letter,
            can_go: next.is_some() && !waits,
            next,
            locals,
            told: past.iter().rev().filter(is_own).find_map(|step| step.told),
        }
    }
}

/// A step: one call and its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabStep")]
pub struct Step {
    /// The letter of the participant that took the step.
    pub letter: char,
    /// The call.
    pub call: Call,
    /// The reply; `null` if the call waits for another participant and will be made again.
    pub reply: Option<String>,
    /// Whether the participant cannot go on until another one has taken a step.
    pub waits: bool,
    /// The local variables of the attempt after the step: names and values.
    pub locals: Vec<(String, String)>,
    /// The answer to the attempt, if this was its last step.
    pub told: Option<Told>,
    /// The records after the step.
    pub records: Vec<Record>,
}

/// A call of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabCall")]
pub struct Call {
    /// The form in which the call is sent.
    pub form: Form,
    /// The commands or statements, each with its arguments. Keys are shown by their parts.
    pub commands: Vec<Vec<String>>,
    /// The line of the call in the strategy's source; 0 for the passing of time.
    pub line: u32,
}

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabForm")]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A command.
    Command,
    /// A command of several that are sent together; commands of others may come in between.
    Pipeline,
    /// MULTI and EXEC around commands.
    Transaction,
    /// A Lua script.
    Script,
    /// A statement of SQL.
    Sql,
    /// A lock in the memory of a server.
    Lock,
    /// Work that takes time and makes no call.
    Work,
    /// The locks of attempts at work expire.
    Time,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::Code, url::parameter};

    fn of(attempts: Option<u32>, users: Option<&str>, stock: Option<u32>, schedule: &str) -> Result<Play> {
        Play::of("pipeline".to_owned(), attempts, users.map(str::to_owned), stock, schedule)
    }

    #[test]
    fn what_is_left_out_is_as_one_expects() {
        let fields = |play: Result<Play>| play.map(|play| (play.users, play.stock, play.schedule));
        let expected = |users: &str, stock, schedule: &str| Ok((users.to_owned(), stock, schedule.to_owned()));
        assert_eq!(fields(of(None, None, None, "")), expected("12", 1, ""));
        assert_eq!(fields(of(Some(3), None, None, "1, 2,t,w,1")), expected("123", 2, "12tw1"));
        assert_eq!(fields(of(None, Some("122"), None, "")), expected("122", 3, ""));
        assert_eq!(fields(of(None, Some("11"), Some(1), "")), expected("11", 1, ""));
        for (refused, field) in [
            (of(Some(1), None, None, ""), "attempts"),
            (of(Some(5), None, None, ""), "attempts"),
            (of(None, Some(""), None, ""), "users"),
            (of(Some(3), Some("12"), None, ""), "users"),
        ] {
            let error = refused.expect_err("a refusal");
            assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)));
        }
    }

    #[test]
    fn users_are_numbered_by_their_first_attempts() {
        assert_eq!(["12", "11", "3373", "21", "0910"].map(renumbered), ["12", "11", "1121", "12", "1231"]);
    }

    #[test]
    fn a_play_survives_its_link() {
        assert_eq!(
            of(None, None, None, "12").expect("a play").url(),
            "/lab/step?strategy=pipeline&attempts=2&schedule=12"
        );
        for play in
            [of(None, Some("122"), None, "12t"), of(Some(4), None, Some(1), ""), of(None, Some("11"), None, "1")]
        {
            let play = play.expect("a play");
            let url = play.url();
            let query = url.strip_prefix("/lab/step?").expect("a query");
            let number = |name| parameter(query, name).and_then(|text| text.parse().ok());
            let again = Play::of(
                play.strategy.clone(),
                number("attempts"),
                parameter(query, "users"),
                number("stock"),
                &parameter(query, "schedule").unwrap_or_default(),
            );
            assert_eq!(again, Ok(play));
        }
    }
}
