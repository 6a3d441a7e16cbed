//! What two runs have over time, laid over each other: a solid line for the earlier run, a dashed one for the later.

use crate::{
    components::{
        ChartLine, ChartTable, LineChart,
        axis::Unit,
        format::{NO_VALUE, count, seconds},
    },
    i18n,
    runs::words::words,
};
use leptos::prelude::*;

/// The classes of the lines of the earlier run, and of the later.
pub const LINE_CLASSES: [&str; 2] = ["first", "second"];

/// The number of rows of the table below the chart.
const ROWS: u32 = 10;

/// The attempts answered over time, in one of the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name in the table, and beside the value under the pointer.
    pub name: String,
    /// The classes of the line, one of them from [`LINE_CLASSES`].
    pub class: String,
    /// Milliseconds after the start, and the attempts answered by then.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The number of attempts answered after this time; `None` before the first figure is known.
    fn at(&self, ms: f64) -> Option<f64> {
        let place = self.points.partition_point(|(at, _)| *at <= ms).checked_sub(1)?;
        self.points.get(place).map(|(_, answered)| *answered)
    }

    /// The end of the curve, in milliseconds.
    fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |(at, _)| *at)
    }

    /// The values at these instants; none after the end.
    fn over(&self, at: &[f64]) -> Vec<f64> {
        let value = |ms: &f64| if *ms <= self.end() { self.at(*ms).unwrap_or(f64::NAN) } else { f64::NAN };
        at.iter().map(value).collect()
    }
}

/// Returns every instant of these curves, once, in order.
fn instants(curves: &[Curve]) -> Vec<f64> {
    let mut all: Vec<f64> = curves.iter().flat_map(|curve| curve.points.iter().map(|(at, _)| *at)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// A row of the table: a time, and the attempts that each curve has answered by then.
type Row = (String, Vec<String>);

/// Returns the rows of the table. Those of a run of a few milliseconds would be the same in part, and are left out.
fn rows(curves: &[Curve]) -> Vec<Row> {
    let end = curves.iter().map(Curve::end).fold(0.0, f64::max);
    let row = |nth: u32| {
        let ms = end * f64::from(nth) / f64::from(ROWS);
        let answered =
            |curve: &Curve| curve.at(ms).map_or_else(|| NO_VALUE.to_owned(), |answered| count(answered as u64));
        (seconds(ms), curves.iter().map(answered).collect())
    };
    let mut rows: Vec<Row> = (1..=ROWS).map(row).collect();
    rows.dedup();
    rows
}

/// Shows these curves in a chart, and as a table.
#[component]
pub fn Overlay(
    /// The curves of both runs.
    curves: Vec<Curve>,
    /// The keys of the colours, if there are several.
    #[prop(optional)]
    keys: Option<AnyView>,
) -> impl IntoView {
    let words = words();
    let (instants, rows) = (instants(&curves), rows(&curves));
    let line = |Curve { name, class, .. }: &Curve, values: Vec<f64>| {
        let values = Memo::new(move |_| values.clone());
        // Whoever was done, or has not begun, is not read out.
        let at_pointer = Some(values);
        ChartLine { at_pointer, ..ChartLine::new(class.clone(), name.clone(), values) }
    };
    let lines: Vec<ChartLine> = curves.iter().map(|curve| line(curve, curve.over(&instants))).collect();
    let names: Vec<String> = curves.into_iter().map(|curve| curve.name).collect();
    let head = move || {
        let name = |name: &String| view! { <th scope="col" class="figure">{name.clone()}</th> };
        view! {
            <th scope="col">{i18n::words().time}</th>
            {names.iter().map(name).collect_view()}
        }
    };
    let row = |(at, answered): Row| {
        let cell = |answered: String| view! { <td class="figure">{answered}</td> };
        view! {
            <tr>
                <th scope="row">{at}</th>
                {answered.into_iter().map(cell).collect_view()}
            </tr>
        }
    };
    let [first, second] = LINE_CLASSES;
    view! {
        <figure>
            <LineChart
                at=Memo::new(move |_| instants.clone())
                lines
                unit=Unit::Count
                time=seconds
                pointer=RwSignal::new(None)
            >
                <span>{words.curves}</span>
                <span class=format!("key {first}")>{words.first}</span>
                <span class=format!("key {second}")>{words.second}</span>
                {keys}
            </LineChart>
        </figure>
        <ChartTable head rows=move || rows.clone() key=Row::clone row />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Curve {
        Curve { name: "First".to_owned(), class: LINE_CLASSES[0].to_owned(), points: points.to_vec() }
    }

    #[test]
    fn a_curve_holds_each_figure_until_the_next_and_its_line_ends_with_the_last() {
        let curve = curve(&[(0.0, 0.0), (100.0, 40.0), (250.0, 120.0)]);
        assert_eq!([50.0, 100.0, 240.0, 9_000.0].map(|ms| curve.at(ms)), [0.0, 40.0, 40.0, 120.0].map(Some));
        let values = curve.over(&[0.0, 120.0, 250.0, 251.0]);
        assert_eq!(values[..3], [0.0, 40.0, 120.0]);
        assert!(values[3].is_nan(), "it is over");
    }

    #[test]
    fn both_have_one_time_axis_and_one_table() {
        let both = [curve(&[(0.0, 0.0), (100.0, 40.0)]), curve(&[(0.0, 0.0), (50.0, 9.0), (1_000.0, 10.0)])];
        assert_eq!(instants(&both), [0.0, 50.0, 100.0, 1_000.0]);
        let rows = rows(&both);
        let row = |at: &str, answered: [&str; 2]| (at.to_owned(), answered.map(str::to_owned).to_vec());
        assert_eq!((rows.len(), &rows[0]), (10, &row("0.1 s", ["40", "9"])));
        assert_eq!(rows[9], row("1 s", ["40", "10"]));
    }

    #[test]
    fn no_row_is_there_twice_however_short_the_run_was() {
        let rows = rows(&[curve(&[(0.0, 0.0), (3.0, 7.0)])]);
        let at: Vec<&str> = rows.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(at, ["0 s", "0.001 s", "0.002 s", "0.003 s"]);
    }
}
