//! Rows that arrive by themselves stand still while somebody reads them.

use leptos::prelude::*;

/// Whether the reader points at something or has the focus in it. Two signals: the pointer may leave while the focus stays.
#[derive(Clone, Copy)]
pub struct Attention {
    /// The reader points at it.
    pub is_pointed_at: RwSignal<bool>,
    /// The focus is in it.
    pub is_focused: RwSignal<bool>,
}

/// The attention to something that has listeners for it: `pointerenter`, `pointerleave`, `focusin` and `focusout`.
pub fn use_attention() -> Attention {
    Attention { is_pointed_at: RwSignal::new(false), is_focused: RwSignal::new(false) }
}

impl Attention {
    /// Whether it has any.
    pub fn is_paid(self) -> bool {
        self.is_pointed_at.get() || self.is_focused.get()
    }
}

/// The latest rows; those of the moment when `is_frozen` became true for as long as it is.
pub fn use_frozen<T>(rows: Memo<Vec<T>>, is_frozen: Memo<bool>) -> Memo<Vec<T>>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |shown: Option<&Vec<T>>| match (is_frozen.get(), shown) {
        (true, Some(shown)) => shown.clone(),
        _ => rows.get(),
    })
}
