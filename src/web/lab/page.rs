//! `/lab`: the possible anomalies of each strategy, a run of them, and earlier runs.

mod control;
mod curves;
mod form;
mod history;
mod matrix;
mod progress;
mod query;

use crate::{
    base_path::under_base,
    components::{Alert, IgnoredParameters, LoadAlert, Loaded, Notice, OutageBanner, PageData, use_page_search},
    lab::{
        api, duel, faults,
        page::{
            control::{Asked, RunControl, is_gone},
            form::RunForm,
            history::History,
            matrix::Matrix,
            progress::Progress,
            query::LabQuery,
        },
        results::{Conclusion, RampSlider, RampTable, ResultCharts, ResultTable, at_stop, settings_line, stops},
        words::words,
        write,
    },
    runs::report_links,
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    error::Result,
    lab::{
        duel::PATH,
        registry::{Strategies, StrategyInfo},
    },
    runs::RunStatus,
};

async fn load(query: LabQuery) -> Result<(Vec<StrategyInfo>, Asked)> {
    let Strategies { mut strategies, .. } = api::strategies().await?;
    // The page shows none of their sources.
    strategies.iter_mut().for_each(|strategy| strategy.code.clear());
    Ok((strategies, Asked::load(query).await))
}

/// Shows `/lab`.
#[component]
pub fn LabPage() -> impl IntoView {
    let search = use_page_search();
    let query = Memo::new(move |_| search.with(|search| LabQuery::parse(search)));
    // Loaded once: afterwards, the page follows its address by itself, and text in its form stays.
    let first = PageData::new(|| (), move |()| load(query.get_untracked()));
    view! { <Loaded data=first let:first><Lab strategies=first.0 control=RunControl::new(query, first.1) /></Loaded> }
}

#[component]
fn Lab(
    /// All strategies, with their known failures.
    strategies: Vec<StrategyInfo>,
    /// The run on the page, and the actions that start and stop one.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let failing = strategies.iter().filter(|strategy| !strategy.failures.is_empty()).count();
    let intro = (words.intro)(strategies.len(), failing);
    let names: Vec<String> = strategies.iter().map(|strategy| strategy.name.clone()).collect();
    let ignored = Memo::new({
        let names = names.clone();
        move |_| control.query.with(|query| query.not_understood(&names))
    });
    let is_missing = Memo::new(move |_| control.run_error.with(|error| error.as_ref().is_some_and(is_gone)));
    let load_error =
        Signal::derive(move || control.freshness.unexplained(control.run_error.get().filter(|error| !is_gone(error))));
    view! {
        <Title text=words.title />
        <main id="main" class="lab wide" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{intro}</p>
                <p>
                    <a href=under_base(PATH)>{duel::words::words().link}</a>
                </p>
                <p>
                    <a href=under_base(faults::page::PATH)>{faults::words::words().link}</a>
                    " · "
                    <a href=under_base(write::address::PATH)>{write::words::words().title}</a>
                </p>
            </div>
            <OutageBanner outage=control.freshness.outage() />
            <section class="card" aria-labelledby="run-title">
                <h2 id="run-title">{words.run_title}</h2>
                <p class="aside">{words.run_intro}</p>
                <div class="notices" role="status">
                    <IgnoredParameters ignored />
                    {move || is_missing.get().then(|| view! { <Notice>{words.not_found}</Notice> })}
                </div>
                <LoadAlert error=load_error />
                <RunForm control names />
                <Alert errors=control.errors />
                <Progress control />
            </section>
            <ShownRun control />
            <Matrix strategies />
            <History control />
        </main>
    }
    .into_any()
}

/// Shows the results of the finished strategies.
#[component]
fn ShownRun(
    /// The run on the page, and the actions that start and stop one.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let all =
        Memo::new(move |_| control.run.with(|run| run.as_ref().map(|run| run.strategies.clone()).unwrap_or_default()));
    let settings =
        Memo::new(move |_| control.run.with(|run| run.as_ref().map(|run| run.settings.clone()).unwrap_or_default()));
    let over =
        Memo::new(move |_| control.run.with(|run| run.as_ref().filter(|run| run.is_over()).map(|run| run.run.clone())));
    let is_ramp = Memo::new(move |_| settings.with(|settings| settings.ramp));
    let place = RwSignal::new(0_usize);
    // Another run may have fewer stops.
    let stop = Memo::new(move |_| {
        let stops = if is_ramp.get() { all.with(|all| stops(all)) } else { Vec::new() };
        stops.get(place.get()).or(stops.last()).copied()
    });
    let figures = Memo::new(move |_| match stop.get() {
        Some(stop) => all.with(|all| at_stop(all, stop)),
        None => all.get(),
    });
    let sort = RwSignal::new(None);
    let has_figures = Memo::new(move |_| figures.with(|figures| !figures.is_empty()));
    view! {
        <Show when=move || has_figures.get()>
            <section class="card" aria-labelledby="results-title">
                <h2 id="results-title">{words.results}</h2>
                <Show when=move || is_ramp.get()>
                    <RampSlider figures=all place stop />
                    <RampTable figures=all stop />
                </Show>
                <Conclusion figures />
                <p class="aside">{move || settings.with(settings_line)}</p>
                <div class="run-results">
                    <ResultCharts figures />
                    <div>
                        <p class="aside">{words.results_intro}</p>
                        <ResultTable figures settings sort />
                    </div>
                </div>
                {move || over.get().map(|run| exports(&run))}
            </section>
        </Show>
    }
    .into_any()
}

/// Shows links to the run as a file in each format.
fn exports(run: &str) -> impl IntoView + use<> {
    let links = report_links("/api/lab/report", run).map(|(format, href)| {
        view! {
            <a class="button" href=under_base(href) rel="external" download="">
                {format}
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
