//! Two runs side by side, a row for each strategy of either.

use crate::{
    components::{
        LocalTime, Notice, TimeStyle, focus_next_frame,
        format::{NO_VALUE, count},
        use_traversal,
    },
    i18n,
    lab::{
        page::{
            control::{RunControl, is_gone},
            query::LabQuery,
        },
        results::{VerdictOf, millis, settings_line},
        words::{strategy_name, words},
    },
};
use leptos::{html, prelude::*};
use model::{
    error::{Error, Result},
    lab::{Figures, run::Run},
};

/// The comparison that the address asks for, the earlier run first; nothing if it asks for none.
#[component]
pub fn Comparison(
    /// The run on the page, and the two to compare.
    control: RunControl,
    /// Where the focus goes when the comparison ends.
    after: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    let pair = Memo::new(move |_| control.pair.get());
    let heading = NodeRef::<html::H2>::new();
    let is_traversal = use_traversal();
    Effect::watch(
        move || pair.get(),
        move |pair, _, _| {
            if is_traversal.get_untracked() {
                return;
            }
            let goal = if pair.is_some() { heading } else { after };
            focus_next_frame(goal);
        },
        false,
    );
    let end = move || control.query.with(|query| LabQuery { compared: None, ..query.clone() }.url());
    let comparison = move |pair: Result<[Run; 2]>| {
        let table = match pair {
            Err(error) => view! { <Notice>{not_compared(&error)}</Notice> }.into_any(),
            Ok(mut pair) => {
                pair.sort_by_key(|run| run.started_at);
                view! { <SideBySide pair /> }.into_any()
            }
        };
        view! {
            <section class="card" aria-labelledby="compared-title">
                <div class="bar">
                    <h2 id="compared-title" tabindex="-1" node_ref=heading>
                        {words.compared}
                    </h2>
                    <a class="button" href=end data-noscroll>
                        {words.end_comparison}
                    </a>
                </div>
                {table}
            </section>
        }
    };
    (move || pair.get().map(comparison)).into_any()
}

fn not_compared(error: &Error) -> &'static str {
    if is_gone(error) { words().not_compared } else { (i18n::words().load_error)(error.code) }
}

#[component]
fn SideBySide(
    /// The two runs, the earlier one first.
    pair: [Run; 2],
) -> impl IntoView {
    let words = words();
    let [first, second] = &pair;
    let head = |name: &'static str, run: &Run| {
        view! {
            <th scope="colgroup" colspan="3">
                {name} <LocalTime at=run.started_at style=TimeStyle::Full /> <br />
                <span class="aside">{settings_line(&run.settings)}</span>
            </th>
        }
    };
    let columns = || {
        view! {
            <th scope="col">{i18n::words().verdict_title}</th>
            <th scope="col" class="figure">
                {words.per_s}
            </th>
            <th scope="col" class="figure">
                {words.p99_ms}
            </th>
        }
    };
    let rows = joined(&first.strategies, &second.strategies).into_iter().map(row).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-labelledby="compared-title">
            <table class="compared">
                <thead>
                    <tr>
                        <th scope="col" rowspan="2">
                            {words.strategy}
                        </th>
                        {head(words.first, first)}
                        {head(words.second, second)}
                        <th scope="col" rowspan="2" class="figure">
                            {words.change}
                        </th>
                    </tr>
                    <tr>{columns()} {columns()}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

type Pair = (String, Option<Figures>, Option<Figures>);

/// The strategies of either run, those of the first in their order before those that only the second has.
fn joined(first: &[Figures], second: &[Figures]) -> Vec<Pair> {
    let of = |run: &[Figures], name: &str| run.iter().find(|figures| figures.name == name).cloned();
    let only_second = second.iter().filter(|figures| of(first, &figures.name).is_none());
    let names = first.iter().chain(only_second).map(|figures| figures.name.clone());
    names.map(|name| (name.clone(), of(first, &name), of(second, &name))).collect()
}

fn row((name, first, second): Pair) -> impl IntoView {
    let change = match (&first, &second) {
        (Some(first), Some(second)) => change(first.per_s, second.per_s),
        _ => None,
    };
    view! {
        <tr>
            <th scope="row">{strategy_name(&name)}</th>
            {cells(first)}
            {cells(second)}
            <td class="figure">{change}</td>
        </tr>
    }
}

fn cells(figures: Option<Figures>) -> AnyView {
    match figures {
        Some(figures) => view! {
            <td>
                <VerdictOf figures=&figures />
            </td>
            <td class="figure">{count(figures.per_s)}</td>
            <td class="figure">{millis(figures.p99_ms)}</td>
        }
        .into_any(),
        None => view! { <td colspan="3">{NO_VALUE}</td> }.into_any(),
    }
}

/// `+12 %`, `−3 %`: how many more attempts a second the second did.
fn change(first: u64, second: u64) -> Option<String> {
    let percent = u128::from(first.abs_diff(second)) * 100 / u128::from(first.max(1));
    (first > 0).then(|| format!("{}{percent} %", if second < first { "−" } else { "+" }))
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn a_change_has_its_sign() {
        let of = |first, second| change(first, second).unwrap_or_default();
        assert_eq!([of(100, 112), of(100, 97), of(100, 100), of(0, 5)], ["+12 %", "−3 %", "+0 %", ""]);
        assert_eq!(of(1_000, 999), "−0 %");
    }
}
