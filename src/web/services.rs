//! The services that server functions call.

use crate::openapi::ApiDocument;
use leptos::prelude::use_context;
use model::{
    Millis,
    closing::ClosingApi,
    crowd::CrowdApi,
    error::{Code, Error, Result},
    explain::ExplainApi,
    health::HealthApi,
    lab::{LabApi, faults::FaultApi},
    ledger::LedgerApi,
    life::LifeApi,
    list::ListApi,
    notes::NotesApi,
    sale::IdSource,
    templates::TemplatesApi,
};
use std::{any::Any, sync::Arc};

/// The services behind the pages. A request's context has all of them in one `Arc`: separate values would each cost an
/// allocation and a reference count that all cores share.
pub struct Services {
    /// The time by Redis' clock, in epoch milliseconds.
    pub now: Arc<dyn Fn() -> Millis + Send + Sync>,
    /// The source of ids and seeds.
    pub ids: Arc<dyn IdSource>,
    /// The API of each kind of sale, an `Arc` of its trait.
    pub kinds: Vec<Box<dyn Any + Send + Sync>>,
    /// The list of sales.
    pub lists: Arc<dyn ListApi>,
    /// Closing and archiving.
    pub closing: Arc<dyn ClosingApi>,
    /// Starts, ends, pauses and texts of sales.
    pub life: Arc<dyn LifeApi>,
    /// Explained attempts.
    pub explaining: Arc<dyn ExplainApi>,
    /// How the whole of it is doing.
    pub health: Arc<dyn HealthApi>,
    /// Notes on sales.
    pub notes: Arc<dyn NotesApi>,
    /// Templates of the forms that open sales.
    pub templates: Arc<dyn TemplatesApi>,
    /// The ledger.
    pub ledger: Arc<dyn LedgerApi>,
    /// Crowds and their runs.
    pub crowds: Arc<dyn CrowdApi>,
    /// The lab.
    pub lab: Arc<dyn LabApi>,
    /// Injected faults.
    pub faults: Arc<dyn FaultApi>,
    /// The description of the API.
    pub api: Arc<ApiDocument>,
}

impl Services {
    /// Returns the API of a kind of sale, by its trait.
    pub fn kind<Api: ?Sized + 'static>(&self) -> &Api {
        let api = self.kinds.iter().find_map(|kind| kind.downcast_ref::<Arc<Api>>());
        api.expect("the API of every kind")
    }
}

/// Returns the services from the context of the current request.
///
/// # Errors
/// `internal` if the request is already over, because its context is gone with it.
pub fn services() -> Result<Arc<Services>> {
    use_context().ok_or_else(|| Error::new(Code::Internal, "The request is over."))
}
