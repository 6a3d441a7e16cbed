//! The form that changes the load of a running crowd.

use crate::{
    components::{Alert, FormErrors, SubmitButton, TextField, read_form},
    crowd::{api::ChangeRequest, panel::CrowdControl, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{
    crowd::{MAX_PER_S, Phase},
    error::Error,
};

/// Shows a field for the number of users who arrive from now on. It keeps its space after the run.
#[component]
pub fn PaceForm(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let words = words();
    let change = ServerAction::<ChangeRequest>::new();
    let errors = FormErrors::default();
    errors.follow(change.into());
    let is_running = Memo::new(move |_| {
        crowd.status.with(|status| status.as_ref().is_some_and(|status| status.phase == Phase::Running))
    });
    let on_submit = move |event: SubmitEvent| {
        let values = read_form(&event);
        errors.clear();
        match values.number("pace") {
            Ok(per_s) if !(1..=MAX_PER_S).contains(&per_s) => {
                errors.set(Some(Error::bad("pace", format!("It must be 1 to {MAX_PER_S}."))));
            }
            Ok(per_s) => {
                let run = untrack(|| crowd.read(|status| status.run.clone()));
                change.dispatch(ChangeRequest { run, per_s });
            }
            Err(error) => errors.set(Some(error)),
        }
    };
    view! {
        <form class="form-grid pace" aria-label=words.pace.per_s.label on:submit=on_submit>
            <fieldset disabled=move || !is_running.get()>
                <TextField name="pace" words=words.pace.per_s numeric=true errors />
                <SubmitButton
                    class=""
                    disabled=Signal::derive(move || !is_running.get() || crowd.connection.get().is_broken())
                    pending=change.pending()
                >
                    {words.pace.change}
                </SubmitButton>
            </fieldset>
            <Alert errors />
        </form>
    }
}
