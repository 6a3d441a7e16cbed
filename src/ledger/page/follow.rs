//! Following the history: while the switch is on, the newest rows are polled. Nothing moves while the reader points at
//! the rows, has the focus in them or has scrolled to older ones.

use super::{history::History, load, window::PageRequest};
use crate::{
    components::{Button, FirstCall, Icon, LocalTime, Notice, TimeStyle, use_polling},
    domain::Millis,
    error::Code,
    ledger::words::words,
};
use leptos::prelude::*;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(1);

/// Whether and how the newest rows are followed.
#[derive(Clone, Copy)]
pub struct Follow {
    is_on: RwSignal<bool>,
    /// The reader points at the rows.
    pub is_pointed_at: RwSignal<bool>,
    /// The focus is in the rows.
    pub is_focused: RwSignal<bool>,
    is_paused: Memo<bool>,
    /// When the ledger last answered, if it does not any more.
    stands_since: RwSignal<Option<Millis>>,
    answered_at: StoredValue<Millis>,
    /// Loads the newest rows at once.
    poll: Callback<()>,
}

/// Polls the newest rows while the switch is on and the tab is visible.
pub fn use_follow(history: History) -> Follow {
    let (is_on, stands_since) = (RwSignal::new(false), RwSignal::new(None));
    let (is_pointed_at, is_focused) = (RwSignal::new(false), RwSignal::new(false));
    let answered_at = StoredValue::new(0);
    let is_paused = Memo::new(move |_| is_pointed_at.get() || is_focused.get() || !history.is_at_top.get());
    let is_following = move || is_on.try_get_untracked() == Some(true) && is_paused.try_get_untracked() == Some(false);
    let poll = use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || {
            // While another search is loading, the rows are not those that the reader asked for.
            let wanted = (is_following() && !history.is_loading()).then(|| history.current());
            async move {
                let Some((search, query)) = wanted else { return Ok(None) };
                load(query, PageRequest::default()).await.map(|page| Some((search, page)))
            }
        },
        move |answer| match answer {
            Ok(None) => {}
            Ok(Some((search, page))) => {
                answered_at.set_value(now());
                stands_since.set(None);
                if is_following() {
                    history.renew(search, page);
                }
            }
            // The request is at fault, not the ledger.
            Err(error) if error.code == Code::BadRequest => history.errors.set(Some(error)),
            Err(_) => stands_since.set(is_on.get_untracked().then(|| answered_at.get_value())),
        },
    );
    Follow { is_on, is_pointed_at, is_focused, is_paused, stands_since, answered_at, poll }
}

fn now() -> Millis {
    js_sys::Date::now() as Millis
}

impl Follow {
    /// Whether rows arrive without a request of the reader, so that their number is not announced each time.
    pub fn is_on(self) -> bool {
        self.is_on.get()
    }

    fn toggle(self) {
        self.is_on.update(|is_on| *is_on = !*is_on);
        self.stands_since.set(None);
        self.answered_at.set_value(now());
        if self.is_on.get_untracked() {
            self.poll.run(());
        }
    }
}

/// The switch, with a word on whether new rows are shown.
#[component]
pub fn FollowSwitch(
    /// Whether new rows are followed, and how that goes.
    follow: Follow,
) -> impl IntoView {
    let words = words();
    let state = move || match (follow.is_on.get(), follow.stands_since.get(), follow.is_paused.get()) {
        (true, None, true) => words.follow_paused,
        (true, None, false) => words.following,
        _ => "",
    };
    view! {
        <span class="aside follow-state" aria-live="polite">
            {state}
        </span>
        <Button
            class="follow"
            on_click=move || follow.toggle()
            {..}
            aria-pressed=move || follow.is_on.get().to_string()
            title=words.follow_hint
        >
            <Icon icon=icondata_lu::LuRadio />
            {words.follow}
        </Button>
    }
}

/// Since when the rows have not changed because the ledger does not answer.
#[component]
pub fn FollowAlert(
    /// Whether new rows are followed, and how that goes.
    follow: Follow,
) -> impl IntoView {
    let words = words();
    let notice = move |at: Millis| {
        view! {
            <Notice>
                {words.stands_since} " " <LocalTime at style=TimeStyle::Clock /> ". " {words.stands_advice}
            </Notice>
        }
    };
    view! {
        <div class="notices" role="alert">
            {move || follow.stands_since.get().map(notice)}
        </div>
    }
}
