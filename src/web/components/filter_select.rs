//! A select box for a parameter of the address.

use crate::components::field::{Field, description};
use leptos::{html, prelude::*};

/// Shows a labelled choice between options, optionally with one that allows any value. A choice that was made before
/// hydration stays. Afterwards, the box follows the address, which links, back and forward change.
#[component]
pub fn FilterSelect<V, T>(
    /// The parameter of the address.
    name: &'static str,
    /// The text of the `<label>`.
    label: &'static str,
    /// The label of the option that allows any value, if there is one.
    #[prop(optional, into)]
    any: Option<String>,
    /// Values and their labels.
    options: Vec<(V, T)>,
    /// The value in the address; notifies at every change of the address.
    chosen: Signal<Option<String>>,
    /// The error of the value, if the page shows it beside the box.
    #[prop(optional, into)]
    wrong: Option<Memo<Option<&'static str>>>,
) -> impl IntoView
where
    V: Into<String> + 'static,
    T: Into<String> + 'static,
{
    let field = NodeRef::<html::Select>::new();
    Effect::watch(
        move || chosen.get(),
        move |value, _, _| {
            if let Some(select) = field.get_untracked() {
                select.set_value(value.as_deref().unwrap_or_default());
                // The address may name a value that is not among the options.
                if select.selected_index() < 0 {
                    select.set_selected_index(0);
                }
            }
        },
        false,
    );
    let first = chosen.get_untracked();
    let option = |(value, name): (V, T)| {
        let value: String = value.into();
        let is_first = first.as_ref() == Some(&value);
        view! {
            <option value=value selected=is_first>
                {name.into()}
            </option>
        }
    };
    let options = options.into_iter().map(option).collect_view();
    // Other forms of a page may have fields with the same name.
    let id = format!("filter-{name}");
    let described_by = wrong.map(|wrong| description(&id, wrong));
    let is_wrong = move || wrong.map(|wrong| wrong.get().is_some().to_string());
    view! {
        <Field id=id.clone() label wrong=wrong.map(Signal::from)>
            <select
                id=id
                name=name
                node_ref=field
                aria-describedby=described_by
                aria-invalid=is_wrong
            >
                {any.map(|any| view! { <option value="">{any}</option> })}
                {options}
            </select>
        </Field>
    }
}
