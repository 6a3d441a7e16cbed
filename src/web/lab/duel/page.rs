//! `/duel`: both sides, the player below them, and what came of it.

mod controls;
mod side;

use crate::{
    base_path::under_base,
    components::{
        Alert, Button, FormErrors, IgnoredParameters, Loaded, LocalTime, PageData, TimeStyle, use_latest,
        use_page_search,
    },
    i18n,
    lab::{
        api,
        duel::{
            page::{
                controls::{Choices, Controls},
                side::{Latest, SideView},
            },
            player::{Player, use_player},
            query::DuelQuery,
            words::{Outcome, words},
        },
        results::settings_line,
        words::strategy_name,
    },
    playback::{Fill, Picture, PictureGrid, State},
    stage::{PresentLink, use_presenting},
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    error::{Code, Error, Result},
    lab::{
        duel::{Duel, ITEMS, LEFT, Match, RIGHT, Side},
        registry::Strategies,
        trace::Play,
    },
};

/// Loads a play that shows what goes wrong, for each strategy that can be on the left.
async fn load() -> Result<Vec<Play>> {
    let Strategies { strategies, .. } = api::strategies().await?;
    let failing = strategies.into_iter().filter(|strategy| LEFT.contains(&strategy.name.as_str()));
    Ok(failing.filter_map(|strategy| strategy.failures.into_iter().next()).map(|failure| failure.play).collect())
}

/// Shows `/duel`.
#[component]
pub fn DuelPage() -> impl IntoView {
    let search = use_page_search();
    let query = Memo::new(move |_| search.with(|search| DuelQuery::parse(search)));
    let plays = PageData::new(|| (), |()| load());
    view! { <Loaded data=plays let:plays><Page plays query /></Loaded> }
}

/// What is known of a duel beside its record.
#[derive(Clone, PartialEq)]
struct Facts {
    duel: Duel,
    /// The seats on each side that were sold more than once, and those that were not sold.
    seats: [(u64, u64); 2],
}

impl Facts {
    /// Without the records, which the player has.
    fn of(mut duel: Duel) -> Self {
        let seats = [&mut duel.left, &mut duel.right].map(|side| {
            let holders = std::mem::take(&mut side.awards).holders(duel.settings.stock);
            let count =
                |is_meant: fn(usize) -> bool| holders.iter().filter(|users| is_meant(users.len())).count() as u64;
            (count(|users| users > 1), count(|users| users == 0))
        });
        Self { duel, seats }
    }

    /// A sentence for each side.
    fn sentences(&self) -> [String; 2] {
        let Self { duel: Duel { settings, left, right, .. }, seats } = self;
        [(left, seats[0]), (right, seats[1])].map(|(side, (twice, unsold))| {
            let name = strategy_name(&side.figures.name);
            let (given, stock) = (side.figures.given, settings.stock.into());
            (words().outcome)(Outcome { name, given, stock, twice, unsold })
        })
    }

    /// The duel at its end as a picture, with the seats of both sides.
    fn picture(&self, player: Player) -> Option<Picture> {
        let seed = self.duel.settings.seed;
        let grid = |nth: usize, side: &Side| {
            let fill = |times: usize| if times > 1 { Fill::Twice } else { Fill::Taken(times as f64) };
            let squares = player.with_side(nth, |replay| replay.times_in_the_end().map(fill).collect())?;
            Some(PictureGrid { name: strategy_name(&side.figures.name), squares })
        };
        Some(Picture {
            file: format!("duel-{}-{seed}", self.duel.left.figures.name),
            title: words().heading.to_owned(),
            sentence: self.sentences().join(" "),
            figures: Vec::new(),
            grids: vec![grid(0, &self.duel.left)?, grid(1, &self.duel.right)?],
        })
    }
}

#[component]
fn Page(
    /// A play for each strategy that can be on the left.
    plays: Vec<Play>,
    /// The query of the address.
    query: Memo<DuelQuery>,
) -> impl IntoView {
    let words = words();
    let asked = Memo::new(move |_| query.with(|query| query.asked.clone()));
    let (player, facts, errors) = (use_player(), RwSignal::new(None::<Facts>), FormErrors::default());
    let (ask, is_pending) = use_duel(asked, player, facts, errors);
    let ignored = Signal::derive(move || query.with(|query| query.ignored.clone()));
    // While another duel is on its way, that of the stage.
    let left = Signal::derive(move || {
        let shown = facts.with(|facts| facts.as_ref().map(|facts| facts.duel.left.figures.name.clone()));
        shown.unwrap_or_else(|| asked.with(|asked| asked.left.clone()))
    });
    // A side that took too long has not answered all of them.
    let attempts = Memo::new(move |_| {
        let of = |Facts { duel, .. }: &Facts| duel.left.figures.attempts.max(duel.right.figures.attempts);
        facts.with(|facts| facts.as_ref().map(of))
    });
    let outcome = move || {
        let is_over = player.playback.state.get() == State::Over;
        let sentences = facts.with(|facts| facts.as_ref().filter(|_| is_over).map(Facts::sentences));
        sentences.map(|[left, right]| {
            view! {
                <span>{left}</span>
                " "
                <span>{right}</span>
            }
        })
    };
    let picture = Callback::new(move |()| facts.with_untracked(|facts| facts.as_ref()?.picture(player)));
    let is_without = Signal::derive(move || !player.playback.is_ready());
    view! {
        <Title text=words.title />
        <main id="main" class="duel" class:presenting=use_presenting() tabindex="-1">
            <header class="duel-head">
                <h1>{words.heading}</h1>
                <p class="aside">{(words.intro)(ITEMS.into())}</p>
                <PresentLink />
            </header>
            <div class="notices" role="status">
                <IgnoredParameters ignored />
            </div>
            <Alert errors />
            <NextStep errors ask />
            <div class="sides">
                <SideView nth=0 name=left player attempts />
                <SideView nth=1 name=RIGHT.to_owned() player attempts />
            </div>
            <Controls player />
            <p class="duel-outcome" role="status">
                {outcome}
            </p>
            <Latest player />
            <Choices asked plays picture is_without is_pending />
            <p class="aside duel-facts">
                {move || facts.with(|facts| facts.as_ref().map(|Facts { duel, .. }| {
                    view! {
                        {settings_line(&duel.settings)} " · " {words.run_at} " "
                        <LocalTime at=duel.ended_at style=TimeStyle::Clock />
                    }
                }))}
            </p>
        </main>
    }
    .into_any()
}

/// Loads the duel of the address, and each later one, for the player. The shown one stays until there is another.
/// Returns a function that asks again, and whether an answer is awaited.
fn use_duel(
    asked: Memo<Match>,
    player: Player,
    facts: RwSignal<Option<Facts>>,
    errors: FormErrors,
) -> (Callback<()>, Signal<bool>) {
    let latest = use_latest();
    let is_empty = move || facts.with_untracked(Option::is_none);
    let ask = move |Match { left, seed }: Match| {
        if is_empty() {
            player.clear();
        }
        errors.clear();
        latest.ask(
            move || api::duel(Some(left), Some(seed), None),
            move |answer| match answer {
                Ok(duel) => {
                    player.clear();
                    player.load(&duel);
                    facts.set(Some(Facts::of(duel)));
                }
                Err(error) => {
                    if is_empty() {
                        player.playback.state.set(State::Missing);
                    }
                    errors.set(Some(error));
                }
            },
        );
    };
    Effect::new(move || {
        let asked = asked.get();
        untrack(|| ask(asked));
    });
    let again = Callback::new(move |()| ask(asked.get_untracked()));
    (again, Signal::derive(move || latest.is_pending()))
}

/// Shows what can be done if there is no duel.
#[component]
fn NextStep(
    /// The reason why there is none.
    errors: FormErrors,
    /// Asks for it again.
    ask: Callback<()>,
) -> impl IntoView {
    let words = words();
    let code = Memo::new(move |_| errors.unplaced().map(|error: Error| error.code));
    move || {
        code.get().map(|code| {
            let to_lab = (code == Code::LabRunning).then(|| view! { <a href=under_base("/lab")>{words.to_lab}</a> });
            view! {
                <div class="actions">
                    <Button on_click=move || ask.run(())>{i18n::words().try_again}</Button>
                    {to_lab}
                </div>
            }
        })
    }
}
