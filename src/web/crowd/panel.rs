//! The crowd on a sale's page: its start, the progress of its run, and the verification.

mod answers;
mod charts;
mod control;
mod course;
mod form;
mod pace;
mod presets;
mod rush;
mod verification;

pub use charts::{AnswerRate, CourseCharts, CourseTable};
pub use control::{CrowdControl, CrowdSale, OpenFresh};
pub use course::Course;
pub use rush::Newest;
pub use verification::{Findings, VerifiedRun, run_tone};

use crate::{
    components::{FormErrors, use_is_open, use_while_shown},
    crowd::{preset::Preset, words::words},
};
use leptos::{html, prelude::*};
use model::{crowd::Behavior, error::Result, form::FormValues};

/// The specifics of a kind of sale for the crowds at its sales.
#[derive(Clone, Copy)]
pub struct CrowdKindForm {
    /// The kind, as in keys.
    pub kind: &'static str,
    /// Returns the named crowds for a sale of this many items; a sale without a limit passes the largest number. At
    /// least one; the first is the usual one.
    pub presets: fn(u64) -> Vec<Preset>,
    /// Renders the fields for the behavior of its users, with this behavior as initial values.
    pub fields: fn(&Behavior, FormErrors) -> AnyView,
    /// Reads these fields.
    pub behavior: fn(&FormValues) -> Result<Behavior>,
    /// Returns its answers: the name on screen, and the name in the counts. The first is the one that users want.
    pub answers: fn() -> Vec<(&'static str, &'static str)>,
    /// The answer to users who come when nothing is left, by its name in the counts.
    pub sold_out: &'static str,
    /// Returns all answers to users who get nothing, by their names in the counts.
    pub refusals: fn() -> Vec<&'static str>,
    /// Returns the name on screen of a request's field for the behavior of users.
    pub behavior_name: fn(&str) -> Option<&'static str>,
}

impl CrowdKindForm {
    /// Returns the name in the counts of the answer that users want.
    pub fn win(&self) -> &'static str {
        (self.answers)().first().map_or("", |(_, name)| *name)
    }
}

/// Shows the crowd of one sale.
#[component]
pub fn CrowdPanel(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    // Rendering the course of a run takes a while.
    let has_run = use_while_shown(move || crowd.has_run());
    let settings = NodeRef::<html::Details>::new();
    crowd.keep_in_tab(settings, use_is_open(settings));
    crowd.errors.open(settings);
    view! {
        <section class="card crowd" aria-labelledby="crowd-title">
            <h2 id="crowd-title">{words.title}</h2>
            <presets::Presets crowd />
            <details class="advanced" node_ref=settings>
                <summary>{words.advanced}</summary>
                <p class="aside">{words.intro}</p>
                <form::CrowdForm crowd />
            </details>
            <Show
                when=move || has_run.get()
                fallback=move || crowd.ended.read().is_none().then(|| view! { <p class="empty">{words.no_run}</p> })
            >
                <div class="course">
                    <rush::Rush crowd />
                    <charts::Charts crowd />
                    <pace::PaceForm crowd />
                    <answers::Answers crowd answers=(crowd.form.answers)() />
                    <verification::Verification crowd />
                </div>
            </Show>
        </section>
    }
}
