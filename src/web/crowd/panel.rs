//! The crowd on a sale's page: what starts one, how its run goes, and what the verification found.

mod answers;
mod charts;
mod control;
mod course;
mod form;
mod pace;
mod presets;
mod verification;

pub use charts::{AnswerRate, CourseCharts, CourseTable};
pub use control::{CrowdControl, OpenFresh};
pub use course::Course;
pub use verification::{Findings, VerifiedRun, run_tone};

use crate::{
    components::{FormErrors, use_is_open, use_while_shown},
    crowd::{preset::Preset, words::words},
};
use leptos::{html, prelude::*};
use model::{crowd::Behavior, error::Result, form::FormValues};

/// What a kind of sale adds to the crowds at its sales.
#[derive(Clone, Copy)]
pub struct CrowdKindForm {
    /// The kind, as in keys.
    pub kind: &'static str,
    /// Crowds with a name, for a sale of this many items; for one without a limit, as large as possible. At least
    /// one; the first is the usual one.
    pub presets: fn(u64) -> Vec<Preset>,
    /// Fields that say how its users behave, and hold this behavior at first.
    pub fields: fn(&Behavior, FormErrors) -> AnyView,
    /// Reads them.
    pub behavior: fn(&FormValues) -> Result<Behavior>,
    /// Its answers: what each is called on screen, and by which name it is counted. The first is what users want.
    pub answers: fn() -> Vec<(&'static str, &'static str)>,
    /// The answer of those who come when nothing is left, by the name by which it is counted.
    pub sold_out: &'static str,
    /// What a field of a request is called on screen that says how its users behave.
    pub behavior_name: fn(&str) -> Option<&'static str>,
}

/// The crowd of one sale.
#[component]
pub fn CrowdPanel(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    // The course of a run takes a while to make.
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
                    <pace::PaceForm crowd />
                    <charts::Charts crowd />
                    <answers::Answers crowd answers=(crowd.form.answers)() />
                    <verification::Verification crowd />
                </div>
            </Show>
        </section>
    }
}
