//! The errors of a form: those of its latest submission, and of what was typed since.

use crate::{
    components::{
        focus::{focus_first_wrong, focused_form},
        form_values::{read_form, sent_form, values_of},
    },
    i18n,
};
use leptos::{
    ev::{Event, FocusEvent, SubmitEvent},
    prelude::*,
};
use model::{
    error::{Code, Error, Result},
    form::FormValues,
};
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// The errors of a form, at most one for each field.
#[derive(Clone, Copy, Default)]
pub struct FormErrors {
    errors: RwSignal<Vec<Error>>,
    /// The fields that show their own errors.
    fields: StoredValue<Vec<&'static str>>,
    /// The server has answered with these errors. It has rules that the form cannot check.
    is_answer: StoredValue<bool>,
    /// The form was submitted with these errors, by whichever button. Others were found while it was filled in.
    is_submitted: RwSignal<bool>,
}

impl FormErrors {
    /// Shows the errors of an answer, each beside its field, or clears them if there is none.
    pub fn set(self, error: Option<Error>) {
        self.is_answer.set_value(error.is_some());
        self.is_submitted.set(error.is_some());
        self.errors.set(error.into_iter().flat_map(Error::each).collect());
    }

    /// Clears the errors.
    pub fn clear(self) {
        self.is_answer.set_value(false);
        self.is_submitted.set(false);
        self.errors.set(Vec::new());
    }

    /// Shows the errors of the action's latest answer from now on. If the focus is in the form, the first field at
    /// fault gets it.
    pub fn follow<I, T>(self, action: Action<I, Result<T>>)
    where
        I: Send + Sync + 'static,
        T: Send + Sync + 'static,
    {
        let answer = action.value();
        Effect::new(move || {
            let error = answer.with(|answer| answer.as_ref().map(|answer| answer.as_ref().err().cloned()));
            if let Some(error) = error {
                self.set(error);
                self.focus();
            }
        });
    }

    /// Moves the focus to the first field at fault, if it is in the form of these errors: the reader may have gone on to
    /// something else.
    pub fn focus(self) {
        let has_field = |form: &HtmlFormElement| {
            let is_in =
                |field: &str| form.query_selector(&format!("[name='{field}']")).is_ok_and(|found| found.is_some());
            let mut wrong = self.errors.with_untracked(|errors| errors.clone()).into_iter();
            wrong.any(|error| self.has_place(&error) && error.field.is_some_and(|field| is_in(&field)))
        };
        if let Some(form) = focused_form().filter(has_field) {
            focus_first_wrong(form);
        }
    }

    /// Takes the submission over from the browser, and reads the form. If anything is wrong with it, shows that beside
    /// each field, and moves the focus to the first of them.
    pub fn read<T>(self, event: &SubmitEvent, read: impl FnOnce(&FormValues) -> Result<T>) -> Option<T> {
        match read(&read_form(event)) {
            Ok(value) => {
                self.clear();
                Some(value)
            }
            Err(error) => {
                self.is_answer.set_value(false);
                self.is_submitted.set(true);
                self.errors.set(error.each().collect());
                focus_first_wrong(sent_form(event));
                None
            }
        }
    }

    /// For the events `input` and `focusin` of the form: an error goes away as soon as it is corrected, and a field that
    /// the reader has changed is checked when they go on to the next.
    pub fn recheck<T>(self, event: &Event, read: impl FnOnce(&FormValues) -> Result<T>) {
        let (field, is_left) = match event.dyn_ref::<FocusEvent>() {
            Some(event) => (left_field(event), true),
            None => (event.target().and_then(field_of), false),
        };
        let Some((form, field)) = field.filter(|_| is_left || self.errors.with_untracked(|errors| !errors.is_empty()))
        else {
            return;
        };
        let wrong: Vec<Error> = read(&values_of(&form)).err().into_iter().flat_map(Error::each).collect();
        let is_answer = self.is_answer.get_value();
        self.errors.update(|shown| {
            let was_shown = shown.iter().any(|error| error.field.as_ref() == Some(&field));
            // Nobody but the server knows whether its other errors are corrected.
            let stays = |error: &Error| is_answer || wrong.iter().any(|wrong| wrong.field == error.field);
            let its_own = wrong.iter().find(|error| error.field.as_ref() == Some(&field));
            // A field that is left is as it was when the server found it at fault.
            let keeps = is_left && is_answer && its_own.is_none();
            shown.retain(|error| (keeps || error.field.as_ref() != Some(&field)) && stays(error));
            shown.extend(its_own.filter(|_| is_left || was_shown).cloned());
        });
    }

    /// Returns the first error, wherever it is shown. `None` also if the form is disposed.
    pub fn get_untracked(self) -> Option<Error> {
        self.errors.try_with_untracked(|errors| errors.first().cloned()).flatten()
    }

    /// Returns the first error, wherever it is shown.
    pub fn get(self) -> Option<Error> {
        self.errors.with(|errors| errors.first().cloned())
    }

    /// Returns the sentence for a field's error: `wrong`, which describes valid input, or the error's own sentence for
    /// any other fault. Registers the field as one that shows its own errors.
    pub fn sentence(
        self,
        field: &'static str,
        wrong: impl Fn() -> &'static str + Send + Sync + 'static,
    ) -> Memo<Option<&'static str>> {
        let sentence_for = i18n::words().error;
        self.fields.update_value(|fields| {
            if !fields.contains(&field) {
                fields.push(field);
            }
        });
        Memo::new(move |_| {
            let errors = self.errors.read();
            let code = errors.iter().find(|error| error.field.as_deref() == Some(field))?.code;
            Some(if code == Code::BadRequest { wrong() } else { sentence_for(code) })
        })
    }

    /// Returns the error that belongs to none of the form's fields, if there is one.
    pub fn unplaced(self) -> Option<Error> {
        self.errors.with(|errors| errors.iter().find(|error| !self.has_place(error)).cloned())
    }

    /// Returns the number of errors that are shown beside fields.
    pub fn placed(self) -> usize {
        self.errors.with(|errors| errors.iter().filter(|error| self.has_place(error)).count())
    }

    /// Returns whether an error is shown beside a field.
    pub fn is_placed(self) -> bool {
        self.placed() > 0
    }

    /// Returns whether a submission failed by what is shown beside a field.
    pub fn has_kept_from_submitting(self) -> bool {
        self.is_submitted.get() && self.is_placed()
    }

    /// Opens the element with the fields when an error belongs to one of them: readers must see an error to correct it.
    pub fn open(self, fields: NodeRef<leptos::html::Details>) {
        Effect::new(move || {
            if self.is_placed()
                && let Some(fields) = fields.get()
            {
                fields.set_open(true);
            }
        });
    }

    /// The same, for an element with only these fields of the form.
    pub fn open_for(self, names: &'static [&'static str], fields: NodeRef<leptos::html::Details>) {
        Effect::new(move || {
            let is_of = |error: &Error| error.field.as_deref().is_some_and(|field| names.contains(&field));
            if self.errors.with(|errors| errors.iter().any(is_of))
                && let Some(fields) = fields.get()
            {
                fields.set_open(true);
            }
        });
    }

    fn has_place(self, error: &Error) -> bool {
        let has = |field: &str| self.fields.with_value(|fields| fields.contains(&field));
        error.field.as_deref().is_some_and(has)
    }
}

/// Returns the field of a form that an event is about, with its form.
fn field_of(target: EventTarget) -> Option<(HtmlFormElement, String)> {
    let target = match target.dyn_into::<HtmlInputElement>() {
        Ok(input) => return Some((input.form()?, input.name())),
        Err(target) => target,
    };
    match target.dyn_into::<HtmlTextAreaElement>() {
        Ok(lines) => Some((lines.form()?, lines.name())),
        Err(target) => {
            target.dyn_into::<HtmlSelectElement>().ok().and_then(|select| Some((select.form()?, select.name())))
        }
    }
}

/// Returns the field that the reader has changed, and leaves for another one of the same form. That is no button or box:
/// a message that appears would move it from under the pointer before it is released.
fn left_field(event: &FocusEvent) -> Option<(HtmlFormElement, String)> {
    let is_box =
        |target: &EventTarget| target.dyn_ref().is_some_and(|input: &HtmlInputElement| input.type_() != "text");
    let (next, _) = event.target().filter(|target| !is_box(target)).and_then(field_of)?;
    let left: HtmlInputElement = event.related_target()?.dyn_into().ok()?;
    let is_changed = left.value() != left.default_value();
    field_of(left.into()).filter(|(form, _)| is_changed && *form == next)
}
