//! The comparison of two runs, side by side.

use crate::{
    components::{LocalTime, ParameterLink, TimeStyle, WithTip, focus_next_frame, format::NO_VALUE},
    i18n,
    runs::{
        RunSource,
        choice::Choice,
        lines::{Line, Section, Value},
        words::words,
    },
};
use futures::future;
use leptos::{ev::MouseEvent, html, prelude::*};
use model::{Millis, error::Code};
use serde::{Deserialize, Serialize};

/// Shows the two chosen runs, or a hint to choose two.
#[component]
pub fn Comparison<S: RunSource>(
    /// The source of the runs.
    source: S,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
    /// The heading of the card; it gets the focus when the comparison ends.
    heading: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    let pair = Resource::new(move || choice.runs.get(), move |runs| load(source, runs));
    let advice = move || (choice.runs.with(Vec::len) == 1).then_some(words.choose_another);
    view! {
        <p class="aside" role="status">
            {advice}
        </p>
        <Suspense>
            {move || Suspend::new(async move {
                match pair.await {
                    ChosenRuns::Nothing => ().into_any(),
                    ChosenRuns::Pair(pair) => view! { <SideBySide source pair=*pair heading /> }.into_any(),
                    ChosenRuns::NotKept => {
                        view! { <p>{words.not_kept} " " <End name=S::PARAMETER heading /></p> }.into_any()
                    }
                    ChosenRuns::Unknown(code) => view! { <p>{(i18n::words().load_error)(code)}</p> }.into_any(),
                }
            })}
        </Suspense>
    }
}

/// The runs to compare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum ChosenRuns<R> {
    /// Fewer than two are chosen.
    Nothing,
    /// The earlier one first, each with its start.
    Pair(Box<[(Millis, R); 2]>),
    NotKept,
    /// The runs could not be loaded.
    Unknown(Code),
}

async fn load<S: RunSource>(source: S, runs: Vec<String>) -> ChosenRuns<S::Run> {
    let [first, second] = runs.as_slice() else { return ChosenRuns::Nothing };
    match future::try_join(source.find(first.clone()), source.find(second.clone())).await {
        Ok((first, second)) => {
            let mut pair = [first, second];
            pair.sort_by_key(|(started_at, _)| *started_at);
            ChosenRuns::Pair(pair.into())
        }
        Err(error) if matches!(error.code, Code::UnknownRun | Code::BadRequest) => ChosenRuns::NotKept,
        Err(error) => ChosenRuns::Unknown(error.code),
    }
}

#[component]
fn End(
    /// The parameter of the address that names the runs.
    name: &'static str,
    /// The heading of the card; it gets the focus.
    heading: NodeRef<html::H2>,
) -> impl IntoView {
    let on_click = move |event: MouseEvent| {
        // With a modifier key, the link opens elsewhere.
        if !event.ctrl_key() && !event.meta_key() && !event.shift_key() {
            focus_next_frame(heading);
        }
    };
    view! {
        <ParameterLink name value=None attr:class="button" on:click=on_click>
            {words().end_comparison}
        </ParameterLink>
    }
}

#[component]
fn SideBySide<S: RunSource>(
    /// The source of the runs.
    source: S,
    /// The two runs with their starts, the earlier one first.
    pair: [(Millis, S::Run); 2],
    /// The heading of the card; it gets the focus when the comparison ends.
    heading: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    let [(first_at, first), (second_at, second)] = &pair;
    let groups = paired(source.sections(first), source.sections(second));
    let head = |name: &'static str, at: Millis| {
        view! {
            <th scope="col" class="figure">
                {name} <br /> <LocalTime at style=TimeStyle::Full />
            </th>
        }
    };
    view! {
        <section class="comparison" aria-labelledby="comparison-title">
            <div class="bar">
                <h3 id="comparison-title">{words.comparison}</h3>
                <End name=S::PARAMETER heading />
            </div>
            <div class="scroll" tabindex="0" role="group" aria-labelledby="comparison-title">
                <table>
                    <thead>
                        <tr>
                            <td></td>
                            {head(words.first, *first_at)}
                            {head(words.second, *second_at)}
                            <th scope="col" class="figure">
                                {words.change}
                            </th>
                        </tr>
                    </thead>
                    {groups.into_iter().map(group).collect_view()}
                </table>
            </div>
            {source.overlay(first, second)}
        </section>
    }
}

/// A line of both runs: its term, what that means, and the values. If only one run has it, the other's is missing.
type Pair = (String, &'static str, Option<Value>, Option<Value>);

fn paired(first: Vec<Section>, second: Vec<Section>) -> Vec<(&'static str, Vec<Pair>)> {
    let groups = first.into_iter().zip(second).map(|(first, second)| {
        let mut rest = second.lines;
        let mut lines: Vec<Pair> = Vec::new();
        for Line { term, meaning, value } in first.lines {
            let place = rest.iter().position(|line| line.term == term);
            let other = place.map(|place| rest.remove(place).value);
            lines.push((term, meaning, Some(value), other));
        }
        lines.extend(rest.into_iter().map(|Line { term, meaning, value }| (term, meaning, None, Some(value))));
        (first.title, lines)
    });
    groups.collect()
}

fn group((title, lines): (&'static str, Vec<Pair>)) -> impl IntoView {
    view! {
        <tbody>
            <tr>
                <th scope="rowgroup" colspan="4" class="group-title">
                    {title}
                </th>
            </tr>
            {lines.into_iter().map(row).collect_view()}
        </tbody>
    }
}

fn row((term, meaning, first, second): Pair) -> impl IntoView {
    let change = match (&first, &second) {
        (Some(first), Some(second)) => first.change(second),
        _ => None,
    };
    let differs = first != second;
    let term = match meaning {
        "" => term.into_any(),
        meaning => view! { <WithTip tip=move || meaning>{term}</WithTip> }.into_any(),
    };
    let text = |value: Option<Value>| value.map_or_else(|| NO_VALUE.to_owned(), |value| value.text());
    view! {
        <tr class=differs.then_some("differs")>
            <th scope="row">{term}</th>
            <td class="figure">{text(first)}</td>
            <td class="figure">{text(second)}</td>
            <td class="figure">{change.or_else(|| differs.then(|| "≠".to_owned()))}</td>
        </tr>
    }
}
