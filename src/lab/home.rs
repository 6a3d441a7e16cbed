//! Where the lab keeps its data: a logical database of its own in the server's Redis, the one after the server's, so
//! that no list, ledger or audit ever sees any of it; and a database for the strategies that use one.

use crate::{
    database::Database,
    sale::Sale,
    slow_wire::SlowWire,
    state::StoredState,
    strategies::{Storage, Strategy},
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
    Store,
    clock::RedisClock,
    fitness,
    next_database::{ID_PREFIX, NextDatabase},
    runtime::{Clock, Ids, locked},
    script::Script,
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
    /// The ids of runs and plays of this process whose records could not be deleted, and whether these are rows, too.
    left: Arc<Lock<BTreeMap<String, bool>>>,
}

impl Lab {
    /// Sets the lab up beside a server's Redis, with this database, which is not connected to yet. The ledger is never
    /// written to.
    ///
    /// # Errors
    /// One sentence: Redis has no further logical database, or another Stampede is in it.
    pub async fn open(store: &Store, ledger: Ledger, database: Database) -> Result<Self> {
        let NextDatabase { client, .. } = store.next_database().await?;
        let clock = RedisClock::of(store).await?;
        let ids = Arc::new(Ids::new(clock.clone()));
        Ok(Self { client, ledger, clock, ids, database, left: Arc::default() })
    }

    /// A new id, for a run or a play.
    pub(super) fn new_id(&self) -> String {
        self.ids.id()
    }

    /// The time.
    pub(super) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// The database.
    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    pub(super) async fn connection(&self) -> Result<MultiplexedConnection> {
        Ok(store::connection(&self.client).await?)
    }

    /// Notes that what a run or a play has stored could not be deleted, as Redis or the database was away. It is deleted by
    /// the next sweep of this process, and if there is none, by that of any other an hour later.
    pub(super) fn leave(&self, run: &str, has_rows: bool) {
        *locked(&self.left).entry(run.to_owned()).or_default() |= has_rows;
    }

    /// The runs and plays of which something is left.
    pub(super) fn left(&self) -> BTreeSet<String> {
        locked(&self.left).keys().cloned().collect()
    }

    /// Nothing is left of these any more, but for their rows if those were not swept.
    pub(super) fn swept(&self, runs: &BTreeSet<String>, with_rows: bool) {
        locked(&self.left).retain(|run, has_rows| !runs.contains(run) || *has_rows && !with_rows);
    }

    /// The sale of a strategy, not yet prepared.
    pub(super) async fn state(
        &self,
        strategy: &Strategy,
        run: &str,
        delay: Duration,
        database: &Database,
    ) -> Result<StoredState> {
        // First, as it fails with an error of Redis if that is away.
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
            _slow_wire: slow_wire,
        })
    }

    /// The product's own service, to which Redis is so far away, on connections of its own. They are made for each run and
    /// each play: those that had been idle while Redis was away would fail the first attempts afterwards.
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
            store: Store::with(client, scripts()).await?,
            ledger: self.ledger.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        };
        let packets = Packets { service: RedPackets::new(&resources), sale: format!("{ID_PREFIX}{run}") };
        Ok((packets, slow_wire))
    }

    /// The connections of an attempt at this sale, which arrives at the server with this lock: one of its own, as the
    /// articles' clients have; the product's service shares its own among all attempts.
    pub(super) async fn link(&self, state: &StoredState, process: Arc<Mutex<()>>) -> Result<Link> {
        let sql = match state.storage {
            Storage::Rows => Some(self.database.session().await?),
            _ => None,
        };
        let redis = match state.storage {
            Storage::Product => state.redis.clone(),
            _ => self.connection().await?,
        };
        Ok(Link { redis, sql, packets: state.packets.clone(), process })
    }
}

/// What asks for the rights, and the scripts of the product's strategy.
fn scripts() -> Vec<&'static Script> {
    [&fitness::RIGHTS].into_iter().chain(SCRIPTS).collect()
}
