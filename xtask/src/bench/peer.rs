//! The peer: what a user of Redis would write in an afternoon, to compare with. Fastify, ioredis and the article's script,
//! with a Redis of their own that is as durable as the server's.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::tools;
use crate::workspace::{on_path, root};

/// How long Redis may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running peer; dropping it stops it.
pub struct Peer {
    pub url: String,
    // Dropped in this order: the server before its Redis, and that before its files.
    _server: Killed,
    _redis: Killed,
    _data: TempDir,
}

/// A process that ends when it is dropped: nothing of it is kept.
struct Killed(Child);

impl Peer {
    /// Starts the peer with so many packets to claim.
    pub fn start(packets: u64) -> Result<Peer> {
        let data = tempfile::Builder::new().prefix("stampede-peer-").tempdir()?;
        let socket = data.path().join("redis.sock");
        let program = on_path("redis-server").or_else(|| on_path("valkey-server")).context("Redis is not installed")?;
        let mut redis = Command::new(program);
        redis.args(["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]);
        redis.arg("--unixsocket").arg(&socket).arg("--dir").arg(data.path()).stdout(Stdio::null());
        let redis = Killed(redis.spawn().context("Redis cannot be started")?);
        let deadline = Instant::now() + PATIENCE;
        while !socket.exists() {
            if Instant::now() > deadline {
                bail!("The peer's Redis does not listen.");
            }
            thread::sleep(Duration::from_millis(20));
        }
        let mut server = tools::node();
        server.arg(root().join("xtask/peer/server.mjs")).arg(socket);
        server.arg(root().join("lua/lab/article_red_packet.lua")).arg(packets.to_string());
        let mut server = Killed(server.stdout(Stdio::piped()).spawn().context("Node.js cannot be started")?);
        // Its only line, once the packets are there; it ends without one if something is wrong.
        let mut url = String::new();
        BufReader::new(server.0.stdout.take().expect("its output was asked for")).read_line(&mut url)?;
        ensure!(url.starts_with("http"), "The peer did not start.");
        Ok(Peer { url: url.trim().to_owned(), _server: server, _redis: redis, _data: data })
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
