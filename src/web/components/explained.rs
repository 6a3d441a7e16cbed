//! Explanations: a tip below a word, shown while the word is pointed at or has the focus, and after a tap.
//!
//! The tip is a popover. So it lies above everything else, Escape closes it, and a press opens it even before
//! hydration. The style sheet keeps it within the window.

use crate::{
    components::{has_focus, use_hydrated},
    i18n::FigureWords,
};
use leptos::{html, prelude::*};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Shows the name of a figure, with its meaning as a tip if it has one.
#[component]
pub fn Explained(
    /// The name, and what it means.
    #[prop(into)]
    words: FigureWords,
) -> impl IntoView {
    let FigureWords { label, meaning } = words;
    if meaning.is_empty() {
        return label.into_any();
    }
    view! { <WithTip tip=move || meaning>{label}</WithTip> }.into_any()
}

/// Shows a few words with a tip below them.
#[component]
pub fn WithTip(
    /// The content of the tip.
    #[prop(into)]
    tip: ViewFnOnce,
    /// The class of the button.
    #[prop(default = "term")]
    class: &'static str,
    /// What a press does beside showing the tip.
    #[prop(optional, into)]
    on_press: Option<Callback<()>>,
    /// The words. They become a button, which keyboards and fingers can reach.
    children: Children,
) -> impl IntoView {
    let id = unique_id("tip");
    let (button, shown) = (NodeRef::<html::Button>::new(), NodeRef::<html::Span>::new());
    // Both fail if there is nothing to do.
    let show = move || _ = shown.get_untracked().map(|tip| tip.show_popover());
    let hide = move || _ = shown.get_untracked().map(|tip| tip.hide_popover());
    let leave = move || {
        if !has_focus(button) {
            hide();
        }
    };
    view! {
        <span class="explained" on:pointerenter=move |_| show() on:pointerleave=move |_| leave()>
            <button
                type="button"
                class=class
                node_ref=button
                aria-describedby=id.clone()
                popovertarget=id.clone()
                popovertargetaction="show"
                on:click=move |_| {
                    if let Some(press) = on_press {
                        press.run(());
                    }
                }
                on:focus=move |_| show()
                on:blur=move |_| hide()
            >
                {children()}
            </button>
            <span class="tip" role="tooltip" id=id popover="auto" node_ref=shown>
                {tip.run()}
            </span>
        </span>
    }
    .into_any()
}

/// Returns an id that no other element of the page has. Hydration keeps those of the server, so the browser gives other
/// ids to what it renders later.
pub(super) fn unique_id(name: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let origin = if use_hydrated().get_untracked() { "later-" } else { "" };
    format!("{origin}{name}-{}", NEXT.fetch_add(1, Relaxed))
}
