//! What a step moves: a value that flies from a line of code to a record, or back to the line that reads it.

use crate::lab::player::{Playing, call::value_text};
use leptos::prelude::*;
use model::lab::trace::Step;
use web_sys::DomRect;

/// A value on its way, in pixels of the window.
#[derive(Clone, Debug, PartialEq)]
struct Flight {
    /// The step, from 1.
    step: usize,
    letter: char,
    text: String,
    from: (f64, f64),
    to: (f64, f64),
}

/// Shows what the last step moves, when it is taken by a reader who goes forward.
#[component]
pub fn Flights(playing: Playing) -> impl IntoView {
    let flight = RwSignal::new(None::<Flight>);
    Effect::watch(
        move || playing.at.get(),
        move |at, before, _| {
            flight.set(None);
            if before.is_some_and(|before| before + 1 == *at) {
                let at = *at;
                // Once the lines and the records are as they are after the step.
                request_animation_frame(move || {
                    if let Some(Some(news)) = playing.shown.try_with_untracked(|shown| {
                        let step = shown.as_ref()?.trace.steps.get(at - 1)?;
                        measured(at, step)
                    }) {
                        flight.try_set(Some(news));
                    }
                });
            }
        },
        false,
    );
    let shown = move || {
        flight.get().map(|Flight { step, letter, text, from, to }| {
            // Two classes in turn, as the animation of a class begins when it is set.
            let class = format!("flight player-{letter} {}", if step % 2 == 0 { "even" } else { "odd" });
            let (across, down) = (to.0 - from.0, to.1 - from.1);
            let style = format!("inset: {}px auto auto {}px; --across: {across}px; --down: {down}px", from.1, from.0);
            view! {
                <span class=class style=style aria-hidden="true">
                    {text}
                </span>
            }
        })
    };
    view! { {shown} }
}

/// The flight of a step between its line and its record, if both are on the page.
fn measured(at: usize, step: &Step) -> Option<Flight> {
    let command = step.call.commands.first()?;
    let one = |selector: &str| document().query_selector(selector).ok().flatten();
    let line = one(&format!(".lane.player-{} .done", step.letter))?.get_bounding_client_rect();
    let named = command.iter().skip(1).find_map(|word| one(&format!(".stored[data-key=\"{word}\"]")));
    let changed = one(".stored.changed");
    let is_write = changed.is_some();
    let record = changed.or(named)?.get_bounding_client_rect();
    let middle = |place: &DomRect| (place.x() + place.width() * 0.5, place.y() + place.height() * 0.5);
    let (line, record) = (middle(&line), middle(&record));
    let text = match &step.reply {
        Some(reply) if !is_write => value_text(reply),
        _ => "●".to_owned(),
    };
    let (from, to) = if is_write { (line, record) } else { (record, line) };
    Some(Flight { step: at, letter: step.letter, text, from, to })
}
