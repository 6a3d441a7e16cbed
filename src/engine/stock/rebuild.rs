//! Rebuilds: a missing quantity is cached again, by one server at a time, and compared with the ledger.
//!
//! A server that finds the quantity missing asks for the lock of the rebuild, a token that expires. The server with the
//! lock reads the ledger's quantity and the id of the last entry in it, both from one row. `load.lua` caches the sum of
//! all changes, notes the difference of the ledger, and refuses a server that has lost the lock. The other servers wait
//! a short while for the result. If a server dies in between, its lock expires. While the ledger cannot be read,
//! nothing is loaded: a quantity that Redis no longer had is never sold without that comparison.
//!
//! Within a server, all attempts at the same quantity wait for one rebuild, and get the same result. A failure is
//! remembered for a moment, so that a burst of attempts is refused at once. Attempts wait outside of any batch, so they
//! delay no others.

use crate::stock::scripts::{KIND, LOAD};
use ledger::{database::Ledger, scripts::lease};
use model::{
    EventId, Millis,
    error::{Code, Error, Result},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use store::{
    Store,
    reply::ReplyCode,
    runtime::{Clock, Ids, locked},
};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, sleep},
};

/// The lifetime of the lock, in milliseconds: longer than the longest wait for an answer of the database. A rebuild
/// takes milliseconds, unless its server dies.
const LOCK_MS: u64 = 7_000;
/// The longest wait of servers without the lock, and the longest time for repeats of a call that needs the quantity. It
/// is a little longer than the lock, so that servers take over from one that has died.
pub(super) const PATIENCE: Duration = Duration::from_millis(LOCK_MS + 1_000);
/// The interval at which waiting servers check the cache.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The most attempts that wait for rebuilds in one process. Further attempts are refused untried.
pub const MOST_WAITING: usize = 20_000;
/// The time for which a failure is remembered, in milliseconds.
const REMEMBERED: u64 = 1_000;

#[derive(Clone)]
pub struct Rebuilder(Arc<Inner>);

struct Inner {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    /// The number of ledger reads for rebuilds by this server.
    reads: AtomicU64,
    /// The rebuilds of this server, by sale.
    rebuilds: Mutex<HashMap<String, Rebuild>>,
    /// The permits for waiting attempts.
    places: Semaphore,
}

/// A rebuild: `None` while it is in progress, then the time of its end and its result.
type Rebuild = watch::Receiver<Option<(Millis, Result<()>)>>;

impl Rebuilder {
    pub(super) fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, ids: Arc<Ids>) -> Self {
        let (reads, rebuilds, places) = (AtomicU64::default(), Mutex::default(), Semaphore::new(MOST_WAITING));
        Self(Arc::new(Inner { store, ledger, clock, ids, reads, rebuilds, places }))
    }

    /// The number of ledger reads for rebuilds by this server.
    pub fn reads(&self) -> u64 {
        self.0.reads.load(Relaxed)
    }

    /// Ensures that the quantity of a sale is cached: loads it, or waits for the server that loads it.
    ///
    /// # Errors
    /// `busy` if that takes too long, or too many attempts wait; `unknown_sale`, `sale_suspended`, `unavailable`,
    /// `ledger_unavailable`.
    pub(super) async fn ensure_cached(&self, sale: &str) -> Result<()> {
        let mut rebuild = self.rebuild_of(sale);
        let _place = self.0.places.try_acquire().map_err(|_| busy(sale))?;
        // The rebuild's task disappears only when the server stops.
        let ended = rebuild.wait_for(Option::is_some).await.map_err(|_| busy(sale))?;
        ended.as_ref().map_or_else(|| Err(busy(sale)), |(_, result)| result.clone())
    }

    /// The rebuild in progress, or one that has just failed, or else a new one.
    fn rebuild_of(&self, sale: &str) -> Rebuild {
        let mut rebuilds = locked(&self.0.rebuilds);
        if let Some(rebuild) = rebuilds.get(sale).filter(|rebuild| self.is_of_use(rebuild)) {
            return rebuild.clone();
        }
        rebuilds.retain(|_, rebuild| self.is_of_use(rebuild));
        let (ends, rebuild) = watch::channel(None);
        rebuilds.insert(sale.to_owned(), rebuild.clone());
        let (inner, sale) = (self.0.clone(), sale.to_owned());
        // A task of its own continues for the others if the first caller goes away.
        tokio::spawn(async move {
            let result = inner.ensure_cached(&sale).await;
            ends.send_replace(Some((inner.clock.now(), result)));
        });
        rebuild
    }

    /// Whether a rebuild is in progress, or failed a moment ago for a temporary reason that takes time to detect.
    fn is_of_use(&self, rebuild: &Rebuild) -> bool {
        match &*rebuild.borrow() {
            None => rebuild.has_changed().is_ok(),
            Some((at, Err(error))) => {
                matches!(error.code, Code::Busy | Code::LedgerUnavailable)
                    && self.0.clock.now().abs_diff(*at) < REMEMBERED
            }
            Some((_, Ok(()))) => false,
        }
    }
}

impl Inner {
    async fn ensure_cached(&self, sale: &str) -> Result<()> {
        let token = self.ids.id();
        let until = Instant::now() + PATIENCE;
        let lock = self.store.sale_key(KIND, sale, "rebuild");
        loop {
            let (is_mine, _) = lease(&self.store, &lock, &token, LOCK_MS).await?;
            if is_mine {
                // Another server may have loaded the quantity and released the lock since it was found missing.
                let loaded = match self.is_cached(sale).await {
                    Ok(false) => self.load(sale, &token).await,
                    known => known,
                };
                // A load releases the lock. In the other cases it is released here, so that the next server need not
                // wait for it.
                lease(&self.store, &lock, &token, 0).await.ok();
                if loaded? {
                    return Ok(());
                }
            } else {
                sleep(LOOK_EVERY).await;
                if self.is_cached(sale).await? {
                    return Ok(());
                }
            }
            if Instant::now() >= until {
                return Err(busy(sale));
            }
        }
    }

    async fn is_cached(&self, sale: &str) -> Result<bool> {
        self.store.query("EXISTS", self.store.sale_key(KIND, sale, "quantity")).await
    }

    /// Loads the quantity as the holder of the lock. Returns false if the lock was lost meanwhile.
    async fn load(&self, sale: &str, token: &str) -> Result<bool> {
        self.reads.fetch_add(1, Relaxed);
        let known = self.ledger.sale(KIND, sale).await?;
        // The ledger itself reports entries that the database refused. A difference because of them need not be
        // reported again.
        let recorded = match &known {
            Some(known) if known.dead_letters > 0 => String::new(),
            known => known.as_ref().map_or(0, |known| known.quantity).to_string(),
        };
        let applied = known.map_or_else(EventId::default, |known| known.position.event_id).to_string();
        let args = (self.clock.script_time(), token, recorded, applied, self.ids.process());
        let mut reply = self.store.change(&LOAD, (KIND, sale), &args).await?;
        match reply.code {
            ReplyCode::Done => {
                let (quantity, difference): (i64, Option<i64>) = (reply.next_value()?, reply.next_value()?);
                if let Some(difference) = difference.filter(|difference| *difference != 0) {
                    tracing::warn!(
                        sale,
                        quantity,
                        difference,
                        "the ledger's quantity differs from Redis'; audit the sale"
                    );
                }
                Ok(true)
            }
            ReplyCode::Repeat => Ok(true),
            ReplyCode::Taken => Ok(false),
            code => Err(code.refusal(&LOAD, sale)),
        }
    }
}

fn busy(sale: &str) -> Error {
    Error::new(
        Code::Busy,
        format!("The quantity of the sale \"{sale}\" is being cached again; nothing was tried. Try again in a moment."),
    )
}
