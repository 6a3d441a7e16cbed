//! The storage of the lab: a logical database of Redis that is apart from the sales, so that no list, ledger or audit ever
//! sees any of its data; and a database for the strategies that use one.

use crate::{
    contender::Contender,
    database::Database,
    sale::Sale,
    slow_wire::SlowWire,
    state::StoredState,
    strategies::Storage,
    wire::{Link, Packets},
};
use anyhow::{Result, bail};
use engine::{
    kind::Resources,
    red_packet::{scripts::SCRIPTS, service::RedPackets},
};
use ledger::database::Ledger;
use model::{
    Millis,
    error::{Code, Error},
};
use redis::{Client, aio::MultiplexedConnection};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex as Lock},
    time::Duration,
};
use store::{
    Store, fitness,
    lab_redis::{ID_PREFIX, LabRedis},
    runtime::{Clock, Ids, locked},
    script::Script,
    servers::Servers,
};
use tokio::sync::Mutex;

/// The lab. Cheap to clone.
#[derive(Clone)]
pub struct Lab {
    client: Client,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    database: Database,
    /// The ids of this process's runs and plays whose records could not be deleted. The flag says whether they have
    /// rows, too.
    left: Arc<Lock<BTreeMap<String, bool>>>,
}

impl Lab {
    /// Opens the lab in this Redis, with this database and the server's clock and ids. The database is not connected to
    /// yet. The ledger is never written.
    ///
    /// # Errors
    /// One sentence: Redis has no further logical database, or a Stampede has its sales there; the sales are on a cluster,
    /// and the lab has no Redis of its own.
    pub async fn open(resources: Resources, redis: &LabRedis, database: Database) -> Result<Self> {
        let Resources { store, ledger, clock, ids } = resources;
        let client = store.lab_client(redis).await?;
        Ok(Self { client, ledger, clock, ids, database, left: Arc::default() })
    }

    /// A new id, for a run or a play.
    pub(super) fn new_id(&self) -> String {
        self.ids.id()
    }

    pub(super) fn now(&self) -> Millis {
        self.clock.now()
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    pub(super) async fn connection(&self) -> Result<MultiplexedConnection> {
        Ok(store::connection(&self.client).await?)
    }

    /// Notes that the records of a run or a play could not be deleted, because Redis or the database was away. The next
    /// sweep of this process deletes them. If there is none, the sweep of any other process does so an hour later.
    pub(super) fn leave(&self, run: &str, has_rows: bool) {
        *locked(&self.left).entry(run.to_owned()).or_default() |= has_rows;
    }

    /// The runs and plays with records left.
    pub(super) fn left(&self) -> BTreeSet<String> {
        locked(&self.left).keys().cloned().collect()
    }

    /// Removes swept runs and plays from the list. Those with rows stay unless the rows were swept, too.
    pub(super) fn swept(&self, runs: &BTreeSet<String>, with_rows: bool) {
        locked(&self.left).retain(|run, has_rows| !runs.contains(run) || *has_rows && !with_rows);
    }

    /// The sale of a strategy, not yet prepared.
    pub(super) async fn state(
        &self,
        contender: &Contender,
        run: &str,
        delay: Duration,
        database: &Database,
    ) -> Result<StoredState> {
        let Contender { strategy, program, .. } = contender;
        // First, because it fails with an error of Redis if Redis is away.
        let redis = self.connection().await?;
        let sql = match strategy.storage {
            Storage::Rows => Some(database.session().await?),
            _ => None,
        };
        let (packets, slow_wire) = match strategy.storage {
            Storage::Product => {
                let (packets, slow_wire) = self.packets(run, delay).await?;
                (Some(packets), slow_wire)
            }
            _ => (None, None),
        };
        Ok(StoredState {
            storage: strategy.storage,
            sale: Sale::new(run, strategy.id),
            redis,
            sql,
            packets,
            program: program.clone(),
            _slow_wire: slow_wire,
        })
    }

    /// The product's own service, on separate connections to a Redis at this delay. They are made for each run and each
    /// play: connections that were idle while Redis was away would fail the first attempts afterwards.
    async fn packets(&self, run: &str, delay: Duration) -> Result<(Packets, Option<SlowWire>)> {
        let (mut client, mut slow_wire) = (self.client.clone(), None);
        if !delay.is_zero() {
            if !SlowWire::can_lead_to(&self.client) {
                bail!(Error::new(
                    Code::StoreRefused,
                    "The batched script cannot be slowed down on its way to a Redis with TLS; run it without a delay, or \
                     use redis:// for the lab.",
                ));
            }
            let socket = std::env::temp_dir().join(format!("{}{run}.sock", Database::FILE_PREFIX));
            let (wire, slow) = SlowWire::before(&self.client, socket, delay)?;
            (client, slow_wire) = (slow, Some(wire));
        }
        let resources = Resources {
            store: Store::with(Servers::one(client), scripts()).await?,
            ledger: self.ledger.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        };
        let packets = Packets { service: RedPackets::new(&resources), sale: format!("{ID_PREFIX}{run}") };
        Ok((packets, slow_wire))
    }

    /// The connection of a user at this sale, who arrives at the server with this lock. Each user has a connection to
    /// Redis, like the clients in the articles. Those to the database are lent for each attempt. The product's service
    /// shares its connections among all attempts.
    pub(super) async fn link(&self, state: &StoredState, process: Arc<Mutex<()>>) -> Result<Link> {
        let redis = match state.storage {
            Storage::Product => state.redis.clone(),
            _ => self.connection().await?,
        };
        Ok(Link { redis, sql: None, packets: state.packets.clone(), program: state.program.clone(), process })
    }
}

/// The script that checks the rights, and the scripts of the product's strategy.
fn scripts() -> Vec<&'static Script> {
    [&fitness::RIGHTS].into_iter().chain(SCRIPTS).collect()
}
