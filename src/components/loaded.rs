//! A page whose data comes from the server: with the first page, and fetched when the reader goes on to another one.

use super::{ErrorPage, use_scroll_restoration};
use crate::{error::Result, i18n::words};
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

/// Shows `children` of what a resource found, or why there is nothing to show.
#[component]
pub fn Loaded<T, C, V>(
    /// The page's one resource.
    resource: Resource<Result<T>>,
    /// Makes the page of its data.
    children: C,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    C: Fn(T) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let page = move |answer: Result<T>| match answer {
        Ok(data) => children(data).into_any(),
        Err(error) => view! { <ErrorPage code=error.code /> }.into_any(),
    };
    view! { <Answered resource children=page /> }
}

/// Shows `children` of a resource's answer, for pages that show an error in their own way. Rendered on the server, an
/// error gives the page its status.
///
/// When the resource loads again, `children` makes another page. All signals of the one before are disposed of as soon
/// as the loading begins, hence the fallback instead of a `Transition`, which would leave that page in use. So the
/// resource of a page must not depend on anything that changes while the page is shown.
#[component]
pub fn Answered<T, C, V>(
    /// The page's one resource.
    resource: Resource<Result<T>>,
    /// Makes the page of the answer.
    children: C,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    C: Fn(Result<T>) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    provide_context(Reload(Callback::new(move |()| resource.refetch())));
    let loading = || {
        view! {
            <main id="main" class="error-page">
                {words().loading}
            </main>
        }
    };
    view! {
        <Suspense fallback=loading>
            {move || {
                let children = children.clone();
                Suspend::new(async move {
                    let answer = resource.await;
                    if let Err(error) = &answer {
                        error.code.set_status();
                    }
                    let restore_scroll = use_scroll_restoration();
                    Effect::new(restore_scroll);
                    children(answer)
                })
            }}
        </Suspense>
    }
}

#[derive(Clone, Copy)]
struct Reload(Callback<()>);

/// Loads the page's data again and makes the page anew: for when what it shows no longer exists.
pub fn use_reload() -> Callback<()> {
    use_context::<Reload>().map_or_else(|| Callback::new(|()| ()), |reload| reload.0)
}
