//! How the whole of it is doing, in the header of every page: an indicator, and a bell for what needs somebody.

pub mod api;
mod bell;
#[cfg(feature = "ssr")]
pub mod description;
mod indicator;
mod notifications;
mod watch;
mod words;

use crate::health::{bell::Bell, indicator::Indicator, watch::use_health};
use leptos::prelude::*;

/// Shows the indicator and the bell.
#[component]
pub fn HealthSignals() -> impl IntoView {
    let health = use_health();
    view! {
        <Indicator health />
        <Bell health />
    }
}
