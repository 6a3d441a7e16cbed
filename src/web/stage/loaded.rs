//! The page of a sale, or the error. The page comes with the initial state of the sale's ledger and audit. It is thus
//! correct before hydration, and without JavaScript.

use crate::KINDS;
use crate::{
    base_path::under_base,
    components::{Answered, AttemptForm, ErrorPage, PageData, sale_url, use_sale_id},
    crowd::{panel::CrowdKindForm, runs::CrowdRuns},
    i18n,
    kind::Registration,
    ledger::{api, query::LedgerQuery},
    list::api::list_by,
    notes::NotesCard,
    stage::archived::ArchivedTerms,
};
use futures::future;
use leptos::prelude::*;
use model::{
    Audit, KindInfo, SaleState,
    error::{Code, Result},
    ledger,
    list::ListQuery,
    url::link_rel,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Facts about the sale beside the sale itself. The page asks again for any that could not be loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FirstFacts {
    /// The progress of the ledger.
    pub ledger: Option<ledger::Status>,
    /// The latest audit; `None` also if there was none.
    pub audit: Option<Audit>,
}

impl FirstFacts {
    /// Loads the facts for a sale of this kind.
    pub async fn load(kind: &'static KindInfo, sale: String) -> Self {
        let (ledger, audit) =
            future::join(api::status(Some(sale.clone())), api::last_audit(kind.id.to_owned(), sale)).await;
        Self { ledger: ledger.ok(), audit: audit.ok().flatten() }
    }
}

/// Shows `children` of the data of a sale's page, or the error. For a sale that only the ledger has, also shows its
/// runs.
#[component]
pub fn LoadedSale<T, L, F, C, V>(
    /// The kind of the sale.
    kind: &'static KindInfo,
    /// Loads the data of the page of the sale with this id.
    load: L,
    /// The kind's part of the crowd form.
    form: CrowdKindForm,
    /// Renders the page from its data.
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
    let form_of_request = SharedValue::new(AttemptForm::of_request).into_inner();
    let first_form = StoredValue::new(Some((id.get_untracked(), form_of_request)));
    let data = PageData::new(
        move || id.get(),
        move |sale| async move {
            let (data, facts) = future::join(load(sale.clone()), FirstFacts::load(kind, sale)).await;
            Ok((data?, facts))
        },
    );
    let form_of = move |sale: &str| {
        let form = first_form.with_value(|form| form.as_ref().filter(|(of, _)| of == sale).cloned());
        form.map(|(_, form)| form).unwrap_or_default()
    };
    let page = move |answer: Result<(T, FirstFacts)>| match answer {
        Ok((data, facts)) => {
            provide_context(form_of(&id.read_untracked()));
            // Only once: data that is loaded later belongs to the page of another sale, or to this page after the
            // program has sent forms. (If the server could not show the sale, the browser loads it as soon as it can,
            // and the form is that of the request.)
            Effect::new(move || _ = first_form.try_set_value(None));
            provide_context(facts);
            children(data).into_any()
        }
        Err(error) if matches!(error.code, Code::SaleArchived | Code::SaleLost) => {
            let sale = id.get_untracked();
            let history = Some(LedgerQuery::of_sale(&sale).url());
            view! {
                <ErrorPage code=error.code subject=Some(sale.clone()) history>
                    {(error.code == Code::SaleArchived).then(|| view! { <ArchivedTerms kind sale=sale.clone() /> })}
                    <NotesCard kind=kind.id sale=sale.clone() />
                    <CrowdRuns sale form status=None is_open=false />
                </ErrorPage>
            }
            .into_any()
        }
        Err(error) if error.code == Code::UnknownSale => {
            let sale = id.get_untracked();
            let elsewhere = view! { <Namesakes sale=sale.clone() /> }.into_any();
            view! { <ErrorPage code=error.code subject=Some(sale) elsewhere /> }.into_any()
        }
        Err(error) => {
            let sale = id.get_untracked();
            let form = form_of(&sale);
            view! { <ErrorPage code=error.code subject=Some(sale) form /> }.into_any()
        }
    };
    view! { <Answered data children=page /> }
}

/// Shows the sales of other kinds with this id; nothing if there are none, or while they are unknown.
#[component]
fn Namesakes(
    /// The id, which no sale of the page's kind has.
    sale: String,
) -> impl IntoView {
    let found = Resource::new(|| (), {
        let sale = sale.clone();
        move |()| kinds_with(sale.clone())
    });
    let link = move |kind: &Registration| {
        let href = sale_url(kind.info, &sale);
        let rel = link_rel(&href);
        view! {
            <a href=under_base(href) rel=rel>
                {(kind.pages.words)().name}
            </a>
            " "
        }
    };
    let sentence = move |found: Vec<String>| {
        let kinds = KINDS.iter().filter(|kind| found.iter().any(|id| id == kind.info.id));
        let links: Vec<_> = kinds.map(&link).collect();
        (!links.is_empty()).then(|| view! { <p>{i18n::words().same_id_elsewhere} " " {links}</p> })
    };
    view! {
        <Suspense>
            {move || {
                let sentence = sentence.clone();
                Suspend::new(async move { sentence(found.await) })
            }}
        </Suspense>
    }
}

/// Returns the ids of the kinds that have a sale with this id, in Redis or archived, by two index reads.
async fn kinds_with(sale: String) -> Vec<String> {
    let query = |state: Option<SaleState>| ListQuery {
        state: state.map(|state| state.name().to_owned()),
        sale: Some(sale.clone()),
        ..ListQuery::default()
    };
    let (present, archived) = future::join(list_by(query(None)), list_by(query(Some(SaleState::Archived)))).await;
    [present, archived].into_iter().flatten().flat_map(|list| list.sales).map(|sale| sale.kind).collect()
}
