//! The course of a run: how its attempts were answered each second, and how long users waited.

use super::{Course, CrowdControl, CrowdKindForm, course::Mark};
use crate::{
    components::{
        ChartLine, LineChart,
        format::{count, micros, tenths},
    },
    crowd::{Point, words::words},
    i18n,
};
use leptos::prelude::*;

/// Rows of the table beside the charts; the course has up to four times as many points.
const TABLE_ROWS: usize = 30;

/// Two charts, and the same as a table.
#[component]
pub fn Charts(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let shared = i18n::words();
    let course = Memo::new(move |_| crowd.status.with(|status| status.as_ref().map(Course::from).unwrap_or_default()));
    // Nobody reads a closed table, and a run has a new point ten times a second.
    let is_open = RwSignal::new(false);
    let rows = move || if is_open.get() { course.with(|course| table_rows(&course.history)) } else { Vec::new() };
    view! {
        <div class="course-charts">
            <CourseCharts course form=Some(crowd.form) />
            <details on:toggle:target=move |event| is_open.set(event.target().open())>
                <summary>{shared.as_table}</summary>
                <table>
                    <CourseHead />
                    <tbody>
                        <For each=rows key=|point| point.at_ms children=row />
                    </tbody>
                </table>
            </details>
        </div>
    }
}

/// The course of a run that is over, as a table.
#[component]
pub fn CourseTable(
    /// The points of the course, earliest first.
    history: Vec<Point>,
) -> impl IntoView {
    view! {
        <table>
            <CourseHead />
            <tbody>{table_rows(&history).into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

#[component]
fn CourseHead() -> impl IntoView {
    let words = words();
    view! {
        <thead>
            <tr>
                {[words.second, words.chart_rate, "p50", "p99"]
                    .map(|name| {
                        view! {
                            <th scope="col" class="figure">
                                {name}
                            </th>
                        }
                    })}
            </tr>
        </thead>
    }
}

/// Classes of the layers of a stack, from the bottom.
const LAYERS: [&str; 10] =
    ["layer-0", "layer-1", "layer-2", "layer-3", "layer-4", "layer-5", "layer-6", "layer-7", "layer-8", "layer-9"];

/// The course of a run in two charts over the same time, and what happened when.
#[component]
pub fn CourseCharts(
    /// What to draw; it grows while the run goes on.
    #[prop(into)]
    course: Signal<Course>,
    /// What the kind of sale adds; without it, answers are called as they are counted.
    form: Option<CrowdKindForm>,
) -> impl IntoView {
    let words = words();
    let column = move |read: fn(&Point) -> u64| {
        Signal::derive(move || course.with(|course| course.history.iter().map(|point| read(point) as f64).collect()))
    };
    let at = column(|point| point.at_ms);
    let latency = vec![
        ChartLine::new("p50", "p50", column(|point| point.p50_us)),
        ChartLine::new("p99", "p99", column(|point| point.p99_us)),
    ];
    // Those without an answer on top.
    let answers = form.map_or_else(Vec::new, |form| (form.answers)());
    let layers = answers.into_iter().zip(LAYERS).map(|((label, name), class)| (label, Some(name), class));
    let layers: Vec<_> = layers.chain([(words.unknown, None, "layer-unanswered")]).collect();
    // All answers, so that nothing moves; of one that has not occurred, only the name is shown.
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
        ChartLine::new(class, label, Signal::derive(move || course.with(|course| course.rates(name))))
    });
    let stack = ChartLine::stacked(layers.collect());
    let sold_out = form.map_or("", |form| form.sold_out);
    let happened = Memo::new(move |_| course.with(|course| course.marks(sold_out)));
    let marks = Signal::derive(move || {
        happened.with(|marks| marks.iter().map(|(at, mark)| (*at as f64, class_of(*mark))).collect::<Vec<_>>())
    });
    let sentence = move |(at, mark): (u64, Mark)| {
        let text = match mark {
            Mark::SoldOut => words.marks.sold_out.to_owned(),
            Mark::RedisDown => words.marks.redis_down.to_owned(),
            Mark::RedisBack => words.marks.redis_back.to_owned(),
            Mark::Changed(per_s) => (words.marks.changed)(count(per_s.into())),
        };
        view! { <li class=class_of(mark)>{seconds(at as f64)} ": " {text}</li> }
    };
    let pointer = RwSignal::new(None);
    view! {
        <div class="charts">
            <figure>
                <figcaption>{words.chart_rate} {keys}</figcaption>
                <LineChart at lines=stack marks label={|value| count(value as u64)} time=seconds pointer />
            </figure>
            <figure>
                <figcaption>
                    {words.chart_latency} <span class="key p50">"p50"</span> <span class="key p99">"p99"</span>
                </figcaption>
                <LineChart at lines=latency marks label={|value| micros(value as u64)} time=seconds pointer />
            </figure>
        </div>
        <ul class="marks">{move || happened.get().into_iter().map(sentence).collect_view()}</ul>
    }
}

/// The class of the line of a mark, and of its sentence.
fn class_of(mark: Mark) -> &'static str {
    match mark {
        Mark::SoldOut => "mark sold-out",
        Mark::RedisDown => "mark redis-down",
        Mark::RedisBack => "mark redis-back",
        Mark::Changed(_) => "mark changed",
    }
}

/// `12.3 s`, `850 ms`
fn seconds(at_ms: f64) -> String {
    match at_ms as u64 {
        ms @ 0..1_000 => format!("{ms} ms"),
        ms => format!("{} s", tenths(ms / 100)),
    }
}

fn table_rows(points: &[Point]) -> Vec<Point> {
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    points.iter().cloned().step_by(step).collect()
}

fn row(point: Point) -> impl IntoView {
    let cells = [tenths(point.at_ms / 100), count(point.per_s), micros(point.p50_us), micros(point.p99_us)];
    view! { <tr>{cells.map(|cell| view! { <td class="figure">{cell}</td> })}</tr> }
}
