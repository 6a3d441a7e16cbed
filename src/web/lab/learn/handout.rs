//! The lesson on a sheet of paper: what each level asks for and what it shows. It is seen in print alone.

use crate::lab::learn::{
    levels::{LESSON, LEVELS, Level},
    words::words,
};
use leptos::prelude::*;

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
    let (lesson, exercises) = LEVELS.split_at(LESSON);
    view! {
        <section class="handout" aria-hidden="true">
            <h2>{words.title}</h2>
            <ol>{lesson.iter().map(entry).collect_view()}</ol>
            <h2>{words.exercises}</h2>
            <ol start=(LESSON + 1).to_string()>{exercises.iter().map(entry).collect_view()}</ol>
        </section>
    }
}
