//! The reader's own attempts at a sale, by one form: one at a time, each under a request id.

use crate::components::{
    FormErrors, RequestIds, attempt_form::forget_posted, request_id::is_outcome_known, use_attempt_form,
    use_request_ids,
};
use leptos::prelude::*;
use model::{error::Result, form::FormValues};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The outcome of an attempt.
#[derive(Clone)]
pub struct LatestOutcome<O> {
    /// Counts attempts, so that the same outcome again is announced again, also by screen readers.
    pub attempt: usize,
    /// The outcome.
    pub outcome: O,
}

/// The attempts of one form. `K` is what tells one attempt from another, `O` an outcome.
pub struct OwnAttempts<K: 'static, O: Send + Sync + 'static> {
    /// What went wrong with the latest.
    pub errors: FormErrors,
    /// The outcome of the latest.
    pub answer: Signal<Option<LatestOutcome<O>>>,
    /// Whether one is on its way.
    pub pending: Memo<bool>,
    /// How long the latest has been on its way.
    pub wait: ReadSignal<Wait>,
    is_unknown: Memo<bool>,
    request_ids: RequestIds<K>,
    forget: Callback<()>,
}

/// How long an attempt has been on its way, as far as the reader is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// None is, or one for a moment only.
    #[default]
    None,
    /// One is, for longer than a click takes.
    Short,
    /// For so long that the reader may want to leave.
    Long,
}

/// What is answered sooner needs no word.
const SHORT_WAIT: Duration = Duration::from_millis(400);
const LONG_WAIT: Duration = Duration::from_secs(3);

// Derived, these would ask for a `K` and an `O` that can be copied.
impl<K, O: Send + Sync> Copy for OwnAttempts<K, O> {}

impl<K, O: Send + Sync> Clone for OwnAttempts<K, O> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Attempts by this action. If the page is the answer to a form that the browser posted by itself, that attempt is the
/// first of them: `attempt_of` reads from that form what identifies the attempt, or nothing if its fields cannot be read.
pub fn use_own_attempts<K, I, O>(
    action: Action<I, Result<O>>,
    attempt_of: impl FnOnce(&FormValues) -> Option<K>,
) -> OwnAttempts<K, O>
where
    K: PartialEq + Send + Sync + 'static,
    I: Send + Sync + 'static,
    O: Clone + DeserializeOwned + Send + Sync + 'static,
{
    let (request_ids, errors) = (use_request_ids(), FormErrors::default());
    let (pending, attempt, result) = (action.pending(), action.version(), action.value());
    let form = use_attempt_form();
    let posted = form.answer();
    let is_unknown =
        Memo::new(move |_| result.with(|result| result.as_ref().is_some_and(|result| !is_outcome_known(result))));
    let was_posted = posted.is_some();
    // On the server, the effects of `follow` and below do not run.
    errors.set(posted.as_ref().and_then(|answer| answer.as_ref().err().cloned()));
    result.set(posted);
    match form.sent().filter(|_| is_unknown.get_untracked()) {
        Some(values) => request_ids.keep(attempt_of(values), form.request_id.clone()),
        None => request_ids.begin_with(form.request_id.clone()),
    }
    if was_posted {
        // As long as the outcome is unknown, loading the page again is one way to ask for it.
        Effect::new(move || {
            if !is_unknown.get() {
                forget_posted();
            }
        });
    }
    errors.follow(action);
    Effect::new(move || {
        result.with(|result| {
            if let Some(result) = result {
                request_ids.settle(result);
            }
        });
    });
    let answer = Signal::derive(move || {
        let outcome = result.get()?.ok()?;
        // The version changes before the answer does: followed, it would announce the outcome before once more.
        Some(LatestOutcome { attempt: attempt.get_untracked(), outcome })
    });
    let forget = Callback::new(move |()| {
        // A dispatched attempt stays what it is, and one whose outcome is unknown says so until it is known.
        if !pending.get_untracked() && !is_unknown.get_untracked() {
            result.set(None);
            errors.clear();
        }
    });
    OwnAttempts { errors, answer, pending, wait: use_wait(pending), is_unknown, request_ids, forget }
}

/// How long an attempt has been on its way.
fn use_wait(pending: Memo<bool>) -> ReadSignal<Wait> {
    let (wait, set_wait) = signal(Wait::None);
    Effect::new(move || {
        set_wait.set(Wait::None);
        if pending.get() {
            let after = |delay, reached| set_timeout_with_handle(move || _ = set_wait.try_set(reached), delay).ok();
            let timers = [after(SHORT_WAIT, Wait::Short), after(LONG_WAIT, Wait::Long)];
            on_cleanup(move || timers.into_iter().flatten().for_each(|timer| timer.clear()));
        }
    });
    wait
}

impl<K: PartialEq + Send + Sync + 'static, O: Send + Sync + 'static> OwnAttempts<K, O> {
    /// Why nothing can be attempted, where `ended` says why nothing can be got any more; nothing while the outcome of the
    /// latest attempt is unknown, as that one may be sent again whatever has become of the sale.
    pub fn refused(self, ended: Signal<Option<&'static str>>) -> Memo<Option<&'static str>> {
        Memo::new(move |_| ended.get().filter(|_| !self.is_unknown()))
    }

    /// Whether nobody knows what came of the latest: it is on its way, or was never answered.
    pub fn is_unknown(self) -> bool {
        self.pending.get() || self.is_unknown.get()
    }

    /// Takes back what the page says of the latest attempt: what the reader types now belongs to another one, maybe of
    /// another user.
    pub fn forget(self) {
        self.forget.run(());
    }

    /// Begins this attempt, and returns the id under which to send it: that of the one before, if it is the same and its
    /// outcome is unknown. The button that begins one is `pending` while another is on its way.
    pub fn begin(self, attempt: K) -> String {
        self.errors.clear();
        self.request_ids.id(attempt)
    }
}
