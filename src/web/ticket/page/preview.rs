//! `/tickets/preview`: draws a layout that is pasted or uploaded, and lists its mistakes, before a sale is opened. All of
//! it happens in the browser.

mod words;

use crate::{
    base_path::under_base,
    components::{Button, format::count, use_tab_storage},
    ticket::page::{
        Sale,
        map::{Handle, SeatMap},
        open::{LAYOUT, OWN_WANTED},
        preview::words::words,
        seat_card::SeatCard,
        seat_list::SeatList,
    },
    ticket::words::words as ticket_words,
};
use leptos::{ev::Event, html, prelude::*, task::spawn_local};
use leptos_meta::Title;
use leptos_use_signal_debounce_throttle::signal_debounced;
use model::{
    ticket::{
        INFO, MAX_LAYOUT_BYTES,
        hall::{Category, Hall, marks::Mark},
        layout_file::{FileMistake, LayoutFile, read, too_large},
    },
    url::with_query,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// The time after the last key before the layout is read again.
const PATIENCE_MS: f64 = 250.0;

/// The number of mistakes that are shown.
const SHOWN_MISTAKES: usize = 100;

/// An example that shows what a layout may have.
const EXAMPLE: &str = r#"{
  "categories": ["stalls", "circle", "restricted"],
  "sections": [
    { "id": "S", "category": "stalls", "rows": [
      { "name": "A", "seats": 18, "aisles": [9] },
      { "name": "B", "seats": 20, "aisles": [10], "gaps": [1, 20] },
      { "name": "C", "seats": 20, "aisles": [10] }
    ] },
    { "id": "C", "category": "circle", "rank": 3, "rows": [
      { "name": "AA", "seats": 12, "from": 1, "step": 2 },
      { "name": "BB", "seats": 12, "from": 24, "step": -2 }
    ] }
  ],
  "marks": [
    { "mark": "blocked", "seats": ["S-C-10", "S-C-11"], "note": "Camera" },
    { "mark": "wheelchair", "seats": ["S-A-01", "S-A-18"] },
    { "mark": "restricted_view", "seats": ["S-C-01", "S-C-20"], "note": "Behind a pillar", "category": "restricted" }
  ]
}
"#;

/// Shows the page.
#[component]
pub fn PreviewPage() -> impl IntoView {
    let words = words();
    let (kept, keep) = use_tab_storage::<String>(LAYOUT.to_owned());
    let text = RwSignal::new(String::new());
    let field = NodeRef::<html::Textarea>::new();
    // The size of a chosen file that is too large to be read.
    let oversize = RwSignal::new(None::<usize>);
    let change = move |new: String| {
        oversize.set(None);
        keep.set(new.clone());
        text.set(new);
    };
    // The field keeps its text by itself, so that nothing that was typed before hydration is lost.
    let put = move |new: String| {
        if let Some(field) = field.get_untracked() {
            field.set_value(&new);
        }
        change(new);
    };
    // What was typed before hydration, or else what the tab has kept.
    Effect::new(move || {
        if let Some(field) = field.get() {
            match field.value() {
                typed if typed.is_empty() => untrack(|| put(kept.get())),
                typed => change(typed),
            }
        }
    });
    let settled: Signal<String> = signal_debounced(text, PATIENCE_MS);
    let file = Memo::new(move |_| match oversize.get() {
        Some(bytes) => Some(LayoutFile { hall: None, mistakes: vec![too_large(bytes)] }),
        None => settled.with(|text| (!text.trim().is_empty()).then(|| read(text))),
    });
    view! {
        <Title text=words.title />
        <main id="main" class="preview" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
                <noscript inner_html=format!("<p class=\"empty\">{}</p>", words.without_script) />
            </div>
            <section class="card preview-source">
                <div class="field">
                    <label for="layout">{words.layout}</label>
                    <textarea
                        id="layout"
                        name="layout"
                        node_ref=field
                        rows="14"
                        wrap="off"
                        spellcheck="false"
                        autocomplete="off"
                        autocapitalize="off"
                        aria-describedby="layout-hint preview-status"
                        aria-invalid=move || file.with(has_mistakes).to_string()
                        on:input=move |event| change(event_target_value(&event))
                    ></textarea>
                    <span class="hint" id="layout-hint">
                        {words.layout_hint}
                    </span>
                </div>
                <div class="actions">
                    <label for="layout-file">{words.file}</label>
                    <input
                        type="file"
                        id="layout-file"
                        accept=".json,.csv,application/json,text/csv"
                        on:change=move |event| upload(&event, put, oversize)
                    />
                    <Button class="quiet" on_click=move || put(EXAMPLE.to_owned())>
                        {words.example}
                    </Button>
                </div>
                <p id="preview-status" role="status">
                    {move || file.with(status)}
                </p>
            </section>
            {move || file.with(|file| file.as_ref().and_then(|file| mistakes_of(file, field)))}
            {move || file.with(|file| file.as_ref().and_then(drawn))}
        </main>
    }
}

fn has_mistakes(file: &Option<LayoutFile>) -> bool {
    file.as_ref().is_some_and(|file| !file.mistakes.is_empty())
}

/// Returns the sentence about a layout, which is announced.
fn status(file: &Option<LayoutFile>) -> String {
    let (words, ours) = (words(), ticket_words());
    let Some(LayoutFile { hall, mistakes }) = file else { return words.empty.to_owned() };
    let mistakes = match mistakes.len() as u64 {
        0 => words.no_mistakes.to_owned(),
        number => (words.mistakes)(number),
    };
    match hall {
        Some(hall) => format!("{mistakes} {}: {}", ours.seats, count(hall.seats().into())),
        None => mistakes,
    }
}

/// Passes the text of the chosen file on, or the size of one that is too large.
fn upload(event: &Event, change: impl Fn(String) + 'static, oversize: RwSignal<Option<usize>>) {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let file = input.and_then(|input| input.files()).and_then(|files| files.get(0));
    if let Some(file) = file {
        let bytes = file.size() as usize;
        if bytes > MAX_LAYOUT_BYTES {
            return oversize.set(Some(bytes));
        }
        spawn_local(async move {
            // One that cannot be read is not there any more.
            if let Some(text) = file.text().await.ok().and_then(|text| text.as_string()) {
                change(text);
            }
        });
    }
}

/// Shows the mistakes, each with a button that leads to its line.
fn mistakes_of(file: &LayoutFile, field: NodeRef<html::Textarea>) -> Option<impl IntoView + use<>> {
    let words = words();
    let mistakes: Vec<_> = file.mistakes.iter().take(SHOWN_MISTAKES).cloned().collect();
    let more = file.mistakes.len() - mistakes.len();
    let mistake = move |FileMistake { line, message }: FileMistake| {
        view! {
            <li>
                <Button class="quiet" on_click=move || select_line(field, line)>
                    {(words.line)(count(line as u64))}
                </Button>
                " "
                // Mistakes are told in one language, like the errors of the API.
                <span lang="en">{message}</span>
            </li>
        }
    };
    (!mistakes.is_empty()).then(|| {
        view! {
            <section class="card" aria-labelledby="mistakes-title">
                <h2 id="mistakes-title">{words.mistakes_title}</h2>
                <ol class="mistakes">{mistakes.into_iter().map(mistake).collect_view()}</ol>
                {(more > 0).then(|| view! { <p>{(words.more_mistakes)(count(more as u64))}</p> })}
            </section>
        }
    })
}

/// Selects a line of the text, and scrolls to it.
fn select_line(field: NodeRef<html::Textarea>, line: usize) {
    let Some(field) = field.get_untracked() else { return };
    let text = field.value();
    // The browser counts in units of UTF-16.
    let units = |text: &str| text.encode_utf16().count() as u32;
    let from: u32 = text.split_inclusive('\n').take(line - 1).map(units).sum();
    let length = units(text.lines().nth(line - 1).unwrap_or_default());
    _ = field.focus();
    _ = field.set_selection_range(from, from + length);
    let lines = text.lines().count().max(1) as f64;
    let top = f64::from(field.scroll_height()) * (line - 1) as f64 / lines;
    field.set_scroll_top((top - f64::from(field.client_height()) / 2.0).max(0.0) as i32);
}

/// Shows the hall as its sale would show it, how many seats each category has, and the way to the form that opens one.
fn drawn(file: &LayoutFile) -> Option<impl IntoView + use<>> {
    let words = words();
    let hall = file.hall.clone()?;
    let is_sound = file.mistakes.is_empty();
    let totals = totals(&hall);
    let sale = Sale::preview(hall);
    let map = Handle::new();
    let (_, want) = use_tab_storage::<bool>(OWN_WANTED.to_owned());
    let url = under_base(format!("{}#open-title", with_query("/", [("kind", Some(INFO.id))])));
    Some(view! {
        <div class="preview-map">
            <SeatMap sale handle=map>
                <SeatCard sale />
            </SeatMap>
        </div>
        {totals}
        {is_sound
            .then(|| {
                view! {
                    <p>
                        <a class="button strong" href=url on:click=move |_| want.set(true)>
                            {words.open}
                        </a>
                    </p>
                }
            })}
        <SeatList sale map />
    })
}

/// Shows the numbers of seats by category.
fn totals(hall: &Hall) -> impl IntoView + use<> {
    let (words, ours) = (words(), ticket_words());
    let marked = |seats: std::ops::Range<u32>, mark: Mark| {
        hall.marks.iter().filter(|(seat, of_seat)| seats.contains(seat) && of_seat.marks.contains(&mark)).count() as u64
    };
    let row = |name: String, seats: std::ops::Range<u32>| {
        let all = seats.len() as u64;
        let [blocked, wheelchair, restricted] = Mark::ALL.map(|mark| marked(seats.clone(), mark));
        let figures = [all, all - blocked, blocked, wheelchair, restricted];
        let figures = figures.map(|figure| view! { <td class="figure">{count(figure)}</td> });
        view! {
            <tr>
                <th scope="row">{name}</th>
                {figures.collect_view()}
            </tr>
        }
    };
    let rows: Vec<_> = hall
        .categories
        .iter()
        .map(|Category { name, seats, .. }| row(name.clone(), seats.clone()))
        .chain([row(words.sum.to_owned(), 0..hall.seats())])
        .collect();
    let columns = [words.all, words.for_sale].into_iter().chain(Mark::ALL.map(ours.mark));
    let columns = columns.map(|column| view! { <th scope="col" class="figure">{column}</th> });
    view! {
        <section class="card" aria-labelledby="totals-title">
            <h2 id="totals-title">{words.totals}</h2>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{words.category}</th>
                        {columns.collect_view()}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
}
