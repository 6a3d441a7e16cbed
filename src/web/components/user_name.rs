//! The reader's name, which the browser remembers.

use crate::{
    components::{
        FormErrors, TextField,
        attempt_form::{SUGGESTED_LEN, USER_COOKIE, is_user, suggested_user},
        random_id, use_attempt_form,
    },
    cookie::{keep, use_kept},
    i18n::words,
};
use leptos::{html, prelude::*};
use model::form::USER;

/// The reader's name: the contents of its field.
#[derive(Clone, Copy)]
pub struct UserName {
    field: NodeRef<html::Input>,
    /// The initial contents.
    first: StoredValue<String>,
    remember: WriteSignal<Option<String>>,
}

/// Returns the name for a [`UserNameField`]: the last one used, or one that another browser is unlikely to have. Text
/// that was typed before hydration stays.
pub fn use_user_name() -> UserName {
    let (remembered, remember) = use_kept::<String>(USER_COOKIE);
    let remembered = remembered.get_untracked();
    let first = use_attempt_form().user.or_else(|| remembered.clone());
    let first = first.unwrap_or_else(|| suggested_user(&random_id()[..SUGGESTED_LEN]));
    let user_name = UserName { field: NodeRef::new(), first: StoredValue::new(first.clone()), remember };
    if remembered.as_ref() != Some(&first) {
        user_name.remember(first);
    }
    user_name
}

impl UserName {
    /// Returns the current name in the field, and remembers it from now on.
    pub fn read(self) -> String {
        let name = self.field.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default();
        self.remember(name.clone());
        name
    }

    /// Remembers a name, if a user may have it.
    fn remember(self, name: String) {
        if is_user(&name) {
            keep(USER_COOKIE, name, self.remember);
        }
    }
}

/// Shows the field for the reader's name. Errors of the field `user` are shown beside it.
#[component]
pub fn UserNameField(
    /// The field that the caller reads when the form is sent.
    user_name: UserName,
    /// The id of the form, if the field is outside it.
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
            empty=words().no_name
            value=user_name.first.get_value()
            node_ref=user_name.field
            errors
        />
    }
}
