//! Browsers that translate a page put copies of its texts in their place. What changes afterwards is not seen.

use crate::{
    components::{FirstCall, Notice, use_while_visible},
    i18n::words,
};
use leptos::prelude::*;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Says that the browser has translated the page, so that figures may stand still. Translators put each text into a
/// `font`, which this site does not use.
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
