//! Request ids: an attempt that is sent again under its own id changes nothing and gets its first answer.

use leptos::prelude::*;
use model::error::Result;

/// An id that no other browser makes: a hundred random bits and the time. `crypto.randomUUID` exists on secure
/// origins only, and this page is also served on plain HTTP in a local network.
pub fn random_id() -> String {
    let random = || (js_sys::Math::random() * 2_f64.powi(52)) as u64;
    format!("{:013x}{:013x}-{:x}", random(), random(), js_sys::Date::now() as u64)
}

/// Gives attempts their request ids. The id of an attempt whose outcome nobody knows is kept for when the reader
/// sends the same attempt again.
pub struct RequestIds<A: 'static> {
    unanswered: StoredValue<Option<(A, String)>>,
    /// The id of the first attempt, until it is made.
    first: StoredValue<Option<String>>,
}

// Derived, these would require that `A` can be copied.
impl<A> Copy for RequestIds<A> {}

impl<A> Clone for RequestIds<A> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Request ids for one form's attempts, made one at a time.
pub fn use_request_ids<A: Send + Sync + 'static>() -> RequestIds<A> {
    RequestIds { unanswered: StoredValue::new(None), first: StoredValue::new(None) }
}

impl<A: PartialEq + Send + Sync + 'static> RequestIds<A> {
    /// The first attempt has this id already: the browser may have sent it by itself, and its answer be on the way. (If it
    /// has sent something else, that is refused, rather than done beside this one.)
    pub(super) fn begin_with(self, id: Option<String>) {
        self.first.set_value(id);
    }

    /// The browser has sent this attempt by itself, under this id, and nobody knows what came of it.
    pub(super) fn keep(self, attempt: Option<A>, id: Option<String>) {
        self.unanswered.set_value(attempt.zip(id));
    }

    /// The id to send this attempt under.
    pub fn id(self, attempt: A) -> String {
        let known = self.unanswered.with_value(|unanswered| {
            let (_, id) = unanswered.as_ref().filter(|(unanswered, _)| *unanswered == attempt)?;
            Some(id.clone())
        });
        let first = self.first.try_update_value(Option::take).flatten();
        let id = known.or(first).unwrap_or_else(random_id);
        self.unanswered.set_value(Some((attempt, id.clone())));
        id
    }

    /// Takes note of the answer to the latest attempt, and says whether its outcome is known.
    pub fn settle<T>(self, answer: &Result<T>) -> bool {
        let is_known = is_outcome_known(answer);
        if is_known {
            // The form may be gone by now.
            _ = self.unanswered.try_set_value(None);
        }
        is_known
    }
}

/// Whether this says what came of an attempt. It may have taken place nevertheless, if not.
pub(super) fn is_outcome_known<T>(answer: &Result<T>) -> bool {
    !answer.as_ref().is_err_and(|error| error.code.is_outcome_unknown())
}
