//! A kind of sale in the server: all requirements on it, in one place.

use crate::{
    KINDS,
    crowd::scenario::{CrowdKind, Remaining},
    hub::{Hub, LiveSource, LiveView},
};
use futures::future::BoxFuture;
use ledger::{database::Ledger, kind::LedgerKind};
use model::{
    KindInfo, OfKind, SaleState,
    closing::Closed,
    error::{Code, Error, Result},
    find_kind,
    form::FormValues,
    life::{Plan, Texts, When},
    list::SaleSummary,
};
use serde::Serialize;
use serde_json::Value;
use std::{any::Any, sync::Arc};
use store::{
    Store,
    runtime::{Clock, Ids},
    script::Script,
};
use tokio_util::sync::CancellationToken;

/// In how many seconds a scheduled demonstration starts.
const DEMO_OPENS_IN_S: u64 = 60;
/// How many seconds later it ends.
const DEMO_LASTS_S: u64 = 3_600;

/// The registration of a kind of sale with the server.
pub struct Registration {
    /// The names of the kind.
    pub info: &'static KindInfo,
    /// The scripts of the kind, for the store to load.
    pub scripts: &'static [&'static Script],
    /// The parts of a sale's keys.
    pub parts: &'static [&'static str],
    /// The part whose key exists as long as something in a closed sale is still to be settled.
    pub unsettled: &'static str,
    /// Whether a sale that has ended is not over before its rest is refunded.
    pub refunds_at_end: bool,
    /// Creates the service of the kind.
    pub connect: fn(&Resources) -> Arc<dyn SaleKind>,
}

/// The resources of the service of a kind.
#[derive(Clone)]
pub struct Resources {
    /// The connection to Redis.
    pub store: Store,
    /// The ledger.
    pub ledger: Ledger,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids and seeds.
    pub ids: Arc<Ids>,
}

/// A call of the script that decides attempts.
pub struct AttemptCall {
    /// The script.
    pub script: &'static Script,
    /// The arguments after `seen`.
    pub args: Vec<Vec<u8>>,
    /// Hides secrets in the arguments and replies of the script's commands.
    pub hide: Box<dyn Fn(String) -> String + Send>,
}

/// The service of a kind of sale. It adds to the traits of ledger, crowds and live view.
pub trait KindService: LedgerKind + CrowdKind + LiveSource + Clone {
    /// The answer to an attempt, as the client gets it.
    type Outcome: Serialize;

    /// The trait of its API.
    type Api: ?Sized + Send + Sync + 'static;

    /// Its API, for the server functions.
    fn api(&self) -> Arc<Self::Api>;

    /// The summaries for the list, of those sales that exist, read in one round trip. The list adds whether a crowd is
    /// running at a sale, and the lag of the ledger.
    fn summaries(&self, sales: &[String]) -> impl Future<Output = Result<Vec<SaleSummary>>> + Send;

    /// Closes a sale early, once: it accepts no more attempts, and pending items are settled.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_archived`, `sale_opening`, `sale_suspended`, `unavailable`.
    fn close(&self, sale: &str) -> impl Future<Output = Result<Closed>> + Send;

    /// The call that decides a typical attempt of this user.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, if the call depends on the sale.
    fn attempt_call(&self, sale: &str, user: String) -> impl Future<Output = Result<AttemptCall>> + Send;

    /// Makes the attempt of the form on the sale's page, which the browser submitted without a script.
    ///
    /// # Errors
    /// `bad_request` with the field, and the errors of an attempt by the API.
    fn attempt_by_form(&self, sale: &str, form: &FormValues) -> impl Future<Output = Result<Self::Outcome>> + Send;

    /// Opens a demonstration sale with this id and this plan, or finds it already open on the same terms. Returns its
    /// state.
    ///
    /// # Errors
    /// `sale_exists` if the id belongs to another sale, `unavailable`.
    fn open_demo(&self, sale: String, plan: Plan) -> impl Future<Output = Result<SaleState>> + Send;
}

/// The service of any kind.
pub trait SaleKind: LedgerKind + CrowdKind + Any {
    /// [`KindService::api`], of any kind.
    fn api(&self) -> Box<dyn Any + Send + Sync>;

    /// The live view of its sales, which ends on `shutdown`.
    fn live(&self, shutdown: CancellationToken) -> Arc<dyn LiveView>;

    /// [`KindService::summaries`]
    fn summaries<'a>(&'a self, sales: &'a [String]) -> BoxFuture<'a, Result<Vec<SaleSummary>>>;

    /// [`KindService::close`]
    fn close<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Closed>>;

    /// [`KindService::attempt_call`]
    fn attempt_call<'a>(&'a self, sale: &'a str, user: String) -> BoxFuture<'a, Result<AttemptCall>>;

    /// [`KindService::attempt_by_form`], as the API returns it.
    fn attempt_by_form<'a>(&'a self, sale: &'a str, form: &'a FormValues) -> BoxFuture<'a, Result<Value>>;

    /// Opens a demonstration sale in which something is left. Returns its id.
    fn open_demo(&self) -> BoxFuture<'_, Result<String>>;

    /// Opens a demonstration sale that starts in a minute. Returns its id.
    fn schedule_demo(&self) -> BoxFuture<'_, Result<String>>;
}

impl OfKind for Registration {
    fn info(&self) -> &'static KindInfo {
        self.info
    }
}

impl<K: KindService> SaleKind for K {
    fn api(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(KindService::api(self))
    }

    fn live(&self, shutdown: CancellationToken) -> Arc<dyn LiveView> {
        Arc::new(Hub::new(self.clone(), shutdown))
    }

    fn summaries<'a>(&'a self, sales: &'a [String]) -> BoxFuture<'a, Result<Vec<SaleSummary>>> {
        Box::pin(KindService::summaries(self, sales))
    }

    fn close<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Closed>> {
        Box::pin(KindService::close(self, sale))
    }

    fn attempt_call<'a>(&'a self, sale: &'a str, user: String) -> BoxFuture<'a, Result<AttemptCall>> {
        Box::pin(KindService::attempt_call(self, sale, user))
    }

    fn attempt_by_form<'a>(&'a self, sale: &'a str, form: &'a FormValues) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let outcome = KindService::attempt_by_form(self, sale, form).await?;
            serde_json::to_value(outcome).map_err(Error::internal)
        })
    }

    fn open_demo(&self) -> BoxFuture<'_, Result<String>> {
        Box::pin(open_first_demo(self, self.info().demo, Plan::default(), SaleState::Open))
    }

    fn schedule_demo(&self) -> BoxFuture<'_, Result<String>> {
        let plan = Plan {
            opens: Some(When::InSeconds(DEMO_OPENS_IN_S)),
            // It is archived after that, so that few are left of a server that is started often.
            ends: Some(When::InSeconds(DEMO_LASTS_S)),
            title: Texts { en: Some("A scheduled sale".to_owned()), zh: Some("定时开抢".to_owned()) },
            ..Plan::default()
        };
        Box::pin(async move {
            let name = format!("{}-scheduled", self.info().demo);
            open_first_demo(self, &name, plan, SaleState::Scheduled).await
        })
    }
}

/// Opens the first possible sale of `<demo>`, `<demo>-2`, … An id is not possible if its sale has different terms, is
/// in another state than this one, or was lost by Redis and is in the ledger.
async fn open_first_demo(kind: &impl KindService, demo: &str, plan: Plan, state: SaleState) -> Result<String> {
    let mut nth = 0_u32;
    loop {
        nth += 1;
        let sale = if nth == 1 { demo.to_owned() } else { format!("{demo}-{nth}") };
        match KindService::open_demo(kind, sale.clone(), plan.clone()).await {
            Ok(found) if found == state => return Ok(sale),
            Ok(_) => {}
            Err(error) if matches!(error.code, Code::SaleExists | Code::SaleSuspended) => {}
            Err(error) => return Err(error),
        }
    }
}

impl<K: KindService> Remaining for K {
    fn left<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            let summary = KindService::summaries(self, &[sale.to_owned()]).await?.pop();
            Ok(summary.and_then(|summary| summary.left))
        })
    }
}

/// The services of all kinds of sale. Cheap to clone.
#[derive(Clone)]
pub struct Kinds(Arc<[Arc<dyn SaleKind>]>);

impl Kinds {
    /// Creates the service of every registered kind.
    pub fn connect(resources: &Resources) -> Self {
        Self(KINDS.iter().map(|kind| (kind.connect)(resources)).collect())
    }

    /// The services, in the order of the registry.
    pub fn iter(&self) -> impl Iterator<Item = &dyn SaleKind> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The service of the kind with this id.
    ///
    /// # Errors
    /// `bad_request`.
    pub fn find(&self, id: &str) -> Result<&dyn SaleKind> {
        find_kind(self.0.iter().map(AsRef::as_ref), id)
    }

    /// The service of one kind, by its type.
    pub fn get<K: SaleKind>(&self) -> Option<&K> {
        self.iter().find_map(|kind| (kind as &dyn Any).downcast_ref())
    }

    /// The kinds, for the ledger.
    pub fn for_ledger(&self) -> Arc<[Arc<dyn LedgerKind>]> {
        self.0.iter().map(|kind| kind.clone() as Arc<dyn LedgerKind>).collect()
    }

    /// The kinds, for crowds.
    pub fn for_crowds(&self) -> Arc<[Arc<dyn CrowdKind>]> {
        self.0.iter().map(|kind| kind.clone() as Arc<dyn CrowdKind>).collect()
    }
}

/// Every script of every kind.
pub fn scripts() -> impl Iterator<Item = &'static Script> {
    KINDS.iter().flat_map(|kind| kind.scripts).copied()
}
