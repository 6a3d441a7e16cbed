//! The strategies of the lab, without a browser.

use super::{Bed, Settings};
use crate::{
    components::format::in_percent,
    domain::Verdict,
    lab::{
        self, DELAY_MS, Figures, MOST_SECONDS, Report, STOCK, USERS,
        database::Database,
        home::Lab,
        run::{Now, Progress},
        runner,
    },
};
use anyhow::Result;
use clap::Args;
use std::{
    io::{self, Write},
    ops::RangeInclusive,
    path::Path,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The crowd that goes after the stock by each strategy.
#[derive(Debug, Args)]
pub struct Crowd {
    /// Measure stock instead: deductions of a cached quantity, compared with the article's approach, and recording them
    /// in the ledger. With --strategies: items to get [default: 100].
    #[arg(
        long, value_name = "ITEMS", num_args = 0..=1, value_parser = within(STOCK),
        conflicts_with_all = ["ledger", "tickets", "coupons", "live"]
    )]
    pub(super) stock: Option<Option<u32>>,
    /// With --strategies: users who want one each [default: 2000].
    #[arg(long, value_parser = within(USERS))]
    users: Option<u32>,
    /// With --strategies: percentage of users who try twice [default: 10].
    #[arg(long, value_name = "PERCENT", value_parser = within(0..=100))]
    repeat: Option<u32>,
    /// With --strategies: milliseconds to add to each round trip [default: 0].
    #[arg(long, value_parser = within(DELAY_MS))]
    delay_ms: Option<u32>,
    /// With --strategies: determines the order of arrival [default: 1].
    #[arg(long)]
    seed: Option<u64>,
}

fn within(range: RangeInclusive<u32>) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*range.start())..=i64::from(*range.end()))
}

/// Runs the strategies in turn, and says on standard error which one it is at.
///
/// # Errors
/// One sentence: an unknown name, Redis without a further logical database, or what failed during which strategy.
pub(super) async fn measure(bed: &Bed, settings: &Settings, dir: &Path) -> Result<Report> {
    let database = match &settings.database {
        Some(url) => Database::at(url)?,
        None => Database::in_folder(dir),
    };
    let defaults = lab::Settings::default();
    let Crowd { stock, users, repeat, delay_ms, seed } = settings.crowd;
    let asked = lab::Settings {
        stock: stock.flatten().unwrap_or(defaults.stock),
        users: users.unwrap_or(defaults.users),
        concurrency: settings.concurrency.unwrap_or(defaults.concurrency),
        repeat_rate: repeat.map_or(defaults.repeat_rate, |percent| f64::from(percent) / 100.0),
        delay_ms: delay_ms.unwrap_or(defaults.delay_ms),
        seed: seed.unwrap_or(defaults.seed),
        strategies: if settings.strategies == ["all"] { Vec::new() } else { settings.strategies.clone() },
    };
    let lab = Lab::open(&bed.store, bed.ledger.clone(), database).await?;
    let (sender, progress) = watch::channel(Progress::default());
    let printing = tokio::spawn(print_progress(progress));
    let report = runner::run(&lab, &asked, &sender, &CancellationToken::new()).await;
    drop(sender);
    printing.await?;
    report
}

/// A line for each strategy that begins.
async fn print_progress(mut progress: watch::Receiver<Progress>) {
    let mut printed = 0;
    while progress.changed().await.is_ok() {
        let now = progress.borrow_and_update().now.clone();
        if let Some(Now { strategy, nth, of, attempts, .. }) = now
            && nth > printed
        {
            printed = nth;
            eprintln!("{nth} of {of}: {strategy}, {attempts} attempts");
        }
    }
}

pub(super) fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let lab::Settings { stock, users, concurrency, repeat_rate, delay_ms, seed, .. } = &report.settings;
    let repeat_percent = in_percent(*repeat_rate);
    writeln!(
        out,
        "{users} users for {stock} items, {repeat_percent} % of them twice, {concurrency} at a time, {delay_ms} ms added \
         to each round trip, seed {seed}, {}\n",
        report.database
    )?;
    writeln!(
        out,
        "{:<28} {:>10} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>7} {:>5}  verdict",
        "strategy", "attempts/s", "p50 ms", "p99 ms", "trips", "commands", "given", "oversold", "doubled", "lost"
    )?;
    for figures in &report.strategies {
        let Figures { name, per_s, p50_ms, p99_ms, round_trips, commands, given, oversold, doubled, lost, .. } =
            figures;
        let verdict = match figures.verdict {
            Verdict::Holds => "holds",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        };
        writeln!(
            out,
            "{name:<28} {per_s:>10} {p50_ms:>8.2} {p99_ms:>8.2} {round_trips:>6.2} {commands:>8.2} {given:>6} \
             {oversold:>8} {doubled:>7} {lost:>5}  {verdict}{}{}{}",
            if figures.cut_short { format!(" (cut short after {MOST_SECONDS} s)") } else { String::new() },
            if figures.retries > 0 { format!(", {} retries", figures.retries) } else { String::new() },
            match figures.lowest_stock {
                Some(lowest) if lowest < 0 => format!(", stock down to {lowest}"),
                _ => String::new(),
            },
        )?;
    }
    Ok(())
}
