//! The choice of a strategy and of the users of its attempts: a form that leads to another address and needs no
//! JavaScript.

use crate::{
    components::{FilterSelect, QueryForm, use_page_search},
    lab::words::{strategy_name, words},
};
use leptos::prelude::*;
use model::{
    error::Result,
    form::FormValues,
    lab::{
        program::PREFIX,
        registry::StrategyInfo,
        trace::{PATH, Play},
    },
    url::{parameter, with_query},
};

/// The users of the attempts, a digit each: all different, or one user who tries again.
pub const SCENES: [&str; 8] = ["12", "11", "123", "122", "112", "1234", "1122", "1123"];

/// What stays of an address where another play is chosen: how it is shown.
const KEPT: [&str; 2] = ["present", "view"];

/// Shows the form, filled with the shown play.
#[component]
pub fn Chooser(
    /// All strategies of the lab.
    strategies: Vec<StrategyInfo>,
    /// The play in the address, or the reason why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let of_play = move |read: fn(&Play) -> &String| {
        // Not at each step: a choice that has not been sent stays.
        Memo::new(move |_| play.with(|play| play.as_ref().ok().map(|play| read(play).clone()))).into()
    };
    let (strategy, users): (Signal<Option<String>>, Signal<Option<String>>) =
        (of_play(|play| &play.strategy), of_play(|play| &play.users));
    let program = strategy.get_untracked().filter(|id| id.starts_with(PREFIX));
    let ids = program.into_iter().chain(strategies.into_iter().map(|info| info.name));
    let strategies = ids.map(|id| (id.clone(), strategy_name(&id))).collect();
    let scenes = SCENES.map(|scene| (scene, (words.scene)(scene))).into();
    let address = |form: &FormValues| {
        let names = ["strategy", "users"].into_iter().chain(KEPT);
        Some(with_query(PATH, names.map(|name| (name, form.optional(name)))))
    };
    let search = use_page_search();
    let kept = KEPT.map(|name| {
        let value = move || search.with(|search| parameter(search, name));
        move || value().map(|value| view! { <input type="hidden" name=name value=value /> })
    });
    view! {
        <QueryForm action=PATH address keeps_scroll=true {..} class="chooser">
            <FilterSelect name="strategy" label=words.strategy options=strategies chosen=strategy />
            <FilterSelect name="users" label=words.who options=scenes chosen=users />
            {kept.into_iter().collect_view()}
            <button type="submit">{words.choose}</button>
        </QueryForm>
    }
}
