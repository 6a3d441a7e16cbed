//! A Redis for one side of a comparison, configured like the server's own Redis.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::process::KillOnDrop;
use crate::workspace::on_path;

/// The time limit for Redis to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running Redis. Dropping it stops it and removes its data.
pub struct Redis {
    _process: KillOnDrop,
    folder: TempDir,
}

impl Redis {
    /// Starts a Redis on a socket in a temporary folder.
    pub fn start() -> Result<Redis> {
        let folder = tempfile::Builder::new().prefix("stampede-redis-").tempdir()?;
        let program = on_path("redis-server").or_else(|| on_path("valkey-server")).context("Redis is not installed")?;
        let mut redis = Command::new(program);
        redis.args(["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]);
        // Rewriting the append-only file would take a core away from the measured side.
        redis.args(["--auto-aof-rewrite-percentage", "0", "--maxmemory-policy", "noeviction"]);
        redis.arg("--unixsocket").arg(socket(folder.path())).arg("--dir").arg(folder.path()).stdout(Stdio::null());
        let process = KillOnDrop(redis.spawn().context("Redis cannot be started")?);
        let redis = Redis { _process: process, folder };
        let deadline = Instant::now() + PATIENCE;
        while !redis.socket().exists() {
            if Instant::now() > deadline {
                bail!("Redis does not listen.");
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(redis)
    }

    pub fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("redis.sock")
}
