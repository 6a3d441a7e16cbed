//! `/lab`: what can go wrong with each strategy, a run of them, and runs before it.

mod comparison;
mod form;
mod history;
mod matrix;
mod progress;
mod query;

use super::{
    api,
    registry::{Strategies, StrategyInfo},
    results::{ResultCharts, ResultTable, settings_line},
    run::{Run, Runs, Started},
    words::words,
};
use crate::{
    components::{Alert, Answered, ErrorPage, FirstCall, FormErrors, Notice, PageData, url::with_query, use_polling},
    error::{Code, Error, Result},
    i18n::lang,
};
use comparison::Comparison;
use form::RunForm;
use futures::future;
use history::History;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};
use matrix::Matrix;
use progress::Progress;
use query::LabQuery;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often the run in progress is polled.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often the history is polled for a run that has ended, until the ledger has it.
const MOST_TRIES: u32 = 40;

/// The data of the page. What could not be loaded is missing, and the rest is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct First {
    strategies: Vec<StrategyInfo>,
    /// The run that the address names, or the one in progress.
    run: Result<Option<Run>>,
    history: Result<Runs>,
    /// The two runs that the address asks to compare.
    pair: Option<Result<[Run; 2]>>,
}

async fn load(query: LabQuery) -> Result<First> {
    let Strategies { mut strategies, .. } = api::strategies().await?;
    // The page shows none of their sources.
    strategies.iter_mut().for_each(|strategy| strategy.code.clear());
    let pair = async {
        let [first, second] = query.compared?;
        Some(future::try_join(find(first), find(second)).await.map(|(first, second)| [first, second]))
    };
    let (run, history, pair) = future::join3(api::run(query.run), api::runs(None), pair).await;
    Ok(First { strategies, run, history, pair })
}

async fn find(run: String) -> Result<Run> {
    let missing = || Error::new(Code::UnknownRun, "There is no such run.");
    api::run(Some(run)).await?.ok_or_else(missing)
}

/// `/lab`
#[component]
pub fn LabPage() -> impl IntoView {
    // The address of this page only: it does not change when the reader leaves for another page.
    let url = use_url();
    let query = Memo::new(move |_| url.with(|url| LabQuery::parse(url.search())));
    // Once: from then on the page follows what is started on it.
    let first = PageData::new(|| (), move |()| load(query.get_untracked()));
    let page = move |answer: Result<First>| match answer {
        Ok(first) => view! { <Lab first query=query.get_untracked() /> }.into_any(),
        Err(error) => view! { <ErrorPage code=error.code /> }.into_any(),
    };
    view! { <Answered data=first children=page /> }
}

/// The run that is shown, and the actions that start and stop one.
#[derive(Clone, Copy)]
struct RunControl {
    /// The run, as last received.
    run: RwSignal<Option<Run>>,
    history: RwSignal<Result<Runs>>,
    /// What went wrong with the latest start or stop.
    errors: FormErrors,
    start: ServerAction<api::StartLabRequest>,
    stop: ServerAction<api::StopLabRequest>,
}

impl RunControl {
    fn new(first: Option<Run>, history: Result<Runs>) -> Self {
        let (start, stop) = (ServerAction::new(), ServerAction::new());
        let errors = FormErrors::default();
        errors.follow(start.into());
        errors.follow(stop.into());
        Self { run: RwSignal::new(first), history: RwSignal::new(history), errors, start, stop }
    }

    /// Whether a run is in progress, or being started.
    fn is_running(self) -> bool {
        self.start.pending().get() || self.run.with(|run| run.as_ref().is_some_and(|run| !run.is_over()))
    }

    /// Whether the run has ended but is not in the history yet.
    fn is_missing(self) -> bool {
        let over = self.run.with_untracked(|run| run.as_ref().filter(|run| run.is_over()).map(|run| run.run.clone()));
        let Some(over) = over else { return false };
        self.history.with_untracked(|history| match history {
            Ok(history) => history.runs.iter().all(|entry| entry.run != over),
            Err(_) => true,
        })
    }
}

/// An answer to the polling.
enum News {
    Nothing,
    Run(Option<Box<Run>>),
    History(Runs),
}

/// Follows the run that is started, and then the history until it has that run.
fn follow(control: RunControl) {
    let started = StoredValue::new(None::<String>);
    let tries = StoredValue::new(0_u32);
    let load = move || {
        let shown = control.run.with_untracked(|run| run.as_ref().map(|run| (run.run.clone(), run.is_over())));
        let begun = started.get_value();
        let followed = match (begun, shown) {
            (Some(begun), Some((shown, true))) if begun == shown => None,
            (Some(begun), _) => Some(begun),
            (None, Some((shown, false))) => Some(shown),
            _ => None,
        };
        let is_due = followed.is_none() && control.is_missing() && tries.get_value() < MOST_TRIES;
        async move {
            match followed {
                Some(run) => api::run(Some(run)).await.map(|run| News::Run(run.map(Box::new))),
                None if is_due => {
                    tries.try_update_value(|tries| *tries += 1);
                    api::runs(None).await.map(News::History)
                }
                None => Ok(News::Nothing),
            }
        }
    };
    // What could not be loaded now is loaded again later.
    let poll = use_polling(INTERVAL, FirstCall::AfterInterval, load, move |answer| match answer {
        Ok(News::Run(run)) => control.run.set(run.map(|run| *run)),
        Ok(News::History(runs)) => control.history.set(Ok(runs)),
        Ok(News::Nothing) | Err(_) => {}
    });
    let navigate = use_navigate();
    let asked = control.start.input();
    let answer = control.start.value();
    let settings = StoredValue::new(None);
    Effect::new(move || {
        // While it is pending: when the answer arrives, the input is gone.
        if let Some(request) = asked.get() {
            settings.set_value(Some(request));
        }
    });
    Effect::new(move || {
        let Some(Ok(Started { run })) = answer.get() else { return };
        tries.set_value(0);
        started.set_value(Some(run.clone()));
        if let Some(request) = settings.get_value() {
            let query = LabQuery { settings: form::settings_of(&request), run: Some(run), compared: None };
            navigate(&query.url(), NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() });
        }
        poll.run(());
    });
}

#[component]
fn Lab(
    /// What was loaded with the page.
    first: First,
    /// What the address asks for.
    query: LabQuery,
) -> impl IntoView {
    let words = words();
    let First { strategies, run, history, pair } = first;
    let is_gone = query.run.is_some() && run.is_err();
    // The link of a run holds its settings, also when the run itself is no longer kept.
    let settings = match &run {
        Ok(Some(run)) if query.run.is_some() => run.settings.clone(),
        _ => query.settings,
    };
    let control = RunControl::new(run.unwrap_or_default(), history);
    follow(control);
    let names = strategies.iter().map(|strategy| strategy.name.clone()).collect();
    view! {
        <Title text=words.title />
        <main id="main" class="lab" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <section class="card" aria-labelledby="run-title">
                <h2 id="run-title">{words.run_title}</h2>
                <p class="aside">{words.run_intro}</p>
                <RunForm control settings names />
                <Alert errors=control.errors />
                {is_gone.then(|| view! { <Notice>{words.not_found}</Notice> })}
                <Progress control />
            </section>
            <ShownRun control />
            {pair.map(|pair| view! { <Comparison pair /> })}
            <Matrix strategies />
            <History control />
        </main>
    }
    .into_any()
}

/// The results of the strategies that have finished.
#[component]
fn ShownRun(
    /// The run on the page, and what starts and stops one.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let figures =
        Memo::new(move |_| control.run.with(|run| run.as_ref().map(|run| run.strategies.clone()).unwrap_or_default()));
    let settings = Memo::new(move |_| control.run.with(|run| run.as_ref().map(|run| settings_line(&run.settings))));
    let over =
        Memo::new(move |_| control.run.with(|run| run.as_ref().filter(|run| run.is_over()).map(|run| run.run.clone())));
    let sort = RwSignal::new(None);
    let has_figures = Memo::new(move |_| figures.with(|figures| !figures.is_empty()));
    view! {
        <Show when=move || has_figures.get()>
            <section class="card" aria-labelledby="results-title">
                <h2 id="results-title">{words.results}</h2>
                <p class="aside">{settings}</p>
                <p class="aside">{words.results_intro}</p>
                <ResultTable figures sort />
                <ResultCharts figures />
                {move || over.get().map(|run| exports(&run))}
            </section>
        </Show>
    }
    .into_any()
}

/// The run as a file in each format.
fn exports(run: &str) -> impl IntoView + use<> {
    let links = [("CSV", "csv"), ("JSON", "json"), ("HTML", "html")].map(|(label, format)| {
        let lang = (format == "html").then(|| lang().tag());
        let href = with_query("/api/lab/report", [("run", Some(run)), ("format", Some(format)), ("lang", lang)]);
        view! {
            <a class="button" href=href rel="external" download="">
                {label}
            </a>
        }
    });
    view! {
        <div class="actions" role="group" aria-label=words().export>
            <span class="aside">{words().export}</span>
            {links.into_iter().collect_view()}
        </div>
    }
}
