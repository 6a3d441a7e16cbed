//! The lesson on a sheet of paper: what each level asks for and what it shows. It is seen in print alone.

use crate::lab::{
    learn::{
        levels::{LESSON, LEVELS, Level},
        words::words,
    },
    player::{pseudo, pseudo_zh::translated},
    words::strategy_name,
};
use leptos::prelude::*;

/// The strategies whose code is side by side: where the lesson begins, and where it ends.
const CODE: [&str; 2] = ["read-check-write", "script"];

/// Shows the sheet.
#[component]
pub fn Handout() -> impl IntoView {
    let words = words();
    let entry = |level: &'static Level| {
        let text = (level.words)(words);
        view! {
            <li>
                <b>{text.title}</b>
                " "
                {text.task}
                " "
                <i>{text.lesson}</i>
            </li>
        }
    };
    let code = |strategy: &str| {
        let lines: Vec<String> = pseudo::lines(strategy, Some('1')).iter().map(|line| translated(&line.text)).collect();
        view! {
            <figure>
                <figcaption>{strategy_name(strategy)}</figcaption>
                <pre>{lines.join("\n")}</pre>
            </figure>
        }
    };
    let (lesson, exercises) = LEVELS.split_at(LESSON);
    view! {
        <section class="handout" aria-hidden="true">
            <h2>{words.title}</h2>
            <div class="code-of-two">{CODE.map(code).into_iter().collect_view()}</div>
            <ol>{lesson.iter().map(entry).collect_view()}</ol>
            <h2>{words.exercises}</h2>
            <ol start=(LESSON + 1).to_string()>{exercises.iter().map(entry).collect_view()}</ol>
        </section>
    }
}
