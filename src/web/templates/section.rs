//! The templates of a form, and the form that saves one.

use crate::{
    components::{
        Alert, Button, ConfirmButton, ConfirmWords, FormErrors, FormMemory, SubmitButton, TextField, focus_next_frame,
        use_latest,
    },
    i18n,
    life::forget_times,
    templates::{
        api::{self, SaveTemplateRequest},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{KindInfo, check_new_id, error::Result, form::FormValues, templates::Template};

/// Shows the templates of the form that opens sales of a kind. They are loaded when the reader opens the section.
#[component]
pub fn Templates(
    /// The kind.
    kind: &'static KindInfo,
    /// The form.
    typed: FormMemory,
    /// The errors of the form.
    form_errors: FormErrors,
) -> impl IntoView {
    let words = words();
    let (save, errors) = (ServerAction::<SaveTemplateRequest>::new(), FormErrors::default());
    errors.follow(save.into());
    let delete = Action::new(move |name: &String| api::delete(kind.id.to_owned(), name.clone()));
    errors.follow(delete);
    let (found, latest) = (RwSignal::new(None::<Result<Vec<Template>>>), use_latest());
    let load = move || latest.ask(move || api::templates(kind.id.to_owned()), move |answer| found.set(Some(answer)));
    Effect::watch(move || (save.version().get(), delete.version().get()), move |_, _, _| load(), false);
    let (details, summary) = (NodeRef::<html::Details>::new(), NodeRef::<html::Summary>::new());
    Effect::new(move || {
        // The button that had the focus goes away.
        if delete.value().with(|answer| matches!(answer, Some(Ok(_)))) {
            focus_next_frame(summary);
        }
    });
    let on_toggle = move |_| {
        if details.get_untracked().is_some_and(|details| details.open()) {
            load();
        }
    };
    let filled = RwSignal::new(None::<String>);
    let fill = move |template: &Template| {
        form_errors.clear();
        typed.fill(template.fields.clone());
        filled.set(Some((words.filled)(&template.name)));
    };
    let submit = move |event: SubmitEvent| {
        filled.set(None);
        if let Some(name) = errors.read(&event, read) {
            let mut fields = typed.fields();
            // Each sale has its own: filling the form in empties it.
            fields.insert("id".to_owned(), String::new());
            forget_times(&mut fields);
            save.dispatch(SaveTemplateRequest { kind: kind.id.to_owned(), name, fields });
        }
    };
    let row = move |template: Template| {
        let (name, question) = (template.name.clone(), (words.delete_question)(&template.name));
        let label = (words.fill)(&name);
        let shown = name.clone();
        let confirm = ConfirmWords { label: words.delete, yes: words.delete_yes, no: words.keep };
        view! {
            <li class="bar">
                <Button class="quiet" on_click=move || fill(&template) attr:aria-label=label>
                    {shown}
                </Button>
                <ConfirmButton
                    words=confirm
                    question=Signal::stored(question)
                    pending=delete.pending()
                    on_confirm=move || _ = delete.dispatch(name.clone())
                />
            </li>
        }
    };
    let templates = move || found.with(|found| found.as_ref().and_then(|found| found.clone().ok()).unwrap_or_default());
    let sentence = move || {
        found.with(|found| match found {
            Some(Ok(templates)) if templates.is_empty() => Some(words.none),
            Some(Err(error)) => Some((i18n::words().load_error)(error.code)),
            Some(Ok(_)) | None => None,
        })
    };
    let is_saved = move || save.value().with(|answer| answer.as_ref().is_some_and(Result::is_ok));
    let outcome = move || filled.get().or_else(|| is_saved().then(|| words.saved.to_owned()));
    view! {
        <details class="templates" node_ref=details on:toggle=on_toggle>
            <summary node_ref=summary>{words.title}</summary>
            <p class="empty" hidden=move || sentence().is_none()>
                {sentence}
            </p>
            <ul>
                <For each=templates key=|template| (template.name.clone(), template.saved_at) children=row />
            </ul>
            <form
                class="form-grid"
                aria-label=words.save
                on:submit=submit
                on:input=move |event| errors.recheck(&event, read)
                on:focusin=move |event| errors.recheck(&event, read)
            >
                <TextField name="name" id="template-name" words=words.name errors />
                <div class="actions">
                    <SubmitButton class="" pending=save.pending()>
                        {words.save}
                    </SubmitButton>
                </div>
                <Alert errors />
            </form>
            <p class="said" role="status">
                {outcome}
            </p>
        </details>
    }
    .into_any()
}

/// Returns the typed name.
fn read(values: &FormValues) -> Result<String> {
    let name = values.text("name");
    check_new_id("name", &name)?;
    Ok(name)
}
