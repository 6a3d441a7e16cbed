//! One Redis and the connections to it.

use crate::{CONNECTION_TIMEOUT, RESPONSE_TIMEOUT, address, command};
use model::error::Error;
use redis::{
    Client, RedisResult,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use std::{
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// One Redis: alone, or a master of a cluster. Its connections are its own, so that one that hangs delays no other.
pub(crate) struct Node {
    pub(crate) client: Client,
    /// Without its password.
    pub(crate) address: String,
    /// For attempts only, so that a large read never delays one.
    attempts: ConnectionManager,
    /// For everything else.
    reads: ConnectionManager,
    /// Whether it did not answer when it was last asked.
    is_silent: AtomicBool,
    /// Whether it was full at its last sign, and this was logged.
    is_full: AtomicBool,
    /// The number of keys that it had evicted at the last check.
    pub(crate) evicted: AtomicU64,
    /// The reason to give nothing new to it: it may evict keys, or has too few replicas.
    is_unsafe: RwLock<Option<Error>>,
}

/// Which connection a call uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Attempts,
    Reads,
}

impl Node {
    /// A Redis that is connected to with the first call.
    pub(crate) fn new(client: Client) -> RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            // Callers wait for the reconnection. A few short tries give them a quick, clear answer.
            .set_number_of_retries(2)
            .set_min_delay(Duration::from_millis(50))
            .set_max_delay(Duration::from_millis(200));
        let connection = || ConnectionManager::new_lazy_with_config(client.clone(), config.clone());
        let (attempts, reads) = (connection()?, connection()?);
        let (is_silent, is_full, evicted) = (AtomicBool::default(), AtomicBool::default(), AtomicU64::default());
        let is_unsafe = RwLock::default();
        Ok(Self { address: address(&client), attempts, reads, client, is_silent, is_full, evicted, is_unsafe })
    }

    pub(crate) fn connection(&self, lane: Lane) -> ConnectionManager {
        match lane {
            Lane::Attempts => self.attempts.clone(),
            Lane::Reads => self.reads.clone(),
        }
    }

    /// Connects both lanes. A server that refuses a command is there, too.
    pub(crate) async fn answers(&self) -> RedisResult<()> {
        for lane in [Lane::Attempts, Lane::Reads] {
            let answer = command("PING").query_async::<()>(&mut self.connection(lane)).await;
            if let Err(error) = answer
                && error.code().is_none()
            {
                return Err(error);
            }
        }
        Ok(())
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Returns whether that is new.
    pub(crate) fn note_silent(&self, is_silent: bool) -> bool {
        self.is_silent.swap(is_silent, Ordering::Relaxed) != is_silent
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Logs when it becomes full, and when it has memory again.
    pub(crate) fn note_full(&self, is_full: bool) {
        if self.is_full.swap(is_full, Ordering::Relaxed) == is_full {
            return;
        }
        if is_full {
            tracing::error!(redis = self.address, "Redis is full: nothing new can be sold until it has more memory");
        } else {
            tracing::info!(redis = self.address, "Redis has memory again");
        }
    }

    /// Sets why nothing new may be given to it, if it may lose that.
    pub(crate) fn note_unsafe(&self, why: Option<Error>) {
        let mut is_unsafe = self.is_unsafe.write().unwrap_or_else(PoisonError::into_inner);
        match (&*is_unsafe, &why) {
            (None, Some(error)) => tracing::error!(redis = self.address, %error, "nothing new is given there"),
            (Some(_), None) => tracing::info!(redis = self.address, "new things are given there again"),
            _ => {}
        }
        *is_unsafe = why;
    }

    /// Why nothing new may be given to it.
    pub(crate) fn is_unsafe(&self) -> Option<Error> {
        self.is_unsafe.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
