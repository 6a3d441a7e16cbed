//! Request ids: an attempt that is sent again under its own id changes nothing and gets its first answer.

use leptos::prelude::*;
use model::error::Result;

/// Returns a unique id: a hundred random bits and the time. `crypto.randomUUID` exists on secure origins only, and this
/// page is also served on plain HTTP in a local network.
pub fn random_id() -> String {
    let random = || (js_sys::Math::random() * 2_f64.powi(52)) as u64;
    format!("{:013x}{:013x}-{:x}", random(), random(), js_sys::Date::now() as u64)
}

/// The request ids of attempts. The id of an attempt with an unknown outcome is kept in case the reader sends the same
/// attempt again.
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

/// Returns the request ids for one form's attempts, made one at a time.
pub fn use_request_ids<A: Send + Sync + 'static>() -> RequestIds<A> {
    RequestIds { unanswered: StoredValue::new(None), first: StoredValue::new(None) }
}

impl<A: PartialEq + Send + Sync + 'static> RequestIds<A> {
    /// Gives the first attempt an id that it already has: the browser may have sent it by itself, and its answer may be
    /// on the way. (If the browser sent other values, the new attempt is refused rather than made beside that one.)
    pub(super) fn begin_with(self, id: Option<String>) {
        self.first.set_value(id);
    }

    /// Records that the browser has sent this attempt by itself, under this id, with an unknown outcome.
    pub(super) fn keep(self, attempt: Option<A>, id: Option<String>) {
        self.unanswered.set_value(attempt.zip(id));
    }

    /// Returns the id to send this attempt under.
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

    /// Records the answer to the latest attempt, and returns whether its outcome is known.
    pub fn settle<T>(self, answer: &Result<T>) -> bool {
        let is_known = is_outcome_known(answer);
        if is_known {
            // The form may have been disposed.
            _ = self.unanswered.try_set_value(None);
        }
        is_known
    }
}

/// Returns whether this answer settles an attempt. Otherwise, the attempt may have taken place nevertheless.
pub(super) fn is_outcome_known<T>(answer: &Result<T>) -> bool {
    !answer.as_ref().is_err_and(|error| error.code.is_outcome_unknown())
}
