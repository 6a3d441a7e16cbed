//! The notes on a sale, and the form that adds one.

use crate::{
    components::{Alert, FormErrors, LocalTime, SubmitButton, TextField, TimeStyle, use_latest, use_request_ids},
    i18n,
    notes::{
        api::{self, NoteRequest},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    error::Result,
    form::FormValues,
    notes::{Note, check_note},
};

/// Shows the notes on a sale, newest first. They are loaded after the page.
#[component]
pub fn NotesCard(
    /// The kind, as in keys.
    kind: &'static str,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
) -> impl IntoView {
    let words = words();
    let sale = StoredValue::new(sale);
    let add = ServerAction::<NoteRequest>::new();
    let (errors, request_ids) = (FormErrors::default(), use_request_ids::<String>());
    errors.follow(add.into());
    let (field, answer) = (NodeRef::<html::Input>::new(), add.value());
    Effect::new(move || {
        let Some(answer) = answer.get() else { return };
        request_ids.settle(&answer);
        if let Some(field) = field.get_untracked().filter(|_| answer.is_ok()) {
            field.set_value("");
        }
    });
    let (notes, latest) = (RwSignal::new(None::<Result<Vec<Note>>>), use_latest());
    Effect::new(move || {
        add.version().track();
        latest.ask(move || api::notes(kind.to_owned(), sale.get_value()), move |answer| notes.set(Some(answer)));
    });
    let submit = move |event: SubmitEvent| {
        if let Some(text) = errors.read(&event, read) {
            let request_id = Some(request_ids.id(text.clone()));
            add.dispatch(NoteRequest { kind: kind.to_owned(), sale: sale.get_value(), text, request_id });
        }
    };
    let line = |Note { at, text, .. }: &Note| {
        view! {
            <li>
                <span class="aside">
                    <LocalTime at=*at style=TimeStyle::Full />
                </span>
                <span>{text.clone()}</span>
            </li>
        }
    };
    let list = move || {
        notes.with(|answer| match answer {
            None => ().into_any(),
            Some(Ok(notes)) if notes.is_empty() => view! { <p class="empty">{words.none}</p> }.into_any(),
            Some(Ok(notes)) => view! { <ul class="notes">{notes.iter().map(line).collect_view()}</ul> }.into_any(),
            Some(Err(error)) => view! { <p class="empty">{(i18n::words().load_error)(error.code)}</p> }.into_any(),
        })
    };
    let is_added = move || answer.with(|answer| answer.as_ref().is_some_and(Result::is_ok));
    view! {
        <section class="card" aria-labelledby="notes-title">
            <h2 id="notes-title">{words.title}</h2>
            <form
                class="form-grid"
                aria-label=words.add
                on:submit=submit
                on:input=move |event| errors.recheck(&event, read)
                on:focusin=move |event| errors.recheck(&event, read)
            >
                <TextField name="text" id="note-text" words=words.field node_ref=field errors />
                <div class="actions">
                    <SubmitButton class="" pending=add.pending()>
                        {words.add}
                    </SubmitButton>
                    <span class="said" role="status">
                        {move || is_added().then_some(words.added)}
                    </span>
                </div>
                <Alert errors />
            </form>
            {list}
        </section>
    }
    .into_any()
}

/// Returns the typed note.
fn read(values: &FormValues) -> Result<String> {
    let text = values.text("text");
    check_note(&text)?;
    Ok(text)
}
