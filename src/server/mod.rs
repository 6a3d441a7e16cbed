//! The server: command line, settings, state, routes, background work and telemetry.

pub mod api;
pub mod audit;
pub mod automatic_recovery;
pub mod background;
pub mod backup;
mod base_path;
pub mod body;
pub mod browser;
pub mod changes;
pub mod client;
pub mod connect;
pub mod crowd;
pub mod export;
pub mod guard;
pub mod limits;
mod manifest;
pub mod metrics;
pub mod notes;
pub mod output;
mod posted_form;
pub mod recover;
mod recovery;
pub mod restore;
pub mod routes;
pub mod settings;
pub mod signals;
pub mod site;
pub mod sse;
pub mod telemetry;
pub mod tls;
pub mod webhooks;

use crate::server::{client::TrustedProxies, guard::AllowedHosts, limits::Limits, metrics::requests::Requests};
use axum::{body::Bytes, extract::FromRef};
use engine::KINDS;
use engine::{
    closing::{self, Closing},
    crowd::runner::Crowds,
    explain::Explaining,
    health::HealthService,
    hub::LiveViews,
    kind::{self, Kinds, Resources, SaleKind},
    life::service::Lives,
    list::service::SaleLists,
    notes::Notes,
    runs::history::RunHistory,
    templates::Templates,
};
use lab::{
    faults::{handles::Handles, service::FaultService},
    service::LabService,
};
use ledger::{database::Ledger, missing::MissingSalesWatch, service::LedgerService};
use leptos::prelude::{LeptosOptions, provide_context};
use model::{crowd::runs::RunReport, error::Result};
use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};
use store::{
    Store, fitness, keys,
    lab_redis::LabRedis,
    runtime::{Clock, Ids},
    script::Script,
};
use tokio_util::sync::CancellationToken;
use web::{base_path::BasePath, components::StoreFlags, openapi::ApiDocument, services::Services};

/// The state available to every request. It has nothing that another server would have to know. The whole is in one
/// `Arc`, because axum clones its state several times a request.
#[derive(Clone)]
pub struct AppState(pub Arc<Parts>);

/// How the server is reached.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The host names for which this server answers.
    pub hosts: AllowedHosts,
    /// The proxies that name the clients of their requests.
    pub proxies: TrustedProxies,
    /// The path under which all of it is.
    pub base_path: BasePath,
}

/// The parts of the server.
pub struct Parts {
    pub store: Store,
    pub ledger: Arc<Ledger>,
    /// The ledger's lag, audits and recoveries.
    pub ledger_service: Arc<LedgerService>,
    pub clock: Arc<dyn Clock>,
    /// The source of ids and seeds.
    pub ids: Arc<Ids>,
    /// The services of all kinds of sale.
    pub kinds: Kinds,
    /// The watch for sales that Redis has lost completely.
    pub missing: MissingSalesWatch,
    /// The list of sales.
    pub lists: Arc<SaleLists>,
    /// Closing and archiving.
    pub closing: Arc<Closing>,
    /// Simulated users.
    pub crowds: Arc<Crowds>,
    /// The ended runs of the crowds.
    pub run_history: Arc<RunHistory<RunReport>>,
    /// The lab, which compares strategies.
    pub lab: Arc<LabService>,
    /// Injects faults, if the settings allow it.
    pub faults: Arc<FaultService>,
    /// The live views of all kinds.
    pub live: LiveViews,
    /// The description of the API.
    pub api: Arc<ApiDocument>,
    /// The description as it is served, once it was asked for.
    pub written_api: OnceLock<Bytes>,
    /// The names of the files of the browser side.
    pub leptos: LeptosOptions,
    /// The flags by which commands find the data of this server.
    pub store_flags: StoreFlags,
    /// How this server is reached.
    pub access: Access,
    /// The limits of costly requests.
    pub limits: Limits,
    /// The requests so far.
    pub requests: Requests,
    /// The token that is cancelled when the server is told to stop. It goes on serving for a while, but reports that it is
    /// not ready, leaves the ledger to others, and asks clients to use other connections. Also cancelled by `shutdown`.
    pub draining: CancellationToken,
    /// The token that is cancelled when the server stops. It ends the live views and the crowds.
    pub shutdown: CancellationToken,
    /// The services that server functions call.
    pub services: Arc<Services>,
}

impl AppState {
    /// Creates the services. An alarm is raised when more than `stream_alarm` events of a
    /// sale wait for the ledger. The lab uses `lab_redis`. With handles, faults can be injected.
    pub fn new(
        resources: Resources,
        leptos: LeptosOptions,
        store_flags: StoreFlags,
        access: Access,
        stream_alarm: u64,
        lab_redis: LabRedis,
        faults: Option<Handles>,
    ) -> Self {
        let shutdown = CancellationToken::new();
        let kinds = Kinds::connect(&resources);
        let ledger_service = Arc::new(ledger_service(&resources, &kinds, stream_alarm));
        let lab = LabService::new(&resources, lab_redis, shutdown.clone());
        let faults = FaultService::new(&resources, &kinds, ledger_service.clone(), faults, shutdown.clone());
        let crowds = crowds(&resources, &kinds, &ledger_service, &shutdown);
        let run_history = crowds.history.clone();
        let Resources { store, ledger, clock, ids } = resources;
        store.ask_for_trimmed(Arc::new(ledger.clone()));
        let missing = MissingSalesWatch::new(store.clone(), ledger.clone());
        let lists = SaleLists::new(store.clone(), ledger.clone(), clock.clone(), kinds.clone(), missing.clone());
        let closing = Closing::new(store.clone(), ledger.clone(), clock.clone(), kinds.clone());
        let life = Lives::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
        let explaining = Explaining::new(store.clone(), ledger.clone(), ids.clone(), kinds.clone());
        let notes = Notes::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
        let templates = Templates::new(ledger.clone(), clock.clone());
        let live = LiveViews::new(kinds.iter().map(|kind| kind.live(shutdown.clone())));
        let ledger: Arc<Ledger> = ledger.into();
        let (lists, closing, explaining) = (Arc::new(lists), Arc::new(closing), Arc::new(explaining));
        let (crowds, lab, faults) = (Arc::new(crowds), Arc::new(lab), Arc::new(faults));
        let api = Arc::new(api::description(&access.base_path));
        let health =
            HealthService::new(store.clone(), lists.clone(), ledger_service.clone(), missing.clone(), clock.clone());
        let services = Services {
            now: {
                let clock = clock.clone();
                Arc::new(move || clock.now())
            },
            ids: ids.clone(),
            kinds: kinds.iter().map(SaleKind::api).collect(),
            lists: lists.clone(),
            closing: closing.clone(),
            life: Arc::new(life),
            explaining,
            health: Arc::new(health),
            notes: Arc::new(notes),
            templates: Arc::new(templates),
            ledger: ledger_service.clone(),
            crowds: crowds.clone(),
            lab: lab.clone(),
            faults: faults.clone(),
            api: api.clone(),
        };
        Self(Arc::new(Parts {
            store,
            ledger,
            ledger_service,
            clock,
            ids,
            kinds,
            missing,
            lists,
            closing,
            crowds,
            run_history,
            lab,
            faults,
            live,
            requests: Requests::of(&api),
            api,
            written_api: OnceLock::new(),
            leptos,
            store_flags,
            access,
            limits: Limits::default(),
            draining: shutdown.child_token(),
            shutdown,
            services: Arc::new(services),
        }))
    }

    /// Whether this process writes the ledger.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn writes_ledger(&self) -> Result<bool> {
        let writer: Option<String> = self.store.query("GET", self.store.key(keys::WRITER)).await?;
        Ok(writer.as_deref() == Some(self.ids.process()))
    }

    /// Provides the base path to pages and the services to server functions through the context of a request.
    pub fn provide(&self) {
        provide_context(self.access.base_path.clone());
        provide_context(self.store_flags.clone());
        provide_context(self.services.clone());
    }
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}

impl FromRef<AppState> for Arc<LedgerService> {
    fn from_ref(state: &AppState) -> Self {
        state.ledger_service.clone()
    }
}

impl FromRef<AppState> for Arc<Services> {
    fn from_ref(state: &AppState) -> Self {
        state.services.clone()
    }
}

/// The service of the ledger for these kinds.
fn ledger_service(resources: &Resources, kinds: &Kinds, stream_alarm: u64) -> LedgerService {
    let Resources { store, ledger, clock, .. } = resources.clone();
    LedgerService::new(store, ledger, kinds.for_ledger(), clock, stream_alarm)
}

/// The crowds at sales of these kinds. They end when `shutdown` is cancelled.
fn crowds(
    resources: &Resources,
    kinds: &Kinds,
    ledger_service: &Arc<LedgerService>,
    shutdown: &CancellationToken,
) -> Crowds {
    let Resources { store, ledger, clock, ids } = resources.clone();
    let ids_of_kinds = KINDS.iter().map(|kind| kind.info.id).collect();
    let history = Arc::new(RunHistory::new(ledger, ids_of_kinds, shutdown.clone()));
    Crowds::new(store, clock, ids, ledger_service.clone(), kinds.for_crowds(), history, shutdown.clone())
}

/// Every script, for the store to load.
pub fn scripts() -> Vec<&'static Script> {
    let of_the_store = [&fitness::RIGHTS, &fitness::CLAIM_FORMAT];
    kind::scripts()
        .chain(closing::SCRIPTS)
        .chain(engine::crowd::scripts::SCRIPTS)
        .chain(ledger::scripts::SCRIPTS)
        .chain(of_the_store)
        .collect()
}
