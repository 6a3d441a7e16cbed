//! Where a sale stands, as a badge.

use super::{Badge, Tone};
use crate::{domain::SaleState, i18n::words};
use leptos::prelude::*;

/// The state of a sale.
#[component]
pub fn StateBadge(#[prop(into)] state: Signal<SaleState>) -> impl IntoView {
    let state = Memo::new(move |_| state.get());
    move || {
        let state = state.get();
        let (tone, icon) = match state {
            SaleState::Opening => (Tone::Neutral, icondata_lu::LuClock),
            SaleState::Open => (Tone::Good, icondata_lu::LuCircleCheck),
            SaleState::SoldOut => (Tone::Gold, icondata_lu::LuCircleSlash),
            SaleState::Expired => (Tone::Warning, icondata_lu::LuClock),
            SaleState::Refunded => (Tone::Neutral, icondata_lu::LuRotateCw),
            SaleState::Suspended => (Tone::Bad, icondata_lu::LuPause),
            SaleState::Closed => (Tone::Neutral, icondata_lu::LuLock),
            SaleState::Archived => (Tone::Neutral, icondata_lu::LuArchive),
        };
        view! { <Badge tone icon text=(words().state_name)(state) /> }
    }
}
