//! The steps so far, a row each: the call in the column of the participant that made it, and the keys after it.

use super::Shown;
use crate::lab::{
    trace::{Call, Form, Record, Step, TIME},
    words::words,
};
use leptos::prelude::*;

/// A call as text: `GET stock`, `MULTI; DECR stock; EXEC`.
pub fn call_text(call: &Call) -> String {
    let words = words();
    let commands: Vec<String> = call.commands.iter().map(|command| command.join(" ")).collect();
    let text = commands.join("; ");
    match call.form {
        Form::Command | Form::Sql | Form::Time => text,
        Form::Transaction => format!("MULTI; {text}; EXEC"),
        Form::Pipeline | Form::Script | Form::Lock | Form::Work => format!("{}: {text}", (words.form)(call.form)),
    }
}

/// What was noted: `left = 1, got = None`.
pub fn locals_text(locals: &[(String, String)]) -> String {
    locals.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// The table.
#[component]
pub fn Steps(
    /// What is on the page: a play and its trace; `None` while there is none.
    shown: RwSignal<Option<Shown>>,
) -> impl IntoView {
    let words = words();
    let table = move || shown.get().map(|shown| view! { <Table shown /> });
    view! {
        <section class="card" aria-labelledby="steps-title">
            <h2 id="steps-title">{words.steps}</h2>
            <div class="scroll" tabindex="0" role="group" aria-labelledby="steps-title">
                {table}
            </div>
        </section>
    }
}

#[component]
fn Table(
    /// The play and its trace.
    shown: Shown,
) -> impl IntoView {
    let words = words();
    let Shown { play, trace } = shown;
    let letters: Vec<char> = trace.participants.iter().map(|one| one.letter).filter(|letter| *letter != TIME).collect();
    let users: Vec<char> = play.users.chars().collect();
    let heads = letters.iter().enumerate().map(|(place, letter)| {
        view! {
            <th scope="col" class=format!("player-{letter}")>
                {(words.participant)(*letter)}
                {users.get(place).map(|user| view! { " " <span class="aside">{(words.user)(*user)}</span> })}
            </th>
        }
    });
    let heads = heads.collect_view();
    let width = letters.len().to_string();
    let mut before = &trace.before;
    let mut rows = Vec::new();
    for (number, step) in (1_u32..).zip(&trace.steps) {
        rows.push(row(number, step, &letters, before));
        before = &step.records;
    }
    view! {
        <table class="lab-steps">
            <thead>
                <tr>
                    <th scope="col" class="figure">
                        {words.step}
                    </th>
                    {heads}
                    <th scope="col">{words.keys}</th>
                </tr>
            </thead>
            <tbody>
                <tr>
                    <td></td>
                    <td colspan=width class="aside">
                        {words.before}
                    </td>
                    <td>{records(&trace.before, &trace.before)}</td>
                </tr>
                {rows.into_iter().collect_view()}
            </tbody>
        </table>
        {trace.steps.is_empty().then(|| view! { <p class="empty">{words.no_steps}</p> })}
    }
}

fn row(number: u32, step: &Step, letters: &[char], before: &[Record]) -> impl IntoView + use<> {
    // Time has no column of its own: its steps span all of them.
    let cells = if step.letter == TIME {
        view! { <td colspan=letters.len().to_string()>{entry(step)}</td> }.into_any()
    } else {
        let cell = |letter: &char| view! { <td>{(*letter == step.letter).then(|| entry(step))}</td> };
        letters.iter().map(cell).collect_view().into_any()
    };
    view! {
        <tr>
            <th scope="row" class="figure">
                {number}
            </th>
            {cells}
            <td>{records(&step.records, before)}</td>
        </tr>
    }
}

/// The call, its reply, what the attempt noted, and what it was told.
fn entry(step: &Step) -> impl IntoView + use<> {
    let words = words();
    let reply = step.reply.clone().unwrap_or_else(|| words.waits.to_owned());
    let local = |(name, value): &(String, String)| view! { <span class="local">{format!("{name} = {value}")}</span> };
    view! {
        <div class=format!("call player-{}", step.letter)>
            <code>{call_text(&step.call)}</code>
            <span class="reply">
                <span aria-hidden="true">"→ "</span>
                <code aria-label=format!("{}: {reply}", words.reply)>{reply.clone()}</code>
            </span>
            {step.locals.iter().map(local).collect_view()}
            {step.told.map(|told| view! { <b>{(words.told)(told)}</b> })}
        </div>
    }
}

/// The keys; those that the step changed are in bold.
fn records(after: &[Record], before: &[Record]) -> impl IntoView + use<> {
    let record = |record: &Record| {
        let class = if before.contains(record) { "record" } else { "record changed" };
        view! {
            <div class=class>
                <code>{format!("{} = {}", record.name, record.value)}</code>
            </div>
        }
    };
    after.iter().map(record).collect_view()
}
