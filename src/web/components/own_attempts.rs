//! The reader's own attempts at a sale, by one form: one at a time, each under a request id.

use crate::components::{
    FormErrors, RequestIds, attempt_form::forget_posted, request_id::is_outcome_known, use_attempt_form,
    use_request_ids,
};
use leptos::prelude::*;
use model::{Answer, error::Result, form::FormValues};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The outcome of an attempt.
#[derive(Clone)]
pub struct LatestOutcome<O> {
    /// The number of the attempt. It changes, so that the same outcome is announced again, also by screen readers.
    pub attempt: usize,
    /// The outcome.
    pub outcome: O,
}

/// The attempts of one form. `K` identifies an attempt, `O` is an outcome.
pub struct OwnAttempts<K: 'static, O: Send + Sync + 'static> {
    /// The errors of the latest attempt.
    pub errors: FormErrors,
    /// The outcome of the latest attempt.
    pub answer: Signal<Option<LatestOutcome<O>>>,
    /// An attempt is on its way.
    pub pending: Memo<bool>,
    /// The waiting time of the latest attempt.
    pub wait: ReadSignal<Wait>,
    is_unknown: Memo<bool>,
    request_ids: RequestIds<K>,
    forget: Callback<()>,
}

/// The waiting time of an attempt, as far as it is announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// No attempt is on its way, or only since a moment ago.
    #[default]
    None,
    /// Longer than a click takes.
    Short,
    /// So long that the reader may want to leave.
    Long,
}

/// Shorter waits are not announced.
const SHORT_WAIT: Duration = Duration::from_millis(400);
const LONG_WAIT: Duration = Duration::from_secs(3);

// Derived, these would require that `K` and `O` can be copied.
impl<K, O: Send + Sync> Copy for OwnAttempts<K, O> {}

impl<K, O: Send + Sync> Clone for OwnAttempts<K, O> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Returns the attempts by this action. If the page answers a form that the browser posted by itself, that attempt is
/// the first. `attempt_of` reads the identity of the attempt from that form; `None` if its fields cannot be read.
pub fn use_own_attempts<K, I, O>(
    action: Action<I, Result<Answer<O>>>,
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
        // While the outcome is unknown, reloading the page is one way to ask for it.
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
        let outcome = result.get()?.ok()?.outcome;
        // The version changes before the answer does: if it were tracked, the previous outcome would be announced once
        // more.
        Some(LatestOutcome { attempt: attempt.get_untracked(), outcome })
    });
    let forget = Callback::new(move |()| {
        // A dispatched attempt stays as it is. One with an unknown outcome stays visible until the outcome is known.
        if !pending.get_untracked() && !is_unknown.get_untracked() {
            result.set(None);
            errors.clear();
        }
    });
    OwnAttempts { errors, answer, pending, wait: use_wait(pending), is_unknown, request_ids, forget }
}

/// Returns the waiting time of an attempt.
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
    /// Returns the reason why nothing can be attempted: that of the sale. `None` while the outcome of the latest attempt is
    /// unknown, as that one may be sent again whatever the state of the sale.
    pub fn refused(self, reason: Signal<Option<String>>) -> Memo<Option<String>> {
        Memo::new(move |_| reason.get().filter(|_| !self.is_unknown()))
    }

    /// Returns whether the outcome of the latest attempt is unknown: it is on its way, or was never answered.
    pub fn is_unknown(self) -> bool {
        self.pending.get() || self.is_unknown.get()
    }

    /// Removes the latest attempt from the page: the reader's new input belongs to another attempt, maybe of another
    /// user.
    pub fn forget(self) {
        self.forget.run(());
    }

    /// Begins this attempt, and returns its request id: that of the previous one, if it is the same attempt and its
    /// outcome is unknown. The button that begins attempts is `pending` while one is on its way.
    pub fn begin(self, attempt: K) -> String {
        self.errors.clear();
        self.request_ids.id(attempt)
    }
}
