//! The form that explains an attempt, and the script's commands.

use crate::{
    components::{Alert, FormErrors, Icon, Notice, SubmitButton, TextField, format::count, use_page_search},
    explain::{api::ExplainRequest, words::words},
    i18n::{self, explained_attempt},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{
    check_new_id,
    error::{Code, Result},
    explain::{ExplainedCommand, Explanation},
    form::{FormValues, USER},
    url::parameter,
};

fn read(values: &FormValues) -> Result<String> {
    let user = values.text(USER);
    check_new_id(USER, &user).map(|()| user)
}

/// Shows an explanation of an attempt at a sale of any kind.
#[component]
pub fn Explain(
    /// The kind, as in keys: `red_packet`.
    kind: &'static str,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
) -> impl IntoView {
    let words = words();
    let explain = ServerAction::<ExplainRequest>::new();
    let errors = FormErrors::default();
    errors.follow(explain.into());
    let answer = explain.value();
    // `?tab=script&user=ann`: a link to the explanation of a user's attempt.
    let user = use_page_search().with_untracked(|search| parameter(search, "user").unwrap_or_default());
    let submit = move |event: SubmitEvent| {
        if let Some(user) = errors.read(&event, read) {
            explain.dispatch(ExplainRequest { kind: kind.to_owned(), sale: sale.clone(), user });
        }
    };
    // On this page, an error of the field `sale` can only mean this.
    let is_too_large = Memo::new(move |_| {
        answer.with(|answer| {
            let error = answer.as_ref().and_then(|answer| answer.as_ref().err());
            error.is_some_and(|error| error.code == Code::BadRequest && error.field.as_deref() == Some("sale"))
        })
    });
    let shown = move || answer.get().and_then(Result::ok).map(|explanation| view! { <Commands explanation /> });
    view! {
        <section class="card explain" aria-labelledby="explain-title">
            <h3 id="explain-title">{words.title}</h3>
            <p class="aside">{words.intro} " " {explained_attempt(kind)}</p>
            <form class="look-up" on:submit=submit>
                <TextField name="user" id="explain-user" words=words.user empty=i18n::words().no_name value=user errors />
                <SubmitButton class="" pending=explain.pending()>
                    <Icon icon=icondata_lu::LuSearch />
                    {words.explain}
                </SubmitButton>
            </form>
            <Show when=move || is_too_large.get() fallback=move || view! { <Alert errors /> }>
                <Notice>{words.too_large}</Notice>
            </Show>
            <div role="status">{shown}</div>
        </section>
    }
    .into_any()
}

#[component]
fn Commands(
    /// The commands of the script.
    explanation: Explanation,
) -> impl IntoView {
    let words = words();
    let Explanation { script, code, reply, has_ended, micros, commands } = explanation;
    let answered = if has_ended { words.answered } else { words.broken_off };
    let summary = (words.summary)(commands.len(), count(micros));
    view! {
        <p>
            <code>{script}</code>
            ": "
            {summary}
        </p>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="explain-title">
            <table class="explained">
                <thead>
                    <tr>
                        <th scope="col" class="figure">
                            {words.line}
                        </th>
                        <th scope="col">{words.command}</th>
                        <th scope="col">{words.reply}</th>
                        <th scope="col" class="figure">
                            {words.micros}
                        </th>
                    </tr>
                </thead>
                <tbody>{commands.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <p>{answered} {code.map(|code| view! { <b>{code}</b> " " })} <code>{reply}</code></p>
    }
    .into_any()
}

fn row(command: ExplainedCommand) -> impl IntoView {
    let ExplainedCommand { line, words, reply, micros } = command;
    view! {
        <tr>
            <td class="figure">{line}</td>
            <td>
                <code>{words.join(" ")}</code>
            </td>
            <td>
                <code>{reply}</code>
            </td>
            <td class="figure">{count(micros)}</td>
        </tr>
    }
}
