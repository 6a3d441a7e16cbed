//! Presentation of a sale or a duel to an audience: stage, figures and verdict, and nothing else. The address turns it
//! on: `?present=1`.

use crate::{
    components::{Icon, ParameterLink, shortcut, use_page_keys, use_page_search},
    stage::words::words,
};
use leptos::{html, prelude::*};
use model::url::parameter;

/// The parameter of the address that turns presentation on.
const PARAMETER: &str = "present";

/// Returns whether the page is being presented.
pub fn use_presenting() -> Memo<bool> {
    let search = use_page_search();
    Memo::new(move |_| search.with(|search| parameter(search, PARAMETER).is_some()))
}

/// Shows the button that starts and ends the presentation. The key `f` does the same unless the reader is typing, and
/// Escape ends it.
#[component]
pub fn PresentLink() -> impl IntoView {
    let words = words();
    let presenting = use_presenting();
    let link = NodeRef::<html::A>::new();
    use_page_keys(move |key| {
        let Some(link) = link.get_untracked() else { return false };
        let is_meant = key == "f" || (key == "escape" && presenting.get_untracked());
        if is_meant {
            link.click();
        }
        is_meant
    });
    view! {
        <ParameterLink
            name=PARAMETER
            node_ref=link
            value=Signal::derive(move || (!presenting.get()).then(|| "1".to_owned()))
            {..}
            class="button present"
            title=words.present_hint
            aria-keyshortcuts=shortcut("f")
        >
            <Icon icon=icondata_lu::LuPresentation />
            {move || if presenting.get() { words.stop_presenting } else { words.present }}
        </ParameterLink>
    }
}
