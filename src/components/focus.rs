//! The keyboard's focus: who has it, and moving it.

use leptos::{html::ElementType, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};

/// Moves the focus to this element in the next frame, when it is in the document and shown: a hidden element takes none.
pub fn focus_next_frame<E>(element: NodeRef<E>)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    request_animation_frame(move || {
        // The component may be gone by then.
        let element = element.try_get_untracked().flatten();
        if let Some(element) = element.as_ref().and_then(|element| element.dyn_ref::<HtmlElement>()) {
            _ = element.focus();
        }
    });
}

/// Moves the focus to this element in the next frame, if nothing has it by then: what had it is gone.
pub fn take_lost_focus<E>(element: NodeRef<E>)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    request_animation_frame(move || {
        if document().active_element().is_none_or(|active| active.tag_name() == "BODY") {
            focus_next_frame(element);
        }
    });
}

/// Whether this element, or one in it, has the focus.
pub fn has_focus<E>(element: NodeRef<E>) -> bool
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    let (active, element) = (document().active_element(), element.get_untracked());
    let element = element.as_ref().and_then(|element| element.dyn_ref::<Node>());
    element.is_some_and(|element| active.is_some_and(|active| element.contains(Some(&active))))
}
