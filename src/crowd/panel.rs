//! The crowd panel: lets a crowd loose, shows how it fares, and what the judge says in the end.

mod charts;
mod form;
mod judgement;
mod progress;

use super::Status;
use crate::words::words;
use leptos::prelude::*;

/// The panel of one sale. `status` is the latest crowd there, whoever started it, as the live view
/// tells it.
#[component]
pub fn CrowdPanel(sale: String, status: Memo<Option<Status>>) -> impl IntoView {
    let words = words();
    let course = Memo::new(move |_| status.with(Option::is_some));
    view! {
        <section class="card crowd" aria-labelledby="crowd-title">
            <h2 id="crowd-title">{words.crowd}</h2>
            <p class="aside">{words.crowd_means}</p>
            {form::form(sale, status)}
            {move || course.get().then(|| view! {
                {progress::progress(status)}
                {charts::charts(status)}
                {judgement::judgement(status)}
            }.into_any())}
        </section>
    }
    .into_any()
}

/// Part of the status; the default of nothing while there is none. `fn` and not `Fn`: one piece of
/// machine code serves all of a type.
fn part<T: Default + PartialEq + Send + Sync + 'static>(
    status: Memo<Option<Status>>,
    read: fn(&Status) -> T,
) -> Memo<T> {
    Memo::new(move |_| status.with(|status| status.as_ref().map(read).unwrap_or_default()))
}
