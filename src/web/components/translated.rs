//! Detection of translated pages. A browser that translates a page replaces its texts by copies, which do not follow
//! later changes.

use crate::{
    components::{FirstCall, Notice, use_while_visible},
    i18n::words,
};
use leptos::prelude::*;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Shows that the browser has translated the page, so figures may stand still. Translators wrap each text in a `font`
/// element, which this site does not use.
#[component]
pub fn TranslatedNotice() -> impl IntoView {
    let is_translated = RwSignal::new(false);
    use_while_visible(LOOK_EVERY, FirstCall::AfterInterval, move || {
        let found = document().query_selector("font").is_ok_and(|font| font.is_some());
        if found != is_translated.get_untracked() {
            is_translated.set(found);
        }
    });
    view! {
        <div class="page-notice" role="status" translate="no">
            {move || is_translated.get().then(|| view! { <Notice>{words().translated}</Notice> })}
        </div>
    }
}
