//! Claims a second by three approaches, measured in the same run on the same Redis.
//!
//! Every attempt wins. The approaches take turns. *Article* calls the article's script as the article does: EVAL, on 20
//! connections, each of which waits for its answer. *Limit* calls our batch script back to back on one connection, two
//! calls in flight, with prepared commands and discarded answers. This is the most that Redis can do. *Stampede* takes
//! the path of every attempt, through service and batcher.

use crate::{Bed, ROUNDS, Spread, median};
use anyhow::{Context, Result, ensure};
use engine::red_packet::{
    scripts::{Attempt, CLAIM, ClaimArgs, KIND},
    service::RedPackets,
};
use lab::strategies::script;
use model::red_packet::Outcome;
use redis::{Client, aio::MultiplexedConnection};
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};
use store::{batcher::MAX_BATCH, runtime::Clock};

/// The number of connections in the article's test.
const ARTICLE_CONNECTIONS: u32 = 20;

/// The claims a second by each approach, as medians of the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub packets: u32,
    pub article_per_s: u64,
    pub limit_per_s: u64,
    pub stampede_per_s: u64,
    /// The median of the rounds' `stampede / article`.
    pub ratio_article: f64,
    /// The median of the rounds' `stampede / limit`.
    pub ratio_limit: f64,
    /// The same ratios with their ranges.
    pub rounds_article: Spread,
    pub rounds_limit: Spread,
}

/// Measures the approaches in turn. Each round has a share of the packets.
///
/// # Errors
/// One sentence: Redis cannot be reached, or an approach did not give out every packet exactly once.
pub(super) async fn measure(bed: &Bed, packets: u32, concurrency: u32) -> Result<Figures> {
    let Bed { clock, ids, red_packet, .. } = bed;
    let client = store::client(&bed.url)?;
    let share = packets / ROUNDS as u32;
    let (mut articles, mut limits, mut stampedes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        articles.push(article(&client, &ids.id(), share).await?);

        let sale = bed.open(share).await?;
        limits.push(limit(&client, clock.as_ref(), &sale, share).await?);
        bed.clean_up(&sale).await?;

        let sale = bed.open(share).await?;
        stampedes.push(stampede(red_packet, &sale, share, concurrency).await?);
        bed.clean_up(&sale).await?;
    }
    let (rounds_article, rounds_limit) =
        (Spread::of_ratios(&stampedes, &articles), Spread::of_ratios(&stampedes, &limits));
    Ok(Figures {
        packets,
        article_per_s: median(articles) as u64,
        limit_per_s: median(limits) as u64,
        stampede_per_s: median(stampedes) as u64,
        ratio_article: rounds_article.median,
        ratio_limit: rounds_limit.median,
        rounds_article,
        rounds_limit,
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
                eval.arg(script::CLAIM.source()).arg(4).arg(&keys).arg(user);
                won += u32::from(eval.query_async::<Option<String>>(&mut connection).await?.is_some());
            }
        }));
    }
    let mut won = 0;
    for worker in workers {
        won += worker.await??;
    }
    let per_s = f64::from(packets) / start.elapsed().as_secs_f64();
    ensure!(won == packets, "The article's script gave out {won} of {packets} packets.");
    store::command("DEL").arg(&keys).query_async::<()>(&mut connection).await?;
    Ok(per_s)
}

async fn limit(client: &Client, clock: &dyn Clock, sale: &str, packets: u32) -> Result<f64> {
    let keys = CLAIM.keys(KIND, sale);
    let users: Vec<u32> = (0..packets).collect();
    let calls: Vec<redis::Cmd> = users
        .chunks(MAX_BATCH)
        .map(|users| {
            let attempts: Vec<Attempt> = users.iter().map(|user| attempt(*user)).collect();
            let mut call = store::command("EVALSHA");
            call.arg(CLAIM.sha()).arg(keys.len()).arg(&keys).arg("");
            call.arg(ClaimArgs { now: &clock.script_time(), attempts: &attempts });
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

/// Claims every packet of a sale with `concurrency` users at a time. Returns claims per second.
pub(super) async fn stampede(red_packet: &RedPackets, sale: &str, packets: u32, concurrency: u32) -> Result<f64> {
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
    ensure!(won == u64::from(packets), "Stampede gave out {won} of {packets} packets.");
    Ok(per_s)
}

fn attempt(user: u32) -> Attempt {
    Attempt { user: format!("user-{user}"), request_id: format!("request-{user}") }
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { packets, article_per_s, limit_per_s, stampede_per_s, rounds_article, rounds_limit, .. } = figures;
    writeln!(out, "{packets} packets in {ROUNDS} rounds, every attempt wins\n")?;
    writeln!(out, "{:<44} {:>12}", "way", "claims/s")?;
    writeln!(out, "{:<44} {article_per_s:>12}", "article's script, EVAL, 20 connections")?;
    writeln!(out, "{:<44} {stampede_per_s:>12}", "Stampede, service and batcher")?;
    writeln!(out, "{:<44} {limit_per_s:>12}", "limit: batch script back to back")?;
    writeln!(out, "\nStampede / article {rounds_article}    Stampede / limit {rounds_limit}")
}
