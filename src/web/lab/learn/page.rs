//! `/learn`: one level on one screen. The address has the level, the schedule and the place in it, so a link carries a
//! solution.

use crate::{
    base_path::under_base,
    components::{Button, LoadAlert, Loaded, PageData, live_title, use_focus_handover, use_latest, use_page_search},
    lab::{
        api,
        learn::{
            goal::{Standing, is_safe, standing},
            handout::Handout,
            levels::{Goal, LESSON, LEVELS, Level, SHORT},
            orders::{OrdersPanel, PANEL, show_panel},
            progress::{Progress, use_progress},
            words::words,
        },
        player::{
            Player, Playing,
            page::{PlayError, PlayerData, load},
            use_playing,
        },
        words::{strategy_name, strategy_source, words as lab_words},
        write,
    },
    stage::{PresentLink, use_presenting},
};
use leptos::{html, prelude::*};
use leptos_meta::Title;
use model::{
    error::{Error, Result},
    lab::{orders::Orders, trace::Play},
    url::parameter,
};

/// The address of the lesson.
const PATH: &str = "/learn";

/// The address of a level, by its place.
fn level_url(place: usize) -> String {
    format!("{PATH}?level={}", place + 1)
}

/// The place of the level in an address: the first unless it names another.
fn place_of(query: &str) -> Result<usize> {
    let Some(named) = parameter(query, "level") else { return Ok(0) };
    let place = named.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    place
        .filter(|place| *place < LEVELS.len())
        .ok_or_else(|| Error::bad("level", format!("`level` must be 1 to {}, not \"{named}\".", LEVELS.len())))
}

/// Whether an address asks for the notes for a teacher: `?teach`, with or without a value.
fn is_teaching(query: &str) -> bool {
    query.split('&').any(|pair| pair.split('=').next() == Some("teach"))
}

/// The play in an address.
fn play_of(query: &str) -> Result<Play> {
    let level = &LEVELS[place_of(query)?];
    let schedule = parameter(query, "schedule").unwrap_or_default();
    Play::of(level.strategy.to_owned(), None, Some(level.users.to_owned()), Some(level.stock), &schedule)
}

/// Shows `/learn`.
#[component]
pub fn LearnPage() -> impl IntoView {
    let search = use_page_search();
    let play = Memo::new(move |_| search.with(|search| play_of(search)));
    // Loaded once: afterwards, each new address is played.
    let first = PageData::new(|| (), move |()| load(play.get_untracked()));
    view! { <Loaded data=first let:first><Lesson first play /></Loaded> }
}

#[component]
fn Lesson(
    /// The data that came with the page.
    first: PlayerData,
    /// The play in the address, or the reason why it cannot be played.
    play: Memo<Result<Play>>,
) -> impl IntoView {
    let words = words();
    let PlayerData { strategies, shown } = first;
    let strategies = StoredValue::new(strategies);
    let playing = use_playing(play, shown);
    let search = use_page_search();
    let place = Memo::new(move |_| search.with(|search| place_of(search).unwrap_or_default()));
    let is_teaching = Memo::new(move |_| search.with(|search| is_teaching(search)));
    let progress = use_progress();
    let task = move || {
        let level = &LEVELS[place.get()];
        let text = (level.words)(words);
        view! {
            <p class="level-number">
                {match place.get().checked_sub(LESSON) {
                    None => (words.level_of)(place.get() + 1, LESSON),
                    Some(exercise) => (words.exercise)(exercise + 1),
                }}
                " · " {strategy_name(level.strategy)}
                {(level.par > 0).then(|| view! { <span class="par">{(words.par)(level.par)}</span> })}
            </p>
            <h1>{text.title}</h1>
            <p class="task">{text.task}</p>
        }
    };
    let title_of = move |place: usize| format!("{} · {}", (LEVELS[place].words)(words).title, words.title);
    let notes = move || {
        let text = (LEVELS[place.get()].words)(words);
        let source = strategies
            .with_value(|all| all.iter().find(|known| known.name == LEVELS[place.get()].strategy).map(strategy_source));
        is_teaching.get().then(|| {
            view! {
                <aside class="teacher" aria-label=words.notes>
                    <b>{words.notes}</b>
                    {(!text.note.is_empty()).then_some(text.note)}
                    <span class="short">
                        {words.short} ": "
                        {SHORT
                            .map(|place| {
                                let href = under_base(format!("{}&teach", level_url(place)));
                                view! { <a href=href>{place + 1}</a> " " }
                            })
                            .collect_view()}
                    </span>
                    <Button class="quiet" on_click=move || _ = window().print()>
                        {words.print}
                    </Button>
                    <span class="aside">{words.sources} ": " {source}</span>
                </aside>
            }
        })
    };
    view! {
        <Title text=live_title(move || title_of(place.get())) />
        <main id="main" class="player-page lesson" class:presenting=use_presenting() tabindex="-1">
            <div class="player-head">
                <Levels place progress is_teaching />
                <PresentLink />
                <div class="level">{task}</div>
            </div>
            {notes}
            <PlayError playing />
            <Player playing strategies>
                // Another level begins anew, with its own hints.
                {move || {
                    let place = place.get();
                    view! { <Coach playing place progress /> }
                }}
            </Player>
            <Handout />
        </main>
    }
}

/// Shows the links to all levels.
#[component]
fn Levels(
    /// The place of the shown level.
    place: Memo<usize>,
    progress: Progress,
    /// Whether notes for the teacher are shown.
    is_teaching: Memo<bool>,
) -> impl IntoView {
    let words = words();
    let dot = move |(number, level): (usize, &'static Level)| {
        let is_solved = move || progress.is_solved(level.id);
        let title = (level.words)(words).title;
        let label = move || {
            let name = format!("{}: {title}", number + 1);
            if is_solved() { format!("{name} ({})", words.solved) } else { name }
        };
        view! {
            <li class:exercise=number == LESSON>
                <a
                    href=move || under_base(level_url(number) + if is_teaching.get() { "&teach" } else { "" })
                    class="dot"
                    class:solved=is_solved
                    aria-current=move || (place.get() == number).then_some("page")
                    aria-label=label
                    title=title
                >
                    {number + 1}
                </a>
            </li>
        }
    };
    view! {
        <nav class="levels" aria-label=words.levels>
            <ol>{LEVELS.iter().enumerate().map(dot).collect_view()}</ol>
            <a href=under_base("/lab/step") class="aside">
                {words.free_play}
            </a>
        </nav>
    }
}

/// What the coach says, and what can be asked.
#[component]
fn Coach(
    playing: Playing,
    /// The place of the level.
    place: usize,
    progress: Progress,
) -> impl IntoView {
    let words = words();
    let level = &LEVELS[place];
    let text = (level.words)(words);
    let now = Memo::new(move |_| {
        // The play of the level before may still be shown.
        let is_own = playing.shown.with(|shown| {
            shown.as_ref().is_some_and(|shown| shown.play.strategy == level.strategy && shown.play.users == level.users)
        });
        playing
            .moment
            .with(|now| standing(level, now.as_ref().filter(|_| is_own).and_then(|now| now.outcome.as_deref())))
    });
    let orders = RwSignal::new(None::<Orders>);
    let error = RwSignal::new(None::<Error>);
    let search = use_latest();
    // What the search is to judge; `None` if its orders are only to be shown.
    let asked = RwSignal::new(None::<Ask>);
    let find = move |ask: Option<Ask>| {
        if ask.is_some() {
            asked.set(ask);
        }
        if orders.with_untracked(Option::is_some) {
            return;
        }
        search.ask(
            move || api::orders(level.strategy.to_owned(), Some(level.stock), Some(level.users.to_owned())),
            move |answer| match answer {
                Ok(found) => {
                    error.set(None);
                    orders.set(Some(found));
                    if matches!(asked.get_untracked(), Some(Ask::Guess(_))) {
                        request_animation_frame(show_panel);
                    }
                }
                Err(why) => error.set(Some(why)),
            },
        );
    };
    let is_claimed_rightly =
        move || asked.get() == Some(Ask::Claim) && orders.with(|orders| orders.as_ref().is_some_and(is_safe));
    let is_revealed = move || matches!(asked.get(), Some(Ask::Guess(_))) && orders.with(Option::is_some);
    let is_solved = Memo::new(move |_| match level.goal {
        Goal::Break(_) => now.get() == Standing::Reached,
        Goal::Survive => is_claimed_rightly(),
        Goal::Guess => is_revealed(),
    });
    let steps = move || playing.shown.with(|shown| shown.as_ref().map_or(0, |shown| shown.trace.steps.len()));
    // A solution that comes with the address is somebody else's.
    let moves = playing.moves.get_value();
    Effect::watch(
        move || is_solved.get(),
        move |is_solved, was_solved, _| {
            let is_own = !matches!(level.goal, Goal::Break(_)) || playing.moves.get_value() > moves;
            if *is_solved && was_solved == Some(&false) && is_own {
                let steps = if matches!(level.goal, Goal::Break(_)) { untrack(steps) } else { 0 };
                untrack(|| progress.solve(level.id, steps));
            }
        },
        true,
    );
    // Each try without success brings the next hint.
    let tries = RwSignal::new(0_usize);
    Effect::watch(
        move || (now.get(), asked.get().filter(|_| orders.with(Option::is_some))),
        move |(now, answered), before, _| {
            let was = before.map(|(now, _)| *now);
            let has_failed = matches!(now, Standing::Nothing | Standing::Other(_)) && was == Some(Standing::Open);
            let is_wrong_claim = *answered == Some(Ask::Claim) && !untrack(is_claimed_rightly);
            let was_wrong = is_wrong_claim && before.is_some_and(|(_, before)| before.is_none());
            // What was claimed before this try is answered.
            if has_failed && is_wrong_claim {
                asked.set(None);
            }
            if has_failed || was_wrong {
                tries.update(|tries| *tries += 1);
            }
        },
        true,
    );
    let hint = move || match tries.get() {
        _ if is_solved.get() => None,
        0 => None,
        1 => Some(text.hint),
        _ => Some(text.last_hint),
    };
    let says = move || {
        let now = now.get();
        if is_solved.get() {
            return None;
        }
        if search.is_pending() {
            return Some(words.searching.to_owned());
        }
        if let (Some(Ask::Claim), Some((true, is_complete, broken, total))) = (
            asked.get(),
            orders.with(|orders| {
                orders.as_ref().map(|found| (found.broken > 0, found.is_complete, found.broken, found.total))
            }),
        ) && matches!(now, Standing::Open | Standing::Nothing)
        {
            return Some(if is_complete {
                (words.it_breaks)(broken, total)
            } else {
                (words.it_breaks_at_least)(broken)
            });
        }
        match now {
            Standing::Nothing => Some(words.nothing_happened.to_owned()),
            Standing::Other(anomaly) => Some((words.other_anomaly)((lab_words().anomaly_is)(anomaly))),
            Standing::Open | Standing::Reached => None,
        }
    };
    // Once it is solved, its buttons disappear, and the focus moves to the lesson.
    let (coach, coda_ref) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let shows_coda = use_focus_handover(is_solved, coach, coda_ref);
    let coda = move || {
        shows_coda.get().then(|| {
            let score = match level.goal {
                Goal::Break(_) => Some((words.solved_in)(steps(), level.par)),
                Goal::Survive => orders.with(|orders| orders.as_ref().map(|found| (words.it_holds)(found.total))),
                Goal::Guess => match (asked.get(), orders.with(|orders| orders.as_ref().map(|found| found.broken))) {
                    (Some(Ask::Guess(guess)), Some(broken)) => Some((words.guessed)(guess, broken)),
                    _ => None,
                },
            };
            view! {
                <div class="coda" tabindex="-1" node_ref=coda_ref>
                    <p>
                        <b>{text.lesson}</b>
                        " "
                        {score}
                    </p>
                    <Next place />
                </div>
            }
        })
    };
    let every_order = move || {
        // Before it is solved, the grid would give it away.
        let is_shown = is_solved.get() || tries.get() >= 2;
        is_shown.then(|| {
            view! {
                <Button on_click=move || find(None) {..} popovertarget=PANEL>
                    {words.every_order}
                </Button>
            }
        })
    };
    let guess = RwSignal::new(None::<u64>);
    let guessing = move || {
        (level.goal == Goal::Guess && !shows_coda.get()).then(|| {
            view! {
                <div class="guess">
                    <label>
                        {words.guess}
                        <input
                            type="range"
                            min="0"
                            max=ORDERS.to_string()
                            value="0"
                            on:input=move |event| guess.set(event_target_value(&event).parse().ok())
                        />
                    </label>
                    <span>{move || (words.guess_of)(guess.get().unwrap_or_default(), ORDERS)}</span>
                    <Button
                        class="strong"
                        disabled=Signal::derive(move || guess.with(Option::is_none))
                        on_click=move || find(guess.get_untracked().map(Ask::Guess))
                    >
                        {words.reveal}
                    </Button>
                </div>
            }
        })
    };
    let claim = move || {
        let is_there = level.goal != Goal::Guess && !shows_coda.get();
        is_there.then(|| {
            view! {
                <Button pending=Signal::derive(move || search.is_pending()) on_click=move || find(Some(Ask::Claim))>
                    {words.claim}
                </Button>
                <Button on_click=move || tries.update(|tries| *tries += 1)>{words.hint}</Button>
            }
        })
    };
    view! {
        <div class="coach" node_ref=coach>
            <Question level playing />
            <div class="news" role="status">
                {move || says().map(|says| view! { <p class="says">{says}</p> })}
                {move || {
                    hint().filter(|hint| !hint.is_empty()).map(|hint| view! { <p class="hint-of-level">{hint}</p> })
                }}
                {coda}
            </div>
            <LoadAlert error=error />
            {guessing}
            <div class="actions">{claim} {every_order}</div>
            <OrdersPanel orders is_searching=Signal::derive(move || search.is_pending()) />
        </div>
    }
}

/// The number of orders of the level in which they are guessed; `tests/lab/lesson.rs` counts them.
pub const ORDERS: u64 = 66;

/// What the orders are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// The learner believes that none breaks the code.
    Claim,
    /// The learner believes that so many do.
    Guess(u64),
}

/// Shows the question that is asked before the first step.
#[component]
fn Question(level: &'static Level, playing: Playing) -> impl IntoView {
    let words = words();
    let text = (level.words)(words);
    let reply = RwSignal::new(None::<bool>);
    let (question_ref, says_ref) = (NodeRef::<html::Div>::new(), NodeRef::<html::P>::new());
    let shown = use_focus_handover(Memo::new(move |_| reply.get()), question_ref, says_ref);
    let question = move || {
        let is_asked = !text.question.is_empty() && playing.at.get() == 0;
        is_asked.then(|| match shown.get() {
            None => view! {
                <div class="question" node_ref=question_ref>
                    <p>{text.question}</p>
                    <Button on_click=move || reply.set(Some(true))>{words.yes}</Button>
                    <Button on_click=move || reply.set(Some(false))>{words.no}</Button>
                </div>
            }
            .into_any(),
            Some(yes) => view! {
                <p class="says" tabindex="-1" node_ref=says_ref>
                    {if yes { text.yes } else { text.no }}
                </p>
            }
            .into_any(),
        })
    };
    view! { {question} }
}

/// Shows where to go from here.
#[component]
fn Next(
    /// The place of the level that is solved.
    place: usize,
) -> impl IntoView {
    let words = words();
    if place + 1 == LESSON {
        view! {
            <a class="button strong" href=under_base("/lab")>
                {words.to_the_lab}
            </a>
            <a class="button" href=under_base(level_url(place + 1))>
                {words.next_exercise}
            </a>
        }
        .into_any()
    } else if place + 1 < LEVELS.len() {
        view! {
            <a class="button strong" id="next-level" href=under_base(level_url(place + 1))>
                {words.next_level}
            </a>
        }
        .into_any()
    } else {
        view! {
            <a class="button strong" href=under_base(write::address::PATH)>
                {write::words::words().title}
            </a>
            <a class="button" href=under_base("/lab")>
                {words.to_the_lab}
            </a>
        }
        .into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_level_and_whether_to_teach_it() {
        assert_eq!([place_of(""), place_of("level=3")], [Ok(0), Ok(2)]);
        for query in ["level=0", "level=x", "level=16"] {
            assert_eq!(place_of(query).expect_err("a refusal").field.as_deref(), Some("level"));
        }
        assert_eq!(["teach", "level=1&teach=", "level=1", "teacher=1"].map(is_teaching), [true, true, false, false]);
    }
}
