//! The course of a run: the answers to its attempts in each second, and the waiting times of users.

use crate::{
    components::{
        ChartLine, ChartMark, ChartTable, LineChart,
        axis::{Unit, per},
        format::{count, seconds},
        use_while_shown,
    },
    crowd::{
        panel::{Course, CrowdControl, CrowdKindForm, course::Mark},
        words::words,
    },
    i18n,
};
use leptos::prelude::*;
use model::crowd::Point;

/// The number of rows of the table beside the charts; the course has up to four times as many points.
const TABLE_ROWS: usize = 30;

/// Shows two charts, and the same figures as a table.
#[component]
pub fn Charts(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    // A run has a new point ten times a second, and each redraws the charts.
    let course =
        use_while_shown(move || crowd.status.with(|status| status.as_ref().map(Course::from).unwrap_or_default()));
    let columns = Memo::new(move |_| course.with(|course| answer_columns(course, Some(crowd.form))));
    let per_ms = Memo::new(move |_| course.with(Course::per_ms));
    view! {
        <div class="course-charts">
            <CourseCharts course form=Some(crowd.form) pointer=crowd.pointer />
            <ChartTable
                head=move || view! { <CourseHead columns=columns.get() per_ms=per_ms.get() /> }
                rows=move || columns.with(|columns| course.with(|course| table_rows(course, columns)))
                key=Row::clone
                row
            />
        </div>
    }
}

/// Shows the course of a finished run as a table.
#[component]
pub fn CourseTable(
    /// The course.
    course: Course,
    /// The kind's names; without them, answers appear under their names in the counts.
    form: Option<CrowdKindForm>,
) -> impl IntoView {
    let (columns, per_ms) = (answer_columns(&course, form), course.per_ms());
    let rows = table_rows(&course, &columns);
    view! {
        <table>
            <thead>
                <tr>
                    <CourseHead columns per_ms />
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// An answer of the table: its name on screen, and its name in the counts; `None` for unanswered attempts.
type Column = (String, Option<String>);

/// A row of the table: the time in milliseconds after the start, and its figures.
type Row = (u64, Vec<String>);

/// Returns the answers that occurred, in the order of the kind of sale.
fn answer_columns(course: &Course, form: Option<CrowdKindForm>) -> Vec<Column> {
    let called: Vec<Column> = match form {
        Some(form) => {
            (form.answers)().into_iter().map(|(label, name)| (label.to_owned(), Some(name.to_owned()))).collect()
        }
        None => course.names.iter().map(|name| (name.clone(), Some(name.clone()))).collect(),
    };
    let all = called.into_iter().chain([(words().no_answer.label.to_owned(), None)]);
    all.filter(|(_, name)| course.has(name.as_deref())).collect()
}

#[component]
fn CourseHead(
    /// The answers, each as a rate.
    columns: Vec<Column>,
    /// The time over which rates are counted, in milliseconds.
    per_ms: u64,
) -> impl IntoView {
    let words = words();
    let answers = columns.into_iter().map(|(label, _)| format!("{label}{}", per(per_ms)));
    let figures = [(words.chart_rate)(per_ms)].into_iter().chain(answers).chain(["p50".to_owned(), "p99".to_owned()]);
    let figure = |name: String| {
        view! {
            <th scope="col" class="figure">
                {name}
            </th>
        }
    };
    view! {
        <th scope="col">{i18n::words().time}</th>
        {figures.map(figure).collect_view()}
    }
}

/// Classes of the layers of a stack, from the bottom.
const LAYERS: [&str; 10] =
    ["layer-0", "layer-1", "layer-2", "layer-3", "layer-4", "layer-5", "layer-6", "layer-7", "layer-8", "layer-9"];

/// Shows the course of a run in two charts over the same time, with marks for its events.
#[component]
pub fn CourseCharts(
    /// The course; it grows while the run continues.
    #[prop(into)]
    course: Signal<Course>,
    /// The kind's names; without them, answers appear under their names in the counts.
    form: Option<CrowdKindForm>,
    /// The instant under the reader's pointer, on any chart of the page.
    pointer: RwSignal<Option<f64>>,
    /// The instant that is shown while the reader points at none, in epoch milliseconds.
    #[prop(into, optional)]
    clock: Signal<Option<f64>>,
) -> impl IntoView {
    let words = words();
    let column = move |read: fn(&Point) -> u64| {
        Memo::new(move |_| course.with(|course| held(course.steps.iter().map(|point| read(point) as f64).collect())))
    };
    let at = Memo::new(move |_| course.with(Course::ends));
    let per_ms = Memo::new(move |_| course.with(Course::per_ms));
    let origin = Memo::new(move |_| course.with(|course| course.started_at as f64));
    let latency = vec![
        ChartLine::new("p50", "p50", column(|point| point.p50_us)),
        ChartLine::new("p99", "p99", column(|point| point.p99_us)),
    ];
    // Unanswered attempts are on top.
    let answers = form.map_or_else(Vec::new, |form| (form.answers)());
    let layers = answers.into_iter().zip(LAYERS).map(|((label, name), class)| (label, Some(name), class));
    let layers: Vec<_> = layers.chain([(words.no_answer.label, None, "layer-unanswered")]).collect();
    // The keys list all answers, so that nothing moves; for an answer that has not occurred, only the name is shown.
    let keys = layers.iter().map(|&(label, name, class)| {
        let is_absent = Memo::new(move |_| course.with(|course| !course.has(name)));
        view! {
            <span class=format!("key layer {class}") class:absent=is_absent>
                {label}
            </span>
        }
    });
    let keys = keys.collect_view();
    let layers = layers.into_iter().map(|(label, name, class)| {
        ChartLine::new(class, label, Memo::new(move |_| course.with(|course| held(course.rates(name)))))
    });
    let stack = ChartLine::stacked(layers.collect());
    let rate = Signal::derive(move || Unit::Per(per_ms.get()));
    let happened = marks_of(course, form);
    let marks = Signal::derive(move || happened.with(|marks| drawn(marks)));
    let sentence = move |(at, mark): (u64, Mark)| {
        view! { <li class=class_of(mark)>{seconds(at as f64)} ": " {name_of(mark)}</li> }
    };
    view! {
        <div class="charts">
            <figure>
                <LineChart at origin lines=stack marks unit=rate time=seconds pointer clock>
                    {move || (words.chart_rate)(per_ms.get())}
                    {keys}
                </LineChart>
            </figure>
            <figure>
                <LineChart at origin lines=latency marks unit=Unit::Micros time=seconds pointer clock>
                    {words.chart_latency}
                    <span class="key p50">"p50"</span>
                    <span class="key p99">"p99"</span>
                </LineChart>
            </figure>
        </div>
        <ul class="marks">{move || happened.get().into_iter().map(sentence).collect_view()}</ul>
    }
}

/// Shows the rate of the answer that users want, to those of the crowd on the page, for the stage of a sale.
#[component]
pub fn AnswerRate(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
    /// The name of the answer.
    answer: &'static str,
    /// The title of the chart; rates are counted over this many milliseconds.
    title: fn(u64) -> String,
) -> impl IntoView {
    let course = Memo::new(move |_| crowd.status.with(|status| status.as_ref().map(Course::from).unwrap_or_default()));
    let at = Memo::new(move |_| course.with(Course::ends));
    let rate = Memo::new(move |_| course.with(|course| held(course.rates(Some(answer)))));
    let per_ms = Memo::new(move |_| course.with(Course::per_ms));
    let happened = marks_of(course.into(), Some(crowd.form));
    view! {
        <LineChart
            at
            origin=Memo::new(move |_| course.with(|course| course.started_at as f64))
            lines=vec![ChartLine::new(LAYERS[0], "", rate)]
            marks=Signal::derive(move || happened.with(|marks| drawn(marks)))
            unit=Signal::derive(move || Unit::Per(per_ms.get()))
            time=seconds
            pointer=crowd.pointer
        >
            {move || title(per_ms.get())}
        </LineChart>
    }
}

/// Returns the values of intervals, each at the beginning of its interval, and the last also at the end of all.
fn held(mut values: Vec<f64>) -> Vec<f64> {
    values.extend(values.last().copied());
    values
}

/// Returns the events in the course of a run.
fn marks_of(course: Signal<Course>, form: Option<CrowdKindForm>) -> Memo<Vec<(u64, Mark)>> {
    let sold_out = form.map_or("", |form| form.sold_out);
    Memo::new(move |_| course.with(|course| course.marks(sold_out)))
}

/// Returns the marks as a chart draws them.
fn drawn(marks: &[(u64, Mark)]) -> Vec<ChartMark> {
    marks.iter().map(|(at, mark)| (*at as f64, class_of(*mark), name_of(*mark))).collect()
}

/// Returns the class of a mark's line and sentence.
fn class_of(mark: Mark) -> &'static str {
    match mark {
        Mark::SoldOut => "mark sold-out",
        Mark::RedisDown => "mark redis-down",
        Mark::RedisBack => "mark redis-back",
        Mark::Changed(_) => "mark changed",
    }
}

/// Returns the name of a mark.
fn name_of(mark: Mark) -> String {
    let marks = &words().marks;
    match mark {
        Mark::SoldOut => marks.sold_out.to_owned(),
        Mark::RedisDown => marks.redis_down.to_owned(),
        Mark::RedisBack => marks.redis_back.to_owned(),
        Mark::Changed(per_s) => (marks.changed)(per_s.into()),
    }
}

fn table_rows(course: &Course, columns: &[Column]) -> Vec<Row> {
    let step = course.steps.len().div_ceil(TABLE_ROWS).max(1);
    let rates: Vec<Vec<f64>> = columns.iter().map(|(_, name)| course.rates(name.as_deref())).collect();
    let slowest = course.steps.iter().map(|point| point.p99_us).max().unwrap_or(0);
    let latency = |us: u64| Unit::Micros.text(us as f64, slowest as f64);
    let row = |(place, (point, answered)): (usize, (&Point, f64))| {
        let answers = rates.iter().map(|rates| rates[place]);
        let figures = [answered].into_iter().chain(answers).map(|rate| count(rate.round() as u64));
        (point.at_ms, figures.chain([latency(point.p50_us), latency(point.p99_us)]).collect())
    };
    course.steps.iter().zip(course.answered()).enumerate().step_by(step).map(row).collect()
}

fn row((at, figures): Row) -> impl IntoView {
    let figure = |text: String| view! { <td class="figure">{text}</td> };
    view! {
        <tr>
            <td>{seconds(at as f64)}</td>
            {figures.into_iter().map(figure).collect_view()}
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::crowd::Counts;

    #[test]
    fn each_row_of_a_run_that_was_over_at_once_has_its_own_time() {
        let history = (1..=4).map(|nth| Point { at_ms: 10 * nth, ..Point::default() }).collect();
        let rows = table_rows(&Course::new(history, &Counts::default(), Vec::new(), true), &[]);
        assert_eq!(rows.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [10, 20, 30, 40]);
        assert_eq!(seconds(rows[0].0 as f64), "0.01 s");
    }
}
