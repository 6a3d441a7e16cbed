//! The finished runs at a sale, on its page.

#[cfg(feature = "ssr")]
mod csv;
mod curves;
#[cfg(feature = "ssr")]
mod html;
mod sections;

use crate::{
    base_path::under_base,
    components::{
        Badge, Explained, Tone, VerdictBadge,
        format::{count, micros},
    },
    crowd::{
        api,
        panel::{CrowdKindForm, run_tone},
        words::words,
    },
    i18n::{self, FigureWords},
    runs::{RunSource, RunsCard, Section, report_links},
};
use leptos::prelude::*;
use model::{
    Millis,
    crowd::{
        Phase, Status, Verification,
        replay::url,
        runs::{RunRecord, RunReport},
    },
    error::{Code, Error, Result},
    runs::{RunCursor, RunPage},
};

/// Shows the newest runs at a sale, each with its report, and compares two of them.
#[component]
pub fn CrowdRuns(
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// The kind's part of crowds.
    form: CrowdKindForm,
    /// The latest crowd at the sale.
    #[prop(into)]
    status: Signal<Option<Status>>,
    /// New runs are still possible; this decides the text of an empty list.
    #[prop(into)]
    is_open: Signal<bool>,
) -> impl IntoView {
    let words = &words().runs;
    let source = OfSale { sale: StoredValue::new(sale), form };
    let over = Signal::derive(move || {
        status.with(|status| {
            let over = status.as_ref().filter(|status| status.phase.is_over());
            over.map(|status| (status.run.clone(), status.phase == Phase::Lost))
        })
    });
    let empty = Signal::derive(move || if is_open.get() { words.empty } else { words.none });
    view! { <RunsCard source title=words.title empty over /> }
}

/// The runs at a sale.
#[derive(Clone, Copy)]
struct OfSale {
    sale: StoredValue<String>,
    /// The kind's names of answers, behaviors and presets.
    form: CrowdKindForm,
}

impl RunSource for OfSale {
    type Entry = RunRecord;
    type Run = RunReport;

    const PARAMETER: &'static str = "runs";

    fn page(self, after: Option<RunCursor>) -> impl Future<Output = Result<RunPage<RunRecord>>> + Send {
        api::runs(self.form.kind.to_owned(), self.sale.get_value(), None, after)
    }

    async fn find(self, run: String) -> Result<(Millis, RunReport)> {
        let report = api::run(run).await?;
        if report.record.kind != self.form.kind {
            return Err(Error::new(Code::UnknownRun, "The run is one of another kind."));
        }
        Ok((report.record.started_at, report))
    }

    fn head(self) -> AnyView {
        let (crowd_words, shared) = (words(), i18n::words());
        let words = &crowd_words.runs;
        let figure = |words: FigureWords| {
            view! {
                <th scope="col" class="figure">
                    <Explained words />
                </th>
            }
        };
        view! {
            <th scope="col">{words.crowd}</th>
            {figure(words.answered.into())}
            {figure((self.form.answers)().first().map_or("", |(label, _)| label).into())}
            {figure(crowd_words.no_answer)}
            {figure(words.throughput.into())}
            {figure(shared.p99)}
            <th scope="col">{shared.verdict_title}</th>
            <th scope="col">{words.report}</th>
        }
        .into_any()
    }

    fn cells(self, record: RunRecord, id: String) -> AnyView {
        let words = &words().runs;
        let (name, unanswered) = (crowd_name(&record, self.form), record.without_answer());
        let RunRecord { run, settings, figures, verification, .. } = record;
        let won = (self.form.answers)().first().map_or(0, |(_, name)| figures.outcomes.get(name));
        let link = |(format, href): (&'static str, String)| {
            let link_id = format!("{format}-{run}");
            view! {
                <a id=link_id.clone() aria-labelledby=format!("{link_id} {id}") href=under_base(href) rel="external" download="">
                    {format}
                </a>
                " "
            }
        };
        let replay_id = format!("replay-{run}");
        let links = report_links("/api/crowd/report", &run).map(link);
        view! {
            <td>{name} " " <span class="aside">{(words.users)(settings.users.into())}</span></td>
            <td class="figure">{count(figures.answered)}</td>
            <td class="figure">{count(won)}</td>
            <td class="figure" class:short=unanswered.ne(&0)>
                {count(unanswered)}
            </td>
            <td class="figure">{count(figures.mean_per_s)}</td>
            <td class="figure">{micros(figures.p99_us)}</td>
            <td>
                {match verification {
                    Some(Verification { verdict, .. }) => {
                        view! { <VerdictBadge verdict tone=run_tone(verdict, unanswered) /> }.into_any()
                    }
                    None => {
                        let text = words.no_verdict;
                        view! { <Badge tone=Tone::Warning icon=icondata_lu::LuCircleOff text /> }.into_any()
                    }
                }}
            </td>
            <td class="reports">
                <a id=replay_id.clone() aria-labelledby=format!("{replay_id} {id}") href=under_base(url(&run))>
                    {words.replay}
                </a>
                " "
                {links.into_iter().collect_view()}
            </td>
        }
        .into_any()
    }

    fn sections(self, run: &RunReport) -> Vec<Section> {
        sections::sections(&run.record, self.form)
    }

    fn overlay(self, first: &RunReport, second: &RunReport) -> AnyView {
        curves::overlay([first, second])
    }
}

/// Returns the name of the preset, or of the arrival if the settings are those of no preset.
fn crowd_name(record: &RunRecord, form: CrowdKindForm) -> &'static str {
    let settings = record.settings.clone().into();
    // The presets are made without the sale, which may be gone: they differ by the number of users alone.
    let preset = (form.presets)(0).into_iter().find(|preset| preset.has(&settings));
    preset.map_or_else(|| (words().arrival_name)(record.settings.arrival.kind), |preset| preset.name)
}
