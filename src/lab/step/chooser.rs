//! The choice of a strategy and of the users of its attempts: a form that leads to another address and needs no
//! JavaScript.

use crate::{
    components::{FormValues, url::with_query},
    error::Result,
    lab::{
        registry::StrategyInfo,
        trace::{PATH, Play},
        words::{strategy_name, words},
    },
};
use leptos::{ev::SubmitEvent, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};

/// The users of the attempts, a digit each: all different, or one user who tries again.
const SCENES: [&str; 8] = ["12", "11", "123", "122", "112", "1234", "1122", "1123"];

/// The form; its fields hold what is shown.
#[component]
pub fn Chooser(
    /// Every strategy of the lab.
    strategies: Vec<StrategyInfo>,
    /// What the address asks for, or why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let chosen =
        Memo::new(move |_| play.with(|play| play.as_ref().map(|play| play.strategy.clone()).unwrap_or_default()));
    let users = Memo::new(move |_| play.with(|play| play.as_ref().map(|play| play.users.clone()).unwrap_or_default()));
    let strategy = move |info: &StrategyInfo| {
        let (name, value) = (info.name.clone(), info.name.clone());
        let is_shown = Memo::new(move |_| chosen.with(|chosen| *chosen == name));
        view! {
            // The attribute works without JavaScript; the property is needed once the reader has chosen another.
            <option value=value selected=is_shown prop:selected=is_shown>
                {strategy_name(&info.name)}
            </option>
        }
    };
    let scene = move |scene: &'static str| {
        let is_shown = Memo::new(move |_| users.with(|users| users == scene));
        view! {
            <option value=scene selected=is_shown prop:selected=is_shown>
                {(words.scene)(scene)}
            </option>
        }
    };
    let navigate = use_navigate();
    // Not by the router's `Form`, which adds a parameter without a name for the button.
    let choose = move |event: SubmitEvent| {
        let values = FormValues::read(&event);
        let url = with_query(PATH, ["strategy", "users"].map(|name| (name, values.optional(name))));
        navigate(&url, NavigateOptions { scroll: false, ..NavigateOptions::default() });
    };
    view! {
        <form class="chooser" method="get" action=PATH on:submit=choose>
            <label>
                <span>{words.strategy}</span>
                <select name="strategy">{strategies.iter().map(strategy).collect_view()}</select>
            </label>
            <label>
                <span>{words.who}</span>
                <select name="users">{SCENES.map(scene).collect_view()}</select>
            </label>
            <button type="submit">{words.choose}</button>
        </form>
    }
}
