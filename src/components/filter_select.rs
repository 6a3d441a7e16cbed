//! A choice in the filter of a list.

use leptos::{html, prelude::*};

/// A labelled choice between options, or any of them. What was chosen before hydration stays; from then on it follows the
/// address, as links, back and forward lead to other filters.
#[component]
pub fn FilterSelect(
    /// The parameter of the address.
    name: &'static str,
    /// The text of the `<label>`.
    label: &'static str,
    /// The label of the option that allows any value.
    any: &'static str,
    /// Values and their labels.
    options: Vec<(&'static str, &'static str)>,
    /// The value in the address; told again whenever the address changes.
    chosen: Signal<Option<String>>,
) -> impl IntoView {
    let field = NodeRef::<html::Select>::new();
    Effect::watch(
        move || chosen.get(),
        move |value, _, _| {
            if let Some(select) = field.get_untracked() {
                select.set_value(value.as_deref().unwrap_or_default());
            }
        },
        false,
    );
    let first = chosen.get_untracked();
    let option = |(value, name): (&'static str, &'static str)| {
        view! {
            <option value=value selected=first.as_deref() == Some(value)>
                {name}
            </option>
        }
    };
    let options = options.into_iter().map(option).collect_view();
    view! {
        <label>
            <span>{label}</span>
            <select name=name node_ref=field>
                <option value="">{any}</option>
                {options}
            </select>
        </label>
    }
}
