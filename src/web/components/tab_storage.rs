//! State that lasts as long as a tab, even if the page is reloaded, such as for another language. (Pages are never
//! cached, so browsers do not restore typed text either.)
//!
//! The storage is read at once, but only effects may use its contents: the first render must match the server's.

use codee::string::JsonSerdeCodec;
use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::use_event_listener;
use leptos_use_storage::use_session_storage;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, iter::successors};
use wasm_bindgen::JsCast;
use web_sys::{Event, EventInit, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// Returns the value under this key in the tab's storage, at first the default, and its setter.
pub fn use_tab_storage<T>(key: String) -> (Signal<T>, WriteSignal<T>)
where
    T: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let (kept, keep, _) = use_session_storage::<T, JsonSerdeCodec>(lasting_key(key));
    (kept, keep)
}

/// Returns a key for leptos-use's storages that lasts as long as the app. After a write, a microtask of theirs reads
/// the key, even if the component is gone by then, and panics if the key is disposed.
pub fn lasting_key(key: String) -> Signal<String> {
    let app = successors(Owner::current(), Owner::parent).last().expect("a component has an owner");
    app.with(|| Signal::stored(key))
}

/// Keeps the value of `current`, which reads signals. After a reload, hands it to `restore`, unless it is the default.
pub fn keep_in_tab<T>(key: String, current: impl Fn() -> T + 'static, restore: impl FnOnce(T) + 'static)
where
    T: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let (kept, keep) = use_tab_storage::<T>(key);
    let mut restore = Some(restore);
    Effect::new(move || {
        let kept = kept.get_untracked();
        if let Some(restore) = restore.take()
            && kept != T::default()
        {
            untrack(|| restore(kept));
        }
    });
    Effect::watch(current, move |current, _, _| keep.set(current.clone()), false);
}

/// The current fields of a form by name: a text, a chosen value, or [`TICKED`].
pub type Fields = BTreeMap<String, String>;

/// The text of a ticked box; that of an unticked one is empty.
pub const TICKED: &str = "on";

/// What was typed into a form.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Typed {
    /// The address at which it was typed; empty if that makes no difference.
    at: String,
    fields: Fields,
}

/// The typed contents of an uncontrolled form.
#[derive(Clone, Copy)]
pub struct FormMemory {
    /// The form.
    pub form: NodeRef<html::Form>,
    /// The address for which the contents are kept.
    at: Signal<String>,
    /// Fields that are not kept.
    except: &'static [&'static str],
    kept: Signal<Typed>,
    keep: WriteSignal<Typed>,
    /// The current contents of the form are obsolete.
    is_outdated: StoredValue<bool>,
}

/// Keeps the contents of the form at [`FormMemory::form`]; [`FormMemory::restore`] brings them back.
pub fn use_form_memory(key: String) -> FormMemory {
    use_form_memory_at(key, Signal::stored(String::new()), &[])
}

/// The same for a form that shows what an address asks for: its contents are brought back at the address at which they
/// were typed, except for these fields.
pub fn use_form_memory_at(key: String, at: Signal<String>, except: &'static [&'static str]) -> FormMemory {
    let (kept, keep) = use_tab_storage(key);
    let memory = FormMemory { form: NodeRef::new(), at, except, kept, keep, is_outdated: StoredValue::new(false) };
    _ = use_event_listener(memory.form, ev::input, move |_| memory.put(memory.form.get_untracked()));
    memory
}

impl FormMemory {
    /// Fills in the kept values, except where the reader has typed already. For an effect that runs after the fields
    /// are rendered.
    pub fn restore(self) {
        if let Some(form) = self.form.get() {
            if self.is_outdated.try_update_value(std::mem::take) == Some(true) {
                form.reset();
            }
            let typed = self.kept.get_untracked();
            if typed.at == self.at.get_untracked() {
                fill_in(&form, &typed.fields, false);
            }
        }
    }

    /// Fills in these values, whatever was typed, and keeps them: for fields that appear later, too.
    pub fn fill(self, fields: Fields) {
        if let Some(form) = self.form.get_untracked() {
            self.keep.set(Typed { at: self.at.get_untracked(), fields: fields.clone() });
            fill_in(&form, &fields, true);
        }
    }

    /// Returns the kept text of a field. For effects.
    pub fn kept(self, name: &str) -> Option<String> {
        self.kept.with(|typed| typed.fields.get(name).filter(|_| typed.at == *self.at.read()).cloned())
    }

    /// Returns the current contents of the form, but for fields that are not kept.
    pub fn fields(self) -> Fields {
        let mut fields = self.form.get_untracked().map(|form| read(&form)).unwrap_or_default();
        fields.retain(|name, _| !self.except.contains(&name.as_str()));
        fields
    }

    /// Keeps the current contents of the form.
    pub fn save(self) {
        self.put(self.form.get());
    }

    fn put(self, form: Option<HtmlFormElement>) {
        if let Some(form) = form {
            let mut fields = read(&form);
            fields.retain(|name, _| !self.except.contains(&name.as_str()));
            self.keep.set(Typed { at: self.at.get_untracked(), fields });
        }
    }

    /// Forgets the typed contents, as the fields are about to be rendered anew. They are reset then, because a browser
    /// does not apply a new value to an edited field.
    pub fn forget(self) {
        self.is_outdated.set_value(true);
        self.keep.set(Typed::default());
    }
}

/// A field of a form.
enum Field {
    Text(HtmlInputElement),
    Lines(HtmlTextAreaElement),
    Box(HtmlInputElement),
    Choice(HtmlSelectElement),
}

/// Returns the fields of a form that readers fill in, with their names. Fields outside the form's element are left out,
/// as it receives no events from them.
fn fields(form: &HtmlFormElement) -> impl Iterator<Item = (String, Field)> {
    (0..form.length().unsigned_abs()).filter_map(|place| {
        let element = form.get_with_index(place).filter(|element| form.contains(Some(element)))?;
        let field = match element.dyn_into::<HtmlInputElement>() {
            Ok(input) if input.type_() == "hidden" => return None,
            Ok(input) if input.type_() == "checkbox" => Field::Box(input),
            Ok(input) => Field::Text(input),
            Err(element) => match element.dyn_into() {
                Ok(lines) => Field::Lines(lines),
                Err(element) => Field::Choice(element.dyn_into().ok()?),
            },
        };
        let name = match &field {
            Field::Text(input) | Field::Box(input) => input.name(),
            Field::Lines(lines) => lines.name(),
            Field::Choice(select) => select.name(),
        };
        Some((name, field))
    })
}

fn read(form: &HtmlFormElement) -> Fields {
    let text = |field| match field {
        Field::Text(input) => input.value(),
        Field::Lines(lines) => lines.value(),
        Field::Box(input) => if input.checked() { TICKED } else { "" }.to_owned(),
        Field::Choice(select) => select.value(),
    };
    fields(form).map(|(name, field)| (name, text(field))).collect()
}

/// Sets the fields that have a value in `kept`, by default only those that nobody has changed.
fn fill_in(form: &HtmlFormElement, kept: &Fields, also_changed: bool) {
    for (name, field) in fields(form) {
        let Some(text) = kept.get(&name) else { continue };
        match field {
            Field::Text(input) if also_changed || input.value() == input.default_value() => input.set_value(text),
            Field::Lines(lines) if also_changed || lines.default_value().is_ok_and(|first| lines.value() == first) => {
                lines.set_value(text);
            }
            Field::Box(input) if also_changed || input.checked() == input.default_checked() => {
                input.set_checked(text == TICKED);
            }
            Field::Choice(select) if select.value() != *text => {
                select.set_value(text);
                // Other parts of the form may depend on this field.
                let options = EventInit::new();
                options.set_bubbles(true);
                if let Ok(event) = Event::new_with_event_init_dict("change", &options) {
                    _ = select.dispatch_event(&event);
                }
            }
            _ => {}
        }
    }
}
