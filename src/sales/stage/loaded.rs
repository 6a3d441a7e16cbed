//! The page of a sale, or why there is none.

use crate::{
    components::{Answered, ErrorPage},
    crowd::{panel::CrowdKindForm, runs::card::RunsCard},
    error::{Code, Result},
};
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

/// Shows `children` of what a sale's page needs, or why there is nothing to show: of a sale that is in the ledger alone,
/// its runs.
#[component]
pub fn LoadedSale<T, C, V>(
    /// The page's one resource.
    resource: Resource<Result<T>>,
    /// The sale that the page is about.
    #[prop(into)]
    id: Signal<String>,
    /// What its kind adds to crowds.
    form: CrowdKindForm,
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
        Err(error) if matches!(error.code, Code::SaleArchived | Code::SaleLost) => {
            let sale = id.get_untracked();
            view! {
                <ErrorPage code=error.code subject=Some(sale.clone())>
                    <RunsCard sale form status=None is_open=false />
                </ErrorPage>
            }
            .into_any()
        }
        Err(error) => view! { <ErrorPage code=error.code subject=Some(id.get_untracked()) /> }.into_any(),
    };
    view! { <Answered resource children=page /> }
}
