//! Cached stock: deductions a second by two approaches, and the number of UPDATEs that take many deductions to the
//! ledger. Both are measured in the same run on the same Redis.
//!
//! Every attempt wins one unit of one item. The approaches take turns. *Article* does as the article says. It has 20
//! connections, each of which takes the lock of the item, calls a script of the article's idea, and releases the lock.
//! *Stampede* takes the path of every attempt, through service and batcher. Each deduction has a record and an entry in
//! an event.

use crate::{Bed, ROUNDS, Spread, median};
use anyhow::{Context, Result, ensure};
use engine::stock::{
    scripts::{KIND, PARTS},
    service::Stock,
};
use ledger::service::LedgerService;
use model::{
    OfKind,
    stock::{DEFAULT_TTL_S, Outcome, Terms},
};
use redis::{Client, aio::MultiplexedConnection};
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use store::{
    runtime::Ids,
    script::{Script, script},
};

static ARTICLE: Script = script!(alone "bench/article_stock.lua");

/// The number of connections in the articles' tests.
const ARTICLE_CONNECTIONS: u32 = 20;
/// The attempts by the article's approach in a round. They are few, because it is far slower.
const ARTICLE_ATTEMPTS: u32 = 2_000;
/// The lifetime of the article's lock, and the longest wait for it, in milliseconds.
const LOCK_MS: u32 = 3_000;
const RETRY: Duration = Duration::from_millis(1);
/// Releases the lock if the caller still holds it.
const RELEASE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// The number of items, and of deductions from all of them, that are taken to the ledger; fewer if fewer are measured.
const ITEMS: u32 = 1_000;
const DEDUCTIONS: u32 = 100_000;

/// The deductions a second by each approach, as medians of the rounds, and the figures of the ledger.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub deductions: u32,
    pub article_per_s: u64,
    pub stampede_per_s: u64,
    /// The median of the rounds' `stampede / article`.
    pub ratio_article: f64,
    /// The same ratio with its range.
    pub rounds_article: Spread,
    pub ledger: LedgerFigures,
}

/// The recording of deductions from many items in the ledger.
#[derive(Debug, Serialize)]
pub(super) struct LedgerFigures {
    pub items: u32,
    pub deductions: u32,
    pub deductions_per_s: u64,
    /// The number of UPDATEs of quantities.
    pub updates: u64,
    /// The time from the last deduction to the end of the last transaction, in seconds.
    pub lag_s: f64,
}

/// Measures the approaches in turn, each round with a share of the deductions, and then the recording in the ledger.
///
/// # Errors
/// One sentence: Redis or the database cannot be reached, or something was not deducted exactly once.
pub(super) async fn measure(bed: &Bed, deductions: u32, concurrency: u32) -> Result<Figures> {
    let service = bed.kinds.get::<Stock>().context("Stock is not registered.")?;
    let client = store::client(&bed.url)?;
    let share = deductions / ROUNDS as u32;
    let (mut articles, mut stampedes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        articles.push(article(&client, &bed.ids, share.min(ARTICLE_ATTEMPTS)).await?);
        let sale = open(service, bed.ids.id(), share).await?;
        stampedes.push(stampede(service, &[sale.clone().into()], share, concurrency).await?);
        bed.clean_up_of(KIND, &PARTS, &sale).await?;
    }
    let rounds_article = Spread::of_ratios(&stampedes, &articles);
    Ok(Figures {
        deductions,
        article_per_s: median(articles) as u64,
        stampede_per_s: median(stampedes) as u64,
        ratio_article: rounds_article.median,
        rounds_article,
        ledger: to_the_ledger(bed, service, deductions.min(DEDUCTIONS), concurrency).await?,
    })
}

async fn open(service: &Stock, sale: String, quantity: u32) -> Result<String> {
    let terms = Terms {
        sale,
        quantity: quantity.into(),
        ttl_s: DEFAULT_TTL_S,
        low_mark: None,
        limit_per_user: None,
        hold_s: None,
        group: None,
        plan: model::life::Plan::default(),
    };
    Ok(service.open(terms).await?.sale)
}

async fn article(client: &Client, ids: &Arc<Ids>, attempts: u32) -> Result<f64> {
    let run = ids.id();
    let [stock, lock] = ["stock", "lock"].map(|part| format!("{{bench:{run}}}:{part}"));
    let mut connection = store::connection(client).await?;
    store::command("SET").arg(&stock).arg(attempts).query_async::<()>(&mut connection).await?;
    let next = Arc::new(AtomicU32::new(0));
    let mut connections = Vec::new();
    for _ in 0..ARTICLE_CONNECTIONS {
        connections.push(store::connection(client).await?);
    }
    let start = Instant::now();
    let mut workers = Vec::new();
    for mut connection in connections {
        let (next, stock, lock, ids) = (next.clone(), stock.clone(), lock.clone(), ids.clone());
        workers.push(tokio::spawn(async move {
            let mut won = 0_u32;
            while next.fetch_add(1, Relaxed) < attempts {
                won += u32::from(article_attempt(&mut connection, &stock, &lock, &ids.id()).await? >= 0);
            }
            anyhow::Ok(won)
        }));
    }
    let mut won = 0;
    for worker in workers {
        won += worker.await??;
    }
    let per_s = f64::from(attempts) / start.elapsed().as_secs_f64();
    ensure!(won == attempts, "The article's approach deducted {won} of {attempts} units.");
    store::command("DEL").arg(&stock).arg(&lock).query_async::<()>(&mut connection).await?;
    Ok(per_s)
}

/// Makes one attempt under the lock of the item. Returns the quantity left.
async fn article_attempt(connection: &mut MultiplexedConnection, stock: &str, lock: &str, token: &str) -> Result<i64> {
    loop {
        let mut take = store::command("SET");
        take.arg(lock).arg(token).arg("NX").arg("PX").arg(LOCK_MS);
        if take.query_async::<Option<String>>(connection).await?.is_some() {
            break;
        }
        tokio::time::sleep(RETRY).await;
    }
    let mut eval = store::command("EVAL");
    eval.arg(ARTICLE.source()).arg(1).arg(stock).arg(1).arg(DEFAULT_TTL_S);
    let left: Option<i64> = eval.query_async(connection).await?;
    store::command("EVAL").arg(RELEASE).arg(1).arg(lock).arg(token).query_async::<i64>(connection).await?;
    left.context("The article's quantity has expired.")
}

/// Deducts one unit for each attempt, from each sale in turn, with `concurrency` users at a time. Returns deductions a
/// second.
async fn stampede(service: &Stock, sales: &[Arc<str>], attempts: u32, concurrency: u32) -> Result<f64> {
    let (next, sales): (Arc<AtomicU32>, Arc<[Arc<str>]>) = (Arc::new(AtomicU32::new(0)), sales.into());
    let start = Instant::now();
    let workers: Vec<_> = (0..concurrency)
        .map(|_| {
            let (service, next, sales) = (service.clone(), next.clone(), sales.clone());
            tokio::spawn(async move {
                let mut won = 0_u32;
                loop {
                    let attempt = next.fetch_add(1, Relaxed);
                    if attempt >= attempts {
                        return anyhow::Ok(won);
                    }
                    let sale = &sales[attempt as usize % sales.len()];
                    let request_id = Some(format!("request-{attempt}"));
                    let outcome = service.deduct(sale, format!("user-{attempt}"), 1, request_id).await?;
                    won += u32::from(matches!(outcome, Outcome::Won { .. }));
                }
            })
        })
        .collect();
    let mut won = 0;
    for worker in workers {
        won += worker.await??;
    }
    let per_s = f64::from(attempts) / start.elapsed().as_secs_f64();
    ensure!(won == attempts, "Stampede deducted {won} of {attempts} units.");
    Ok(per_s)
}

/// Deducts from many items while a writer records. Counts the UPDATEs.
async fn to_the_ledger(bed: &Bed, service: &Stock, deductions: u32, concurrency: u32) -> Result<LedgerFigures> {
    // Each item has the same number of deductions.
    let of_each = deductions / ITEMS;
    let deductions = of_each * ITEMS;
    let (store, ledger, kinds) = (bed.store.clone(), bed.ledger.clone(), bed.kinds.for_ledger());
    let ledger = LedgerService::new(store, ledger, kinds, bed.clock.clone(), u64::MAX);
    let mut writer = ledger.writer("bench".to_owned());
    let mut sales: Vec<Arc<str>> = Vec::with_capacity(ITEMS as usize);
    for _ in 0..ITEMS {
        sales.push(open(service, bed.ids.id(), of_each).await?.into());
    }
    writer.catch_up().await?;
    let before = writer.updates();
    // A task of its own ends when the last deduction does, and not when the writer's current step does.
    let mut deducting = tokio::spawn({
        let (service, sales) = (service.clone(), sales.clone());
        async move {
            let per_s = stampede(&service, &sales, deductions, concurrency).await?;
            anyhow::Ok((per_s, Instant::now()))
        }
    });
    let (deductions_per_s, last) = loop {
        tokio::select! {
            ended = &mut deducting => break ended??,
            // As in the server, entries accumulate after a transaction.
            () = tokio::time::sleep(Duration::from_millis(50)) => drop(writer.step(Duration::ZERO).await?),
        }
    };
    writer.catch_up().await?;
    let lag_s = last.elapsed().as_secs_f64();
    let updates = writer.updates() - before;
    writer.give_up().await;
    for sale in &sales {
        let known = bed.ledger.sale(service.info().id, sale).await?.context("The ledger misses a sale.")?;
        ensure!(known.quantity == 0, "The ledger has {} left of \"{sale}\".", known.quantity);
        bed.clean_up_of(KIND, &PARTS, sale).await?;
    }
    Ok(LedgerFigures { items: ITEMS, deductions, deductions_per_s: deductions_per_s as u64, updates, lag_s })
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { deductions, article_per_s, stampede_per_s, rounds_article, ledger, .. } = figures;
    writeln!(out, "{deductions} deductions from one item in {ROUNDS} rounds, every attempt wins\n")?;
    writeln!(out, "{:<44} {:>12}", "way", "deductions/s")?;
    writeln!(out, "{:<44} {article_per_s:>12}", "article's idea, lock and EVAL, 20 connections")?;
    writeln!(out, "{:<44} {stampede_per_s:>12}", "Stampede, service and batcher")?;
    writeln!(out, "\nStampede / article {rounds_article}\n")?;
    let LedgerFigures { items, deductions, deductions_per_s, updates, lag_s } = ledger;
    writeln!(
        out,
        "{deductions} deductions from {items} items: {deductions_per_s} deductions/s, {updates} UPDATEs of the ledger, \
         lag {lag_s:.2} s"
    )
}
