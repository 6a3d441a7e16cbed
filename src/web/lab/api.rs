//! The lab's server functions, which are also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    StrictJson,
    error::Result,
    lab::{
        duel::Duel,
        orders::Orders,
        registry::Strategies,
        run::{Run, RunEntry},
        trace::Trace,
    },
    runs::{RunCursor, RunPage, Started},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use model::{
    error::Error,
    lab::{Settings, duel::Match, trace::Play},
};

/// Every strategy: where it comes from, its source, and what goes wrong with it, each with a play that shows it.
/// Mistakes around attempts likewise.
#[server(
    name = StrategiesRequest,
    prefix = "/api",
    endpoint = "/lab/strategies",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn strategies() -> Result<Strategies> {
    Ok(services()?.lab.strategies())
}

/// Starts a run: the same seeded crowd goes after the same stock by each strategy in turn. Only one run at a time, over
/// all servers. Every field has a default.
#[server(
    name = StartLabRequest,
    prefix = "/api",
    endpoint = "/lab/start",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn start(
    /// Items to get.
    stock: Option<u32>,
    /// Users who want one each.
    users: Option<u32>,
    /// Users waiting for an answer at a time.
    concurrency: Option<u32>,
    /// Whether to run the strategies with 1 user at a time, then with 2, 4, 8 and so on to 512, in place of
    /// `concurrency`. Takes at least 512 users.
    ramp: Option<bool>,
    /// Share of users who try twice, right after each other, as with a double click.
    repeat_rate: Option<f64>,
    /// Milliseconds to add to each round trip to Redis or the database.
    delay_ms: Option<u32>,
    /// Determines the order of arrival, and who tries twice.
    seed: Option<u64>,
    /// The names of the strategies, in the order in which they are run; all of them if left out. One may be a program.
    strategies: Option<Vec<String>>,
) -> Result<Started> {
    if strategies.as_ref().is_some_and(Vec::is_empty) {
        let why = "`strategies` is empty; choose at least one strategy, or leave it out for all of them.";
        return Err(Error::bad("strategies", why));
    }
    let defaults = Settings::default();
    let settings = Settings {
        stock: stock.unwrap_or(defaults.stock),
        users: users.unwrap_or(defaults.users),
        concurrency: concurrency.unwrap_or(defaults.concurrency),
        ramp: ramp.unwrap_or(defaults.ramp),
        repeat_rate: repeat_rate.unwrap_or(defaults.repeat_rate),
        delay_ms: delay_ms.unwrap_or(defaults.delay_ms),
        seed: seed.unwrap_or(defaults.seed),
        strategies: strategies.unwrap_or_default(),
    };
    services()?.lab.start(settings).await
}

/// A run, in progress or ended. Any server can answer.
#[server(
    name = LabRunRequest,
    prefix = "/api",
    endpoint = "/lab/run",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn run(
    /// The id of the run; if left out, the run in progress, and `null` if there is none.
    run: Option<String>,
) -> Result<Option<Run>> {
    let lab = &services()?.lab;
    match run {
        Some(run) => lab.find(&run).await.map(Some),
        None => lab.current().await,
    }
}

/// Stops a run. The strategies that have finished keep their figures. A run that has ended is not changed.
#[server(
    name = StopLabRequest,
    prefix = "/api",
    endpoint = "/lab/stop",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn stop(
    /// The id of the run.
    run: String,
) -> Result<Run> {
    services()?.lab.stop(&run).await
}

/// The runs that have ended, newest first, as they are kept in the ledger.
#[server(
    name = LabRunsRequest,
    prefix = "/api",
    endpoint = "/lab/runs",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn runs(
    /// Runs on a page.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<RunCursor>,
) -> Result<RunPage<RunEntry>> {
    services()?.lab.runs(limit, after.as_ref()).await
}

/// Plays attempts of a strategy on a real Redis, call by call, in the order of the schedule, and says what may come
/// next.
#[server(
    name = StepRequest,
    prefix = "/api",
    endpoint = "/lab/step",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn step(
    /// The name of the strategy, or of the mistake; or a program.
    strategy: String,
    /// How many attempts there are, 2 to 4; 2 if left out.
    attempts: Option<u32>,
    /// The user of each attempt, one digit each: `12` is two users, `11` one user who tries twice. All different if
    /// left out.
    users: Option<String>,
    /// Items to get; if left out, one fewer than users if all of them are different, and otherwise one for each
    /// attempt.
    stock: Option<u32>,
    /// Who takes each step, with or without commas: the number of the attempt, `w` for the worker that some strategies
    /// have, `t` to let the locks of attempts that are at work expire. Nothing is played if left out.
    schedule: Option<String>,
) -> Result<Trace> {
    let schedule = schedule.unwrap_or_default();
    let play = Play::of(strategy, attempts, users, stock, &schedule)?;
    services()?.lab.step(&play).await
}

/// Plays every order in which the attempts can take their steps, on a real Redis, and counts those in which something
/// goes wrong. A complete answer is the same every time. The first one of a scene may take seconds.
#[server(
    name = OrdersRequest,
    prefix = "/api",
    endpoint = "/lab/orders",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn orders(
    /// The name of the strategy, or of the mistake; or a program.
    strategy: String,
    /// Items to get; if left out, one fewer than users if all of them are different, and otherwise one for each
    /// attempt.
    stock: Option<u32>,
    /// The user of each attempt, one digit each: `12` is two users, `11` one user who tries twice. Two users if left
    /// out.
    users: Option<String>,
) -> Result<Orders> {
    let scene = Play::of(strategy, None, users, stock, "")?;
    services()?.lab.orders(&scene).await
}

/// A duel: a seeded crowd at a strategy that fails and at the batched script, one after the other, with every award.
/// The server keeps the latest ones and answers with the one it has. Otherwise the answer takes as long as the run, at
/// most 20 s for each strategy, and mostly less than a second.
#[server(
    name = DuelRequest,
    prefix = "/api",
    endpoint = "/lab/duel",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn duel(
    /// The name of the strategy on the left.
    left: Option<String>,
    /// Determines the order of arrival, and who tries twice.
    seed: Option<u64>,
    /// Whether to run it again if it is kept.
    again: Option<bool>,
) -> Result<Duel> {
    let defaults = Match::default();
    let asked = Match { left: left.unwrap_or(defaults.left), seed: seed.unwrap_or(defaults.seed) };
    services()?.lab.duel(asked, again.unwrap_or_default()).await
}
