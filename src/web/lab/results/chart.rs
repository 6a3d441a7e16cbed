//! The figures of the strategies as bars on a logarithmic scale, as some are hundreds of times faster than others. The
//! table shows the same figures.

use crate::{
    components::{
        axis::{labels, number},
        format::count,
    },
    lab::{
        results::{conclusion::Group, log_axis::LogAxis, millis},
        words::{strategy_name, words},
    },
};
use leptos::prelude::*;
use model::{Verdict, lab::Figures};

/// Shows the attempts per second, and the 99th percentile latency.
#[component]
pub fn ResultCharts(
    /// The figures of the finished strategies.
    #[prop(into)]
    figures: Signal<Vec<Figures>>,
) -> impl IntoView {
    let words = words();
    view! {
        <div class="result-charts">
            <BarChart
                title=words.chart_per_s
                figures
                value=|figures: &Figures| figures.per_s as f64
                text=|figures: &Figures| count(figures.per_s)
                unit=""
            />
            <BarChart
                title=words.chart_p99
                figures
                value=|figures: &Figures| figures.p99_ms
                text=|figures: &Figures| format!("{} ms", millis(figures.p99_ms))
                unit=" ms"
            />
        </div>
    }
    .into_any()
}

/// Shows a bar for each strategy: those that are broken, those that are slow, and the others, fastest first.
#[component]
fn BarChart(
    /// The measured quantity, with its unit.
    title: &'static str,
    /// The figures of the finished strategies.
    figures: Signal<Vec<Figures>>,
    /// Returns the value of a bar.
    value: fn(&Figures) -> f64,
    /// Formats the value beside the bar.
    text: fn(&Figures) -> String,
    /// What stands behind a value of the axis.
    unit: &'static str,
) -> impl IntoView {
    let bars = move || {
        figures.with(|figures| {
            let axis = LogAxis::of(figures.iter().map(value))?;
            let ticks: Vec<_> =
                axis.ticks().map(|tick| (axis.share(tick), format!("{}{unit}", number(tick)))).collect();
            let grid: String = ticks.iter().map(|(share, _)| format!("M{:.2} 0V1", share * 100.0)).collect();
            let groups = Group::ALL.into_iter().filter_map(|group| {
                let own = group.of(figures);
                let bars = own.iter().map(|one| bar(one, axis.share(value(one)) * 100.0, text(one), grid.clone()));
                (!own.is_empty()).then(|| {
                    view! {
                        <p class="group-name">{group.name()}</p>
                        {bars.collect_view()}
                    }
                })
            });
            Some(view! {
                {groups.collect_view()}
                <div class="strategy-bar">
                    <span></span>
                    <span class="time">{labels(&ticks)}</span>
                </div>
            })
        })
    };
    view! {
        <figure class="bar-chart">
            <figcaption>{title}</figcaption>
            <div aria-hidden="true">{bars}</div>
        </figure>
    }
    .into_any()
}

fn bar(figures: &Figures, percent: f64, text: String, grid: String) -> impl IntoView + use<> {
    let class = match figures.verdict {
        _ if figures.holds_so_far() => "so-far",
        Verdict::Holds => "holds",
        _ => "broken",
    };
    view! {
        <div class=format!("strategy-bar {class}")>
            <span>{strategy_name(&figures.name)}</span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none">
                <path class="grid" d=grid />
                <rect width=format!("{percent:.2}") height="1" />
            </svg>
            <span class="value">{text}</span>
        </div>
    }
}
