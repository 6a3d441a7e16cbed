//! The code of each participant, side by side: as pseudo-code, as the commands that were sent, or as the Rust that runs.

use crate::{
    components::{ParameterLink, use_page_search},
    lab::player::{
        Playing,
        call::{call_text, reply_text, unbroken, value_text},
        event::name_of,
        pseudo::{self, ShownLine, user_of},
        pseudo_zh::translated,
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    lab::{
        program::PREFIX,
        registry::StrategyInfo,
        trace::{Participant, Play, Step, TIME, Trace, WORKER},
    },
    url::parameter,
};
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

/// The parameter of the address that chooses a view.
const PARAMETER: &str = "view";

/// A way to see what attempts do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodeView {
    Pseudo,
    Redis,
    Rust,
}

impl CodeView {
    /// The value in the address; none for the first.
    fn value(self) -> Option<&'static str> {
        match self {
            Self::Pseudo => None,
            Self::Redis => Some("commands"),
            Self::Rust => Some("rust"),
        }
    }
}

/// Shows the code of all participants in one of three views.
#[component]
pub fn Code(
    playing: Playing,
    /// All strategies of the lab.
    strategies: StoredValue<Vec<StrategyInfo>>,
) -> impl IntoView {
    let words = words();
    let search = use_page_search();
    let chosen = Memo::new(move |_| {
        let named = search.with(|search| parameter(search, PARAMETER));
        let all = [CodeView::Pseudo, CodeView::Redis, CodeView::Rust];
        all.into_iter().find(|view| view.value() == named.as_deref()).unwrap_or(CodeView::Pseudo)
    });
    let choice = move |view: CodeView, label: &'static str| {
        view! {
            <ParameterLink
                name=PARAMETER
                value=view.value().map(str::to_owned)
                {..}
                class="choice-link"
                aria-current=move || (chosen.get() == view).then_some("true")
            >
                {label}
            </ParameterLink>
        }
    };
    // A program is its own pseudo-code.
    let has_source = Memo::new(move |_| {
        let strategy = playing.shown.with(|shown| shown.as_ref().map(|shown| shown.play.strategy.clone()));
        strategy.is_none_or(|id| !id.starts_with(PREFIX))
    });
    let lanes = move || match chosen.get() {
        CodeView::Rust if has_source.get() => view! { <Source playing strategies /> }.into_any(),
        view => view! { <Lanes playing is_pseudo=view != CodeView::Redis /> }.into_any(),
    };
    view! {
        <section class="player-code" aria-label=words.code>
            <nav class="code-views" aria-label=words.code>
                {choice(CodeView::Pseudo, words.pseudo)}
                {choice(CodeView::Redis, words.redis)}
                {move || has_source.get().then(|| choice(CodeView::Rust, words.rust))}
            </nav>
            {lanes}
        </section>
    }
}

/// Who takes part in a play, by letter, and whose attempt it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cast {
    play: Play,
    letters: Vec<char>,
}

fn use_cast(playing: Playing) -> Memo<Option<Cast>> {
    Memo::new(move |_| {
        playing.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let all = shown.trace.participants.iter().map(|one| one.letter);
            // The lanes of a play stay while its steps change.
            let play = Play { schedule: String::new(), ..shown.play.clone() };
            Some(Cast { play, letters: all.filter(|letter| *letter != TIME).collect() })
        })
    })
}

/// The name of a participant: `A · Ann`.
pub fn full_name(users: &str, letter: char) -> String {
    let words = words();
    let Some(user) = user_of(users, letter) else { return words.worker.to_owned() };
    let person = (words.person)(user);
    let is_second = users.chars().take((letter.to_digit(10).unwrap_or(1) - 1) as usize).any(|other| other == user);
    format!("{} · {}", name_of(letter), if is_second { (words.second_tab)(&person) } else { person })
}

#[component]
fn Lanes(
    playing: Playing,
    /// Pseudo-code rather than commands.
    is_pseudo: bool,
) -> impl IntoView {
    let cast = use_cast(playing);
    move || {
        cast.get().map(|cast| {
            let lane = |letter: char| {
                let content = if is_pseudo {
                    let lines = pseudo::lines(&cast.play.strategy, user_of(&cast.play.users, letter));
                    view! { <PseudoCode playing letter lines /> }.into_any()
                } else {
                    view! { <Commands playing letter /> }.into_any()
                };
                view! {
                    <section
                        class=format!("lane player-{letter}")
                        class:waits=move || playing.waits(letter)
                        tabindex="0"
                        aria-label=full_name(&cast.play.users, letter)
                    >
                        <h2>{full_name(&cast.play.users, letter)}</h2>
                        {content}
                        <Locals playing letter is_pseudo />
                    </section>
                }
            };
            let class = format!("lanes of-{}", cast.letters.len());
            view! { <div class=class>{cast.letters.iter().copied().map(lane).collect_view()}</div> }
        })
    }
}

#[component]
fn PseudoCode(
    playing: Playing,
    letter: char,
    /// The code of this participant.
    lines: Vec<ShownLine>,
) -> impl IntoView {
    let list = NodeRef::<html::Ol>::new();
    // Where a lane is lower than its code, the next line comes into view.
    Effect::watch(
        move || playing.at.get(),
        move |at, _, _| {
            let show = move || {
                let line =
                    list.try_get_untracked().flatten().and_then(|list| list.query_selector(".here").ok().flatten());
                if let Some(line) = line {
                    let options = ScrollIntoViewOptions::new();
                    options.set_block(ScrollLogicalPosition::Nearest);
                    line.scroll_into_view_with_scroll_into_view_options(&options);
                }
            };
            let has_moved = playing.shown.with_untracked(|shown| {
                let steps = shown.as_ref().map(|shown| &shown.trace.steps);
                at.checked_sub(1).and_then(|last| steps?.get(last)).is_some_and(|step| step.letter == letter)
            });
            // Where not all lanes have room, that of whoever has moved comes last, and stays in view.
            if has_moved {
                request_animation_frame(move || request_animation_frame(show));
            } else {
                request_animation_frame(show);
            }
        },
        false,
    );
    let texts: Vec<String> = lines.iter().map(|line| translated(&line.text)).collect();
    // The line of the next call, and the one that has just been run.
    let lines_of = StoredValue::new(lines);
    let place_of = move |find: fn(&Trace, usize, char, &[ShownLine]) -> Option<usize>| {
        Memo::new(move |_| {
            let at = playing.at.get();
            let lines = lines_of.get_value();
            playing.shown.with(|shown| find(&shown.as_ref()?.trace, at, letter, &lines))
        })
    };
    let (counter, done) = (place_of(pseudo::counter), place_of(pseudo::just_run));
    let is_over = Memo::new(move |_| playing.participant(letter, |one| one.told.is_some()).unwrap_or_default());
    let line = |(place, text): (usize, String)| {
        let depth = (text.len() - text.trim_start().len()) / 2;
        let is_here = move || counter.get() == Some(place);
        view! {
            <li
                class:here=is_here
                class:done=move || done.get() == Some(place)
                class:over=move || is_here() && is_over.get()
                style=(depth > 0).then(|| format!("--depth: {depth}"))
                aria-current=move || is_here().then_some("step")
            >
                <code>{text.trim_start().to_owned()}</code>
            </li>
        }
    };
    view! { <ol class="pseudo" node_ref=list>{texts.into_iter().enumerate().map(line).collect_view()}</ol> }
}

/// Shows what the attempt has read so far.
#[component]
fn Locals(
    playing: Playing,
    letter: char,
    /// By their names in pseudo-code; others are left out.
    is_pseudo: bool,
) -> impl IntoView {
    let named = move |(name, value): &(String, String)| {
        let name = if is_pseudo { pseudo::variable(name)? } else { name };
        Some((name.to_owned(), value.clone()))
    };
    let locals = Memo::new(move |_| {
        let of = |one: &Participant| one.locals.iter().filter_map(named).collect::<Vec<(String, String)>>();
        playing.participant(letter, of).unwrap_or_default()
    });
    let local = |(name, value): (String, String)| {
        view! {
            <span class="local">
                <code>{format!("{name} = {}", value_text(&value))}</code>
            </span>
        }
    };
    view! { <p class="locals">{move || locals.get().into_iter().map(local).collect_view()}</p> }
}

/// Shows the commands that the attempt has sent, with their replies, and the next one.
#[component]
fn Commands(playing: Playing, letter: char) -> impl IntoView {
    let list = move || {
        let at = playing.at.get();
        let next = playing.participant(letter, |one: &Participant| one.next.as_ref().map(call_text)).flatten();
        playing.shown.with(|shown| {
            let steps = shown.as_ref().map(|shown| shown.trace.steps.as_slice()).unwrap_or_default();
            let own = steps.iter().take(at).filter(|step| step.letter == letter);
            let sent = |step: &Step| {
                view! {
                    <li class="sent">
                        <code>{unbroken(&call_text(&step.call))}</code>
                        <span class="reply">
                            "→ "
                            <code>{unbroken(&reply_text(step))}</code>
                        </span>
                    </li>
                }
            };
            let sent = own.map(sent).collect_view();
            let next = next.map(|next| {
                view! {
                    <li class="here" aria-current="step">
                        <code>{unbroken(&next)}</code>
                    </li>
                }
            });
            view! { <ol class="commands">{sent} {next}</ol> }
        })
    };
    view! { {list} }
}

/// Shows the source of the strategy. The lines of each attempt's next call are marked.
#[component]
fn Source(
    playing: Playing,
    /// All strategies of the lab.
    strategies: StoredValue<Vec<StrategyInfo>>,
) -> impl IntoView {
    let words = words();
    let strategy =
        Memo::new(move |_| playing.shown.with(|shown| shown.as_ref().map(|shown| shown.play.strategy.clone())));
    let nexts = Memo::new(move |_| {
        let now = playing.moment.get();
        let all = now.iter().flat_map(|now| &now.participants);
        all.filter_map(|one| Some((one.letter, one.next.as_ref()?.line))).collect::<Vec<(char, u32)>>()
    });
    let source = move || {
        let name = strategy.get()?;
        let known = strategies.with_value(|all| all.iter().find(|known| known.name == name).cloned())?;
        let line = |(number, text): (u32, &str)| {
            let here = Memo::new(move |_| {
                nexts.with(|nexts| {
                    nexts.iter().filter(|(_, line)| *line == number).map(|(letter, _)| *letter).collect::<Vec<char>>()
                })
            });
            let mark = |letter: char| {
                let name = if letter == WORKER { 'W' } else { name_of(letter) };
                view! { <mark class=format!("player-{letter}")>{name.to_string()}</mark> }
            };
            view! {
                <span class="line" class:here=move || !here.with(Vec::is_empty)>
                    {text.to_owned()}
                    {move || here.get().into_iter().map(mark).collect_view()}
                    "\n"
                </span>
            }
        };
        Some(view! {
            <p class="aside">
                <code>{known.file.clone()}</code>
            </p>
            <pre class="code" tabindex="0" role="group" aria-label=words.rust>
                {(1..).zip(known.code.lines()).map(line).collect_view()}
            </pre>
        })
    };
    view! { <div class="rust-source">{source}</div> }
}
