//! A page with data from the server: part of the first document, and fetched on later navigation.

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

/// Shows `children` of the loaded data, or the error.
#[component]
pub fn Loaded<T, C, V>(
    /// The data of the page.
    data: PageData<T>,
    /// Renders the page from its data.
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

/// Shows `children` of the answer, for pages that show an error in their own way. Rendered on the server, an error
/// gives the page its status.
///
/// When the data is loaded again, `children` makes another page. All signals of the previous page are disposed as soon
/// as loading begins, hence the fallback instead of a `Transition`, which would keep that page in use. The data of a
/// page must therefore not depend on anything that changes while the page is shown.
#[component]
pub fn Answered<T, C, V>(
    /// The data of the page.
    data: PageData<T>,
    /// Renders the page from the answer.
    children: C,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    C: Fn(Result<T>) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    data.provide_reload();
    // On the page from the server, the focus stays where the reader has put it meanwhile.
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
