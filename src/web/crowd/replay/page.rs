//! `/replay`: the run, its squares, the player below them, and its course.

use crate::{
    base_path::use_navigate,
    components::{
        Alert, Button, CopyLinkButton, Definition, Figure, FilterSelect, FormErrors, IgnoredParameters, Loaded,
        LocalTime, Notice, PageData, QueryForm, SaleLink, TimeStyle, VerdictBadge, format::count, use_latest,
        use_page_search,
    },
    crowd::{
        api,
        panel::{Course, CourseCharts, CrowdKindForm, run_tone},
        replay::{
            address::{ReplayQuery, SPEEDS, speed_of},
            player::{Player, Shown, use_player},
            timeline::Timeline,
            words::{Scale, words},
        },
        words::words as crowd_words,
    },
    i18n, kind_of,
    playback::{Fill, PLAY_S, Picture, PictureButton, PictureGrid, PlaybackControls, State},
    stage::{PresentLink, use_presenting},
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_use_signal_debounce_throttle::signal_debounced;
use model::{
    crowd::{
        replay::{MOST_TRANSFERS, PATH, Replay},
        runs::{RunRecord, RunReport},
        user_name,
    },
    form::FormValues,
    text::file_name,
    url::with_parameter,
};

/// The time for which the replay stands still until the address has that time, in milliseconds: the scrubber moves on.
const REST_MS: f64 = 300.0;

/// Shows `/replay`.
#[component]
pub fn ReplayPage() -> impl IntoView {
    let search = use_page_search();
    let query = Memo::new(move |_| search.with(|search| ReplayQuery::parse(search)));
    // No link leads from one replay to another.
    let run = query.with_untracked(|query| query.run.clone());
    let data = PageData::new(move || run.clone(), api::run);
    view! { <Loaded data let:report><Page report query /></Loaded> }
}

/// What the page says about a replay beside what the player shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Facts {
    is_empty: bool,
    is_cut: bool,
    is_recorded: bool,
    /// The items that were given away in all, and how many of them came back.
    given: u64,
    returned: u64,
}

impl Facts {
    fn of(replay: &Replay) -> Self {
        let all_of = |sign: i64| {
            let of = replay.transfers.quantities.iter().filter(|quantity| quantity.signum() == sign);
            of.map(|quantity| quantity.unsigned_abs()).sum()
        };
        Self {
            is_empty: replay.transfers.is_empty(),
            is_cut: replay.is_cut,
            is_recorded: replay.is_recorded,
            given: all_of(1),
            returned: all_of(-1),
        }
    }

    /// Whether the replay has all that the run gave away.
    fn is_whole(self) -> bool {
        self.is_recorded && !self.is_cut
    }
}

#[component]
fn Page(
    /// The run.
    report: RunReport,
    /// The query of the address.
    query: Memo<ReplayQuery>,
) -> impl IntoView {
    let words = words();
    let form = kind_of(&report.record.kind).map(|kind| kind.pages.crowd);
    let speed = Memo::new(move |_| query.with(|query| query.speed.clone()));
    let player = use_player(Signal::derive(move || speed.with(|speed| speed.as_deref().and_then(speed_of))));
    let (facts, errors) = (RwSignal::new(None::<Facts>), FormErrors::default());
    let report = StoredValue::new(report);
    let ask = use_replay(report, query, player, facts, errors);
    let ignored = Signal::derive(move || query.with(|query| query.ignored.clone()));
    let notes = move || {
        let Facts { is_empty, is_cut, is_recorded, .. } = facts.get()?;
        let notes = [
            (!is_recorded, words.not_recorded.to_owned()),
            (is_cut, (words.cut)(MOST_TRANSFERS as u64)),
            (is_empty && is_recorded, words.nothing.to_owned()),
        ];
        let notes = notes.into_iter().filter(|(is_so, _)| *is_so);
        Some(notes.map(|(_, note)| view! { <Notice>{note}</Notice> }).collect_view())
    };
    let outcome = move || {
        let is_over = player.playback.state.get() == State::Over;
        facts
            .get()
            .filter(|facts| is_over && facts.is_whole())
            .map(|facts| report.with_value(|report| outcome(report, facts)))
    };
    // What the ledger has not recorded yet may be there the next time.
    let can_retry = Memo::new(move |_| {
        let is_partial = facts.with(|facts| facts.is_some_and(|facts| !facts.is_recorded));
        is_partial || errors.unplaced().is_some()
    });
    let retry = move || view! { <Button on_click=move || ask.run(())>{i18n::words().try_again}</Button> };
    view! {
        <Title text=words.title />
        <main id="main" class="replay" class:presenting=use_presenting() tabindex="-1">
            <header class="replay-head">
                <h1>{words.title}</h1>
                <PresentLink />
                {report.with_value(head)}
                <p class="aside">{words.intro}</p>
            </header>
            <div class="notices" role="status">
                <IgnoredParameters ignored /> {notes}
            </div>
            <Alert errors />
            <Show when=move || can_retry.get()>{retry()}</Show>
            <Stage player form report />
            <Controls player speed />
            <p class="replay-outcome" role="status">
                {outcome}
            </p>
            <Choices player facts report />
            <Curve player form report />
        </main>
    }
    .into_any()
}

/// Loads what the run gave away, for the player. Returns a function that asks again.
fn use_replay(
    report: StoredValue<RunReport>,
    query: Memo<ReplayQuery>,
    player: Player,
    facts: RwSignal<Option<Facts>>,
    errors: FormErrors,
) -> Callback<()> {
    let latest = use_latest();
    let ask = Callback::new(move |()| {
        errors.clear();
        player.playback.clear();
        let run = report.with_value(|report| report.record.run.clone());
        latest.ask(
            move || api::replay(run),
            move |answer| match answer {
                Ok(replay) => {
                    facts.set(Some(Facts::of(&replay)));
                    let at_ms = query.with_untracked(|query| query.at_ms);
                    report.with_value(|report| player.load(report, replay, at_ms));
                }
                Err(error) => {
                    player.playback.state.set(State::Missing);
                    errors.set(Some(error));
                }
            },
        );
    });
    // In the browser only: there may be a hundred thousand transfers, which the page need not have twice.
    Effect::new(move || untrack(|| ask.run(())));
    ask
}

/// Which run it is.
fn head(report: &RunReport) -> impl IntoView + use<> {
    let RunRecord { kind, sale, started_at, settings, verification, .. } = &report.record;
    let unanswered = report.record.without_answer();
    let badge = verification.as_ref().map(|verification| {
        let tone = run_tone(verification.verdict, unanswered);
        view! { <VerdictBadge verdict=verification.verdict tone /> }
    });
    view! {
        <p class="replay-run">
            <SaleLink kind=kind.clone() sale=sale.clone() with_name=true />
            " · "
            {(crowd_words().runs.users)(settings.users.into())}
            " · "
            <LocalTime at=*started_at style=TimeStyle::Full />
            " "
            {badge}
        </p>
    }
}

/// What came of the run, as a sentence.
fn outcome(report: &RunReport, Facts { given, returned, .. }: Facts) -> String {
    let figures = &report.record.figures;
    (words().outcome)(figures.answered, figures.elapsed_ms as f64, given, returned)
}

/// Shows the squares and the figures.
#[component]
fn Stage(
    /// The player.
    player: Player,
    /// The kind's names of answers; `None` if this program does not know the kind.
    form: Option<CrowdKindForm>,
    /// The run.
    report: StoredValue<RunReport>,
) -> impl IntoView {
    let words = words();
    let Player { playback, shown, canvas, .. } = player;
    // The number of squares, and what each stands for.
    let squares = Memo::new(move |_| {
        playback.state.track();
        player.with_timeline(|timeline| (timeline.squares() as u64, timeline.per_square()))
    });
    let note = move || match squares.get() {
        None if playback.state.get() == State::Loading => words.loading.to_owned(),
        None | Some((_, 0 | 1)) => String::new(),
        Some((_, items)) => (words.per_square)(items),
    };
    let latest = move || {
        let (user, item) = shown.with(|shown| shown.latest.clone())?;
        report.with_value(|report| {
            let who = user.map(|user| user_name(&report.record.run, user));
            Some((words.latest)(who, i18n::item_name(&report.record.kind, item)))
        })
    };
    let figure = move |term: &'static str, read: fn(&Shown) -> u64| {
        view! {
            <Definition term>
                <Figure value=Signal::derive(move || shown.with(read)) />
            </Definition>
        }
    };
    let left = move || {
        let is_limited = Memo::new(move |_| shown.with(|shown| shown.left.is_some()));
        let figure = move || figure(words.left, |shown| shown.left.unwrap_or_default());
        view! { <Show when=move || is_limited.get()>{figure()}</Show> }
    };
    let came_back = Memo::new(move |_| shown.with(|shown| shown.supplied.returned > 0));
    let answers = report.with_value(|report| answers_of(report, form));
    let answer = move |(label, nth): (&'static str, usize)| {
        let value = Signal::derive(move || shown.with(|shown| shown.answers.get(nth).copied().unwrap_or_default()));
        view! {
            <Definition term=label>
                <Figure value />
            </Definition>
        }
    };
    view! {
        <section class="replay-stage" aria-label=words.stage>
            <canvas
                class="replay-squares"
                role="img"
                aria-label=move || (words.squares)(squares.get().map_or(0, |(squares, _)| squares))
                hidden=move || matches!(squares.get(), Some((0, _)))
                node_ref=canvas
            ></canvas>
            <p class="aside replay-latest"><span class="note">{note}</span> " " {latest}</p>
            <dl class="tiles">
                {figure(words.given, |shown| shown.supplied.given)}
                <Show when=move || came_back.get()>{figure(words.returned, |shown| shown.supplied.returned)}</Show>
                {left()} {figure(crowd_words().runs.answered, |shown| shown.answers.iter().sum())}
                {answers.into_iter().map(answer).collect_view()}
            </dl>
        </section>
    }
}

/// The answers that the run gave: the name of each on screen, and its place in the counts.
fn answers_of(report: &RunReport, form: Option<CrowdKindForm>) -> Vec<(&'static str, usize)> {
    let outcomes = &report.record.figures.outcomes.0;
    let called = form.map_or_else(Vec::new, |form| (form.answers)());
    let place = |(label, name): (&'static str, &str)| {
        let (nth, _, times) = outcomes.get_full(name)?;
        (*times > 0).then_some((label, nth))
    };
    let is_unanswered = report.history.iter().any(|point| point.answers.get(outcomes.len()).is_some_and(|of| *of > 0));
    let without = is_unanswered.then_some((crowd_words().no_answer.label, outcomes.len()));
    called.into_iter().filter_map(place).chain(without).collect()
}

/// Shows the player's controls, how fast the run is shown, and a choice of other speeds.
#[component]
fn Controls(
    /// The player.
    player: Player,
    /// The name of the speed in the address.
    speed: Memo<Option<String>>,
) -> impl IntoView {
    let words = words();
    let Player { playback, shown, .. } = player;
    use_time_in_address(player);
    let search = use_page_search();
    let clock = Signal::derive(move || {
        let at_ms = shown.with(|shown| shown.at_us) / 1_000.0;
        playback.is_ready().then(|| (words.at)(at_ms, playback.end_us() / 1_000.0))
    });
    let scale = move || {
        playback.is_ready().then(|| {
            let (took_ms, speed) = (playback.end_us() / 1_000.0, playback.speed());
            (words.scale)(Scale { took_ms, shown_ms: took_ms / speed, speed })
        })
    };
    let options = SPEEDS.map(|(name, _)| (name, (words.speed_name)(name))).into();
    let address = move |form: &FormValues| {
        Some(format!("{PATH}{}", with_parameter(&search.get_untracked(), "speed", form.optional("speed"))))
    };
    view! {
        <PlaybackControls playback clock />
        <div class="replay-speed">
            <QueryForm action=PATH address instant=true>
                <FilterSelect name="speed" label=words.speed any=(words.by_itself)(PLAY_S) options chosen=speed.into() />
                <input
                    type="hidden"
                    name="run"
                    value=move || search.with(|search| ReplayQuery::parse(search).run)
                />
            </QueryForm>
            <p class="replay-scale">{scale}</p>
        </div>
    }
}

/// Keeps the time at which the replay stands still in the address, so that a link shows it.
fn use_time_in_address(player: Player) {
    let (search, navigate) = (use_page_search(), use_navigate());
    let rest = Memo::new(move |_| {
        let is_paused = player.playback.state.get() == State::Paused;
        is_paused.then(|| player.shown.with(|shown| shown.at_us.round() / 1_000.0))
    });
    let rest: Signal<Option<f64>> = signal_debounced(rest, REST_MS);
    let keep = move |at: &Option<f64>, _: Option<&Option<f64>>, _: Option<()>| {
        let query = search.get_untracked();
        if ReplayQuery::parse(&query).at_ms != *at {
            let there = format!("{PATH}{}", with_parameter(&query, "at", at.map(|at| at.to_string())));
            navigate(&there, NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() });
        }
    };
    Effect::watch(move || rest.get(), keep, false);
}

/// Shows what can be done with the replay.
#[component]
fn Choices(
    /// The player.
    player: Player,
    /// What is known of the replay, once it is there.
    facts: RwSignal<Option<Facts>>,
    /// The run.
    report: StoredValue<RunReport>,
) -> impl IntoView {
    let search = use_page_search();
    let is_whole = move || facts.get().is_some_and(Facts::is_whole);
    let picture = Callback::new(move |()| {
        let facts = facts.get_untracked()?;
        report.with_value(|report| player.with_timeline(|timeline| picture(report, facts, timeline)))
    });
    let url = Signal::derive(move || format!("{PATH}?{}", search.get()));
    view! {
        <div class="replay-choices">
            <PictureButton picture disabled=Signal::derive(move || !is_whole() || !player.playback.is_ready()) />
            <CopyLinkButton url />
        </div>
    }
}

/// The run at its end as a picture.
fn picture(report: &RunReport, facts: Facts, timeline: &Timeline) -> Picture {
    let (words, record) = (words(), &report.record);
    let RunRecord { kind, sale, started_at, figures, verification, .. } = record;
    let mut end = timeline.clone();
    end.seek(f64::MAX);
    let left = end.left().map(|left| (words.left.to_owned(), count(left)));
    let verdict = verification.as_ref().map(|verification| {
        let shared = i18n::words();
        (shared.verdict_title.to_owned(), (shared.verdict)(verification.verdict).to_owned())
    });
    let came_back = (words.returned, facts.returned);
    let chief = [(crowd_words().runs.answered, figures.answered), (words.given, facts.given), came_back];
    let chief = chief.into_iter().filter(|chief| chief.1 > 0 || *chief != came_back);
    let chief = chief.map(|(name, value)| (name.to_owned(), count(value)));
    let squares = (0..end.squares()).map(|square| Fill::Taken(end.share(square))).collect();
    let pages = i18n::kind_info(kind).map_or(kind.as_str(), |kind| kind.pages);
    Picture {
        file: file_name(&[sale, pages, "run"], *started_at),
        title: (crowd_words().runs.report_title)(&i18n::sale_name(sale).unwrap_or_else(|| sale.clone())),
        sentence: outcome(report, facts),
        figures: chief.chain(left).chain(verdict).collect(),
        grids: vec![PictureGrid { name: String::new(), squares }],
    }
}

/// Shows the course of the run, with a cursor at the time of the replay.
#[component]
fn Curve(
    /// The player.
    player: Player,
    /// The kind's names of answers; `None` if this program does not know the kind.
    form: Option<CrowdKindForm>,
    /// The run.
    report: StoredValue<RunReport>,
) -> impl IntoView {
    let course = report.with_value(|RunReport { record, history, changes, .. }| {
        let mut course = Course::new(history.clone(), &record.figures.outcomes, changes.clone(), true);
        course.started_at = record.started_at;
        course
    });
    if course.steps.is_empty() {
        return None;
    }
    let (start, end) = (course.started_at as f64, course.ends().last().copied().unwrap_or_default());
    let pointer = RwSignal::new(None);
    let clock = Memo::new(move |_| Some(player.shown.with(|shown| start + (shown.at_us / 1_000.0).min(end))));
    Some(view! {
        <section class="card course" aria-labelledby="replay-course">
            <h2 id="replay-course">{crowd_words().runs.course}</h2>
            <CourseCharts course=Signal::stored(course) form pointer clock />
        </section>
    })
}
