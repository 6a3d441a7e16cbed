//! The figures of the strategies, one row each.

use crate::{
    components::{Badge, Tone, VerdictBadge, WithTip, format::count},
    i18n,
    lab::{
        results::{millis, verdict_name, why_batches_are_slow, words::words},
        words::{strategy_name, words as lab_words},
    },
};
use leptos::prelude::*;
use model::{
    Verdict,
    lab::{Anomaly, Figures, Settings},
};
use std::cmp::Ordering;

/// A column by which the table can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Verdict,
    Oversold,
    Doubled,
    Lost,
    Undersold,
    Given,
    PerS,
    P50,
    P99,
    RoundTrips,
    Commands,
}

impl Column {
    const ALL: [Self; 11] = [
        Self::Verdict,
        Self::Oversold,
        Self::Doubled,
        Self::Lost,
        Self::Undersold,
        Self::Given,
        Self::PerS,
        Self::P50,
        Self::P99,
        Self::RoundTrips,
        Self::Commands,
    ];

    fn title(self) -> &'static str {
        let words = lab_words();
        match self {
            Self::Verdict => i18n::words().verdict_title,
            Self::Oversold => (words.anomaly)(Anomaly::Oversold),
            Self::Doubled => (words.anomaly)(Anomaly::Doubled),
            Self::Lost => (words.anomaly)(Anomaly::Lost),
            Self::Undersold => (words.anomaly)(Anomaly::Undersold),
            Self::Given => words.given,
            Self::PerS => words.per_s,
            Self::P50 => words.p50_ms,
            Self::P99 => words.p99_ms,
            Self::RoundTrips => words.round_trips,
            Self::Commands => words.commands,
        }
    }

    /// Returns what it says or counts.
    fn meaning(self) -> &'static str {
        let words = words();
        let anomaly = lab_words().anomaly_is;
        match self {
            Self::Verdict => words.verdict_is,
            Self::Oversold => anomaly(Anomaly::Oversold),
            Self::Doubled => anomaly(Anomaly::Doubled),
            Self::Lost => anomaly(Anomaly::Lost),
            Self::Undersold => anomaly(Anomaly::Undersold),
            Self::Given => words.given_is,
            Self::PerS => words.per_s_is,
            Self::P50 => i18n::words().p50.meaning,
            Self::P99 => i18n::words().p99.meaning,
            Self::RoundTrips => words.round_trips_is,
            Self::Commands => words.commands_is,
        }
    }

    fn value(self, figures: &Figures) -> f64 {
        match self {
            Self::Verdict if figures.holds_so_far() => 0.5,
            Self::Verdict => f64::from(u8::from(figures.verdict == Verdict::Holds)),
            Self::Oversold => figures.oversold as f64,
            Self::Doubled => figures.doubled as f64,
            Self::Lost => figures.lost as f64,
            Self::Undersold => figures.undersold as f64,
            Self::Given => figures.given as f64,
            Self::PerS => figures.per_s as f64,
            Self::P50 => figures.p50_ms,
            Self::P99 => figures.p99_ms,
            Self::RoundTrips => figures.round_trips,
            Self::Commands => figures.commands,
        }
    }

    fn text(self, figures: &Figures) -> String {
        match self {
            Self::P50 | Self::P99 => millis(self.value(figures)),
            Self::RoundTrips | Self::Commands => format!("{:.2}", self.value(figures)),
            _ => count(self.value(figures) as u64),
        }
    }

    /// Returns the class of a cell: figures of anomalies stand out, and are muted if they are zero.
    fn class(self, figures: &Figures) -> &'static str {
        match self {
            Self::Oversold | Self::Doubled | Self::Lost | Self::Undersold => {
                if self.value(figures) > 0.0 {
                    "figure bad"
                } else {
                    "figure zero"
                }
            }
            _ => "figure",
        }
    }
}

/// The sort column, and whether in descending order; `None` is the order of the run.
pub type Sort = Option<(Column, bool)>;

fn sorted(mut figures: Vec<Figures>, sort: Sort) -> Vec<Figures> {
    if let Some((column, is_descending)) = sort {
        figures.sort_by(|one, other| {
            let order = column.value(one).partial_cmp(&column.value(other)).unwrap_or(Ordering::Equal);
            if is_descending { order.reverse() } else { order }
        });
    }
    figures
}

/// Shows the table.
#[component]
pub fn ResultTable(
    /// The figures of the finished strategies.
    #[prop(into)]
    figures: Signal<Vec<Figures>>,
    /// The settings of the run.
    #[prop(into)]
    settings: Signal<Settings>,
    /// The reader's sort order; `None` if the table cannot be sorted, as in a file.
    #[prop(optional)]
    sort: Option<RwSignal<Sort>>,
) -> impl IntoView {
    let words = lab_words();
    let rows = move || {
        let figures = sorted(figures.get(), sort.and_then(|sort| sort.get()));
        let most_seconds = settings.with(Settings::most_seconds);
        figures.iter().map(|figures| row(figures, most_seconds)).collect_view()
    };
    let remark = move || {
        let why = settings.with(|settings| figures.with(|figures| why_batches_are_slow(settings, figures)));
        why.map(|why| view! { <p class="aside">{why}</p> })
    };
    view! {
        <div class="result-table">
            <div class="scroll" tabindex="0" role="group" aria-label=words.results>
                <table class="results">
                    <thead>
                        <tr>
                            <th scope="col">{words.strategy}</th>
                            {Column::ALL.map(|column| head(column, sort)).collect_view()}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="aside">{(words.how_measured)()}</p>
            {remark}
        </div>
    }
    .into_any()
}

fn head(column: Column, sort: Option<RwSignal<Sort>>) -> AnyView {
    let class = if column == Column::Verdict { "" } else { "figure" };
    let Some(sort) = sort else { return view! { <th scope="col" class=class>{column.title()}</th> }.into_any() };
    let direction = move || match sort.get() {
        Some((by, is_descending)) if by == column => Some(if is_descending { "descending" } else { "ascending" }),
        _ => None,
    };
    // Each press: descending, then ascending, then in the order of the run.
    let turn = move || {
        sort.update(|sort| {
            *sort = match *sort {
                Some((by, true)) if by == column => Some((column, false)),
                Some((by, false)) if by == column => None,
                _ => Some((column, true)),
            };
        });
    };
    view! {
        // Named, as an open tip would be part of its name.
        <th scope="col" class=class aria-sort=direction aria-label=column.title()>
            <WithTip tip=move || column.meaning() class="sort" on_press=Callback::new(move |()| turn())>
                {column.title()}
            </WithTip>
        </th>
    }
    .into_any()
}

/// A row; `most_seconds` is the time after which a strategy is cut short.
fn row(figures: &Figures, most_seconds: u64) -> impl IntoView + use<> {
    let words = lab_words();
    let cell = |column: Column| view! { <td class=column.class(figures)>{column.text(figures)}</td> };
    let remarks = [
        (figures.verdict != figures.expected).then(|| words.unexpected.to_owned()),
        figures.cut_short.then(|| (words.cut_short)(most_seconds)),
        (figures.retries > 0).then(|| (words.retries)(figures.retries)),
        figures
            .lowest_stock
            .filter(|lowest| *lowest < 0)
            .map(|lowest| (words.lowest_stock)(format!("−{}", count(lowest.unsigned_abs())))),
    ];
    let remarks: Vec<String> = remarks.into_iter().flatten().collect();
    view! {
        <tr>
            <th scope="row">{strategy_name(&figures.name)}</th>
            <td>
                {if figures.holds_so_far() {
                    let text = verdict_name(figures);
                    view! { <Badge tone=Tone::Neutral icon=icondata_lu::LuClock text /> }.into_any()
                } else {
                    view! { <VerdictBadge verdict=figures.verdict /> }.into_any()
                }}
                {(!remarks.is_empty())
                    .then(|| {
                        view! {
                            " "
                            <span class="aside">{remarks.join(", ")}</span>
                        }
                    })}
            </td>
            {Column::ALL.into_iter().filter(|column| *column != Column::Verdict).map(cell).collect_view()}
        </tr>
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::lab::tests::figures;

    #[test]
    fn what_was_undersold_stands_out() {
        let class = |undersold| Column::Undersold.class(&Figures { undersold, ..figures("decr-incr") });
        assert_eq!([class(0), class(2)], ["figure zero", "figure bad"]);
        assert_eq!(Column::Undersold.text(&Figures { undersold: 1_234, ..figures("decr-incr") }), "1,234");
    }

    #[test]
    fn what_was_cut_short_held_so_far_and_a_stock_below_zero_has_a_minus_sign() {
        let table = |cut_short| {
            let figures = Figures { cut_short, lowest_stock: Some(-1_039), ..figures("decr-incr") };
            let (figures, settings) = (Signal::stored(vec![figures]), Signal::stored(Settings::default()));
            view! { <ResultTable figures settings /> }.to_html()
        };
        Owner::new().with(|| {
            assert!(table(true).contains("Holds so far"), "{}", table(true));
            assert!(!table(false).contains("Holds so far"), "{}", table(false));
            assert!(table(false).contains("stock seen at −1,039"), "{}", table(false));
        });
    }
}
