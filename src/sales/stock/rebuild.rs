//! Caching a quantity again: by one server at a time, from the ledger.
//!
//! Whoever finds the quantity missing asks for the lock of the rebuild, a token that expires. Who gets it reads what the
//! ledger has, with the id of the last entry in it, both of one row; `load.lua` adds what has changed since, and refuses
//! whoever no longer has the lock. The others wait for the result a short while. A server that dies in between loses the
//! lock by its lifetime.

use super::scripts::{KIND, LOAD, key};
use crate::{
    domain::EventId,
    error::{Code, Error, Result},
    ledger::{database::Ledger, sale::LedgerSale, scripts::lease},
    runtime::{Clock, Ids},
    store::{Store, reply::ReplyCode, stream::number_field},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// How long the lock of a rebuild lasts: one takes milliseconds, unless its server dies.
const LOCK_MS: u64 = 3_000;
/// How long those wait who do not have the lock: a little longer, so that they take over from a server that has died.
const WAIT: Duration = Duration::from_millis(LOCK_MS + 1_000);
/// How often they look.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often the ledger is read before a rebuild gives up: the writer may move on and trim the stream in between.
const READS: usize = 5;

/// Caches quantities again.
#[derive(Clone)]
pub struct Rebuilder {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    server: Arc<str>,
    /// How often this server has read the ledger for it.
    reads: Arc<AtomicU64>,
}

impl Rebuilder {
    pub(super) fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, ids: Arc<Ids>) -> Self {
        let id = ids.id();
        let server = format!("server-{}", &id[id.len().saturating_sub(6)..]).into();
        Self { store, ledger, clock, ids, server, reads: Arc::default() }
    }

    /// How often this server has read the ledger to cache a quantity.
    pub fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// Sees to it that the quantity of a sale is cached: loads it, or waits for who does.
    ///
    /// # Errors
    /// `busy` if that takes too long; `unknown_sale`, `sale_suspended`, `unavailable`, `ledger_unavailable`.
    pub(super) async fn ensure_cached(&self, sale: &str) -> Result<()> {
        let token = self.ids.id();
        let until = Instant::now() + WAIT;
        let lock = key(sale, "rebuild");
        loop {
            let (is_mine, _) = lease(&self.store, &lock, &token, LOCK_MS).await?;
            if is_mine {
                // Another may have loaded it, and given the lock back, since it was found missing.
                let loaded = match self.is_cached(sale).await {
                    Ok(false) => self.load(sale, &token).await,
                    known => known,
                };
                // Loading gives the lock back. Otherwise, whoever comes next need not wait for its end.
                lease(&self.store, &lock, &token, 0).await.ok();
                if loaded? {
                    return Ok(());
                }
                // The writer has to record something first.
                sleep(LOOK_EVERY).await;
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
        self.store.query("EXISTS", key(sale, "quantity")).await
    }

    /// Loads the quantity as the holder of the lock; false if it was not loaded, because the lock was lost, or the writer
    /// was faster each time.
    async fn load(&self, sale: &str, token: &str) -> Result<bool> {
        for _ in 0..READS {
            let (quantity, applied) = self.recorded(sale).await?;
            let args = (self.clock.script_time(), token, quantity, applied.to_string(), &*self.server);
            let reply = self.store.change(&LOAD, (KIND, sale), &args).await?;
            match reply.code {
                ReplyCode::Done | ReplyCode::Repeat => return Ok(true),
                ReplyCode::Taken => return Ok(false),
                ReplyCode::Trimmed => {}
                code => return Err(code.refusal(&LOAD, sale)),
            }
        }
        Ok(false)
    }

    /// What the ledger has of a sale, and the id of the last entry in it; nothing before the first.
    async fn recorded(&self, sale: &str) -> Result<(i64, EventId)> {
        loop {
            self.reads.fetch_add(1, Relaxed);
            let Some(known) = self.ledger.sale(KIND, sale).await? else { return Ok((0, EventId::default())) };
            let (quantity, applied) = (known.quantity, known.position.event_id);
            if known.dead_letters == 0 {
                return Ok((quantity, applied));
            }
            // What could not be recorded has happened all the same; it is behind the position.
            let set_aside = self.set_aside(&known).await?;
            let again = self.ledger.sale(KIND, sale).await?;
            // Unless some of it was recorded meanwhile.
            if again.is_some_and(|again| again.quantity == quantity && again.dead_letters == known.dead_letters) {
                return Ok((quantity + set_aside, applied));
            }
        }
    }

    /// What the entries come to that could not be recorded since the latest recovery.
    async fn set_aside(&self, known: &LedgerSale) -> Result<i64> {
        let letters = self.ledger.dead_letters_to_retry(Some(KIND), Some(&known.sale)).await?;
        let current = letters.iter().filter(|letter| letter.letter.event_id >= known.generation);
        Ok(current.filter_map(|letter| number_field(&letter.entry, "delta").ok()).sum())
    }
}

fn busy(sale: &str) -> Error {
    Error::new(
        Code::Busy,
        format!("The quantity of the sale \"{sale}\" is being cached again; nothing was tried. Try again in a moment."),
    )
}
