//! Questions that change faster than they are answered: only the answer to the latest counts.

use leptos::{prelude::*, task::spawn_local};

/// The latest of some questions.
#[derive(Clone, Copy)]
pub struct Latest {
    /// Counts the questions, so that an answer to an earlier one is recognised.
    number: StoredValue<u32>,
    is_pending: RwSignal<bool>,
}

/// No question yet. To be called in a component: when that is gone, answers are dropped.
pub fn use_latest() -> Latest {
    Latest { number: StoredValue::new(0), is_pending: RwSignal::new(false) }
}

/// Loads the answer whenever `question` changes from what it was at first; gives `show` the latest, and leaves what is
/// shown alone until then. (A resource would load at first what the page has come with; and where it is read outside of a
/// `Transition`, the page, which is in a `Suspense`, would show that it is loading.)
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
    /// Asks another question: from now on, answers to earlier ones are dropped.
    pub fn ask<A, F>(self, load: impl FnOnce() -> F, show: impl FnOnce(A) + 'static)
    where
        A: 'static,
        F: Future<Output = A> + 'static,
    {
        let Some(number) = self.number.try_update_value(|number| {
            *number = number.wrapping_add(1);
            *number
        }) else {
            return;
        };
        self.is_pending.set(true);
        let answer = untrack(load);
        spawn_local(async move {
            let answer = answer.await;
            if self.is(number) {
                self.is_pending.set(false);
                show(answer);
            }
        });
    }

    /// Whether an answer is on its way.
    pub fn is_pending(self) -> bool {
        self.is_pending.get()
    }

    /// As [`Latest::is_pending`], without following it. An answer to what is gone never comes.
    pub fn is_pending_untracked(self) -> bool {
        self.is_pending.try_get_untracked().unwrap_or(true)
    }

    /// The number of the latest question.
    pub fn number(self) -> u32 {
        self.number.get_value()
    }

    /// Whether this is the number of the latest question, and the component is there.
    pub fn is(self, number: u32) -> bool {
        self.number.try_get_value() == Some(number)
    }
}
