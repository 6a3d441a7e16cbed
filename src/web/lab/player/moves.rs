//! Who goes next, and the way through the steps: links, a scrubber, and keys.

use crate::{
    base_path::use_navigate,
    components::{Button, Icon, WithTip, are_page_keys_on, shortcut, use_page_keys, use_page_search},
    lab::player::{Playing, call::call_text, event::name_of, words::words},
};
use leptos::{ev::MouseEvent, html, prelude::*};
use leptos_router::NavigateOptions;
use leptos_use_interval_fn::{UseIntervalFnOptions, use_interval_fn_with_options};
use model::{
    lab::trace::{Participant, TIME, WORKER},
    url::with_parameter,
};
use std::collections::VecDeque;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDivElement, HtmlElement};

/// How long a step stays while the order is played, in milliseconds.
const STEP_MS: u64 = 900;

/// The address of this page with another schedule, and the place in it; `None` is its end.
fn address(search: &str, schedule: &str, at: Option<usize>) -> String {
    let schedule = (!schedule.is_empty()).then(|| schedule.to_owned());
    let query = with_parameter(search, "schedule", schedule);
    with_parameter(query.trim_start_matches('?'), "at", at.map(|at| at.to_string()))
}

/// The address after this participant's step. A step that the schedule has anyway keeps the rest of it.
fn address_after(search: &str, schedule: &str, at: usize, letter: char) -> String {
    if schedule.chars().nth(at) == Some(letter) {
        let is_last = at + 1 == schedule.chars().count();
        return address(search, schedule, (!is_last).then_some(at + 1));
    }
    let kept: String = schedule.chars().take(at).chain([letter]).collect();
    address(search, &kept, None)
}

/// Shows the links for the next step, and the way back and forward.
#[component]
pub fn Moves(playing: Playing) -> impl IntoView {
    let words = words();
    let search = use_page_search();
    // All participants, including finished ones, so that a link keeps its place and the focus. Time is there as long
    // as somebody can be at work.
    let letters = Memo::new(move |_| {
        playing.shown.with(|shown| {
            let Some(shown) = shown else { return Vec::new() };
            let all = shown.trace.participants.iter().map(|one| one.letter);
            let has_time = shown.trace.steps.iter().any(|step| step.letter == TIME) || playing.can_work();
            all.filter(|letter| *letter != TIME).chain(has_time.then_some(TIME)).collect::<Vec<char>>()
        })
    });
    let schedule = move || playing.shown.with(|shown| shown.as_ref().map(|shown| shown.play.schedule.clone()));
    let length = Memo::new(move |_| schedule().map_or(0, |schedule| schedule.chars().count()));
    let to = move |place: Option<usize>| {
        let place = place?;
        let schedule = schedule()?;
        let is_end = place == schedule.chars().count();
        Some(search.with(|search| address(search, &schedule, (!is_end).then_some(place))))
    };
    let back = move || to(playing.at.get().checked_sub(1));
    let forward = move || to(Some(playing.at.get() + 1).filter(|place| *place <= length.get()));
    let start_over = move || to(Some(0).filter(|_| playing.at.get() > 0));

    let navigate = StoredValue::new(use_navigate());
    let go_to = move |place: usize| {
        // While another play is on its way, the address is ahead of what is shown.
        if let Some(address) = to(Some(place)).filter(|_| !playing.is_pending.get_untracked()) {
            let options = NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
            navigate.with_value(|navigate| untrack(|| navigate(&address, options)));
        }
    };
    let options = UseIntervalFnOptions::default().immediate(false);
    let clock = use_interval_fn_with_options(
        move || {
            let (at, length) = (playing.at.get_untracked(), length.get_untracked());
            if at < length {
                untrack(|| go_to(at + 1));
            }
        },
        STEP_MS,
        options,
    );
    let (is_active, pause, resume) = (clock.is_active, clock.pause, clock.resume);
    let stop = pause.clone();
    Effect::new(move || {
        if playing.at.get() >= length.get() {
            stop();
        }
    });
    let on_play = move || {
        if is_active.get_untracked() {
            pause();
            return;
        }
        // At the end, from the beginning.
        untrack(|| {
            if playing.at.get() >= length.get() {
                go_to(0)
            }
        });
        resume();
    };

    let moves = NodeRef::<html::Div>::new();
    let was_used = StoredValue::new(false);
    // A link without a target loses the focus, which moves to one with a target.
    Effect::watch(
        move || (playing.shown.track(), playing.at.track()),
        move |_, _, _| {
            if !was_used.try_update_value(std::mem::take).unwrap_or_default() {
                return;
            }
            request_animation_frame(move || {
                if let Some(moves) = moves.try_get_untracked().flatten() {
                    keep_focus(&moves);
                }
            });
        },
        false,
    );
    // The ids of moves that were chosen while another play was on its way.
    let waiting = StoredValue::new(VecDeque::<String>::new());
    let on_click = move |event: MouseEvent| {
        was_used.set_value(true);
        playing.moves.update_value(|moves| *moves += 1);
        if playing.is_pending.get_untracked() {
            // Another play is on its way, and these links still continue the previous one. The move waits for it.
            event.prevent_default();
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if let Some(link) = target.and_then(|target| target.closest("a.move").ok().flatten()) {
                waiting.update_value(|waiting| waiting.push_back(link.id()));
            }
        } else if playing.error.with_untracked(Option::is_some) {
            // The address may be that of this link already.
            playing.retry.run(());
        }
    };
    Effect::watch(
        move || playing.is_pending.get(),
        move |is_pending, _, _| {
            if *is_pending {
                return;
            }
            let failed = playing.error.with_untracked(Option::is_some);
            let next = waiting.try_update_value(|waiting| {
                if failed {
                    waiting.clear();
                }
                waiting.pop_front()
            });
            if let Some(id) = next.flatten() {
                // Once the links continue the play that has arrived.
                request_animation_frame(move || _ = click(&id));
            }
        },
        false,
    );
    use_page_keys(press);

    let link = move |id: &'static str, key: &'static str, icon, label: &'static str| {
        move |href: Signal<Option<String>>| {
            view! {
                <a
                    id=id
                    class="button"
                    role="link"
                    data-noscroll
                    href=move || href.get()
                    aria-label=label
                    title=label
                    aria-keyshortcuts=shortcut(key)
                    aria-disabled=move || href.with(Option::is_none).then_some("true")
                >
                    <Icon icon />
                </a>
            }
        }
    };
    let at_end = move || length.get() == 0;
    view! {
        <div class="player-moves" node_ref=moves on:click=on_click aria-busy=move || playing.is_pending.get().to_string()>
            <div class="who" role="group" aria-label=words.who_goes>
                <For each=move || letters.get() key=|letter| *letter let:letter>
                    <Move playing letter />
                </For>
            </div>
            <div class="way" role="group" aria-label=words.scrubber>
                {link("start-over", "r", icondata_lu::LuRotateCcw, words.start_over)(Signal::derive(start_over))}
                {link("back", "ArrowLeft", icondata_lu::LuUndo2, words.back)(Signal::derive(back))}
                <Button
                    on_click=on_play
                    disabled=Signal::derive(at_end)
                    {..}
                    id="play"
                    aria-label=move || if is_active.get() { words.pause } else { words.play }
                    title=move || if is_active.get() { words.pause } else { words.play }
                    aria-keyshortcuts=shortcut("Space")
                >
                    <span hidden=move || is_active.get()>
                        <Icon icon=icondata_lu::LuPlay />
                    </span>
                    <span hidden=move || !is_active.get()>
                        <Icon icon=icondata_lu::LuPause />
                    </span>
                </Button>
                {link("forward", "ArrowRight", icondata_lu::LuRedo2, words.forward)(Signal::derive(forward))}
                <input
                    type="range"
                    class="scrubber"
                    aria-label=words.scrubber
                    min="0"
                    max=move || length.get().to_string()
                    prop:value=move || playing.at.get().to_string()
                    value=playing.at.get_untracked().to_string()
                    aria-valuetext=move || (words.step_of)(playing.at.get(), length.get())
                    on:input=move |event| go_to(event_target_value(&event).parse().unwrap_or_default())
                />
                <span class="step-of">{move || (words.step_of)(playing.at.get(), length.get())}</span>
            </div>
        </div>
    }
}

/// Shows the link by which a participant takes a step.
#[component]
fn Move(
    playing: Playing,
    /// The letter of the participant in schedules: the number of an attempt, `w` for the worker, `t` for time.
    letter: char,
) -> impl IntoView {
    let words = words();
    let search = use_page_search();
    let are_on = are_page_keys_on();
    let can_go = Memo::new(move |_| playing.participant(letter, |one| one.can_go).unwrap_or_default());
    let href = move || {
        let at = playing.at.get();
        playing.shown.with(|shown| {
            let play = &shown.as_ref().filter(|_| can_go.get())?.play;
            Some(search.with(|search| address_after(search, &play.schedule, at, letter)))
        })
    };
    let state = Memo::new(move |_| {
        let of = |one: &Participant| match (&one.next, one.told) {
            (_, Some(_)) => words.done.to_owned(),
            (Some(_), None) if !one.can_go => words.waits.to_owned(),
            (Some(call), None) => call_text(call),
            (None, None) => String::new(),
        };
        let nobody = if letter == TIME { words.no_time } else { "" };
        playing.participant(letter, of).unwrap_or_else(|| nobody.to_owned())
    });
    let key = match letter {
        TIME => 't',
        WORKER => 'w',
        attempt => name_of(attempt).to_ascii_lowercase(),
    };
    view! {
        <a
            id=format!("move-{key}")
            class=format!("button move player-{letter}")
            role="link"
            data-noscroll
            href=href
            aria-disabled=move || href().is_none().then_some("true")
            aria-keyshortcuts=shortcut(&key.to_string())
            title=state
        >
            {(words.move_of)(letter)}
            <kbd aria-hidden="true" hidden=move || !are_on.get()>
                {key.to_string()}
            </kbd>
        </a>
        {(letter == TIME)
            .then(|| {
                view! {
                    // It is no move.
                    <span class="why-not" hidden=move || can_go.get() on:click=|event: MouseEvent| event.stop_propagation()>
                        <WithTip tip=move || words.no_time>
                            <span aria-hidden="true">"?"</span>
                            <span class="unseen">{words.why_no_time}</span>
                        </WithTip>
                    </span>
                }
            })}
    }
}

/// Follows the link of a key. Returns whether it has one.
fn press(key: &str) -> bool {
    let id = match key {
        "a" | "b" | "c" | "d" | "t" | "w" => format!("move-{key}"),
        "arrowleft" => "back".to_owned(),
        "arrowright" => "forward".to_owned(),
        "r" => "start-over".to_owned(),
        " " => "play".to_owned(),
        _ => return false,
    };
    click(&id)
}

/// Clicks the element with this id. Returns whether there is one.
fn click(id: &str) -> bool {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    element.map(|element| element.click()).is_some()
}

/// Moves the focus to the first of these links with a target, unless a focusable element has it. Browsers take the
/// focus from a link without an address only some time after the address is removed.
fn keep_focus(moves: &HtmlDivElement) {
    let is_lost = document().active_element().is_none_or(|element| {
        element.tag_name() == "BODY"
            || (moves.contains(Some(&element)) && element.tag_name() == "A" && !element.has_attribute("href"))
    });
    let next = moves.query_selector("a[href]").ok().flatten().filter(|_| is_lost);
    if let Some(link) = next.and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        _ = link.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_comes_next_anyway_keeps_the_rest() {
        let after = |at, letter| address_after("level=1", "1122", at, letter);
        assert_eq!(after(1, '1'), "?level=1&schedule=1122&at=2");
        assert_eq!(after(3, '2'), "?level=1&schedule=1122");
        assert_eq!(after(1, '2'), "?level=1&schedule=12");
        assert_eq!(after(4, '1'), "?level=1&schedule=11221");
        assert_eq!(address("level=1&at=3", "", Some(0)), "?level=1&at=0");
    }
}
