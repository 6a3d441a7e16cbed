//! Following the history: while the switch is on, the newest rows are polled. Nothing moves while the reader points at
//! the rows, has the focus in them or has gone on to older ones.

use crate::{
    components::{Button, FirstCall, Freshness, Icon, OutageBanner, use_attention, use_freshness, use_polling},
    ledger::{
        page::{history::History, load},
        words::words,
    },
};
use leptos::prelude::*;
use model::error::Code;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(1);

/// Whether and how the newest rows are followed.
#[derive(Clone, Copy)]
pub struct Follow {
    is_on: RwSignal<bool>,
    is_paused: Memo<bool>,
    /// Whether the ledger still answers.
    freshness: Freshness,
    /// Loads the newest rows at once.
    poll: Callback<()>,
}

/// Polls the newest rows while the switch is on and the tab is visible.
pub fn use_follow(history: History) -> Follow {
    let (is_on, freshness) = (RwSignal::new(false), use_freshness(false));
    let has_attention = use_attention(history.rows);
    let is_paused = Memo::new(move |_| has_attention.get() || !history.is_newest());
    let is_following = move || is_on.try_get_untracked() == Some(true) && is_paused.try_get_untracked() == Some(false);
    let poll = use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || {
            // While another search is loading, the rows are not those that the reader asked for.
            let wanted = (is_following() && !history.is_loading()).then(|| history.current());
            async move {
                let Some((number, query)) = wanted else { return Ok(None) };
                load(query).await.map(|page| Some((number, page)))
            }
        },
        move |answer| match answer {
            Ok(None) => {}
            Ok(Some((number, page))) => {
                freshness.restart();
                if is_following() {
                    history.renew(number, page);
                }
            }
            // The request is at fault, not the ledger.
            Err(error) if error.code == Code::BadRequest => history.errors.set(Some(error)),
            Err(error) if is_on.get_untracked() => freshness.note::<()>(&Err(error)),
            Err(_) => {}
        },
    );
    Follow { is_on, is_paused, freshness, poll }
}

impl Follow {
    /// Whether rows arrive without a request of the reader, so that their number is not announced each time.
    pub fn is_on(self) -> bool {
        self.is_on.get()
    }

    fn toggle(self) {
        self.is_on.update(|is_on| *is_on = !*is_on);
        self.freshness.restart();
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
    let state = move || match (follow.is_on.get(), follow.freshness.outage().get(), follow.is_paused.get()) {
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
    view! { <OutageBanner outage=follow.freshness.outage() /> }
}
