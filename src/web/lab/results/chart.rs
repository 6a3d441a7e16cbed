//! The figures of the strategies as bars. The table shows the same figures.

use crate::{
    components::format::count,
    lab::{
        results::millis,
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
            />
            <BarChart
                title=words.chart_p99
                figures
                value=|figures: &Figures| figures.p99_ms
                text=|figures: &Figures| format!("{} ms", millis(figures.p99_ms))
            />
        </div>
    }
    .into_any()
}

/// Shows a bar for each strategy, in the order of the run.
#[component]
fn BarChart(
    /// The measured quantity, with its unit.
    title: &'static str,
    /// The figures of the finished strategies.
    figures: Signal<Vec<Figures>>,
    /// Returns the length of a bar, in any unit: the longest fills the chart.
    value: fn(&Figures) -> f64,
    /// Formats the value beside the bar.
    text: fn(&Figures) -> String,
) -> impl IntoView {
    let bars = move || {
        figures.with(|figures| {
            let most = figures.iter().map(value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
            figures.iter().map(|one| bar(one, value(one) / most * 100.0, text(one))).collect_view()
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

fn bar(figures: &Figures, percent: f64, text: String) -> impl IntoView + use<> {
    let class = match figures.verdict {
        _ if figures.holds_so_far() => "so-far",
        Verdict::Holds => "holds",
        _ => "broken",
    };
    view! {
        <div class=format!("strategy-bar {class}")>
            <span>{strategy_name(&figures.name)}</span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none">
                <rect width=format!("{percent:.2}") height="1" />
            </svg>
            <span class="value">{text}</span>
        </div>
    }
}
