//! Coupons claimed a second by two approaches, measured in the same run on the same Redis.
//!
//! Every attempt wins. Each user claims one coupon, and may have five in all and two a day. The approaches take turns.
//! *Article* calls a script of the article's idea as this article does: it loads the script first, while the other
//! articles use EVAL. It uses EVALSHA on 20 connections, each of which waits for its answer, and only counts.
//! *Stampede* takes the path of every attempt, through service and batcher. Each claim has a code, a record and an
//! entry in an event.

use crate::{Bed, ROUNDS, Spread, median};
use anyhow::{Context, Result, ensure};
use engine::coupon::{
    scripts::{KIND, PARTS},
    service::Coupons,
};
use model::coupon::{ByLimit, DEFAULT_TIME_ZONE, Lists, Outcome, Terms, Validity};
use redis::Client;
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};
use store::script::{Script, script};

static ARTICLE: Script = script!(alone "bench/article_coupon.lua");

/// The number of connections in the articles' tests.
const ARTICLE_CONNECTIONS: u32 = 20;
const PER_USER: u64 = 5;
const PER_USER_PER_DAY: u64 = 2;

/// The claims a second by each approach, as medians of the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub coupons: u32,
    pub article_per_s: u64,
    pub stampede_per_s: u64,
    /// The median of the rounds' `stampede / article`.
    pub ratio_article: f64,
    /// The same ratio with its range.
    pub rounds_article: Spread,
}

/// Measures the approaches in turn. Each round has a share of the coupons.
///
/// # Errors
/// One sentence: Redis cannot be reached, or an approach did not give out every coupon.
pub(super) async fn measure(bed: &Bed, coupons: u32, concurrency: u32) -> Result<Figures> {
    let service = bed.kinds.get::<Coupons>().context("Coupons are not registered.")?;
    let client = store::client(&bed.url)?;
    let share = coupons / ROUNDS as u32;
    let (mut articles, mut stampedes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        articles.push(article(&client, &bed.ids.id(), share).await?);
        let terms = Terms {
            sale: bed.ids.id(),
            limits: ByLimit {
                total: Some(share.into()),
                per_user: Some(PER_USER),
                per_user_per_day: Some(PER_USER_PER_DAY),
            },
            time_zone: DEFAULT_TIME_ZONE.to_owned(),
            given_back_counts: false,
            validity: Validity::default(),
            lists: Lists::default(),
            plan: model::life::Plan::default(),
        };
        let sale = service.open(terms).await?.sale;
        stampedes.push(stampede(service, &sale, share, concurrency).await?);
        bed.clean_up_of(KIND, &PARTS, &sale).await?;
    }
    let rounds_article = Spread::of_ratios(&stampedes, &articles);
    Ok(Figures {
        coupons,
        article_per_s: median(articles) as u64,
        stampede_per_s: median(stampedes) as u64,
        ratio_article: rounds_article.median,
        rounds_article,
    })
}

async fn article(client: &Client, run: &str, coupons: u32) -> Result<f64> {
    let keys = ["today", "ever", "total"].map(|part| format!("{{bench:{run}}}:{part}"));
    let next = Arc::new(AtomicU32::new(0));
    let mut connections = Vec::new();
    for _ in 0..ARTICLE_CONNECTIONS {
        connections.push(store::connection(client).await?);
    }
    store::command("SCRIPT").arg("LOAD").arg(ARTICLE.source()).query_async::<String>(&mut connections[0]).await?;
    let start = Instant::now();
    let mut workers = Vec::new();
    for mut connection in connections {
        let (next, keys, run) = (next.clone(), keys.clone(), run.to_owned());
        workers.push(tokio::spawn(async move {
            let mut won = 0_u32;
            loop {
                let user = next.fetch_add(1, Relaxed);
                if user >= coupons {
                    return anyhow::Ok(won);
                }
                let mut call = store::command("EVALSHA");
                call.arg(ARTICLE.sha()).arg(keys.len()).arg(&keys);
                call.arg(PER_USER_PER_DAY).arg(PER_USER).arg(coupons).arg(format!("user-{user}")).arg(&run);
                won += u32::from(call.query_async::<i64>(&mut connection).await? == 0);
            }
        }));
    }
    let mut won = 0;
    for worker in workers {
        won += worker.await??;
    }
    let per_s = f64::from(coupons) / start.elapsed().as_secs_f64();
    ensure!(won == coupons, "The article's script gave out {won} of {coupons} coupons.");
    let mut connection = store::connection(client).await?;
    store::command("DEL").arg(&keys).query_async::<()>(&mut connection).await?;
    Ok(per_s)
}

/// Claims every coupon of a sale with `concurrency` users at a time. Returns claims per second.
async fn stampede(service: &Coupons, sale: &str, coupons: u32, concurrency: u32) -> Result<f64> {
    let (next, won) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU64::new(0)));
    let sale: Arc<str> = sale.into();
    let start = Instant::now();
    let workers: Vec<_> = (0..concurrency)
        .map(|_| {
            let (service, next, won, sale) = (service.clone(), next.clone(), won.clone(), sale.clone());
            tokio::spawn(async move {
                loop {
                    let user = next.fetch_add(1, Relaxed);
                    if user >= coupons {
                        return anyhow::Ok(());
                    }
                    let request_id = Some(format!("request-{user}"));
                    if matches!(service.claim(&sale, format!("user-{user}"), request_id).await?, Outcome::Won { .. }) {
                        won.fetch_add(1, Relaxed);
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    let per_s = f64::from(coupons) / start.elapsed().as_secs_f64();
    let won = won.load(Relaxed);
    ensure!(won == u64::from(coupons), "Stampede gave out {won} of {coupons} coupons.");
    Ok(per_s)
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { coupons, article_per_s, stampede_per_s, rounds_article, .. } = figures;
    writeln!(out, "{coupons} coupons in {ROUNDS} rounds, every attempt wins, three limits\n")?;
    writeln!(out, "{:<44} {:>12}", "way", "claims/s")?;
    writeln!(out, "{:<44} {article_per_s:>12}", "article's idea, EVALSHA, 20 connections")?;
    writeln!(out, "{:<44} {stampede_per_s:>12}", "Stampede, service and batcher")?;
    writeln!(out, "\nStampede / article {rounds_article}")
}
