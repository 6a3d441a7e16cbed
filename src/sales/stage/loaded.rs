//! The page of a sale, or why there is none. What the frame shows of the sale's ledger and audit at first comes with it, so
//! that the page is true before the browser takes over, and where there is no JavaScript.

use super::archived::ArchivedTerms;
use crate::{
    components::{Answered, ErrorPage, PageData, use_sale_id},
    crowd::{panel::CrowdKindForm, runs::card::RunsCard},
    domain::{Audit, KindInfo},
    error::{Code, Result},
    ledger::{self, api, query::LedgerQuery},
};
use futures::future;
use leptos::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What is known of the sale beside the sale itself. What could not be loaded is asked for again by the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FirstFacts {
    /// How far the ledger is.
    pub ledger: Option<ledger::Status>,
    /// The latest audit; `None` also if there was none.
    pub audit: Option<Audit>,
}

impl FirstFacts {
    /// Loads them for a sale of this kind.
    pub async fn load(kind: &'static KindInfo, sale: String) -> Self {
        let (ledger, audit) =
            future::join(api::status(Some(sale.clone())), api::last_audit(kind.id.to_owned(), sale)).await;
        Self { ledger: ledger.ok(), audit: audit.ok().flatten() }
    }
}

/// Shows `children` of what a sale's page needs, or why there is nothing to show; for a sale that only the ledger has,
/// also its runs.
#[component]
pub fn LoadedSale<T, L, F, C, V>(
    /// The kind of the sale.
    kind: &'static KindInfo,
    /// Loads what the page of the sale with this id needs.
    load: L,
    /// What the kind adds to crowds.
    form: CrowdKindForm,
    /// Makes the page of its data.
    children: C,
) -> impl IntoView
where
    T: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static,
    L: Fn(String) -> F + Copy + Send + Sync + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
    C: Fn(T) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let id = use_sale_id(kind);
    let data = PageData::new(
        move || id.get(),
        move |sale| async move {
            let (data, facts) = future::join(load(sale.clone()), FirstFacts::load(kind, sale)).await;
            Ok((data?, facts))
        },
    );
    let page = move |answer: Result<(T, FirstFacts)>| match answer {
        Ok((data, facts)) => {
            provide_context(facts);
            children(data).into_any()
        }
        Err(error) if matches!(error.code, Code::SaleArchived | Code::SaleLost) => {
            let sale = id.get_untracked();
            let history = Some(LedgerQuery::of_sale(&sale).url());
            view! {
                <ErrorPage code=error.code subject=Some(sale.clone()) history>
                    {(error.code == Code::SaleArchived).then(|| view! { <ArchivedTerms kind sale=sale.clone() /> })}
                    <RunsCard sale form status=None is_open=false />
                </ErrorPage>
            }
            .into_any()
        }
        Err(error) => view! { <ErrorPage code=error.code subject=Some(id.get_untracked()) /> }.into_any(),
    };
    view! { <Answered data children=page /> }
}
