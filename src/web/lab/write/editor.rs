//! The field in which a program is typed, with the numbers of its lines and what is wrong with them.

use crate::lab::write::words::words;
use leptos::{html, prelude::*};
use model::lab::program::{Fault, MOST_LINES};

/// The fewest lines that are shown.
const FEWEST_LINES: usize = 12;

/// Shows the field. It keeps its text by itself; `text` follows what is typed.
#[component]
pub fn Editor(
    /// The text, initially that of the address.
    text: RwSignal<String>,
    /// What is wrong with it.
    faults: Memo<Vec<Fault>>,
    /// For a caller that sets the text.
    node_ref: NodeRef<html::Textarea>,
) -> impl IntoView {
    let words = words();
    // Adopts what was typed before hydration.
    Effect::new(move || {
        if let Some(field) = node_ref.get() {
            text.set(field.value());
        }
    });
    let rows = Memo::new(move |_| {
        let lines = text.with(|text| text.lines().count());
        lines.clamp(FEWEST_LINES, MOST_LINES + 1)
    });
    let number = move |line: u32| {
        let is_wrong = move || faults.with(|faults| faults.iter().any(|fault| fault.line == line));
        view! { <span class:wrong=is_wrong>{line}</span> }
    };
    let fault = |fault: Fault| {
        view! {
            <li>
                <b>{(words.line)(fault.line)}</b>
                " "
                {(words.problem)(&fault.problem)}
            </li>
        }
    };
    view! {
        <div class="editor">
            <label for="program">{words.program}</label>
            <div class="editor-field">
                <div class="line-numbers" aria-hidden="true">
                    {move || (1..=rows.get() as u32).map(number).collect_view()}
                </div>
                <textarea
                    id="program"
                    name="program"
                    node_ref=node_ref
                    rows=move || rows.get()
                    wrap="off"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    aria-describedby="program-faults"
                    aria-invalid=move || (!faults.with(Vec::is_empty)).to_string()
                    on:input=move |event| text.set(event_target_value(&event))
                >
                    {text.get_untracked()}
                </textarea>
            </div>
            <div id="program-faults" role="status">
                <ol class="program-faults">{move || faults.get().into_iter().map(fault).collect_view()}</ol>
            </div>
        </div>
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use model::lab::program::Program;

    /// A browser takes everything between the tags for text, also the marks between the parts of a page.
    #[test]
    fn the_field_has_the_text_and_nothing_else() {
        Owner::new().with(|| {
            let text = RwSignal::new("hope\nsay yours".to_owned());
            let faults = Memo::new(move |_| Program::parse(&text.get()).err().unwrap_or_default());
            let html = view! { <Editor text faults node_ref=NodeRef::new() /> }.to_html();
            assert!(html.contains(">hope\nsay yours</textarea>"), "{html}");
            assert!(html.contains("This is not one of the steps."), "{html}");
        });
    }
}
