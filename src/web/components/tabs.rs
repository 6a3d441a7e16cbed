//! Tabs: one panel is visible, and the address names it (`?tab=crowd`), so a link can lead to it, also without
//! JavaScript.

use crate::{
    base_path::use_path,
    components::{ParameterLink, use_page_search},
};
use leptos::{context::Provider, ev::KeyboardEvent, prelude::*};
use model::url::{link_rel, parameter};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The parameter of the address that names the visible panel.
const PARAMETER: &str = "tab";

/// The panel around this component is visible.
#[derive(Clone, Copy)]
struct IsPanelShown(Signal<bool>);

/// Returns the value of `read`. In a hidden panel, it keeps the last value from when the panel was visible, so hidden
/// panels are not redrawn.
pub fn use_while_shown<T>(read: impl Fn() -> T + Send + Sync + 'static) -> Memo<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let panel = use_context::<IsPanelShown>();
    Memo::new(move |last: Option<&T>| match (panel, last) {
        (Some(IsPanelShown(is_shown)), Some(last)) if !is_shown.get() => last.clone(),
        _ => read(),
    })
}

/// A tab panel.
#[slot]
pub struct TabPanel {
    /// The id, in the address and in the ids of the elements.
    id: &'static str,
    /// The text of the tab.
    label: &'static str,
    /// The contents of the panel, which stay mounted and active while it is hidden.
    children: Children,
}

/// Shows tabs and the panel of the chosen one: the first unless the address names another.
#[component]
pub fn Tabs(
    /// The common name of the panels, for screen readers.
    label: &'static str,
    /// The panels, at least one.
    tab_panel: Vec<TabPanel>,
) -> impl IntoView {
    let search = use_page_search();
    let ids: Vec<&'static str> = tab_panel.iter().map(|panel| panel.id).collect();
    let chosen = {
        let ids = ids.clone();
        Memo::new(move |_| {
            let named = search.with(|search| parameter(search, PARAMETER));
            ids.iter().copied().find(|id| named.as_deref() == Some(*id)).unwrap_or(ids[0])
        })
    };
    // The pattern of WAI-ARIA's authoring practices: one stop for the Tab key, arrows from tab to tab.
    let on_keydown = move |event: KeyboardEvent| {
        let Some(next) = neighbour(&ids, chosen.get_untracked(), &event.key()) else { return };
        event.prevent_default();
        _ = press(next).map(|tab| tab.focus());
    };
    let tabs = tab_panel.iter().map(|panel| {
        let (id, label) = (panel.id, panel.label);
        view! {
            <ParameterLink
                name=PARAMETER
                value=Some(id.to_owned())
                {..}
                id=tab_id(id)
                role="tab"
                aria-controls=panel_id(id)
                aria-selected=move || (chosen.get() == id).to_string()
                tabindex=move || if chosen.get() == id { "0" } else { "-1" }
            >
                {label}
            </ParameterLink>
        }
    });
    let tabs = tabs.collect_view();
    let panels = tab_panel.into_iter().map(|TabPanel { id, children, .. }| {
        let is_shown = Signal::derive(move || chosen.get() == id);
        view! {
            <div id=panel_id(id) class="tab-panel" role="tabpanel" aria-labelledby=tab_id(id) hidden=move || !is_shown.get()>
                <Provider value=IsPanelShown(is_shown)>{children()}</Provider>
            </div>
        }
    });
    view! {
        <div class="tabs">
            <div class="tab-list" role="tablist" aria-label=label on:keydown=on_keydown>
                {tabs}
            </div>
            {panels.collect_view()}
        </div>
    }
    .into_any()
}

/// Returns a function that shows a tab panel. It does nothing if the address names one: a reader's choice stays.
pub fn use_show_tab() -> impl Fn(&'static str) + Copy + Send + Sync {
    let (search, pathname) = (use_page_search(), use_path());
    move |id| {
        let is_chosen = search.with_untracked(|search| parameter(search, PARAMETER).is_some());
        // An external link reloads the page, which would discard its activity.
        let is_external = pathname.with_untracked(|path| link_rel(path).is_some());
        if !is_chosen && !is_external {
            press(id);
        }
    }
}

/// Follows the link of a tab.
fn press(id: &str) -> Option<HtmlElement> {
    let tab: HtmlElement = document().get_element_by_id(&tab_id(id))?.unchecked_into();
    tab.click();
    Some(tab)
}

fn tab_id(id: &str) -> String {
    format!("tab-{id}")
}

fn panel_id(id: &str) -> String {
    format!("panel-{id}")
}

/// Returns the tab that a key leads to.
fn neighbour(ids: &[&'static str], from: &str, key: &str) -> Option<&'static str> {
    let at = ids.iter().position(|id| *id == from)?;
    let last = ids.len() - 1;
    let to = match key {
        "ArrowRight" => (at + 1) % ids.len(),
        "ArrowLeft" => at.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    Some(ids[to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_from_tab_to_tab_and_round() {
        let ids = ["a", "b", "c"];
        let to = |from, key| neighbour(&ids, from, key);
        assert_eq!([to("a", "ArrowRight"), to("c", "ArrowRight")], [Some("b"), Some("a")]);
        assert_eq!([to("b", "ArrowLeft"), to("a", "ArrowLeft")], [Some("a"), Some("c")]);
        assert_eq!([to("b", "Home"), to("b", "End"), to("b", "x"), to("x", "End")], [Some("a"), Some("c"), None, None]);
    }
}
