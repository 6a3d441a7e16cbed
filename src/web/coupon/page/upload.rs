//! Uploads the lists of a sale in parts, from a text or a file. What was uploaded before is not sent again, so an upload
//! that was interrupted goes on when the same list is given once more.

use crate::{
    components::{Alert, Button, Field, FormErrors, Meter, Notice, SubmitButton, format::count},
    coupon::{api, page::Sale, words::words},
};
use leptos::{ev::SubmitEvent, html, prelude::*, task::spawn_local, web_sys};
use model::{
    coupon::{LISTED_AT_A_TIME, List, Lists, Part},
    error::Result,
};
use wasm_bindgen::{JsCast, closure::Closure};

/// A form for each list that is not whole, until the sale is closed.
#[component]
pub fn UploadCards(
    /// The sale, whose lists are uploaded.
    sale: Sale,
) -> impl IntoView {
    let card = move |list: List| {
        let is_missing = Memo::new(move |_| {
            !sale.is_closed.get() && sale.read(|sale| length(list, &sale.lists) > uploaded(list, &sale.lists))
        });
        move || is_missing.get().then(|| view! { <UploadCard sale list /> })
    };
    view! {
        {card(List::Codes)}
        {card(List::Users)}
    }
}

#[component]
fn UploadCard(
    /// The sale, whose list is uploaded.
    sale: Sale,
    /// The list.
    list: List,
) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let typed = NodeRef::<html::Textarea>::new();
    let file = NodeRef::<html::Input>::new();
    // The entries of the chosen file.
    let of_file = RwSignal::new(None::<Vec<String>>);
    let pending = RwSignal::new(false);
    let wrong_length = RwSignal::new(None::<String>);
    let all = sale.snapshot.with_untracked(|sale| length(list, &sale.lists));
    // As the latest answer or the live view has it, whichever is further.
    let answered = RwSignal::new(0);
    let so_far = Memo::new(move |_| answered.get().max(sale.read(|sale| uploaded(list, &sale.lists))));
    let choose = move |_| {
        let chosen = file.get_untracked().and_then(|input| input.files()?.get(0));
        match chosen {
            Some(file) => read_file(&file, move |text| of_file.set(Some(entries(&text)))),
            None => of_file.set(None),
        }
    };
    let forget = move || {
        of_file.set(None);
        if let Some(input) = file.get_untracked() {
            input.set_value("");
        }
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if pending.get_untracked() {
            return;
        }
        errors.clear();
        wrong_length.set(None);
        let text = || typed.get_untracked().map(|area| area.value()).unwrap_or_default();
        let entries = of_file.get_untracked().unwrap_or_else(|| entries(&text()));
        if entries.len() as u64 != all {
            wrong_length.set(Some((words.wrong_length)(count(entries.len() as u64), count(all))));
            return;
        }
        pending.set(true);
        let (id, first) = (sale.id(), so_far.get_untracked());
        spawn_local(async move {
            let sent = send(id, list, entries, first, move |uploaded| answered.set(uploaded)).await;
            if !pending.is_disposed() {
                pending.set(false);
                errors.set(sent.err());
            }
        });
    };
    let (title, label) = match list {
        List::Codes => (words.upload_codes, "upload-codes"),
        List::Users => (words.upload_users, "upload-users"),
    };
    let progress = Memo::new(move |_| (words.uploaded)(count(so_far.get()), count(all)));
    view! {
        <section class="card" aria-labelledby=label>
            <h2 id=label>{title}</h2>
            <p class="aside">{words.upload_note}</p>
            <form class="form-grid" aria-labelledby=label on:submit=submit>
                <Field id=text_id(list) label=words.typed_list>
                    <textarea id=text_id(list) name=list.name() rows="4" autocomplete="off" spellcheck="false" node_ref=typed></textarea>
                </Field>
                <Field id=file_id(list) label=words.list_file>
                    <input id=file_id(list) type="file" accept=".csv,.txt,text/csv,text/plain" node_ref=file on:change=choose />
                </Field>
                <p role="status" hidden=move || of_file.with(Option::is_none)>
                    {move || {
                        of_file.with(|entries| entries.as_ref().map(|all| (words.entries_of_file)(count(all.len() as u64))))
                    }}
                    " "
                    <Button on_click=forget>{words.forget_file}</Button>
                </p>
                <Meter
                    role="progressbar"
                    label=title
                    value=so_far
                    max=Signal::stored(all)
                    text=progress
                />
                <p role="status">{progress}</p>
                <div class="actions">
                    <SubmitButton pending>{words.upload}</SubmitButton>
                </div>
                <div class="notices" role="alert">
                    {move || wrong_length.get().map(|why| view! { <Notice>{why}</Notice> })}
                </div>
                <Alert errors />
            </form>
        </section>
    }
    .into_any()
}

fn text_id(list: List) -> &'static str {
    match list {
        List::Codes => "codes-text",
        List::Users => "users-text",
    }
}

fn file_id(list: List) -> &'static str {
    match list {
        List::Codes => "codes-file",
        List::Users => "users-file",
    }
}

fn length(list: List, lists: &Lists) -> u64 {
    match list {
        List::Codes => lists.own_codes,
        List::Users => lists.only_for,
    }
}

fn uploaded(list: List, lists: &Lists) -> u64 {
    match list {
        List::Codes => lists.codes_uploaded,
        List::Users => lists.users_uploaded,
    }
}

/// Sends what follows the first `uploaded` entries, a part after the other, and says how far it is.
async fn send(sale: String, list: List, entries: Vec<String>, uploaded: u64, note: impl Fn(u64)) -> Result<()> {
    let mut first = uploaded + 1;
    for entries in entries.get(uploaded as usize..).unwrap_or_default().chunks(LISTED_AT_A_TIME) {
        let part = Part { list, first, entries: entries.to_vec() };
        part.check()?;
        let Part { entries, .. } = part;
        let (codes, users) = match list {
            List::Codes => (Some(entries), None),
            List::Users => (None, Some(entries)),
        };
        let lists = api::upload(sale.clone(), first, codes, users).await?.lists;
        first = self::uploaded(list, &lists) + 1;
        note(first - 1);
    }
    Ok(())
}

/// The entries of a text: one a line, of which the first column counts.
fn entries(text: &str) -> Vec<String> {
    let column = |line: &str| {
        let line = line.trim();
        match line.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((quoted, _)) => quoted.to_owned(),
            None => line.split([',', ';', '\t']).next().unwrap_or_default().trim().to_owned(),
        }
    };
    text.trim_start_matches('\u{feff}').lines().map(column).filter(|entry| !entry.is_empty()).collect()
}

/// Reads a file as text, and hands it over.
fn read_file(file: &web_sys::File, done: impl FnOnce(String) + 'static) {
    let Ok(reader) = web_sys::FileReader::new() else { return };
    let loaded = reader.clone();
    let on_load = Closure::once_into_js(move || {
        if let Some(text) = loaded.result().ok().and_then(|text| text.as_string()) {
            done(text);
        }
    });
    reader.set_onload(Some(on_load.unchecked_ref()));
    _ = reader.read_as_text(file);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_of_each_line_is_an_entry() {
        let text = "\u{feff}SUMMER-1,ann\r\nSUMMER-2;x\n\n \"Wang, Wei\",7\n  mei  \n";
        assert_eq!(entries(text), ["SUMMER-1", "SUMMER-2", "Wang, Wei", "mei"]);
    }
}
