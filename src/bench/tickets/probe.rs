//! The time for which script calls block Redis, as reported by Redis itself.

use crate::tickets::Bed;
use anyhow::{Context, Result};
use redis::{Cmd, FromRedisValue, aio::MultiplexedConnection};
use store::script::Script;

/// The time beyond which a call is logged individually, in microseconds.
const SLOW_US: u32 = 500;
const MOST_NOTED: u32 = 100_000;
const SETTINGS: [&str; 2] = ["slowlog-log-slower-than", "slowlog-max-len"];

/// A separate connection to a Redis that logs slow calls.
pub(super) struct Probe {
    connection: MultiplexedConnection,
    /// The previous settings of Redis.
    were: Vec<String>,
}

impl Probe {
    pub async fn on(bed: &Bed) -> Result<Self> {
        let mut were = Vec::new();
        for (name, value) in SETTINGS.into_iter().zip([SLOW_US, MOST_NOTED]) {
            let was: (String, String) = bed.store.query("CONFIG", ("GET", name)).await?;
            were.push(was.1);
            let _ok: String = bed.store.query("CONFIG", ("SET", name, value)).await?;
        }
        Ok(Self { connection: store::connection(&store::client(&bed.url)?).await?, were })
    }

    /// Restores the settings of Redis.
    pub async fn leave(self, bed: &Bed) -> Result<()> {
        for (name, was) in SETTINGS.into_iter().zip(self.were) {
            let _ok: String = bed.store.query("CONFIG", ("SET", name, was)).await?;
        }
        Ok(())
    }

    pub async fn run<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T> {
        Ok(command.query_async(&mut self.connection).await?)
    }

    /// Calls a script by its SHA. Returns the reply, and the time for which the call blocked Redis, in microseconds.
    pub async fn call(&mut self, script: &Script, keys: &[String], args: &[Vec<u8>]) -> Result<(redis::Value, u64)> {
        let before = self.held_us().await?;
        let mut call = store::command("EVALSHA");
        call.arg(script.sha()).arg(keys.len()).arg(keys).arg(args);
        let reply = self.run(&call).await?;
        Ok((reply, self.held_us().await? - before))
    }

    /// The microseconds for which all EVALSHA calls so far have blocked Redis.
    pub async fn held_us(&mut self) -> Result<u64> {
        let mut info = store::command("INFO");
        info.arg("commandstats");
        let info: String = self.run(&info).await?;
        let line = info.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:"));
        let usec = line.and_then(|line| line.split(',').find_map(|field| field.strip_prefix("usec=")));
        usec.map_or(Ok(0), str::parse).context("Redis reported no time for its script calls.")
    }

    /// Clears the log of slow calls.
    pub async fn forget(&mut self) -> Result<()> {
        let mut reset = store::command("SLOWLOG");
        reset.arg("RESET");
        self.run::<String>(&reset).await?;
        Ok(())
    }

    /// The longest script call since [`Probe::forget`], in milliseconds; 0 if none was slow.
    pub async fn longest_ms(&mut self) -> Result<f64> {
        type Noted = (i64, i64, u64, Vec<Vec<u8>>, String, String);
        let mut get = store::command("SLOWLOG");
        get.arg("GET").arg(-1);
        let noted: Vec<Noted> = self.run(&get).await?;
        let scripts = noted.iter().filter(|call| call.3.first().is_some_and(|verb| verb == b"EVALSHA"));
        Ok(scripts.map(|call| call.2).max().unwrap_or(0) as f64 / 1_000.0)
    }
}
