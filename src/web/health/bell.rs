//! The bell: what needs somebody, how much of it this browser has not shown yet, and the switch for notifications.

use crate::{
    base_path::under_base,
    components::{Button, Dropdown, Icon, SaleLink, lasting_key},
    health::{
        notifications::use_notifications,
        watch::{HealthWatch, key_of},
        words::{reason_text, words},
    },
};
use codee::string::JsonSerdeCodec;
use leptos::{either::Either, prelude::*};
use leptos_use_storage::use_local_storage;
use model::{
    health::{MAX_MATTERS, Matter, Reason, Subject},
    ledger::SaleName,
};
use std::collections::BTreeSet;

/// What this browser has shown, by its keys.
type Seen = BTreeSet<String>;

/// Shows the bell with the number of what is new; its panel lists all that needs somebody.
#[component]
pub fn Bell(
    /// The health.
    health: HealthWatch,
) -> impl IntoView {
    let words = words();
    let matters = health.matters();
    let (seen, see, _) = use_local_storage::<Seen, JsonSerdeCodec>(lasting_key("seen-matters".to_owned()));
    let unseen = Memo::new(move |_| {
        let is_new = |matter: &&Matter| seen.with(|seen| !seen.contains(&key_of(matter)));
        matters.with(|matters| matters.as_ref().map_or(0, |matters| matters.iter().filter(is_new).count() as u64))
    });
    // What was new when the panel was opened is marked until it is closed.
    let before = RwSignal::new(Seen::new());
    let on_toggle = move |is_open: bool| {
        if is_open {
            before.set(seen.get_untracked());
        }
        // What is over is forgotten, so that it is new when it comes back.
        if let Some(shown) = matters.with_untracked(|matters| Some(matters.as_ref()?.iter().map(key_of).collect())) {
            see.set(shown);
        }
    };
    let notifications = use_notifications(health, matters);
    let label = Signal::derive(move || match unseen.get() {
        0 => words.bell.to_owned(),
        new => format!("{}: {}", words.bell, (words.unseen)(new)),
    });
    let badge = move || (unseen.get() > 0).then(|| view! { <span class="unseen-count">{unseen.get().min(99)}</span> });
    let face = move || view! { <Icon icon=icondata_lu::LuBell /> {badge} };
    let listed = move || matters.get().unwrap_or_default();
    let is_cut =
        move || matters.with(|matters| matters.as_ref().is_some_and(|matters| matters.len() >= MAX_MATTERS as usize));
    let line = move |matter: Matter| {
        let is_new = before.with_untracked(|before| !before.contains(&key_of(&matter)));
        let text = reason_text(&matter);
        let Matter { reason, subject, .. } = matter;
        // What could not be recorded or delivered is tried again there.
        let board = matches!(reason, Reason::DeadLetters | Reason::Undelivered)
            .then(|| view! { <a class="to-board" href=under_base("/audit")>{words.to_board}</a> });
        let name = match subject {
            Subject::Sale(SaleName { kind, sale }) => Either::Left(view! { <SaleLink kind sale with_name=true /> }),
            Subject::Webhook { webhook } => {
                Either::Right(view! { <span>{words.webhook} " " <code>{webhook}</code></span> })
            }
        };
        view! {
            <li class:new=is_new class:bad=reason < Reason::Lag>
                {name}
                <span>{text}</span>
                {board}
            </li>
        }
    };
    view! {
        <Dropdown label face on_toggle=Callback::new(on_toggle)>
            <h2>{words.bell}</h2>
            <Show when=move || matters.with(|matters| matters.as_ref().is_some_and(Vec::is_empty))>
                <p>{words.nothing}</p>
            </Show>
            <ul class="matters">
                <For each=listed key=|matter| (key_of(matter), matter.number) children=line />
            </ul>
            <Show when=is_cut>
                <p class="aside">{(words.only_first)(u64::from(MAX_MATTERS))}</p>
            </Show>
            <Show when=move || notifications.are_possible()>
                <div class="actions">
                    <Button
                        class="toggle"
                        on_click=move || notifications.switch()
                        attr:aria-pressed=move || notifications.are_on().to_string()
                    >
                        {words.notify}
                    </Button>
                    <span class="aside" role="status">
                        {move || notifications.are_denied().then_some(words.denied)}
                    </span>
                </div>
            </Show>
        </Dropdown>
    }
}
