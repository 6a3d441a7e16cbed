//! A PostgreSQL of the test's own, removed with the test.

#[path = "../../xtask/src/postgres.rs"]
mod server;

use server::Fsync;
use std::ops::{Deref, DerefMut};

pub struct Postgres(server::Postgres);

impl Postgres {
    pub fn start() -> Self {
        Self(server::Postgres::start(Fsync::Off).expect("a PostgreSQL"))
    }
}

impl Deref for Postgres {
    type Target = server::Postgres;

    fn deref(&self) -> &server::Postgres {
        &self.0
    }
}

impl DerefMut for Postgres {
    fn deref_mut(&mut self) -> &mut server::Postgres {
        &mut self.0
    }
}
