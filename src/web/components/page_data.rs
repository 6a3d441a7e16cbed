//! The data of a page, which is loaded again where the reader, or what happened, asks for it.

use crate::components::{FirstCall, use_polling};
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use model::error::{Code, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The data of a page, and the way to load it again.
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
    /// What `load` makes of `source`, and makes anew when that changes, as of a [`Resource`].
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

    /// The answer, once it is there.
    pub(super) async fn answer(self) -> Result<T> {
        self.resource.await
    }

    /// Makes [`use_reload`] and [`use_retry`] known to everything below.
    pub(super) fn provide_reload(self) {
        provide_context(Reload {
            at_once: Callback::new(move |()| self.resource.refetch()),
            retry: StoredValue::new(Box::new(move |shown| Box::pin(self.retry(shown)))),
        });
    }

    /// Loads the data again behind this error, and returns what shows the answer if it is another one.
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

/// Loads the page's data again and rebuilds the page, for example after the sale was archived.
pub fn use_reload() -> Callback<()> {
    use_context::<Reload>().map_or_else(|| Callback::new(|()| ()), |reload| reload.at_once)
}

/// Loads the page's data again every `interval` while somebody looks at the page, which shows an error. It stays as it is
/// until there is another answer.
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
