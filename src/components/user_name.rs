//! The name that the reader goes by, which the browser remembers.

use super::{
    AttemptForm, FormErrors, TextField,
    attempt_form::{SUGGESTED, USER, suggested_user},
    random_id,
};
use crate::{cookie::use_kept, domain::MAX_ID_BYTES, i18n::words};
use leptos::{html, prelude::*};

/// The reader's name: what its field holds.
#[derive(Clone, Copy)]
pub struct UserName {
    field: NodeRef<html::Input>,
    /// What it holds at first.
    first: StoredValue<String>,
    remember: WriteSignal<Option<String>>,
}

/// The name for a [`UserNameField`]: the one of last time, or one that another browser is unlikely to have. What was
/// typed before hydration stays.
pub fn use_user_name() -> UserName {
    let (remembered, remember) = use_kept::<String>(USER);
    let remembered = remembered.get_untracked();
    let is_new = remembered.is_none();
    let first = AttemptForm::of_sale().user.or(remembered);
    let first = StoredValue::new(first.unwrap_or_else(|| suggested_user(&random_id()[..SUGGESTED])));
    let user_name = UserName { field: NodeRef::new(), first, remember };
    if is_new {
        Effect::new(move || user_name.remember(first.get_value()));
    }
    user_name
}

impl UserName {
    /// The name as it stands in the field; remembered from now on.
    pub fn read(self) -> String {
        let name = self.field.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default();
        self.remember(name.clone());
        name
    }

    /// Remembers a name that somebody may have.
    fn remember(self, name: String) {
        if (1..=MAX_ID_BYTES).contains(&name.len()) {
            self.remember.set(Some(name));
        }
    }
}

/// The field for the reader's name. Errors of the field `user` are shown beside it.
#[component]
pub fn UserNameField(
    /// The field that the caller reads when the form is sent.
    user_name: UserName,
    /// The id of the form, where the field is outside of it.
    #[prop(optional)]
    form: &'static str,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    view! {
        <TextField
            name=USER
            form
            words=words().your_name
            value=user_name.first.get_value()
            node_ref=user_name.field
            errors
        />
    }
}
