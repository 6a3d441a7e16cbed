//! `stampede-bench`: performance, measured on a real Redis and a real database.

mod claims;
mod cluster;
mod coupons;
mod ledger;
mod live;
mod stock;
mod strategies;
mod tickets;

use ::ledger::database::{Ledger, Place};
use anyhow::{Result, anyhow, ensure};
use clap::Parser;
use engine::{
    kind::{Kinds, Resources},
    red_packet::{self, service::RedPackets},
    ticket::service::Tickets,
};
use model::red_packet::{Splitter, Terms};
use serde::Serialize;
use stampede::server::output::print_result;
use std::{path::Path, process::ExitCode, sync::Arc};
use store::{
    Store,
    clock::RedisClock,
    embedded::{Embedded, Fsync},
    keys,
    runtime::{Clock, Ids},
    servers::Servers,
};
use tokio::signal::unix::{SignalKind, signal};

/// Measures performance on a real Redis and a real database.
#[derive(Debug, Parser)]
#[command(name = "stampede-bench", version)]
pub struct Settings {
    /// Measure the ledger instead: events a second into the database, and its lag under load.
    #[arg(long)]
    pub ledger: bool,
    /// Measure tickets instead: attempts at a stadium of 60,000 seats, compared with the usual approach.
    #[arg(long, conflicts_with = "ledger")]
    pub tickets: bool,
    /// Measure coupons instead: claims within three limits, compared with the usual approach.
    #[arg(long, conflicts_with_all = ["ledger", "tickets", "live"])]
    pub coupons: bool,
    /// Measure the live view instead: a busy stadium with 10, 100 and 1,000 viewers, in turn, five times (80 s).
    #[arg(long, conflicts_with_all = ["ledger", "tickets"])]
    pub live: bool,
    /// Measure a cluster instead: claims at sales on one, two and more of its masters, and attempts that wait for a replica.
    #[arg(long, requires = "redis", conflicts_with_all = ["ledger", "tickets", "coupons", "live"])]
    pub cluster: bool,
    /// Compare strategies of the lab instead, each with the same crowd: `all`, or their names separated by commas. They
    /// run in turn, five times (a minute for `all` with the default crowd; a strategy gets at most 20 s in a run). Each
    /// is compared with the last one, which is the batched script in `all`.
    #[arg(long, value_name = "all|NAME,…", value_delimiter = ',', conflicts_with_all = ["ledger", "tickets", "coupons", "live"])]
    pub strategies: Vec<String>,
    /// A running Redis [default: a temporary one, started for the benchmark].
    #[arg(long, env = "STAMPEDE_REDIS", value_name = "URL")]
    pub redis: Option<String>,
    /// A PostgreSQL for the ledger [default: SQLite, in a temporary folder].
    #[arg(long, env = "STAMPEDE_DATABASE", value_name = "URL")]
    pub database: Option<String>,
    /// Packets, coupons, or units of stock, each of which is claimed once by each approach.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub packets: u32,
    /// Users waiting for an answer at the same time [default: 2000; with --strategies 64, at most 512].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000), allow_negative_numbers = true)]
    pub concurrency: Option<u32>,
    /// The crowd for --strategies.
    #[command(flatten)]
    pub crowd: strategies::Crowd,
    /// With --ledger: claims a second while the lag is measured [default: 30000, half of what SQLite must take].
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub rate: u32,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// The environment of a measurement.
struct Bed {
    url: String,
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    kinds: Kinds,
    red_packet: RedPackets,
    tickets: Tickets,
}

/// The default number of users waiting for an answer at a time.
const CONCURRENCY: u32 = 2_000;

/// The number of measurements of each approach. The approaches take turns, so that a machine that slows down slows all
/// of them.
const ROUNDS: usize = 5;

/// The median of the rounds' figures, and their range.
#[derive(Clone, Copy, Debug, Serialize)]
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    /// The spread of the rounds' ratios. Each round of one approach is divided by the same round of another, because
    /// only measurements at about the same time are from the same machine.
    fn of_ratios(these: &[f64], those: &[f64]) -> Self {
        Self::of(these.iter().zip(those).map(|(this, that)| this / that).collect())
    }

    /// The spread of at least one figure.
    fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let hundredths = |figure: f64| (figure * 100.0).round() / 100.0;
        let (least, most) = (figures[0], figures[figures.len() - 1]);
        // With an even number of figures, the median is the mean of the two in the middle.
        let median = f64::midpoint(figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
        Self { median: hundredths(median), least: hundredths(least), most: hundredths(most) }
    }
}

/// The median of the rounds' figures, which are at least one.
fn median(figures: Vec<f64>) -> f64 {
    Spread::of(figures).median
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.least, self.most)
    }
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    listen::raise_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run(Settings::parse())));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stampede-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints.
///
/// # Errors
/// One sentence: Redis or database cannot be reached or started, something was not given out exactly once, or a verdict
/// of `--runs` was not as expected.
async fn run(settings: Settings) -> Result<()> {
    let dir = std::env::temp_dir().join(format!("stampede-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let embedded = match &settings.redis {
        Some(_) => None,
        None => Some(Embedded::start(&dir, Fsync::Everysec).await?),
    };
    // If the benchmark is interrupted, its folder and its Redis are removed all the same.
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let result = tokio::select! {
        result = measure(&settings, embedded.as_ref(), &dir) => result,
        _ = interrupt.recv() => Err(anyhow!("The benchmark was interrupted.")),
        _ = terminate.recv() => Err(anyhow!("The benchmark was interrupted.")),
    };
    if let Some(embedded) = embedded {
        embedded.stop().await?;
    }
    std::fs::remove_dir_all(dir)?;
    result
}

async fn measure(settings: &Settings, embedded: Option<&Embedded>, dir: &Path) -> Result<()> {
    let url = settings.redis.clone().or_else(|| embedded.map(Embedded::url)).unwrap_or_default();
    let bed = Bed::new(url.clone(), 0, settings.database.as_deref(), dir).await?;
    if embedded.is_some() {
        // Rewriting the append-only file would take a core away from the approach that is being measured.
        let _ok: String = bed.store.query("CONFIG", ("SET", "auto-aof-rewrite-percentage", 0)).await?;
    }
    let concurrency = settings.concurrency.unwrap_or(CONCURRENCY);
    if !settings.strategies.is_empty() {
        let measured = strategies::measure(&bed, settings, dir).await?;
        print_result(settings.json, &measured, strategies::print)?;
        measured.check()?;
    } else if settings.cluster {
        let waiting = Bed::new(url, 1, settings.database.as_deref(), dir).await?;
        let figures = cluster::measure(&bed, &waiting, settings.packets, concurrency).await?;
        print_result(settings.json, &figures, cluster::print)?;
    } else if settings.live {
        let figures = live::measure(&bed).await?;
        print_result(settings.json, &figures, live::print)?;
    } else if settings.coupons {
        let figures = coupons::measure(&bed, settings.packets, concurrency).await?;
        print_result(settings.json, &figures, coupons::print)?;
    } else if let Some(items) = settings.crowd.stock {
        ensure!(items.is_none(), "--stock takes a number only with --strategies.");
        let figures = stock::measure(&bed, settings.packets, concurrency).await?;
        print_result(settings.json, &figures, stock::print)?;
    } else if settings.tickets {
        let figures = tickets::measure(&bed, concurrency).await?;
        print_result(settings.json, &figures, tickets::print)?;
    } else if settings.ledger {
        let figures = ledger::measure(&bed, settings.packets, concurrency, settings.rate).await?;
        print_result(settings.json, &figures, ledger::print)?;
    } else {
        let figures = claims::measure(&bed, settings.packets, concurrency).await?;
        print_result(settings.json, &figures, claims::print)?;
    }
    Ok(())
}

impl Bed {
    /// With replicas, attempts wait for them.
    async fn new(url: String, replicas: usize, database: Option<&str>, dir: &Path) -> Result<Self> {
        let servers = Servers::of(&url, None)?.with_replicas(replicas);
        let store = Store::with(servers, stampede::server::scripts()).await?;
        let clock: Arc<dyn Clock> = RedisClock::of(&store).await?;
        let ids = Arc::new(Ids::new(clock.clone()));
        let ledger = Ledger::connect(database.map_or(Place::Folder(dir), Place::Url)).await?;
        let resources = Resources { store, ledger, clock, ids };
        let (red_packet, tickets) = (RedPackets::new(&resources), Tickets::new(&resources));
        let kinds = Kinds::connect(&resources);
        let Resources { store, ledger, clock, ids } = resources;
        Ok(Self { url, store, ledger, clock, ids, kinds, red_packet, tickets })
    }

    /// What the services of the product are made of.
    fn resources(&self) -> Resources {
        let Self { store, ledger, clock, ids, .. } = self;
        Resources { store: store.clone(), ledger: ledger.clone(), clock: clock.clone(), ids: ids.clone() }
    }

    async fn open(&self, packets: u32) -> Result<String> {
        self.open_as(self.ids.id(), packets).await
    }

    async fn open_as(&self, sale: String, packets: u32) -> Result<String> {
        let terms = Terms {
            sale,
            total_cents: i64::from(packets) * 100,
            count: u64::from(packets),
            splitter: Splitter::DoubleMean,
            expires_in_s: 3_600,
            seed: Some(1),
            plan: model::life::Plan::default(),
        };
        Ok(self.red_packet.open(terms).await?.sale)
    }

    /// Deletes the sale. UNLINK is not used, as it would free a million elements in the background during the next
    /// measurement.
    async fn clean_up(&self, sale: &str) -> Result<()> {
        self.clean_up_of(red_packet::scripts::KIND, &red_packet::scripts::PARTS, sale).await
    }

    async fn clean_up_of(&self, kind: &str, parts: &[&str], sale: &str) -> Result<()> {
        let parts: Vec<String> = parts.iter().map(|part| keys::sale(kind, sale, part)).collect();
        let _freed: i64 = self.store.query("DEL", &parts).await?;
        let _removed: i64 = self.store.query("ZREM", (self.store.key(keys::SALES), keys::name(kind, sale))).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn ratios_are_of_the_same_round_and_are_told_with_their_median_and_range() {
        let spread = Spread::of_ratios(&[10.0, 30.0, 20.0, 2.0, 40.0], &[10.0, 10.0, 10.0, 1.0, 10.0]);
        assert_eq!(spread.to_string(), "2.00 (1.00 to 4.00)");
        // The ratio of the medians would change with a machine that slows down between the rounds.
        let spread = Spread::of_ratios(&[100.0, 10.0, 10.0], &[50.0, 5.0, 1.0]);
        assert_eq!(spread.to_string(), "2.00 (2.00 to 10.00)");
        assert_eq!(Spread::of(vec![4.0, 1.0]).to_string(), "2.50 (1.00 to 4.00)");
    }
}
