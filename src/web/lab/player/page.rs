//! What pages with a player have in common: their data, and what is said if a play cannot be shown.

use crate::{
    components::{Button, LoadAlert, Notice},
    i18n::{self, Lang},
    lab::{
        api,
        player::{Playing, Shown, replay},
        words::words,
    },
    status::set_status,
};
use leptos::prelude::*;
use model::{
    error::{Code, Result},
    lab::{
        registry::{Strategies, StrategyInfo},
        trace::Play,
    },
};
use serde::{Deserialize, Serialize};

/// The data of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerData {
    /// The strategies, and the mistakes after them.
    pub strategies: Vec<StrategyInfo>,
    pub shown: Result<Shown>,
}

/// Loads the strategies, and plays this play.
pub async fn load(play: Result<Play>) -> Result<PlayerData> {
    let Strategies { mut strategies, mistakes } = api::strategies().await?;
    strategies.extend(mistakes);
    let shown = replay(play).await;
    if let Err(error) = &shown {
        set_status(error.code);
    }
    Ok(PlayerData { strategies, shown })
}

/// Shows why the play of the address is not shown.
#[component]
pub fn PlayError(playing: Playing) -> impl IntoView {
    let error = playing.error;
    let bad_play = move || {
        error.get().filter(|error| error.code == Code::BadRequest).map(|error| {
            view! {
                <Notice>
                    {words().bad_play} " " <span lang=Lang::En.tag()>{error.message}</span>
                </Notice>
            }
        })
    };
    let other = Signal::derive(move || error.get().filter(|error| error.code != Code::BadRequest));
    view! {
        <div role="alert">{bad_play}</div>
        <LoadAlert error=other />
        {move || {
            other.with(Option::is_some).then(|| {
                view! {
                    <div class="actions">
                        <Button on_click=move || playing.retry.run(())>{i18n::words().try_again}</Button>
                    </div>
                }
            })
        }}
    }
}
