//! The demonstrations on the first page, each with a miniature. It shows the sale as it is. While nobody is there, it
//! replays the newest recorded crowd slowly. Nothing is given away for it.

use crate::{
    components::{
        Badge, Button, FirstCall, Icon, SaleLink, StateBadge, Tone,
        format::{count, micros},
        use_entry, use_polling, use_while_visible,
    },
    kind::{MiniatureSale, Registration},
    kind_of,
    list::{
        demonstration::Demonstration,
        let_loose::LetLoose,
        page::recent::with_latest,
        run_counts::{NewestRun, RunCounts, load_newest_run},
        words::words,
    },
};
use leptos::{either::Either, prelude::*};
use leptos_use_preferences::use_prefers_reduced_motion;
use model::{SaleState, list::SaleSummary};
use std::time::Duration;

/// How often a newer record is looked for.
const NEW_RECORD: Duration = Duration::from_secs(5);
/// How often it is looked for after the sale has changed: a record is kept a moment after its crowd is gone.
const MOST_ASKED: u32 = 3;
/// The time between two steps of a replay.
const STEP: Duration = Duration::from_millis(200);
/// The number of steps in which a run is replayed, and for which its end is shown afterwards: 20 s and 6 s.
const STEPS: u32 = 100;
const REST: u32 = 30;
/// The number of values in the course of a replay.
const COURSE: usize = 48;

/// Shows the demonstration of each kind. Nothing is shown on a server that has none.
#[component]
pub fn Demonstrations(
    /// The demonstrations, refreshed regularly.
    demos: RwSignal<Vec<Demonstration>>,
) -> impl IntoView {
    let words = words();
    let is_paused = RwSignal::new(false);
    let key = |demo: &Demonstration| (demo.sale.kind.clone(), demo.sale.sale.clone());
    let are_any = Memo::new(move |_| demos.with(|demos| !demos.is_empty()));
    view! {
        <Show when=move || are_any.get()>
            <section class="demos" aria-labelledby="demos-title">
                <div class="bar">
                    <h2 id="demos-title">{words.demonstrations}</h2>
                    <Button
                        class="quiet toggle"
                        attr:aria-pressed=move || is_paused.get().to_string()
                        on_click=move || is_paused.update(|paused| *paused = !*paused)
                    >
                        <Icon icon=icondata_lu::LuPause />
                        {words.pause_replays}
                    </Button>
                </div>
                <ul>
                    <For
                        each=move || demos.get()
                        key
                        children=move |demo| view! { <Card demos first=demo is_paused /> }
                    />
                </ul>
            </section>
        </Show>
    }
}

/// Shows the demonstration of a kind.
#[component]
fn Card(
    /// The demonstrations, refreshed regularly.
    demos: RwSignal<Vec<Demonstration>>,
    /// This one, as first loaded.
    first: Demonstration,
    /// The reader has paused the replays.
    is_paused: RwSignal<bool>,
) -> impl IntoView {
    let words = words();
    let Some(kind) = kind_of(&first.sale.kind) else { return Either::Left(()) };
    let (id, total) = (first.sale.sale.clone(), first.sale.total);
    let now = use_entry(first.clone(), move || {
        demos.with(|demos| demos.iter().find(|demo| demo.is_of(&first.sale)).cloned())
    });
    let shown = Memo::new(move |_| now.with(|now| now.shown().clone()));
    let replay = use_replay(kind, shown, is_paused);
    let course = use_course(demos, shown, replay);
    let picture = (kind.pages.miniature.picture)(MiniatureSale { sale: shown, played: replay.played(), course });
    let is_busy = Signal::derive(move || {
        let takes = |state| matches!(state, SaleState::Scheduled | SaleState::Open);
        now.with(|now| now.sale.crowd || !takes(now.sale.state))
    });
    let is_running = Memo::new(move |_| shown.with(|shown| shown.crowd));
    let caption = move || {
        replay.text().unwrap_or_else(|| {
            shown.with(|shown| match shown.left.zip(shown.total) {
                Some((left, total)) => {
                    let text = (words.left_of)(count(left), count(total));
                    // The link and the button are those of the next sale.
                    let is_next = now.with(|now| now.sale.sale != shown.sale);
                    if is_next { format!("{}: {text}", shown.sale) } else { text }
                }
                None => words.no_limit.to_owned(),
            })
        })
    };
    Either::Right(view! {
        <li class="card demo">
            <div class="bar">
                <h3>{(kind.pages.words)().name}</h3>
                <span class="badges">
                    <Show when=move || is_running.get()>
                        <Badge tone=Tone::Gold icon=icondata_lu::LuUsers text=words.crowd_running />
                    </Show>
                    <StateBadge state=Signal::derive(move || now.with(|now| now.sale.state)) />
                </span>
            </div>
            <div class="miniature" aria-hidden="true">
                {picture}
            </div>
            <p class="moment">{caption}</p>
            <p class="sentence">{(kind.pages.miniature.sentence)()}</p>
            <div class="bar foot">
                <SaleLink kind=kind.info.id sale=id.clone() />
                <LetLoose kind sale=id total disabled=is_busy />
            </div>
        </li>
    })
}

/// The replay of the newest run at a demonstration.
#[derive(Clone, Copy)]
struct Replay {
    /// `None` while there is no record, or while a crowd is there.
    counts: Memo<Option<RunCounts>>,
    /// The number of steps since the beginning.
    step: RwSignal<u32>,
    /// The reader wants nothing to move.
    is_still: Signal<bool>,
}

impl Replay {
    /// Returns the share of the run's time that was played.
    fn share(self) -> f64 {
        if self.is_still.get() { 1.0 } else { f64::from(self.step.get().min(STEPS)) / f64::from(STEPS) }
    }

    /// Returns the share of what is given away that is shown.
    fn played(self) -> Signal<f64> {
        let played =
            move || self.counts.with(|counts| counts.as_ref().map_or(1.0, |counts| counts.given(self.share())));
        Memo::new(move |_| played()).into()
    }

    /// Returns the moment in words.
    fn text(self) -> Option<String> {
        self.counts.with(|counts| {
            let counts = counts.as_ref()?;
            let (now, end) = (counts.at(self.share()), counts.end());
            let time = |ms: f64| micros((ms * 1_000.0) as u64);
            Some((words().replay)(time(now.at_ms), time(end.at_ms), now.won, now.refused))
        })
    }
}

/// Replays the newest recorded run at a sale, again and again, while no crowd is there and the page is visible.
fn use_replay(kind: &'static Registration, shown: Memo<SaleSummary>, is_paused: RwSignal<bool>) -> Replay {
    let newest = RwSignal::new(None::<NewestRun>);
    // The sale as it was when a newer record was last looked for, and how often that was.
    let asked = StoredValue::new((None::<(String, bool, Option<u64>)>, 0_u32));
    let step = RwSignal::new(0);
    let is_still = use_prefers_reduced_motion();
    // A record belongs to its sale.
    let counts = Memo::new(move |_| {
        let (sale, is_running) = shown.with(|shown| (shown.sale.clone(), shown.crowd));
        newest.with(|newest| {
            newest.as_ref().filter(|newest| !is_running && newest.sale == sale).and_then(|newest| newest.counts.clone())
        })
    });
    let load = move || {
        let SaleSummary { sale, crowd, left, .. } = shown.get_untracked();
        let is_over = !crowd && shown.with_untracked(SaleSummary::given_away) > 0;
        let known = newest.with_untracked(|newest| {
            newest.as_ref().filter(|newest| newest.sale == sale).map(|newest| newest.run.clone())
        });
        let now = (sale.clone(), crowd, left);
        let times = asked.try_update_value(|(of, times)| {
            *times = if of.as_ref() == Some(&now) { times.saturating_add(1) } else { 1 };
            *of = Some(now);
            *times
        });
        let is_due = is_over && times.is_some_and(|times| times <= MOST_ASKED);
        async move { if is_due { load_newest_run(kind, sale, known).await } else { Ok(None) } }
    };
    use_polling(NEW_RECORD, FirstCall::AtOnce, load, move |answer| match answer {
        Ok(Some(found)) => {
            step.set(0);
            newest.set(Some(found));
        }
        // Without a record, the sale is shown as it is.
        Ok(None) => {}
        // While the ledger is down, no number of times is enough.
        Err(_) => asked.update_value(|(_, times)| *times = times.saturating_sub(1)),
    });
    use_while_visible(STEP, FirstCall::AfterInterval, move || {
        let is_moving =
            counts.with_untracked(Option::is_some) && !is_paused.get_untracked() && !is_still.get_untracked();
        if is_moving {
            step.update(|step| *step = (*step + 1) % (STEPS + REST));
        }
    });
    Replay { counts, step, is_still }
}

/// Returns the numbers of items left: in the course of the replay, or at each of the latest loads of the page.
fn use_course(demos: RwSignal<Vec<Demonstration>>, shown: Memo<SaleSummary>, replay: Replay) -> Signal<Vec<f64>> {
    let left = move || shown.with(|shown| shown.left.unwrap_or(0));
    let course = Memo::new(move |before: Option<&(String, Vec<f64>)>| {
        let sale = shown.with(|shown| shown.sale.clone());
        replay.counts.with(|counts| match counts {
            Some(counts) => {
                let (total, given) = shown.with(|shown| (shown.total.unwrap_or(0) as f64, shown.given_away() as f64));
                let now = replay.share();
                let shares = (0..=COURSE).map(|place| place as f64 / COURSE as f64);
                let value = |share: f64| if share > now { f64::NAN } else { total - given * counts.given(share) };
                // Not the values of the time that the page has been open.
                (String::new(), shares.map(value).collect())
            }
            None => {
                demos.track();
                let recent = before.filter(|(of, _)| *of == sale).map(|(_, recent)| recent.clone());
                // A line needs two values.
                let recent = recent.unwrap_or_else(|| vec![left() as f64]);
                (sale, with_latest(recent, Some(left())))
            }
        })
    });
    Signal::derive(move || course.with(|(_, course)| course.clone()))
}
