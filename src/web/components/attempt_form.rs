//! The form of the reader's own attempt, as the server renders it. A browser can send it by itself, before the program has
//! been loaded or where there is no JavaScript: the server makes the attempt (`server/posted_form.rs`), and the page that
//! it answers with says what came of it. The form has its request id, so that one that is sent twice is one attempt.

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

/// The cookie with the reader's name. (Programs on other ports of a host have the same cookies.)
pub(super) const USER_COOKIE: &str = "stampede_user";

/// A form that a browser has sent by itself, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostedForm {
    /// What was in its fields.
    pub values: FormValues,
    /// The outcome, as the API returns it.
    pub answer: Result<Value>,
}

/// What the form of the reader's own attempt has at first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptForm {
    /// Identifies the attempt. `None` on a page that the browser has made, where the program sends the form.
    pub request_id: Option<String>,
    /// The reader's name. `None` on a page that the browser has made, which knows it itself.
    pub user: Option<String>,
    /// The form to which this page is the answer.
    posted: Option<PostedForm>,
}

impl AttemptForm {
    /// The form on the page that is being made: on the server, by the request for it. An error that came of a form is the
    /// status of the page.
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
            // Sent again, an attempt whose outcome nobody knows gets its answer.
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

    /// What was sent, if this page is the answer to it.
    pub fn sent(&self) -> Option<&FormValues> {
        self.posted.as_ref().map(|posted| &posted.values)
    }

    /// Whether this page is the answer to a form that has a request id: sent again, it gets the original answer.
    pub(super) fn can_be_sent_again(&self) -> bool {
        self.sent().is_some_and(|values| values.optional(REQUEST_ID).is_some())
    }

    /// The outcome, if this page is the answer to an attempt.
    pub fn answer<O: DeserializeOwned>(&self) -> Option<Result<O>> {
        let answer = self.posted.as_ref()?.answer.clone();
        Some(answer.and_then(|outcome| serde_json::from_value(outcome).map_err(Error::internal)))
    }
}

/// Whether a user may have this name: anybody may have written a cookie, and anything be typed.
pub(super) fn is_user(name: &str) -> bool {
    check_new_id(USER, name).is_ok()
}

/// The form of the page of a sale.
pub fn use_attempt_form() -> AttemptForm {
    use_context().unwrap_or_default()
}

/// Makes the page one that was asked for by its address: otherwise, the browser sends the form again when the page is
/// loaded again.
pub(super) fn forget_posted() {
    let replace = || {
        let history = window().history()?;
        history.replace_state(&history.state()?, "")
    };
    if let Err(error) = replace() {
        leptos::logging::warn!("the form may be sent again: {error:?}");
    }
}

/// How many characters of a name for a reader are random.
pub(super) const SUGGESTED_LEN: usize = 10;

/// A name for a reader who has none, short enough to be read whole on a phone. Among 100,000 readers with ten hexadecimal
/// digits each, two share a name in one of 200 sales; who shares one is told of what the other has won.
pub(super) fn suggested_user(random: &str) -> String {
    format!("me-{random}")
}

/// What a browser sends by itself beside the form's fields: the id of the request.
#[component]
pub fn RequestIdField() -> impl IntoView {
    view! { <input type="hidden" name=REQUEST_ID value=use_attempt_form().request_id /> }
}

/// Sends the form again to which an error page is the answer, instead of the page that would say what came of it.
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
