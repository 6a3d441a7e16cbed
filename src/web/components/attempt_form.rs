//! The form of the reader's own attempt, as the server renders it. A browser can send it without the program: before it
//! has been loaded, or where there is no JavaScript. The server then makes the attempt (`server/posted_form.rs`) and
//! answers with a page that reports the outcome. The form carries its request id, so sending it twice makes one
//! attempt.

use crate::{components::SubmitButton, i18n::words};
use leptos::prelude::*;
use model::{
    check_new_id,
    error::{Error, Result},
    form::{FormValues, REQUEST_ID, USER},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

#[cfg(feature = "ssr")]
use crate::components::request_id::is_outcome_known;
#[cfg(feature = "ssr")]
use crate::{cookie::kept, services::services, status::set_status};

/// The cookie with the reader's name. (Programs on other ports of the same host share its cookies.)
pub(super) const USER_COOKIE: &str = "stampede_user";

/// A form that a browser has sent by itself, and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostedForm {
    /// The contents of its fields.
    pub values: FormValues,
    /// The outcome, as the API returns it.
    pub answer: Result<Value>,
}

/// The initial state of the form of the reader's own attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptForm {
    /// The id of the attempt. `None` on a page that the browser has rendered, where the program sends the form.
    pub request_id: Option<String>,
    /// The reader's name. `None` on a page that the browser has rendered, as the browser knows it.
    pub user: Option<String>,
    /// The form that this page answers.
    posted: Option<PostedForm>,
}

impl AttemptForm {
    /// Returns the form of the page that is being rendered; on the server, it comes from the request. If the form led
    /// to an error, that error becomes the status of the page.
    pub fn of_request() -> Self {
        #[cfg(feature = "ssr")]
        {
            let posted: Option<PostedForm> =
                use_context::<http::request::Parts>().and_then(|parts| parts.extensions.get().cloned());
            if let Some(Err(error)) = posted.as_ref().map(|posted| &posted.answer) {
                set_status(error.code);
            }
            let new_id = || services().ok().map(|services| services.ids.id());
            let typed = posted.as_ref().map(|posted| posted.values.text(USER));
            let suggestion = || new_id().map(|id| suggested_user(&id[id.len() - SUGGESTED_LEN..]));
            // An attempt with an unknown outcome gets its answer when it is sent again.
            let unknown = posted.as_ref().filter(|posted| !is_outcome_known(&posted.answer));
            let request_id = unknown.and_then(|posted| posted.values.optional(REQUEST_ID)).or_else(new_id);
            Self {
                user: typed.or_else(|| kept::<String>(USER_COOKIE).filter(|name| is_user(name))).or_else(suggestion),
                request_id,
                posted,
            }
        }
        #[cfg(not(feature = "ssr"))]
        Self::default()
    }

    /// Returns the values that were sent, if this page answers a form.
    pub fn sent(&self) -> Option<&FormValues> {
        self.posted.as_ref().map(|posted| &posted.values)
    }

    /// Returns whether this page answers a form with a request id: if that is sent again, it gets the original answer.
    pub(super) fn can_be_sent_again(&self) -> bool {
        self.sent().is_some_and(|values| values.optional(REQUEST_ID).is_some())
    }

    /// Returns the outcome, if this page answers an attempt.
    pub fn answer<O: DeserializeOwned>(&self) -> Option<Result<O>> {
        let answer = self.posted.as_ref()?.answer.clone();
        Some(answer.and_then(|outcome| serde_json::from_value(outcome).map_err(Error::internal)))
    }
}

/// Returns whether a user may have this name. Names are not trusted: cookies can be forged, and fields accept any text.
pub(super) fn is_user(name: &str) -> bool {
    check_new_id(USER, name).is_ok()
}

/// Returns the form of a sale's page.
pub fn use_attempt_form() -> AttemptForm {
    use_context().unwrap_or_default()
}

/// Replaces the history entry by a plain visit of the address. Otherwise, the browser would send the form again when
/// the page is reloaded.
pub(super) fn forget_posted() {
    let replace = || {
        let history = window().history()?;
        history.replace_state(&history.state()?, "")
    };
    if let Err(error) = replace() {
        leptos::logging::warn!("the form may be sent again: {error:?}");
    }
}

/// The number of random characters in a suggested name.
pub(super) const SUGGESTED_LEN: usize = 10;

/// Returns a name for a reader who has none, short enough to be read whole on a phone. If 100,000 readers have ten
/// hexadecimal digits each, two share a name in one of 200 sales. Readers who share a name see each other's wins.
pub(super) fn suggested_user(random: &str) -> String {
    format!("me-{random}")
}

/// Renders the request id as a hidden field, for a form that the browser sends by itself.
#[component]
pub fn RequestIdField() -> impl IntoView {
    view! { <input type="hidden" name=REQUEST_ID value=use_attempt_form().request_id /> }
}

/// Shows a button on an error page that sends the form again to get its outcome.
#[component]
pub(super) fn SendAgain(
    /// A form that can be sent again.
    form: AttemptForm,
) -> impl IntoView {
    let words = words();
    let field = |(name, value): (&str, &str)| {
        view! { <input type="hidden" name=name.to_owned() value=value.to_owned() /> }
    };
    form.posted.map(|posted| {
        view! {
            <form method="post">
                <p>{words.attempt_made}</p>
                {posted.values.fields().map(field).collect_view()}
                <SubmitButton native=true>{words.send_again}</SubmitButton>
            </form>
        }
    })
}
