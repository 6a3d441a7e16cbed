//! The form that changes the load of a running crowd.

use crate::{
    components::{Alert, FormErrors, SubmitButton, TextField},
    crowd::{api::ChangeRequest, panel::CrowdControl, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{
    check_within,
    crowd::{MAX_PER_S, Phase},
    error::Result,
    form::FormValues,
};

fn read(values: &FormValues) -> Result<u32> {
    let per_s = values.number("pace")?;
    check_within("pace", per_s, 1..=MAX_PER_S, "").map(|()| per_s)
}

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
        if let Some(per_s) = errors.read(&event, read) {
            let run = untrack(|| crowd.read(|status| status.run.clone()));
            change.dispatch(ChangeRequest { run, per_s });
        }
    };
    view! {
        <form
            class="form-grid pace"
            aria-label=words.pace.per_s.label
            on:submit=on_submit
            on:input=move |event| errors.recheck(&event, read)
        >
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
