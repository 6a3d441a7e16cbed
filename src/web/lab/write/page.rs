//! The page. Its address has the program, so a link shares it.

use crate::{
    base_path::{under_base, use_navigate},
    components::{Button, Field, IgnoredParameters, LoadAlert, use_latest, use_page_search},
    lab::{
        api,
        learn::orders::{OrdersPanel, PANEL, order_url},
        step::SCENES,
        words::words as lab_words,
        write::{
            address::{choice_of, ignored_choice, is_lost, program_url, scene_url, text_of},
            editor::Editor,
            examples::{EXAMPLES, Example},
            words::words,
        },
    },
};
use leptos::{html, prelude::*};
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use model::{
    error::Error,
    lab::{
        orders::{AnomalyCount, Orders},
        program::Program,
        trace::Play,
    },
    url::with_query,
};

/// The choices of the stock.
const STOCKS: [&str; 4] = ["1", "2", "3", "4"];
/// The strategy that a crowd tries after the program.
const BESIDE: &str = "script";

/// Shows `/learn/write`.
#[component]
pub fn WritePage() -> impl IntoView {
    let words = words();
    let search = use_page_search();
    let in_address = Memo::new(move |_| search.with(|search| text_of(search)));
    let text = RwSignal::new(in_address.get_untracked());
    let field = NodeRef::<html::Textarea>::new();
    // What was typed, if another text has taken its place.
    let replaced = RwSignal::new(None::<String>);
    let put = move |there: &str| {
        let typed = text.get_untracked();
        if is_lost(&typed, there) {
            replaced.set(Some(typed));
        }
        if let Some(field) = field.get_untracked() {
            field.set_value(there);
        }
        text.set(there.to_owned());
    };
    // The browser's way back and forward.
    Effect::watch(move || in_address.get(), move |there, _, _| put(there), false);
    let parsed = Memo::new(move |_| text.with(|text| Program::parse(text)));
    let faults = Memo::new(move |_| parsed.with(|parsed| parsed.as_ref().err().cloned().unwrap_or_default()));
    let first = |name: &str, choices: &[&str]| search.with_untracked(|search| choice_of(search, name, choices));
    let users = RwSignal::new(first("users", &SCENES));
    let stock = RwSignal::new(first("stock", &STOCKS));
    // What is tried: nothing while something is wrong with the program.
    let scene = Memo::new(move |_| {
        let strategy = parsed.with(|parsed| parsed.as_ref().ok().map(Program::id))?;
        let (stock, users) = (stock.get().parse().ok()?, users.get());
        Some(Play { strategy, stock, users, schedule: String::new() })
    });
    let example = move |example: &'static Example| {
        let id = Program::parse(example.text).map(|program| program.id()).unwrap_or_default();
        view! {
            // It is put into the field even if the address is the same and something else was typed.
            <a class="choice-link" href=under_base(program_url(&id)) data-noscroll on:click=move |_| put(example.text)>
                {(example.name)(words)}
            </a>
        }
    };
    let scenes = SCENES.map(|scene| (scene, (lab_words().scene)(scene))).into();
    let stocks = STOCKS.map(|stock| (stock, stock.to_owned())).into();
    let bring_back = move || {
        if let Some(typed) = replaced.try_update(Option::take).flatten() {
            // What is there now may take its place.
            put(&typed);
            if replaced.with_untracked(Option::is_none) {
                // The button goes away.
                _ = field.get_untracked().map(|field| field.focus());
            }
        }
    };
    let is_replaced = Memo::new(move |_| replaced.with(Option::is_some));
    let ignored = Signal::derive(move || {
        let of = |name, choices: &[&str]| search.with(|search| ignored_choice(search, name, choices));
        [of("users", &SCENES), of("stock", &STOCKS)].into_iter().flatten().collect::<Vec<_>>()
    });
    let share = move || {
        scene.get().map(|scene| {
            view! { <a href=under_base(scene_url(&scene))>{words.share}</a> }
        })
    };
    view! {
        <Title text=words.title />
        <main id="main" class="lab write" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <section class="card write-program">
                <nav class="examples" aria-label=words.examples>
                    <span class="aside">{words.examples}</span>
                    {EXAMPLES.iter().map(example).collect_view()}
                </nav>
                <div class="notices" role="status">
                    <IgnoredParameters ignored />
                    <Show when=move || is_replaced.get()>
                        <p>
                            {words.replaced} " "
                            <Button class="quiet" on_click=bring_back>
                                {words.bring_back}
                            </Button>
                        </p>
                    </Show>
                </div>
                <Editor text faults node_ref=field />
                <div class="write-scene">
                    <Choice id="users" label=words.attempts choices=scenes chosen=users />
                    <Choice id="stock" label=words.stock choices=stocks chosen=stock />
                </div>
                <Search scene />
                <p>{share}</p>
            </section>
            <Steps />
        </main>
    }
    .into_any()
}

/// Shows a labelled choice.
#[component]
fn Choice(
    id: &'static str,
    label: &'static str,
    /// Values and their labels.
    choices: Vec<(&'static str, String)>,
    /// The chosen value, initially that of the address.
    chosen: RwSignal<String>,
) -> impl IntoView {
    let field = NodeRef::<html::Select>::new();
    // Adopts a choice that was made before hydration.
    Effect::new(move || {
        if let Some(field) = field.get() {
            chosen.set(field.value());
        }
    });
    let first = chosen.get_untracked();
    let choice = move |(value, name): (&'static str, String)| {
        view! {
            <option value=value selected=value == first>
                {name}
            </option>
        }
    };
    view! {
        <Field id label>
            <select
                id=id
                name=id
                node_ref=field
                on:change=move |event| chosen.set(event_target_value(&event))
            >
                {choices.into_iter().map(choice).collect_view()}
            </select>
        </Field>
    }
}

/// The buttons that try the program, and what came of it.
#[component]
fn Search(
    /// What is to be tried; `None` while something is wrong with the program.
    scene: Memo<Option<Play>>,
) -> impl IntoView {
    let words = words();
    let navigate = use_navigate();
    let orders = RwSignal::new(None::<Orders>);
    let error = RwSignal::new(None::<Error>);
    let (search, start) = (use_latest(), use_latest());
    // An answer is about one scene.
    Effect::watch(
        move || scene.get(),
        move |_, _, _| {
            orders.set(None);
            error.set(None);
        },
        false,
    );
    let go = navigate.clone();
    let try_all = move || {
        let Some(asked) = scene.get_untracked() else { return };
        go(&scene_url(&asked), NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() });
        error.set(None);
        let Play { strategy, stock, users, .. } = asked.clone();
        search.ask(
            move || api::orders(strategy, Some(stock), Some(users)),
            move |answer| match answer {
                _ if scene.get_untracked().as_ref() != Some(&asked) => {}
                Ok(found) => orders.set(Some(found)),
                Err(why) => error.set(Some(why)),
            },
        );
    };
    let crowd = move || {
        let Some(Play { strategy, .. }) = scene.get_untracked() else { return };
        error.set(None);
        let navigate = navigate.clone();
        let strategies = vec![strategy, BESIDE.to_owned()];
        start.ask(
            move || api::start(None, None, None, None, None, None, None, Some(strategies)),
            move |started| match started {
                Ok(started) => {
                    navigate(&with_query("/lab", [("run", Some(started.run))]), NavigateOptions::default());
                }
                Err(why) => error.set(Some(why)),
            },
        );
    };
    let has_fault = Signal::derive(move || scene.with(Option::is_none));
    let news = move || {
        if search.is_pending() { words.trying.into_any() } else { orders.get().as_ref().map(answer).into_any() }
    };
    view! {
        <div class="actions">
            <Button
                class="strong"
                disabled=has_fault
                pending=Signal::derive(move || search.is_pending())
                on_click=try_all
            >
                {words.try_all}
            </Button>
            <Button disabled=has_fault pending=Signal::derive(move || start.is_pending()) on_click=crowd>
                {words.crowd}
            </Button>
        </div>
        <LoadAlert error=error />
        <div class="write-answer" role="status">
            {news}
        </div>
        <OrdersPanel orders in_player=true is_searching=Signal::derive(move || search.is_pending()) />
    }
}

/// What came of the search, and where to see it.
fn answer(orders: &Orders) -> impl IntoView + use<> {
    let words = words();
    let Orders { total, broken, is_complete, .. } = *orders;
    let steps = orders.shortest.as_ref().map(|schedule| schedule.chars().count());
    let sentence = match (steps, is_complete) {
        (Some(steps), true) => (words.breaks)(broken, total, steps),
        (Some(steps), false) => (words.breaks_at_least)(broken, steps),
        (None, true) => (words.holds)(total),
        (None, false) => (words.holds_so_far)(total),
    };
    let anomaly = |AnomalyCount { anomaly, orders: number, first }: &AnomalyCount| {
        view! {
            <li>
                {(lab_words().anomaly_is)(*anomaly)} " "
                <a href=under_base(order_url(orders, first))>{(words.in_orders)(*number)}</a>
            </li>
        }
    };
    let (href, label) = match &orders.shortest {
        Some(shortest) => (order_url(orders, shortest), words.watch_it),
        None => (order_url(orders, ""), words.step_freely),
    };
    view! {
        <p class="verdict-sentence" class:broken=broken != 0>
            {sentence}
        </p>
        <ul class="write-anomalies">{orders.anomalies.iter().map(anomaly).collect_view()}</ul>
        <div class="actions">
            <a class="button" href=under_base(href)>
                {label}
            </a>
            <button type="button" popovertarget=PANEL>
                {words.every_order}
            </button>
        </div>
    }
}

/// Shows the steps that a program may have.
#[component]
fn Steps() -> impl IntoView {
    let words = words();
    let step = |(code, meaning): &(&'static str, &'static str)| {
        view! {
            <div>
                <dt>
                    <code>{*code}</code>
                </dt>
                <dd>{*meaning}</dd>
            </div>
        }
    };
    view! {
        <section class="card" aria-labelledby="steps-title">
            <h2 id="steps-title">{words.how}</h2>
            <dl class="write-steps">{words.steps.iter().map(step).collect_view()}</dl>
            <p class="aside">{(words.how_much)()}</p>
        </section>
    }
}
