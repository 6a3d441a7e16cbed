//! The crowd panel: starts a crowd, shows how its run goes, and what the verification found.

mod charts;
mod form;
mod progress;
mod verification;

use super::{Behavior, Status, words::words};
use crate::{
    components::{FormErrors, FormValues},
    error::Result,
};
use leptos::prelude::*;

/// What a kind of sale adds to the panel of its crowds.
#[derive(Clone, Copy)]
pub struct CrowdKindForm {
    /// The kind, as in keys.
    pub kind: &'static str,
    /// Fields that say how its users behave.
    pub fields: fn(FormErrors) -> AnyView,
    /// Reads them.
    pub behavior: fn(&FormValues) -> Result<Behavior>,
    /// Its answers: what each is called on screen, and by which name it is counted.
    pub answers: fn() -> Vec<(&'static str, &'static str)>,
}

/// The crowd of one sale.
#[component]
pub fn CrowdPanel(
    sale: String,
    /// The latest crowd there, whoever started it, as the live view has it.
    status: Signal<Option<Status>>,
    /// Why nobody can get anything at the sale any more.
    ended: Signal<Option<&'static str>>,
    form: CrowdKindForm,
) -> impl IntoView {
    let words = words();
    let crowd = Crowd(status);
    let has_run = Memo::new(move |_| status.with(Option::is_some));
    view! {
        <section class="card crowd" aria-labelledby="crowd-title">
            <h2 id="crowd-title">{words.title}</h2>
            <p class="aside">{words.intro}</p>
            <form::CrowdForm sale crowd ended form />
            <Show when=move || has_run.get()>
                <div class="course">
                    <progress::Progress crowd answers=(form.answers)() />
                    <charts::Charts crowd />
                    <verification::Verification crowd />
                </div>
            </Show>
        </section>
    }
}

/// Whether a crowd is at the sale.
pub fn is_running(status: Signal<Option<Status>>) -> Signal<bool> {
    Signal::derive(move || Crowd(status).is_running())
}

/// The latest crowd, for all parts of the panel.
#[derive(Clone, Copy)]
struct Crowd(Signal<Option<Status>>);

impl Crowd {
    /// Part of the status; the default of nothing while there is none.
    fn read<T: Default>(self, read: impl FnOnce(&Status) -> T) -> T {
        self.0.with(|status| status.as_ref().map(read).unwrap_or_default())
    }

    fn is_running(self) -> bool {
        self.read(|status| !status.phase.is_over())
    }
}
