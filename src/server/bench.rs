//! `stampede bench`: claims a second, each way measured in the same run on the same Redis.
//!
//! Every attempt is a winner. *Article* is the article's script driven its way: EVAL, 20 connections,
//! each waiting for its answer. *Limit* is our batch script called back to back on one connection, two
//! calls in flight, with commands made beforehand and answers thrown away: what Redis can do at most.
//! *Stampede* is the way of every attempt, through service and batcher.

use super::{
    clock::{Clock, SystemClock},
    ids::Ids,
    settings,
};
use crate::{
    sales::red_packet::{
        Outcome, Splitter, Terms,
        service::{Attempt, CLAIM, ClaimArgs, RedPackets, claim_keys},
    },
    store::{self, Store, batcher::MAX_BATCH, embedded::Embedded, embedded::Fsync, script::Script},
};
use anyhow::{Context, Result, ensure};
use redis::{Client, aio::MultiplexedConnection};
use serde::Serialize;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

static ARTICLE: Script =
    Script::new("lab/article_red_packet.lua", include_str!("../../lua/lab/article_red_packet.lua"));

/// Connections that the article's test used.
const ARTICLE_CONNECTIONS: u32 = 20;

/// Claims a second by each way.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub packets: u32,
    pub article_per_s: u64,
    pub limit_per_s: u64,
    pub stampede_per_s: u64,
    /// `stampede_per_s / article_per_s`
    pub ratio_article: f64,
    /// `stampede_per_s / limit_per_s`
    pub ratio_limit: f64,
}

/// Measures and prints.
///
/// # Errors
/// One sentence: Redis cannot be reached or started, or a way did not give every packet exactly once.
pub async fn run(settings: settings::Bench) -> Result<()> {
    let mut embedded = None;
    let url = match &settings.redis {
        Some(url) => url.clone(),
        None => {
            let dir = std::env::temp_dir().join(format!("stampede-bench-{}", std::process::id()));
            let server = Embedded::start(&dir, Fsync::Everysec).await?;
            let url = server.url();
            embedded = Some((server, dir));
            url
        }
    };
    let figures = measure(&url, &settings).await;
    if let Some((server, dir)) = embedded {
        server.stop().await?;
        std::fs::remove_dir_all(dir)?;
    }
    let figures = figures?;
    if settings.json {
        println!("{}", serde_json::to_string(&figures)?);
    } else {
        print(&figures);
    }
    Ok(())
}

async fn measure(url: &str, settings: &settings::Bench) -> Result<Figures> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ids = Arc::new(Ids::new(clock.clone()));
    let store = Store::connect(url, super::scripts()).await?;
    if settings.redis.is_none() {
        // Rewriting its append-only file would take a core from whichever way it happens to fall upon.
        let _ok: String = store.query("CONFIG", ("SET", "auto-aof-rewrite-percentage", 0)).await?;
    }
    let red_packet = RedPackets::new(store.clone(), clock.clone(), ids.clone());
    let client = store::client(url)?;
    let packets = settings.packets;

    let article = article(&client, &ids.id(), packets).await?;

    let sale = open(&red_packet, &ids, packets).await?;
    let limit = limit(&client, clock.as_ref(), &sale, packets).await?;
    clean_up(&store, &sale).await?;

    let sale = open(&red_packet, &ids, packets).await?;
    let stampede = stampede(&red_packet, &sale, packets, settings.concurrency).await?;
    clean_up(&store, &sale).await?;

    let ratio = |a: f64, b: f64| (a / b * 100.0).round() / 100.0;
    Ok(Figures {
        packets,
        article_per_s: article as u64,
        limit_per_s: limit as u64,
        stampede_per_s: stampede as u64,
        ratio_article: ratio(stampede, article),
        ratio_limit: ratio(stampede, limit),
    })
}

async fn article(client: &Client, run: &str, packets: u32) -> Result<f64> {
    let keys = ["pending", "consumed", "claimants"].map(|part| format!("{{bench:{run}}}:{part}"));
    let mut connection = store::connection(client).await?;
    for first in (0..packets).step_by(4_000) {
        let mut push = store::command("LPUSH");
        push.arg(&keys[0]);
        for id in first..packets.min(first + 4_000) {
            push.arg(format!("{{\"id\":{id},\"money\":{id}}}"));
        }
        push.query_async::<()>(&mut connection).await?;
    }

    let next = Arc::new(AtomicU32::new(0));
    let mut connections = Vec::new();
    for _ in 0..ARTICLE_CONNECTIONS {
        connections.push(store::connection(client).await?);
    }
    let start = Instant::now();
    let mut workers = Vec::new();
    for mut connection in connections {
        let (next, keys) = (next.clone(), keys.clone());
        workers.push(tokio::spawn(async move {
            let mut won = 0_u32;
            loop {
                let user = next.fetch_add(1, Relaxed);
                if user >= packets {
                    return anyhow::Ok(won);
                }
                let mut eval = store::command("EVAL");
                eval.arg(ARTICLE.source).arg(4).arg(&keys).arg(user);
                won += u32::from(eval.query_async::<Option<String>>(&mut connection).await?.is_some());
            }
        }));
    }
    let mut won = 0;
    for worker in workers {
        won += worker.await??;
    }
    let per_s = f64::from(packets) / start.elapsed().as_secs_f64();
    ensure!(won == packets, "The article's way gave {won} of {packets} packets.");
    store::command("DEL").arg(&keys).query_async::<()>(&mut connection).await?;
    Ok(per_s)
}

async fn limit(client: &Client, clock: &dyn Clock, sale: &str, packets: u32) -> Result<f64> {
    let keys = claim_keys(sale);
    let users: Vec<u32> = (0..packets).collect();
    let calls: Vec<redis::Cmd> = users
        .chunks(MAX_BATCH)
        .map(|users| {
            let attempts: Vec<Attempt> = users.iter().map(|user| attempt(*user)).collect();
            let mut call = store::command("EVALSHA");
            call.arg(CLAIM.sha()).arg(keys.len()).arg(&keys).arg(ClaimArgs { now: clock.now(), attempts: &attempts });
            call
        })
        .collect();
    let connection = store::connection(client).await?;
    let start = Instant::now();
    let (first, second) = calls.split_at(calls.len() / 2);
    let drive = async |mut connection: MultiplexedConnection, calls: &[redis::Cmd]| {
        for call in calls {
            call.query_async::<()>(&mut connection).await?;
        }
        anyhow::Ok(())
    };
    let (first, second) = tokio::join!(drive(connection.clone(), first), drive(connection, second));
    let per_s = f64::from(packets) / start.elapsed().as_secs_f64();
    first.and(second).context("The batch script could not be called back to back.")?;
    Ok(per_s)
}

async fn stampede(red_packet: &RedPackets, sale: &str, packets: u32, concurrency: u32) -> Result<f64> {
    let next = Arc::new(AtomicU32::new(0));
    let won = Arc::new(AtomicU64::new(0));
    let sale: Arc<str> = sale.into();
    let start = Instant::now();
    let workers: Vec<_> = (0..concurrency)
        .map(|_| {
            let (red_packet, next, won, sale) = (red_packet.clone(), next.clone(), won.clone(), sale.clone());
            tokio::spawn(async move {
                loop {
                    let user = next.fetch_add(1, Relaxed);
                    if user >= packets {
                        return anyhow::Ok(());
                    }
                    let Attempt { user, request_id } = attempt(user);
                    let outcome = red_packet.claim(&sale, user, Some(request_id)).await?;
                    if matches!(outcome, Outcome::Won { .. }) {
                        won.fetch_add(1, Relaxed);
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    let per_s = f64::from(packets) / start.elapsed().as_secs_f64();
    let won = won.load(Relaxed);
    ensure!(won == u64::from(packets), "Stampede gave {won} of {packets} packets.");
    Ok(per_s)
}

fn attempt(user: u32) -> Attempt {
    Attempt { user: format!("user-{user}"), request_id: format!("request-{user}") }
}

async fn open(red_packet: &RedPackets, ids: &Ids, packets: u32) -> Result<String> {
    let terms = Terms {
        sale: ids.id(),
        total_cents: i64::from(packets) * 100,
        count: u64::from(packets),
        splitter: Splitter::DoubleMean,
        expires_in_s: 3_600,
        seed: Some(1),
    };
    Ok(red_packet.open(terms).await?.sale)
}

/// Leaves a Redis that is not ours as it was found. Not UNLINK: that would free a million things in the
/// background while the next way is measured.
async fn clean_up(store: &Store, sale: &str) -> Result<()> {
    let keys = store::keys::RED_PACKET_PARTS.map(|part| store::keys::sale("red_packet", sale, part));
    let _freed: i64 = store.query("DEL", &keys).await?;
    let _removed: i64 = store.query("ZREM", (store::keys::SALES, format!("red_packet:{sale}"))).await?;
    Ok(())
}

fn print(figures: &Figures) {
    let Figures { packets, article_per_s, limit_per_s, stampede_per_s, ratio_article, ratio_limit } = figures;
    println!("{packets} packets, every attempt a winner\n");
    println!("{:<44} {:>12}", "way", "claims/s");
    println!("{:<44} {article_per_s:>12}", "article's script, EVAL, 20 connections");
    println!("{:<44} {stampede_per_s:>12}", "Stampede, service and batcher");
    println!("{:<44} {limit_per_s:>12}", "limit: batch script back to back");
    println!("\nStampede / article {ratio_article:.2}    Stampede / limit {ratio_limit:.2}");
}
