//! A run as an HTML file.

use crate::{
    components::{Definition, InvariantTable, Tone, utc},
    crowd::{
        panel::{Course, CourseCharts, CourseTable, run_tone},
        runs::{
            csv,
            sections::{sections, verdict_name},
        },
        words::words,
    },
    i18n, kind_of,
    runs::{
        Line, Section,
        report::{Reported, page},
    },
    services::Services,
};
use leptos::prelude::*;
use model::{
    Audit, Verdict,
    crowd::runs::{RunRecord, RunReport},
    error::Result,
    text::file_name,
};

impl Reported for RunReport {
    fn file_name(&self) -> String {
        let RunRecord { kind, sale, started_at, .. } = &self.record;
        let pages = kind_of(kind).map_or(kind.as_str(), |kind| kind.info.pages);
        file_name(&[sale, pages, "run"], *started_at)
    }

    async fn find(services: &Services, run: &str) -> Result<Self> {
        services.crowds.report(run).await
    }

    fn write_csv(&self, file: &mut ::csv::Writer<Vec<u8>>) -> ::csv::Result<()> {
        csv::write(self, file)
    }

    fn html(self) -> String {
        let sale = &self.record.sale;
        let title = (words().runs.report_title)(&i18n::sale_name(sale).unwrap_or_else(|| sale.clone()));
        let report = view! { <Report title=title.clone() report=self /> };
        page(title, include_str!("../../../../style/crowd.css"), report)
    }
}

#[component]
fn Report(
    /// The title of the page.
    title: String,
    /// The run, with its course.
    report: RunReport,
) -> impl IntoView {
    // `None` if this program does not know the kind.
    let form = kind_of(&report.record.kind).map(|kind| kind.pages.crowd);
    let RunReport { record, audit, history, changes } = report;
    let kind = i18n::kind_name(&record.kind).map_or_else(|| record.kind.clone(), str::to_owned);
    let mut sections = form.map_or_else(Vec::new, |form| sections(&record, form)).into_iter();
    let course = Course::new(history, &record.figures.outcomes, changes, true);
    let verdict = record.verification.as_ref().map(|verification| verification.verdict);
    let (figures, unanswered) = (&record.figures, record.without_answer());
    let told = figures.unknown + figures.not_tried();
    let without_answer = (told > 0).then(|| (words().without_answer)(told, figures.attempts, figures.unknown));
    let interrupted = (unanswered > told).then(|| (words().interrupted)(unanswered - told, figures.attempts));
    let reason = record.verification.and_then(|verification| verification.reason);
    let words = words();
    view! {
        <header>
            <h1>{title}</h1>
            <dl class="terms">
                <Definition term=words.runs.run>
                    <code>{record.run}</code>
                </Definition>
                <Definition term=i18n::words().sale>
                    {kind} " "
                    <code>{record.sale}</code>
                </Definition>
                <Definition term=words.runs.started>{utc(record.started_at)}</Definition>
            </dl>
        </header>
        <p class=verdict_class(verdict, unanswered)>
            <span>{i18n::words().verdict_title}</span>
            <b>{verdict_name(verdict)}</b>
        </p>
        {reason.into_iter().chain(without_answer).chain(interrupted).map(|text| view! { <p>{text}</p> }).collect_view()}
        // The first line is the verdict itself.
        {sections.next().map(|verification| definitions(verification.lines.into_iter().skip(1)))}
        {sections.by_ref().take(2).map(tiles).collect_view()}
        {(!course.steps.is_empty())
            .then(|| {
                view! {
                    <section class="course">
                        <h2>{words.runs.course}</h2>
                        <CourseCharts course=Signal::stored(course.clone()) form pointer=RwSignal::new(None) />
                        <details>
                            <summary>{i18n::words().as_table}</summary>
                            <CourseTable course form />
                        </details>
                    </section>
                }
            })} <Invariants kind=record.kind audit /> {sections.map(tiles).collect_view()}
    }
}

fn verdict_class(verdict: Option<Verdict>, unanswered: u64) -> &'static str {
    match verdict.map(|verdict| run_tone(verdict, unanswered)) {
        Some(Tone::Good) => "large-verdict holds",
        Some(Tone::Bad) => "large-verdict broken",
        _ => "large-verdict unknown",
    }
}

fn tiles(Section { title, lines }: Section) -> impl IntoView {
    view! {
        <section>
            <h2>{title}</h2>
            {definitions(lines.into_iter())}
        </section>
    }
}

fn definitions(lines: impl Iterator<Item = Line>) -> impl IntoView {
    let definition = |Line { term, value, .. }: Line| {
        view! {
            <div>
                <dt>{term}</dt>
                <dd>{value.text()}</dd>
            </div>
        }
    };
    view! { <dl class="tiles">{lines.map(definition).collect_view()}</dl> }
}

#[component]
fn Invariants(
    /// The kind, as in keys; it names the invariants.
    kind: String,
    /// The audit after the run; `None` if there was none.
    audit: Option<Audit>,
) -> impl IntoView {
    view! {
        <section>
            <h2>{i18n::words().invariants}</h2>
            {match audit {
                Some(audit) => view! { <InvariantTable kind audit /> }.into_any(),
                None => view! { <p>{words().runs.no_audit}</p> }.into_any(),
            }}
        </section>
    }
}
