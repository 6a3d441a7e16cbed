//! The name that the reader goes by, which the browser remembers.

use super::{FormErrors, TextField, random_id};
use crate::i18n::words;
use codee::string::FromToStringCodec;
use leptos::{html, prelude::*};
use leptos_use_storage::{UseStorageOptions, use_local_storage_with_options};

/// The reader's name: what its field holds.
#[derive(Clone, Copy)]
pub struct UserName {
    field: NodeRef<html::Input>,
    remember: WriteSignal<String>,
}

/// The name for a [`UserNameField`]: the one of last time, or one that another browser is unlikely to have. What was
/// typed before hydration stays.
pub fn use_user_name() -> UserName {
    let options = UseStorageOptions::default().delay_during_hydration(true);
    let (remembered, remember, _) = use_local_storage_with_options::<String, FromToStringCodec>("user", options);
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        // After the storage has been read, which takes a frame.
        request_animation_frame(move || {
            let (Some(Some(input)), Some(name)) = (field.try_get_untracked(), remembered.try_get_untracked()) else {
                return;
            };
            if input.value().is_empty() {
                let name = if name.is_empty() { format!("me-{}", &random_id()[..4]) } else { name };
                input.set_value(&name);
                remember.set(name);
            }
        });
    });
    UserName { field, remember }
}

impl UserName {
    /// The name as it stands in the field; remembered from now on.
    pub fn read(self) -> String {
        let name = self.field.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default();
        if !name.is_empty() {
            self.remember.set(name.clone());
        }
        name
    }
}

/// The field for the reader's name. Errors of the field `user` are shown beside it.
#[component]
pub fn UserNameField(
    /// The field that the caller reads when the form is sent.
    user_name: UserName,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    view! { <TextField name="user" words=words().your_name node_ref=user_name.field errors /> }
}
