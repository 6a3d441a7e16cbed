//! The server: command line, settings, state, routes, background work and telemetry.

pub mod api;
pub mod audit;
pub mod background;
pub mod bench;
pub mod body;
pub mod browser;
pub mod connect;
pub mod guard;
pub mod limits;
pub mod listen;
pub mod open_files;
pub mod output;
mod posted_form;
pub mod recover;
pub mod routes;
pub mod settings;
pub mod site;
pub mod telemetry;
pub mod tls;

use crate::{
    components::StoreFlags,
    crowd::{
        self,
        runner::Crowds,
        runs::{
            history::RunHistory,
            report::{ReportWords, Reports},
        },
    },
    lab::{
        faults::{handles::Handles, service::FaultService},
        report::LabReports,
        service::LabService,
    },
    ledger::{self, database::Ledger, missing::MissingSalesWatch, service::LedgerService},
    live::hub::LiveViews,
    openapi::ApiDocument,
    runtime::{Clock, Ids, ServiceMap},
    sales::{
        self,
        closing::{self, service::Closing},
        explain::service::Explaining,
        kind::{Kinds, Resources},
        list::service::SaleLists,
    },
    store::{Store, fitness, script::Script},
};
use axum::extract::FromRef;
use guard::AllowedHosts;
use leptos::prelude::{LeptosOptions, provide_context};
use limits::Limits;
use std::{ops::Deref, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The state available to every request. It has nothing that another server would have to know. One `Arc` of the whole,
/// because axum clones its state several times a request.
#[derive(Clone)]
pub struct AppState(pub Arc<Services>);

/// What the server consists of.
pub struct Services {
    /// Redis.
    pub store: Store,
    /// The ledger.
    pub ledger: Arc<Ledger>,
    /// The ledger's lag, audits and recoveries.
    pub ledger_service: Arc<LedgerService>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids and seeds.
    pub ids: Arc<Ids>,
    /// The services of all kinds of sale.
    pub kinds: Kinds,
    /// Which sales Redis has lost as a whole.
    pub missing: MissingSalesWatch,
    /// The list of sales.
    pub lists: Arc<SaleLists>,
    /// Closing and archiving.
    pub closing: Arc<Closing>,
    /// Explains attempts.
    pub explaining: Arc<Explaining>,
    /// Simulated users.
    pub crowds: Arc<Crowds>,
    /// The crowds' runs that are over.
    pub run_history: Arc<RunHistory>,
    /// Strategies side by side.
    pub lab: Arc<LabService>,
    /// Breaks things on purpose, where that is allowed.
    pub faults: Arc<FaultService>,
    /// The live views of all kinds.
    pub live: LiveViews,
    /// The description of the API.
    pub api: Arc<ApiDocument>,
    /// The names of the files of the browser side.
    pub leptos: LeptosOptions,
    /// How commands find the data of this server.
    pub store_flags: StoreFlags,
    /// The host names that this server answers for.
    pub hosts: AllowedHosts,
    /// How many costly requests are served at a time.
    pub limits: Limits,
    /// Cancelled when the server stops: ends the live views and the crowds.
    pub shutdown: CancellationToken,
    /// The services that server functions call.
    by_type: Arc<ServiceMap>,
}

impl AppState {
    /// Creates the services, which answer for `hosts`. More than `stream_alarm` events of a sale waiting for the ledger
    /// raise an alarm. With handles, faults can be injected.
    pub fn new(
        resources: Resources,
        leptos: LeptosOptions,
        store_flags: StoreFlags,
        hosts: AllowedHosts,
        stream_alarm: u64,
        faults: Option<Handles>,
    ) -> Self {
        let shutdown = CancellationToken::new();
        let kinds = Kinds::connect(&resources);
        let ledger_service = Arc::new(ledger_service(&resources, &kinds, stream_alarm));
        let lab = LabService::new(&resources, shutdown.clone());
        let faults = FaultService::new(&resources, &kinds, ledger_service.clone(), faults, shutdown.clone());
        let Resources { store, ledger, clock, ids } = resources;
        store.ask_for_trimmed(Arc::new(ledger.clone()));
        let ids_of_kinds = sales::KINDS.iter().map(|kind| kind.info.id).collect();
        let run_history = Arc::new(RunHistory::new(ledger.clone(), ids_of_kinds));
        let crowds = Crowds::new(
            store.clone(),
            clock.clone(),
            ids.clone(),
            ledger_service.clone(),
            kinds.for_crowds(),
            run_history.clone(),
            shutdown.clone(),
        );
        let missing = MissingSalesWatch::new(store.clone(), ledger.clone());
        let lists = SaleLists::new(store.clone(), ledger.clone(), clock.clone(), kinds.clone(), missing.clone());
        let closing = Closing::new(store.clone(), ledger.clone(), clock.clone(), kinds.clone());
        let explaining = Explaining::new(store.clone(), ledger.clone(), ids.clone(), kinds.clone());
        let live = LiveViews::new(kinds.iter().map(|kind| kind.live(shutdown.clone())));
        let services = Services {
            store,
            ledger: ledger.into(),
            ledger_service,
            clock,
            ids,
            kinds,
            missing,
            lists: lists.into(),
            closing: closing.into(),
            explaining: explaining.into(),
            crowds: crowds.into(),
            run_history,
            lab: lab.into(),
            faults: faults.into(),
            live,
            api: api::description().into(),
            leptos,
            store_flags,
            hosts,
            limits: Limits::default(),
            shutdown,
            by_type: Arc::default(),
        };
        let by_type = services.by_type().into();
        Self(Arc::new(Services { by_type, ..services }))
    }

    /// Provides the services to server functions through the context of a request.
    pub fn provide(&self) {
        provide_context(self.store_flags.clone());
        provide_context(self.by_type.clone());
    }
}

impl Services {
    /// What server functions call.
    fn by_type(&self) -> ServiceMap {
        let mut services = ServiceMap::default();
        services.insert(self.ids.clone());
        services.insert(self.ledger.clone());
        services.insert(self.ledger_service.clone());
        services.insert(self.crowds.clone());
        services.insert(self.run_history.clone());
        services.insert(self.lab.clone());
        services.insert(self.faults.clone());
        services.insert(self.lists.clone());
        services.insert(self.closing.clone());
        services.insert(self.explaining.clone());
        services.insert(self.api.clone());
        self.kinds.register(&mut services);
        services
    }
}

impl Deref for AppState {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}

impl FromRef<AppState> for LiveViews {
    fn from_ref(state: &AppState) -> Self {
        state.live.clone()
    }
}

impl FromRef<AppState> for Arc<LedgerService> {
    fn from_ref(state: &AppState) -> Self {
        state.ledger_service.clone()
    }
}

impl FromRef<AppState> for Reports {
    fn from_ref(state: &AppState) -> Self {
        let crowd = |kind: &str| sales::kind_of(kind).map(|kind| kind.pages.crowd);
        Self { history: state.run_history.clone(), words: ReportWords { kinds: sales::kind_words(), crowd } }
    }
}

impl FromRef<AppState> for LabReports {
    fn from_ref(state: &AppState) -> Self {
        Self { lab: state.lab.clone(), words: sales::kind_words() }
    }
}

impl FromRef<AppState> for Arc<ApiDocument> {
    fn from_ref(state: &AppState) -> Self {
        state.api.clone()
    }
}

/// The ledger's service, for these kinds.
fn ledger_service(resources: &Resources, kinds: &Kinds, stream_alarm: u64) -> LedgerService {
    let Resources { store, ledger, clock, .. } = resources.clone();
    LedgerService::new(store, ledger, kinds.for_ledger(), clock, stream_alarm)
}

/// Every script, for the store to load.
pub fn scripts() -> Vec<&'static Script> {
    let of_the_store = [&fitness::RIGHTS, &fitness::CLAIM_FORMAT];
    sales::kind::scripts()
        .chain(closing::service::SCRIPTS)
        .chain(crowd::scripts::SCRIPTS)
        .chain(ledger::scripts::SCRIPTS)
        .chain(of_the_store)
        .collect()
}
