//! `/lab/faults`: the faults with a button each, and the timelines of past incidents.

use crate::{
    base_path::under_base,
    components::{
        Alert, Button, ConfirmButton, ConfirmWords, FirstCall, FormErrors, Loaded, PageData, format::count, use_polling,
    },
    lab::faults::{
        api::{self, InjectRequest},
        timeline::Timelines,
        words::{FaultWords, words},
    },
    list,
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    error::Result,
    lab::faults::{Fault, FaultInfo, Faults, Obstacle},
    list::ListQuery,
    stock,
};
use std::time::Duration;

/// The path of the page.
pub const PATH: &str = "/lab/faults";
/// The interval between loads of the timelines.
const INTERVAL: Duration = Duration::from_millis(500);
/// The interval between loads of the open stock sales.
const SALES_INTERVAL: Duration = Duration::from_secs(2);
/// The number of offered stock sales, the newest.
const SALES: u32 = 5;

/// Loads the faults, and the ids of the open stock sales. While Redis is down, the ids are missing, but then the page
/// is needed most.
async fn load() -> Result<(Faults, Option<Vec<String>>)> {
    let faults = api::faults().await?;
    let sales = if faults.enabled { open_sales().await.ok() } else { None };
    Ok((faults, sales))
}

/// Loads the ids of the open stock sales.
async fn open_sales() -> Result<Vec<String>> {
    let query = ListQuery {
        kind: Some(stock::INFO.id.to_owned()),
        state: Some("open".to_owned()),
        limit: Some(SALES),
        ..ListQuery::default()
    };
    let list = list::api::list_by(query).await?;
    Ok(list.sales.into_iter().map(|sale| sale.sale).collect())
}

/// Shows `/lab/faults`.
#[component]
pub fn FaultsPage() -> impl IntoView {
    let first = PageData::new(|| (), |()| load());
    view! { <Loaded data=first let:first><Page faults=first.0 sales=first.1 /></Loaded> }
}

#[component]
fn Page(
    /// The faults, as rendered.
    faults: Faults,
    /// The ids of the open stock sales; `None` while they are unknown.
    sales: Option<Vec<String>>,
) -> impl IntoView {
    let words = words();
    let Faults { enabled, faults, incidents } = faults;
    let sales = RwSignal::new(sales);
    if enabled {
        use_polling(SALES_INTERVAL, FirstCall::AfterInterval, open_sales, move |answer| {
            // As with the incidents. The buttons are rendered anew only if the sales differ.
            if let Ok(news) = answer
                && sales.with_untracked(|sales| sales.as_ref() != Some(&news))
            {
                sales.set(Some(news));
            }
        });
    }
    let incidents = RwSignal::new(incidents);
    let errors = FormErrors::default();
    let inject = ServerAction::<InjectRequest>::new();
    errors.follow(inject.into());
    let reload = use_polling(INTERVAL, FirstCall::AfterInterval, api::faults, move |answer| {
        // The shown incidents stay until the next answer.
        if let Ok(Faults { incidents: news, .. }) = answer {
            incidents.set(news);
        }
    });
    let injected = inject.value();
    Effect::watch(move || injected.track(), move |(), _, _| reload.run(()), false);
    let item = move |info: FaultInfo| {
        let is_active =
            Memo::new(move |_| incidents.with(|all| all.iter().any(|one| one.fault == info.fault && one.is_active())));
        let on_inject = move |sale| {
            errors.clear();
            inject.dispatch(InjectRequest { fault: info.fault, sale, ms: None, delay_ms: None });
        };
        view! { <Item info sales is_active on_inject /> }
    };
    view! {
        <Title text=words.title />
        <main id="main" class="lab" tabindex="-1">
            <div class="intro">
                <p>
                    <a href=under_base("/lab")>{crate::lab::words::words().back_to_lab}</a>
                </p>
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
                {(!enabled)
                    .then(|| {
                        view! {
                            <p>
                                {words.disabled} " "
                                <code translate="no">"stampede serve --demo --faults"</code>
                            </p>
                        }
                    })}
            </div>
            <section class="card" aria-labelledby="choose-title">
                <h2 id="choose-title">{words.choose}</h2>
                <ul class="faults">{faults.into_iter().map(item).collect_view()}</ul>
                <Alert errors />
            </section>
            {enabled.then(|| view! { <Timelines incidents errors reload /> })}
        </main>
    }
    .into_any()
}

/// Shows a fault: its expected effects, and the buttons that inject it, or the reason why there are none.
#[component]
fn Item(
    /// The fault, and whether it can be injected.
    info: FaultInfo,
    /// The ids of the open stock sales; `None` while they are unknown.
    sales: RwSignal<Option<Vec<String>>>,
    /// The fault is in progress.
    is_active: Memo<bool>,
    /// Injects it, at a sale if it concerns one.
    on_inject: impl Fn(Option<String>) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let words = words();
    let FaultInfo { fault, obstacle, length } = info;
    let FaultWords { name, expect } = (words.fault)(fault);
    let button = move |text: String, sale: Option<String>| {
        let label = (words.titled)(name, &text);
        view! {
            <Button pending=is_active on_click=move || on_inject(sale.clone()) {..} aria-label=label>
                {text}
            </Button>
        }
        .into_any()
    };
    let actions = match (obstacle, length, fault) {
        // The top of the page says so.
        (Some(Obstacle::Disabled), ..) => ().into_any(),
        (Some(obstacle), ..) => view! { <p class="aside">{(words.obstacle)(obstacle)}</p> }.into_any(),
        (None, _, Fault::StockExpired) => (move || match sales.get() {
            None => view! { <p class="aside">{words.sales_away}</p> }.into_any(),
            Some(sales) if sales.is_empty() => view! { <p class="aside">{words.no_sale}</p> }.into_any(),
            Some(sales) => {
                sales.into_iter().map(|sale| button((words.inject_at)(&sale), Some(sale))).collect_view().into_any()
            }
        })
        .into_any(),
        (None, _, Fault::RedisKilled) => {
            let confirm = ConfirmWords { label: name, yes: words.kill_yes, no: words.keep };
            let question = words.kill_question.to_owned();
            view! { <ConfirmButton words=confirm question pending=is_active on_confirm=move || on_inject(None) /> }
                .into_any()
        }
        (None, Some(length), _) => button((words.inject_for)(count(length.default_ms / 1_000)), None),
        (None, None, _) => button(words.inject.to_owned(), None),
    };
    view! {
        <li>
            <h3>{name}</h3>
            <p>{expect}</p>
            <div class="actions">{actions}</div>
        </li>
    }
    .into_any()
}
