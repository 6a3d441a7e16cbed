//! The peer, for comparison: the program that a user of Redis would write in an afternoon. One process of Node.js with
//! Fastify, ioredis and the article's script, and a Redis of its own.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::redis::Redis;
use crate::process::KillOnDrop;
use crate::tools;
use crate::workspace::root;

/// A running peer. Dropping it stops it.
pub struct Peer {
    pub url: String,
    // The fields are dropped in this order.
    _server: KillOnDrop,
    _redis: Redis,
}

impl Peer {
    /// Starts the peer with this many packets to claim.
    pub fn start(packets: u64) -> Result<Peer> {
        let redis = Redis::start()?;
        let mut server = tools::node();
        server.arg(root().join("xtask/peer/server.mjs")).arg(redis.socket());
        server.arg(root().join("lua/lab/article_red_packet.lua")).arg(packets.to_string());
        let mut server = KillOnDrop(server.stdout(Stdio::piped()).spawn().context("Node.js cannot be started")?);
        // The only line of its output, printed once the packets are there. On a failure, the peer prints the reason and
        // ends without this line.
        let mut url = String::new();
        BufReader::new(server.0.stdout.take().expect("its output was asked for")).read_line(&mut url)?;
        ensure!(url.starts_with("http"), "The peer did not start.");
        Ok(Peer { url: url.trim().to_owned(), _server: server, _redis: redis })
    }
}
