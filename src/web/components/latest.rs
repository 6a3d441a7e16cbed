//! Requests that change faster than they are answered: only the answer to the latest counts. (An `Action` has one
//! function for all its inputs, and continues after its component is disposed. Here, each question brings its own
//! function, and an obsolete one is aborted together with its request.)

use futures::future::{AbortHandle, abortable};
use leptos::{prelude::*, task::spawn_local};

/// The latest of a series of questions.
#[derive(Clone, Copy)]
pub struct Latest {
    /// The number of questions so far.
    number: StoredValue<u32>,
    /// Aborts the latest question.
    end: StoredValue<Option<AbortHandle>>,
    is_pending: RwSignal<bool>,
}

/// Returns a series without a question. Must be called in a component: when that is disposed, the latest question is
/// aborted.
pub fn use_latest() -> Latest {
    let latest = Latest { number: StoredValue::new(0), end: StoredValue::new(None), is_pending: RwSignal::new(false) };
    on_cleanup(move || latest.abort());
    latest
}

/// Loads the answer whenever `question` differs from its initial value. Gives `show` the latest answer, and leaves the
/// page unchanged until then. (A resource would load the initial data again, which the page already has. Read outside a
/// `Transition`, it would also put the page, which is in a `Suspense`, into its loading state.)
pub fn use_latest_answer<Q, A, F>(
    question: Memo<Q>,
    load: impl Fn(Q) -> F + Copy + Send + Sync + 'static,
    show: impl Fn(A) + Copy + Send + Sync + 'static,
) -> Latest
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: 'static,
    F: Future<Output = A> + 'static,
{
    let latest = use_latest();
    Effect::watch(
        move || question.get(),
        move |question, _, _| {
            let question = question.clone();
            latest.ask(move || load(question), show);
        },
        false,
    );
    latest
}

impl Latest {
    /// Asks another question; the previous one is aborted together with its request.
    pub fn ask<A, F>(self, load: impl FnOnce() -> F, show: impl FnOnce(A) + 'static)
    where
        A: 'static,
        F: Future<Output = A> + 'static,
    {
        if self.number.is_disposed() {
            return;
        }
        self.abort();
        let (answer, end) = abortable(untrack(load));
        self.number.update_value(|number| *number = number.wrapping_add(1));
        self.end.set_value(Some(end));
        self.is_pending.set(true);
        spawn_local(async move {
            if let Ok(answer) = answer.await {
                self.is_pending.set(false);
                show(answer);
            }
        });
    }

    /// Gives up the latest question: its answer is not shown.
    pub fn give_up(self) {
        self.abort();
        _ = self.is_pending.try_set(false);
    }

    fn abort(self) {
        if let Some(end) = self.end.try_update_value(Option::take).flatten() {
            end.abort();
        }
    }

    /// Returns whether an answer is on its way.
    pub fn is_pending(self) -> bool {
        self.is_pending.get()
    }

    /// Returns the same as [`Latest::is_pending`], without tracking it. A disposed series never gets an answer.
    pub fn is_pending_untracked(self) -> bool {
        self.is_pending.try_get_untracked().unwrap_or(true)
    }

    /// Returns the number of the latest question.
    pub fn number(self) -> u32 {
        self.number.get_value()
    }

    /// Returns whether this is the number of the latest question, and the component still exists.
    pub fn is(self, number: u32) -> bool {
        self.number.try_get_value() == Some(number)
    }
}
