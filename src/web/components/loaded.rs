//! A page whose data comes from the server: with the first page, and fetched when the reader goes on to another one.

use crate::{
    components::{
        ErrorPage, focus::focus_page_unless_focused, page_data::PageData, use_hydrated, use_scroll_restoration,
    },
    i18n::words,
    status::set_status,
};
use leptos::prelude::*;
use model::error::Result;
use serde::{Serialize, de::DeserializeOwned};

/// Shows `children` of what was loaded, or why there is nothing to show.
#[component]
pub fn Loaded<T, C, V>(
    /// All that the page needs.
    data: PageData<T>,
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
    view! { <Answered data children=page /> }
}

/// Shows `children` of the answer, for pages that show an error in their own way. Rendered on the server, an
/// error gives the page its status.
///
/// When the data is loaded again, `children` makes another page. All signals of the one before are disposed of as soon as
/// the loading begins, hence the fallback instead of a `Transition`, which would leave that page in use. So the data of a
/// page must not depend on anything that changes while the page is shown.
#[component]
pub fn Answered<T, C, V>(
    /// All that the page needs.
    data: PageData<T>,
    /// Makes the page of the answer.
    children: C,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    C: Fn(Result<T>) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    data.provide_reload();
    // The page that the server has sent keeps the focus where the reader has put it meanwhile.
    let is_first = StoredValue::new(!use_hydrated().get_untracked());
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
                    let answer = data.answer().await;
                    if let Err(error) = &answer {
                        set_status(error.code);
                    }
                    let restore_scroll = use_scroll_restoration();
                    Effect::new(move || {
                        restore_scroll();
                        if !is_first.try_update_value(std::mem::take).unwrap_or_default() {
                            focus_page_unless_focused();
                        }
                    });
                    children(answer)
                })
            }}
        </Suspense>
    }
}
