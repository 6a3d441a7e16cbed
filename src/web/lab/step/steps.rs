//! The steps so far, one row each: the call in the column of its participant, and the keys after it.

use crate::lab::{step::Shown, words::words};
use leptos::prelude::*;
use model::lab::trace::{Call, Form, Record, Step, TIME};

/// The length of the longest word that is never broken: longer ones, such as JSON, would make a column too wide.
const LONGEST_WORD: usize = 24;

/// Returns a call as text: `GET stock`, `MULTI; DECR stock; EXEC`.
pub fn call_text(call: &Call) -> String {
    let words = words();
    let commands: Vec<String> = call.commands.iter().map(|command| command.join(" ")).collect();
    let text = commands.join("; ");
    match call.form {
        Form::Command | Form::Sql | Form::Time => text,
        Form::Transaction => format!("MULTI; {text}; EXEC"),
        Form::Lock => (words.form)(call.form).to_owned(),
        // The command's name is a word for programs, so it is replaced.
        Form::Work => {
            let time: Vec<&str> = call.commands.iter().flatten().skip(1).map(String::as_str).collect();
            (words.titled)((words.form)(call.form), &time.join(" "))
        }
        Form::Pipeline | Form::Script => (words.titled)((words.form)(call.form), &text),
    }
}

/// Returns the reply to a step as text; a reply that is not from Redis or a database is in the language of the page.
fn reply_text(step: &Step) -> String {
    let words = words();
    match (&step.reply, step.call.form) {
        (None, _) => words.waits.to_owned(),
        (Some(_), Form::Lock) => words.locked.to_owned(),
        (Some(_), Form::Work) => words.worked.to_owned(),
        (Some(reply), _) => reply.clone(),
    }
}

/// Shows a text that breaks only between its words: a browser would also break `user-1` after its hyphen.
fn unbroken(text: &str) -> impl IntoView + use<> {
    let word = |(place, word): (usize, &str)| {
        let space = (place > 0).then_some(" ");
        let word = word.to_owned();
        if word.chars().count() > LONGEST_WORD {
            view! {
                {space}
                {word}
            }
            .into_any()
        } else {
            view! {
                {space}
                <span class="word">{word}</span>
            }
            .into_any()
        }
    };
    text.split(' ').enumerate().map(word).collect_view()
}

/// Returns the local variables: `left = 1, got = None`.
pub fn locals_text(locals: &[(String, String)]) -> String {
    locals.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Shows the table.
#[component]
pub fn Steps(
    /// The play on the page and its trace; `None` while there is none.
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

/// Shows the call, its reply, the attempt's local variables and its answer.
fn entry(step: &Step) -> impl IntoView + use<> {
    let words = words();
    let reply = reply_text(step);
    let local = |(name, value): &(String, String)| view! { <span class="local">{format!("{name} = {value}")}</span> };
    view! {
        <div class=format!("call player-{}", step.letter)>
            <code>{unbroken(&call_text(&step.call))}</code>
            <span class="reply">
                <span aria-hidden="true">"→ "</span>
                <code aria-label=(words.titled)(words.reply, &reply)>{unbroken(&reply)}</code>
            </span>
            {step.locals.iter().map(local).collect_view()}
            {step.told.map(|told| view! { <b>{(words.told)(told)}</b> })}
        </div>
    }
}

/// Shows the keys; changed ones are in bold.
fn records(after: &[Record], before: &[Record]) -> impl IntoView + use<> {
    let record = |record: &Record| {
        let class = if before.contains(record) { "record" } else { "record changed" };
        view! {
            <div class=class>
                <code>{unbroken(&format!("{} = {}", record.name, record.value))}</code>
            </div>
        }
    };
    after.iter().map(record).collect_view()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    fn call(form: Form, words: &[&str]) -> Call {
        Call { form, commands: vec![words.iter().map(|&word| word.to_owned()).collect()], line: 1 }
    }

    #[test]
    fn what_no_redis_and_no_database_says_is_said_once() {
        Owner::new().with(|| {
            assert_eq!(call_text(&call(Form::Work, &["work", "5ms"])), "work: 5ms");
            assert_eq!(call_text(&call(Form::Lock, &["lock"])), "lock in memory");
            assert_eq!(call_text(&call(Form::Pipeline, &["DECR", "stock"])), "pipeline: DECR stock");
        });
    }

    #[test]
    fn no_word_is_broken_unless_it_is_too_long_for_a_column() {
        Owner::new().with(|| {
            let html = unbroken("HGET got user-1").to_html();
            assert!(html.contains("<span class=\"word\">user-1"), "{html}");
            assert!(!unbroken(&"x".repeat(200)).to_html().contains("<span"));
        });
    }
}
