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
use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use std::{
    io::{self, Write},
    ops::RangeInclusive,
    path::Path,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The crowd that goes after the stock by each strategy. Negative numbers are read, so that what is told of them is the
/// range; and what only a crowd has is refused without `--strategies`, which would be another benchmark, of minutes.
#[derive(Debug, Args)]
pub struct Crowd {
    /// Measure stock instead: deductions of a cached quantity, compared with the article's approach, and recording them
    /// in the ledger. With --strategies: items to get [default: 100].
    #[arg(
        long, value_name = "ITEMS", num_args = 0..=1, value_parser = within(STOCK), allow_negative_numbers = true,
        conflicts_with_all = ["ledger", "tickets", "coupons", "live"]
    )]
    pub(super) stock: Option<Option<u32>>,
    /// With --strategies: users who want one each [default: 2000].
    #[arg(long, value_parser = within(USERS), allow_negative_numbers = true, requires = "strategies")]
    users: Option<u32>,
    /// With --strategies: percentage of users who try twice [default: 10].
    #[arg(
        long, value_name = "PERCENT", value_parser = within(0..=100), allow_negative_numbers = true,
        requires = "strategies"
    )]
    repeat: Option<u32>,
    /// With --strategies: milliseconds to add to each round trip [default: 0].
    #[arg(long, value_parser = within(DELAY_MS), allow_negative_numbers = true, requires = "strategies")]
    delay_ms: Option<u32>,
    /// With --strategies: determines the order of arrival [default: 1].
    #[arg(long, allow_negative_numbers = true, requires = "strategies")]
    seed: Option<u64>,
    /// With --strategies: run all of them so often, and fail unless each verdict is the expected one every time.
    #[arg(
        long, value_parser = clap::value_parser!(u32).range(1..=1_000), allow_negative_numbers = true,
        requires = "strategies"
    )]
    runs: Option<u32>,
}

/// What came of the runs: the figures of the last one, and of each strategy how often it held.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    settings: lab::Settings,
    database: String,
    /// How often the strategies were run.
    runs: u32,
    strategies: Vec<Row>,
    /// Whether the verdicts are to be as expected.
    #[serde(skip)]
    is_strict: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    figures: Figures,
    runs: Verdicts,
}

/// How many runs had which verdict.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Verdicts {
    holds: u32,
    broken: u32,
    unknown: u32,
    /// How many were not as expected.
    unexpected: u32,
}

impl Verdicts {
    fn of(first: &Figures) -> Self {
        let mut verdicts = Self::default();
        verdicts.add(first);
        verdicts
    }

    fn add(&mut self, figures: &Figures) {
        *match figures.verdict {
            Verdict::Holds => &mut self.holds,
            Verdict::Broken => &mut self.broken,
            Verdict::Unknown => &mut self.unknown,
        } += 1;
        self.unexpected += u32::from(figures.verdict != figures.expected);
    }
}

impl Measured {
    /// Makes sure that every verdict was the expected one, if that was asked for.
    ///
    /// # Errors
    /// One sentence with the strategies of which it was not.
    pub(super) fn check(&self) -> Result<()> {
        let unexpected = self.strategies.iter().filter(|row| row.runs.unexpected > 0);
        let names: Vec<String> =
            unexpected.map(|row| format!("{} ({} times)", row.figures.name, row.runs.unexpected)).collect();
        ensure!(!self.is_strict || names.is_empty(), "Not as expected in {} runs: {}.", self.runs, names.join(", "));
        Ok(())
    }
}

fn within(range: RangeInclusive<u32>) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*range.start())..=i64::from(*range.end()))
}

/// Runs the strategies in turn, and says on standard error which one it is at.
///
/// # Errors
/// One sentence: an unknown name, Redis without a further logical database, or what failed during which strategy.
pub(super) async fn measure(bed: &Bed, settings: &Settings, dir: &Path) -> Result<Measured> {
    let database = match &settings.database {
        Some(url) => Database::at(url)?,
        None => Database::in_folder(dir),
    };
    let defaults = lab::Settings::default();
    let Crowd { stock, users, repeat, delay_ms, seed, runs } = settings.crowd;
    let asked = lab::Settings {
        stock: stock.flatten().unwrap_or(defaults.stock),
        users: users.unwrap_or(defaults.users),
        concurrency: settings.concurrency.unwrap_or(defaults.concurrency),
        repeat_rate: repeat.map_or(defaults.repeat_rate, |percent| f64::from(percent) / 100.0),
        delay_ms: delay_ms.unwrap_or(defaults.delay_ms),
        seed: seed.unwrap_or(defaults.seed),
        strategies: named(&settings.strategies)?,
    };
    let lab = Lab::open(&bed.store, bed.ledger.clone(), database).await?;
    let mut report = run_once(&lab, &asked).await?;
    let mut verdicts: Vec<Verdicts> = report.strategies.iter().map(Verdicts::of).collect();
    let times = runs.unwrap_or(1);
    for run in 2..=times {
        eprintln!("run {run} of {times}");
        report = run_once(&lab, &asked).await?;
        verdicts.iter_mut().zip(&report.strategies).for_each(|(verdicts, figures)| verdicts.add(figures));
    }
    let Report { settings, database, strategies } = report;
    let strategies = strategies.into_iter().zip(verdicts).map(|(figures, runs)| Row { figures, runs }).collect();
    Ok(Measured { settings, database, runs: times, strategies, is_strict: runs.is_some() })
}

/// The ids of the strategies that `--strategies` names; none for all of them.
fn named(names: &[String]) -> Result<Vec<String>> {
    ensure!(
        names.iter().all(|name| !name.is_empty()),
        "--strategies has an empty name; give `all`, or names separated by single commas."
    );
    if names == ["all"] {
        return Ok(Vec::new());
    }
    ensure!(
        !names.iter().any(|name| name == "all"),
        "`all` already stands for every strategy; name no other beside it."
    );
    Ok(names.to_vec())
}

async fn run_once(lab: &Lab, settings: &lab::Settings) -> Result<Report> {
    let (sender, progress) = watch::channel(Progress::default());
    let printing = tokio::spawn(print_progress(progress));
    let report = runner::run(lab, settings, &sender, &CancellationToken::new()).await;
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

pub(super) fn print(measured: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let lab::Settings { stock, users, concurrency, repeat_rate, delay_ms, seed, .. } = &measured.settings;
    let repeat_percent = in_percent(*repeat_rate);
    writeln!(
        out,
        "{users} users for {stock} items, {repeat_percent} % of them twice, {concurrency} at a time, {delay_ms} ms added \
         to each round trip, seed {seed}, {}\n",
        measured.database
    )?;
    writeln!(
        out,
        "{:<28} {:>10} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>7} {:>5}  verdict",
        "strategy", "attempts/s", "p50 ms", "p99 ms", "trips", "commands", "given", "oversold", "doubled", "lost"
    )?;
    for Row { figures, runs } in &measured.strategies {
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
             {oversold:>8} {doubled:>7} {lost:>5}  {verdict}{}{}{}{}",
            if measured.is_strict { of_runs(runs, measured.runs) } else { String::new() },
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

/// `, as expected in 20 of 20 runs`: how often the verdict was the expected one.
fn of_runs(verdicts: &Verdicts, runs: u32) -> String {
    format!(", as expected in {} of {runs} runs", runs - verdicts.unexpected)
}
