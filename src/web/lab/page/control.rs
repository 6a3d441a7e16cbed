//! The state of the page: the run and the settings in its address, and the run that is started on it.

use crate::{
    base_path::use_navigate,
    components::{FirstCall, FormErrors, Freshness, use_freshness, use_polling},
    lab::{api, page::query::LabQuery},
};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use model::{
    error::{Code, Error, Result},
    lab::{Settings, run::Run},
    runs::{RunStatus, Started},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The polling interval of the run in progress.
const INTERVAL: Duration = Duration::from_millis(250);
/// The number of polls per request for a run that was started elsewhere, while none is in progress here. Its answer
/// also shows that Redis and the server are up.
const IDLE: u32 = 8;

/// The data for an address. Data that could not be loaded is missing, and the rest is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The contents of the form.
    settings: Settings,
    /// The run in the address, or the one in progress.
    run: Result<Option<Run>>,
}

impl Asked {
    /// Loads the data for this address.
    pub async fn load(query: LabQuery) -> Self {
        let LabQuery { settings, run: named, .. } = query;
        let is_named = named.is_some();
        let run = api::run(named).await;
        // The link of a run has its settings, even if the run itself is no longer kept.
        let settings = match &run {
            Ok(Some(run)) if is_named => run.settings.clone(),
            _ => settings,
        };
        Self { settings, run }
    }
}

/// Returns whether the run does not exist, and therefore never will.
pub fn is_gone(error: &Error) -> bool {
    matches!(error.code, Code::UnknownRun | Code::BadRequest)
}

/// The shown run, the rest of the address, and the actions that start and stop a run.
#[derive(Clone, Copy)]
pub struct RunControl {
    /// The query of the address.
    pub query: Memo<LabQuery>,
    /// The run, as last received.
    pub run: RwSignal<Option<Run>>,
    /// The reason why the run in the address is not shown.
    pub run_error: RwSignal<Option<Error>>,
    /// The latest settings that the form was filled with, or that a run was started with.
    pub settings: RwSignal<Settings>,
    /// The number of times that the form was filled.
    pub filled: RwSignal<u32>,
    /// The freshness of the shown data.
    pub freshness: Freshness,
    /// The errors of the latest start or stop.
    pub errors: FormErrors,
    /// Starts a run.
    pub start: ServerAction<api::StartLabRequest>,
    /// Stops the run.
    pub stop: ServerAction<api::StopLabRequest>,
}

impl RunControl {
    /// Shows the data that came with the page, and from then on the data for its address.
    pub fn new(query: Memo<LabQuery>, first: Asked) -> Self {
        let (start, stop) = (ServerAction::new(), ServerAction::new());
        let errors = FormErrors::default();
        errors.follow(start.into());
        errors.follow(stop.into());
        let Asked { settings, run } = first;
        let is_loaded = run.is_ok();
        let control = Self {
            query,
            run_error: RwSignal::new(run.as_ref().err().cloned()),
            run: RwSignal::new(run.unwrap_or_default()),
            settings: RwSignal::new(settings),
            filled: RwSignal::default(),
            freshness: use_freshness(is_loaded),
            errors,
            start,
            stop,
        };
        control.follow();
        control
    }

    /// Fills the form, and replaces any typed text.
    pub fn fill(self, settings: Settings) {
        self.errors.clear();
        self.settings.set(settings);
        self.filled.update(|filled| *filled += 1);
    }

    /// Returns whether a run is in progress, or being started.
    pub fn is_running(self) -> bool {
        self.start.pending().get() || self.run.with(|run| run.as_ref().is_some_and(|run| !run.is_over()))
    }

    /// Shows the data for another address. Text in the form stays if the settings are the same.
    fn show(self, Asked { settings, run }: Asked) {
        if self.settings.with_untracked(|now| *now != settings) {
            self.fill(settings);
        }
        self.run_error.set(run.as_ref().err().cloned());
        self.run.set(run.unwrap_or_default());
    }

    /// Follows the address, and then the run in progress. A started run is added to the address. A run that was started
    /// elsewhere is shown in two cases, so that it can be stopped: the address names no run, or that run kept the
    /// reader from starting one.
    fn follow(self) {
        let is_answered = |error: &Option<Error>| error.as_ref().is_none_or(is_gone);
        let first = self.query.get_untracked();
        let answered = StoredValue::new(self.run_error.with_untracked(is_answered).then_some(first));
        let polls = StoredValue::new(0_u32);
        let was_refused = StoredValue::new(false);
        let load = move || {
            let query = self.query.get_untracked();
            let is_new = answered.with_value(|answered| answered.as_ref() != Some(&query));
            let is_refused = !is_new && was_refused.try_update_value(std::mem::take).unwrap_or_default();
            let is_turn = polls
                .try_update_value(|polls| {
                    *polls = polls.wrapping_add(1);
                    polls.is_multiple_of(IDLE)
                })
                .unwrap_or_default();
            let is_free = query.run.is_none();
            let running =
                self.run.with_untracked(|run| run.as_ref().filter(|run| !run.is_over()).map(|run| run.run.clone()));
            async move {
                match running {
                    _ if is_new => Ok(News::Asked(query.clone(), Box::new(Asked::load(query).await))),
                    _ if is_refused => api::run(None).await.map(|run| News::Elsewhere(run.map(Box::new))),
                    Some(run) => api::run(Some(run)).await.map(|run| News::Run(run.map(Box::new))),
                    None if is_turn => {
                        api::run(None).await.map(|run| News::Elsewhere(run.filter(|_| is_free).map(Box::new)))
                    }
                    None => Ok(News::Nothing),
                }
            }
        };
        let navigate = use_navigate();
        let go_to = StoredValue::new(navigate.clone());
        // Data that could not be loaded is loaded again later.
        let poll = use_polling(INTERVAL, FirstCall::AfterInterval, load, move |answer| {
            match &answer {
                Ok(News::Asked(_, asked)) => self.freshness.note(&asked.run),
                Ok(News::Nothing) => {}
                Ok(News::Run(_) | News::Elsewhere(_)) | Err(_) => self.freshness.note(&answer),
            }
            match answer {
                Ok(News::Asked(query, asked)) => {
                    self.show(*asked);
                    answered.set_value(self.run_error.with_untracked(is_answered).then_some(query));
                }
                Ok(News::Run(run)) => self.run.set(run.map(|run| *run)),
                // The address names another run. Without it, the address leads to the run in progress, whose state is
                // kept.
                Ok(News::Elsewhere(Some(_))) if self.query.with_untracked(|query| query.run.is_some()) => {
                    let query = LabQuery { run: None, ..self.query.get_untracked() };
                    let options = NavigateOptions { scroll: false, ..NavigateOptions::default() };
                    go_to.with_value(|navigate| navigate(&query.url(), options));
                }
                Ok(News::Elsewhere(Some(run))) => {
                    self.run_error.set(None);
                    self.run.set(Some(*run));
                }
                Ok(News::Nothing | News::Elsewhere(None)) | Err(_) => {}
            }
        });
        Effect::watch(move || self.query.get(), move |_, _, _| poll.run(()), false);
        let (sent, request, answer) = (StoredValue::new(None), self.start.input(), self.start.value());
        Effect::new(move || {
            // Read while the action is pending: the input is gone when the answer arrives.
            if let Some(request) = request.get() {
                sent.set_value(Some(settings_of(&request)));
            }
        });
        Effect::new(move || {
            let run = match answer.get() {
                Some(Ok(Started { run })) => run,
                Some(Err(error)) if error.code == Code::LabRunning => {
                    was_refused.set_value(true);
                    untrack(|| poll.run(()));
                    return;
                }
                _ => return,
            };
            let Some(settings) = sent.get_value() else { return };
            // The form has these settings already.
            self.settings.set(settings.clone());
            let query = LabQuery { settings, run: Some(run), ..LabQuery::default() };
            untrack(|| {
                navigate(&query.url(), NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() });
            });
        });
    }
}

/// Returns the settings of a request.
fn settings_of(request: &api::StartLabRequest) -> Settings {
    let defaults = Settings::default();
    Settings {
        stock: request.stock.unwrap_or(defaults.stock),
        users: request.users.unwrap_or(defaults.users),
        concurrency: request.concurrency.unwrap_or(defaults.concurrency),
        ramp: request.ramp.unwrap_or(defaults.ramp),
        repeat_rate: request.repeat_rate.unwrap_or(defaults.repeat_rate),
        delay_ms: request.delay_ms.unwrap_or(defaults.delay_ms),
        seed: request.seed.unwrap_or(defaults.seed),
        strategies: request.strategies.clone().unwrap_or_default(),
    }
}

/// An answer to the polling.
enum News {
    Nothing,
    Asked(LabQuery, Box<Asked>),
    Run(Option<Box<Run>>),
    /// A run in progress that was neither started nor requested here.
    Elsewhere(Option<Box<Run>>),
}
