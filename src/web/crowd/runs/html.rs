//! A run as a page of its own: styles and charts are in it, no script is needed, and it prints well.

use crate::{
    components::{Definition, InvariantTable, utc},
    crowd::{
        panel::{Course, CourseCharts, CourseTable, CrowdKindForm},
        runs::sections::{Line, Section, sections, verdict_name},
        words::words,
    },
    i18n::{self, lang},
};
use leptos::prelude::*;
use model::{Audit, Verdict, crowd::runs::RunReport};

/// The pages' styles of colours, tables and charts, and the report's own.
const STYLE: &str = concat!(
    "@layer tokens, parts;\n",
    include_str!("../../../../style/tokens.css"),
    include_str!("../../../../style/tables.css"),
    include_str!("../../../../style/crowd.css"),
    include_str!("report.css")
);
/// Nothing is loaded, and no script runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page, in the language of the context; `form` is what the kind of sale adds to crowds.
pub fn write(report: RunReport, form: Option<CrowdKindForm>) -> String {
    let title = title(&report);
    view! {
        <!DOCTYPE html>
        <html lang=lang().tag()>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content=POLICY />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{title}</title>
                <style inner_html=STYLE></style>
            </head>
            <body>
                <Report report form />
            </body>
        </html>
    }
    .to_html()
}

fn title(report: &RunReport) -> String {
    let sale = &report.record.sale;
    (words().runs.report_title)(&i18n::sale_name(sale).unwrap_or_else(|| sale.clone()))
}

#[component]
fn Report(
    /// The run, with its course.
    report: RunReport,
    /// What its kind adds; `None` if this program does not know the kind.
    form: Option<CrowdKindForm>,
) -> impl IntoView {
    let title = title(&report);
    let RunReport { record, details } = report;
    let kind = i18n::kind_name(&record.kind).map_or_else(|| record.kind.clone(), str::to_owned);
    let mut sections = form.map_or_else(Vec::new, |form| sections(&record, form)).into_iter();
    let course = Course::new(details.history.clone(), &record.figures.outcomes, details.changes);
    let verdict = record.verification.as_ref().map(|verification| verification.verdict);
    let reason = record.verification.and_then(|verification| verification.reason);
    let words = words();
    view! {
        <main>
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
            <p class=verdict_class(verdict)>
                <span>{i18n::words().verdict_title}</span>
                <b>{verdict_name(verdict)}</b>
            </p>
            {reason.map(|reason| view! { <p>{reason}</p> })}
            // Its first line is the verdict itself.
            {sections.next().map(|verification| definitions(verification.lines.into_iter().skip(1)))}
            {sections.by_ref().take(2).map(tiles).collect_view()}
            {(!details.history.is_empty())
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
                })} <Invariants kind=record.kind audit=details.audit /> {sections.map(tiles).collect_view()}
        </main>
    }
}

fn verdict_class(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Holds) => "large-verdict holds",
        Some(Verdict::Broken) => "large-verdict broken",
        Some(Verdict::Unknown) | None => "large-verdict unknown",
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
    let definition = |Line { term, value }: Line| {
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
    /// The kind, as in keys: it names the invariants.
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
