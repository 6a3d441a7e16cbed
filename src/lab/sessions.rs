//! A pool of connections to the database. The users of a run share it, as those of any server do: whoever comes when
//! all are in use waits for one.

use crate::database::{Database, Session};
use anyhow::{Context, Result};
use std::sync::Mutex;
use store::runtime::locked;
use tokio::sync::Semaphore;

/// The pool.
pub(super) struct Sessions {
    free: Mutex<Vec<Session>>,
    /// A permit for each free connection.
    permits: Semaphore,
}

impl Sessions {
    /// Opens this many connections.
    ///
    /// # Errors
    /// One sentence if the database cannot be reached.
    pub async fn open(database: &Database, number: u32) -> Result<Self> {
        let mut free = Vec::new();
        for _ in 0..number {
            free.push(database.session().await?);
        }
        Ok(Self { permits: Semaphore::new(free.len()), free: Mutex::new(free) })
    }

    /// Takes a connection, and waits for one if there is none.
    pub async fn take(&self) -> Result<Session> {
        self.permits.acquire().await?.forget();
        locked(&self.free).pop().context("A permit stands for no connection.")
    }

    /// Gives a connection back.
    pub fn give_back(&self, session: Session) {
        locked(&self.free).push(session);
        self.permits.add_permits(1);
    }
}
