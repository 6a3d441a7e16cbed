//! The stored runs, each with its settings and the number of strategies that held; any two can be compared.

use crate::{
    base_path::under_base,
    i18n,
    lab::{
        api,
        page::{control::RunControl, curves::Curves, query::LabQuery},
        results::{concurrency_text, settings_line, verdict_name},
        words::{strategy_name, words},
    },
    runs::{RunSource, RunsCard, Section, Value, line},
};
use leptos::prelude::*;
use model::{
    Millis,
    error::{Code, Error, Result},
    lab::{
        Figures,
        run::{Phase, Run, RunEntry},
    },
    runs::{RunCursor, RunPage, RunStatus},
};

/// Shows the list, and a comparison of two of its runs.
#[component]
pub fn History(
    /// The run on the page.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let over = Signal::derive(move || {
        control.run.with(|run| {
            let run = run.as_ref().filter(|run| run.is_over())?;
            Some((run.run.clone(), run.phase == Phase::Lost))
        })
    });
    view! { <RunsCard source=OfLab title=words.history empty=words.no_history over class="card half runs" /> }
}

/// The runs of the lab.
#[derive(Clone, Copy)]
struct OfLab;

impl RunSource for OfLab {
    type Entry = RunEntry;
    type Run = Run;

    const PARAMETER: &'static str = "compare";

    async fn page(self, after: Option<RunCursor>) -> Result<RunPage<RunEntry>> {
        api::runs(None, after).await
    }

    async fn find(self, run: String) -> Result<(Millis, Run)> {
        let missing = || Error::new(Code::UnknownRun, "There is no such run.");
        let run = api::run(Some(run)).await?.ok_or_else(missing)?;
        Ok((run.started_at, run))
    }

    fn head(self) -> AnyView {
        let words = words();
        view! {
            <th scope="col">{words.settings_title}</th>
            <th scope="col" class="figure">
                {words.held}
            </th>
            <td></td>
        }
        .into_any()
    }

    fn cells(self, entry: RunEntry, id: String) -> AnyView {
        let words = words();
        let RunEntry { run, settings, phase, held, broken, .. } = entry;
        let all = held.len() + broken.len();
        let settings_text = settings_line(&settings);
        let phase = (phase != Phase::Done).then(|| view! { <span class="aside">{(words.phase)(phase)}</span> });
        let link_id = format!("show-{run}");
        let show = LabQuery { settings, run: Some(run), ..LabQuery::default() }.url();
        view! {
            <td class="settings">{settings_text} " " {phase}</td>
            <td class="figure">{(words.held_of)(held.len(), all)}</td>
            <td>
                <a id=link_id.clone() aria-labelledby=format!("{link_id} {id}") href=under_base(show)>
                    {words.show}
                </a>
            </td>
        }
        .into_any()
    }

    fn sections(self, run: &Run) -> Vec<Section> {
        let (words, settings) = (words(), &run.settings);
        let of_each = |title: &'static str, value: fn(&Figures) -> Value| {
            // In a ramp, a strategy has a line for each stop.
            let name = |figures: &Figures| match settings.ramp {
                true => (words.at_a_time)(&strategy_name(&figures.name), figures.concurrency),
                false => strategy_name(&figures.name),
            };
            let line = |figures: &Figures| line(name(figures), value(figures));
            Section { title, lines: run.strategies.iter().map(line).collect() }
        };
        let lines = vec![
            line(words.users.label, Value::Count(settings.users.into())),
            line(words.stock.label, Value::Count(settings.stock.into())),
            line(words.concurrency.label, Value::Text(concurrency_text(settings))),
            line(words.repeat_rate.label, Value::Share(settings.repeat_rate)),
            line(words.delay_ms.label, Value::Count(settings.delay_ms.into())),
            line(words.seed.label, Value::Text(settings.seed.to_string())),
        ];
        vec![
            of_each(i18n::words().verdict_title, |figures| Value::Text(verdict_name(figures).to_owned())),
            of_each(words.per_s, |figures| Value::Count(figures.per_s)),
            of_each("p99", |figures| Value::Micros((figures.p99_ms * 1_000.0) as u64)),
            Section { title: words.settings_title, lines },
        ]
    }

    fn overlay(self, first: &Run, second: &Run) -> AnyView {
        view! { <Curves first=first.clone() second=second.clone() /> }.into_any()
    }
}
