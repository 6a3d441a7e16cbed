//! The data of a page, which is reloaded on the reader's request or after certain events.

use crate::components::{FirstCall, use_polling};
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use model::error::{Code, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The data of a page, and its reload.
pub struct PageData<T: Send + Sync + 'static> {
    resource: Resource<Result<T>>,
    load: StoredValue<Load<T>>,
}

type Load<T> = Box<dyn Fn() -> LocalBoxFuture<'static, Result<T>> + Send + Sync>;

impl<T: Send + Sync + 'static> Copy for PageData<T> {}

impl<T: Send + Sync + 'static> Clone for PageData<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> PageData<T> {
    /// Loads data from `source` by `load`, and again at each change of `source`, like a [`Resource`].
    pub fn new<S, F>(
        source: impl Fn() -> S + Clone + Send + Sync + 'static,
        load: impl Fn(S) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        S: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let again = {
            let (source, load) = (source.clone(), load.clone());
            move || -> LocalBoxFuture<'static, Result<T>> { Box::pin(load(untrack(&source))) }
        };
        Self { resource: Resource::new(source, load), load: StoredValue::new(Box::new(again)) }
    }

    /// Returns the answer, once it has arrived.
    pub(super) async fn answer(self) -> Result<T> {
        self.resource.await
    }

    /// Provides [`use_reload`] and [`use_retry`] to all descendants.
    pub(super) fn provide_reload(self) {
        provide_context(Reload {
            at_once: Callback::new(move |()| self.resource.refetch()),
            retry: StoredValue::new(Box::new(move |shown| Box::pin(self.retry(shown)))),
        });
    }

    /// Loads the data again behind this error. Returns a function that shows the answer, if it is a different one.
    async fn retry(self, shown: Code) -> Option<Show> {
        let answer = self.load.try_with_value(|load| load())?.await;
        let is_shown = matches!(&answer, Err(error) if error.code == shown);
        (!is_shown).then(|| -> Show { Box::new(move || self.resource.set(Some(answer))) })
    }
}

#[derive(Clone, Copy)]
struct Reload {
    at_once: Callback<()>,
    retry: StoredValue<Retry>,
}

type Retry = Box<dyn Fn(Code) -> LocalBoxFuture<'static, Option<Show>> + Send + Sync>;
type Show = Box<dyn FnOnce()>;

/// Returns a callback that loads the page's data again and rebuilds the page, for example after the sale was archived.
pub fn use_reload() -> Callback<()> {
    use_context::<Reload>().map_or_else(|| Callback::new(|()| ()), |reload| reload.at_once)
}

/// Loads the page's data again every `interval` while the tab is visible and the page shows an error. The page stays
/// unchanged until a different answer arrives.
pub fn use_retry(interval: Duration, shown: Code) {
    let Some(Reload { retry, .. }) = use_context() else { return };
    let load = move || {
        let answer = retry.try_with_value(|retry| retry(shown));
        async move {
            Ok(match answer {
                Some(answer) => answer.await,
                None => None,
            })
        }
    };
    use_polling(interval, FirstCall::AfterInterval, load, |answer: Result<Option<Show>>| {
        if let Ok(Some(show)) = answer {
            show();
        }
    });
}
