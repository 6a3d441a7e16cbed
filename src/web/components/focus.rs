//! The keyboard's focus: queries and moves.

use leptos::{
    html::{self, ElementType},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement, HtmlFormElement, Node, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The id of every page's `<main>`.
const MAIN: &str = "main";

/// Moves the focus to this element in the next frame, when it is in the document and visible: a hidden element cannot
/// take the focus.
pub fn focus_next_frame<E>(element: NodeRef<E>)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    focus_next_frame_if(element, || true);
}

fn focus_next_frame_if<E>(element: NodeRef<E>, may_move: impl FnOnce() -> bool + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    request_animation_frame(move || {
        // The component may be disposed by then.
        let element = element.try_get_untracked().flatten();
        if let Some(element) = element.as_ref().and_then(|element| element.dyn_ref::<HtmlElement>())
            && may_move()
        {
            _ = element.focus();
        }
    });
}

/// Makes a change that hides or removes `from`. If that had the focus, `to` gets it, which may appear with the change.
/// The order matters: a hidden or removed element loses the focus, and the next press of Tab would begin at the top. If
/// another element has got the focus before the next frame, it stays there.
pub fn hand_focus_on<F, T>(from: NodeRef<F>, to: NodeRef<T>, change: impl FnOnce())
where
    F: ElementType + 'static,
    F::Output: JsCast + Clone + 'static,
    T: ElementType + 'static,
    T::Output: JsCast + Clone + 'static,
{
    let has_focus = has_focus(from);
    let is_elsewhere = gone_on();
    change();
    if has_focus {
        focus_next_frame_if(to, move || !is_elsewhere());
    }
}

/// Returns whether the focus is in another element than now. It is not if its element is hidden or removed: then the body
/// has it.
fn gone_on() -> impl FnOnce() -> bool + 'static {
    let before = document().active_element();
    move || {
        let now = document().active_element();
        now != before && now.is_some_and(|now| now.tag_name() != "BODY")
    }
}

/// Follows a value whose changes replace or remove the contents of `from`. [`hand_focus_on`] keeps the focus from being
/// lost.
pub fn use_focus_handover<V, F, T>(value: Memo<V>, from: NodeRef<F>, to: NodeRef<T>) -> Signal<V>
where
    V: Clone + PartialEq + Send + Sync + 'static,
    F: ElementType + 'static,
    F::Output: JsCast + Clone + 'static,
    T: ElementType + 'static,
    T::Output: JsCast + Clone + 'static,
{
    let shown = RwSignal::new(value.get_untracked());
    Effect::new(move || {
        let value = value.get();
        if shown.with_untracked(|shown| *shown != value) {
            hand_focus_on(from, to, || shown.set(value));
        }
    });
    shown.into()
}

/// Scrolls an element into view whenever `has_news` finds something new in it, if it is out of view then. Its initial
/// contents do not scroll.
pub fn use_in_view(element: NodeRef<html::Div>, has_news: impl Fn() -> bool + 'static) {
    Effect::new(move |before: Option<()>| {
        if has_news() && before.is_some() {
            request_animation_frame(move || {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                if let Some(element) = element.try_get_untracked().flatten() {
                    element.scroll_into_view_with_scroll_into_view_options(&options);
                }
            });
        }
    });
}

/// Returns whether this element, or one in it, has the focus.
pub fn has_focus<E>(element: NodeRef<E>) -> bool
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    let (active, element) = (document().active_element(), element.get_untracked());
    let element = element.as_ref().and_then(|element| element.dyn_ref::<Node>());
    element.is_some_and(|element| active.is_some_and(|active| element.contains(Some(&active))))
}

/// Returns the form that has the focus in it.
pub(super) fn focused_form() -> Option<HtmlFormElement> {
    document().active_element()?.closest("form").ok()??.dyn_into().ok()
}

/// Moves the focus to the first field at fault in the next frame, when it is marked as such and visible, unless the
/// reader has gone on to another element by then. Fields outside the form's element may belong to it, too.
pub(super) fn focus_first_wrong(form: HtmlFormElement) {
    let is_elsewhere = gone_on();
    request_animation_frame(move || {
        if is_elsewhere() {
            return;
        }
        let fields = (0..form.length().unsigned_abs()).filter_map(|place| form.get_with_index(place));
        let mut wrong = fields.filter(|field| field.get_attribute("aria-invalid").as_deref() == Some("true"));
        if let Some(field) = wrong.next().and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
            _ = field.focus();
        }
    });
}

/// Moves the focus to the page as a whole in the next frame, unless an element has it. The focused element may have
/// gone with the previous page. The next press of Tab would then begin at the top, and a screen reader would not
/// announce the new page. Nothing is scrolled.
pub fn focus_page_unless_focused() {
    request_animation_frame(|| {
        if document().active_element().is_some_and(|active| active.tag_name() != "BODY") {
            return;
        }
        let main = document().get_element_by_id(MAIN);
        if let Some(main) = main.as_ref().and_then(|main| main.dyn_ref::<HtmlElement>()) {
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            _ = main.focus_with_options(&options);
        }
    });
}
