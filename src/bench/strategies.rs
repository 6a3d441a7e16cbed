//! The strategies of the lab, without a browser.
//!
//! Each run tries all of them in turn. There are several runs, so that strategies can be compared run by run.

use crate::{Bed, ROUNDS, Settings, Spread};
use ::lab::{database::Database, home::Lab, runner};
use anyhow::{Result, ensure};
use clap::Args;
use model::{
    Verdict,
    lab::{
        self, DELAY_MS, Figures, MOST_SECONDS, Report, STOCK, USERS,
        run::{Now, Progress},
    },
};
use serde::Serialize;
use std::{
    io::{self, Write},
    ops::RangeInclusive,
    path::Path,
};
use store::lab_redis::LabRedis;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use web::components::format::in_percent;

/// The crowd that goes after the stock by each strategy. Negative numbers are parsed, so that the error states the
/// range. Settings of the crowd are refused without `--strategies`, as they would start another benchmark, which takes
/// minutes.
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
    /// With --strategies: run all of them so often, and fail unless each verdict is the expected one every time
    /// [default: 5 runs, whose verdicts are reported and need not be the expected ones].
    #[arg(
        long, value_parser = clap::value_parser!(u32).range(1..=1_000), allow_negative_numbers = true,
        requires = "strategies"
    )]
    runs: Option<u32>,
}

/// The results of the runs.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    settings: lab::Settings,
    database: String,
    /// The number of runs of the strategies.
    runs: u32,
    /// The strategy with which the others are compared: the last one.
    compared_with: String,
    strategies: Vec<Row>,
    /// Whether the verdicts must be as expected.
    #[serde(skip)]
    is_strict: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    /// The figures of one of the runs.
    #[serde(flatten)]
    figures: Figures,
    runs: Verdicts,
    /// The ratio of attempts a second of the last strategy to this one, over the runs; `None` for the last strategy.
    last_to_this: Option<Spread>,
}

impl Row {
    /// The results of one strategy in all runs, compared with the last one.
    fn of(runs: Vec<Figures>, last: &[Figures]) -> Self {
        // Attempts a second are rounded down. A strategy that answers fewer than one has 0, by which nothing can be
        // divided.
        let per_s = |runs: &[Figures]| -> Vec<f64> { runs.iter().map(|run| run.per_s.max(1) as f64).collect() };
        Self {
            runs: Verdicts::of(&runs),
            last_to_this: (runs[0].name != last[0].name).then(|| Spread::of_ratios(&per_s(last), &per_s(&runs))),
            figures: shown(runs),
        }
    }
}

/// The run whose figures are shown: the median by attempts a second. If the verdicts differ, only the runs with the
/// worst verdict count, because a strategy that failed once does not hold.
fn shown(mut runs: Vec<Figures>) -> Figures {
    let badness = |verdict| match verdict {
        Verdict::Holds => 0,
        Verdict::Unknown => 1,
        Verdict::Broken => 2,
    };
    let worst = runs.iter().map(|run| badness(run.verdict)).max();
    runs.retain(|run| Some(badness(run.verdict)) == worst);
    runs.sort_by_key(|run| run.per_s);
    runs.swap_remove(runs.len() / 2)
}

/// The number of runs by verdict.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Verdicts {
    holds: u32,
    broken: u32,
    unknown: u32,
    /// The number of verdicts that were not as expected.
    unexpected: u32,
}

impl Verdicts {
    fn of(runs: &[Figures]) -> Self {
        let mut verdicts = Self::default();
        runs.iter().for_each(|run| verdicts.add(run));
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
    /// The results of at least one run of at least one strategy.
    fn of(reports: &[Report], is_strict: bool) -> Self {
        let Report { settings, database, strategies } = &reports[0];
        let runs_of =
            |nth: usize| -> Vec<Figures> { reports.iter().map(|report| report.strategies[nth].clone()).collect() };
        let last = runs_of(strategies.len() - 1);
        Self {
            settings: settings.clone(),
            database: database.clone(),
            runs: reports.len() as u32,
            compared_with: last[0].name.clone(),
            strategies: (0..strategies.len()).map(|nth| Row::of(runs_of(nth), &last)).collect(),
            is_strict,
        }
    }

    /// Checks that every verdict was the expected one, if that is required.
    ///
    /// # Errors
    /// One sentence with the strategies whose verdicts differ.
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

/// Runs the strategies in turn, several times. Reports the current one on standard error.
///
/// # Errors
/// One sentence: an unknown name, Redis without a further logical database, a cluster, or the failure and its strategy.
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
        ramp: false,
        repeat_rate: repeat.map_or(defaults.repeat_rate, |percent| f64::from(percent) / 100.0),
        delay_ms: delay_ms.unwrap_or(defaults.delay_ms),
        seed: seed.unwrap_or(defaults.seed),
        strategies: named(&settings.strategies)?,
    };
    let lab = Lab::open(bed.resources(), &LabRedis::NextDatabase, database).await?;
    let times = runs.unwrap_or(ROUNDS as u32);
    let mut reports = Vec::new();
    for run in 1..=times {
        reports.push(run_once(&lab, &asked, (run, times)).await?);
    }
    Ok(Measured::of(&reports, runs.is_some()))
}

/// The ids of the strategies in `--strategies`; an empty list for all of them.
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

async fn run_once(lab: &Lab, settings: &lab::Settings, nth: (u32, u32)) -> Result<Report> {
    let (sender, progress) = watch::channel(Progress::default());
    let printing = tokio::spawn(print_progress(progress, nth));
    let report = runner::run(lab, settings, &sender, &CancellationToken::new()).await;
    drop(sender);
    printing.await?;
    report
}

/// Prints one line for the run, with its number and the number of runs, and one for each strategy that begins.
async fn print_progress(mut progress: watch::Receiver<Progress>, (run, runs): (u32, u32)) {
    let mut printed = 0;
    while progress.changed().await.is_ok() {
        let now = progress.borrow_and_update().now.clone();
        if let Some(Now { strategy, nth, of, attempts, .. }) = now
            && nth > printed
        {
            if printed == 0 {
                eprintln!("run {run} of {runs}");
            }
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
         to each round trip, seed {seed}, {}, {} runs\n",
        measured.database, measured.runs
    )?;
    writeln!(
        out,
        "{:<28} {:>10} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>7} {:>5} {:>9}  verdict",
        "strategy",
        "attempts/s",
        "p50 ms",
        "p99 ms",
        "trips",
        "commands",
        "given",
        "oversold",
        "doubled",
        "lost",
        "undersold"
    )?;
    for Row { figures, runs, .. } in &measured.strategies {
        let Figures { name, per_s, p50_ms, p99_ms, round_trips, commands, .. } = figures;
        let Figures { given, oversold, doubled, lost, undersold, .. } = figures;
        let verdict = match figures.verdict {
            Verdict::Holds => "holds",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        };
        writeln!(
            out,
            "{name:<28} {per_s:>10} {p50_ms:>8.2} {p99_ms:>8.2} {round_trips:>6.2} {commands:>8.2} {given:>6} \
             {oversold:>8} {doubled:>7} {lost:>5} {undersold:>9}  {verdict}{}{}{}{}",
            of_runs(runs, measured.runs),
            if figures.cut_short { format!(" (cut short after {MOST_SECONDS} s)") } else { String::new() },
            if figures.retries > 0 { format!(", {} retries", figures.retries) } else { String::new() },
            match figures.lowest_stock {
                Some(lowest) if lowest < 0 => format!(", stock down to {lowest}"),
                _ => String::new(),
            },
        )?;
    }
    print_ratios(measured, out)
}

/// Prints, for each other strategy, the ratio of attempts a second of the last strategy to it.
fn print_ratios(measured: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let Measured { strategies, compared_with, runs, .. } = measured;
    if strategies.len() > 1 {
        writeln!(out, "\nattempts/s of {compared_with} / of the others, run by run: median and range of {runs} runs")?;
    }
    for Row { figures, last_to_this, .. } in strategies {
        if let Some(rounds) = last_to_this {
            writeln!(out, "{:<28} {rounds}", figures.name)?;
        }
    }
    Ok(())
}

/// The number of runs with the expected verdict: `, as expected in 20 of 20 runs`.
fn of_runs(verdicts: &Verdicts, runs: u32) -> String {
    format!(", as expected in {} of {runs} runs", runs - verdicts.unexpected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of a strategy that is expected to hold.
    fn a_run(name: &str, per_s: u64, verdict: Verdict) -> Figures {
        Figures {
            name: name.to_owned(),
            concurrency: 64,
            attempts: 100,
            cut_short: false,
            per_s,
            p50_ms: 1.0,
            p99_ms: 2.0,
            round_trips: 1.0,
            commands: 1.0,
            given: 10,
            oversold: 0,
            doubled: 0,
            lost: 0,
            undersold: 0,
            retries: 0,
            lowest_stock: None,
            verdict,
            expected: Verdict::Holds,
        }
    }

    fn measured(runs: &[[Figures; 2]]) -> Measured {
        let report = |figures: &[Figures; 2]| Report {
            settings: lab::Settings::default(),
            database: "SQLite".to_owned(),
            strategies: figures.to_vec(),
        };
        Measured::of(&runs.iter().map(report).collect::<Vec<_>>(), false)
    }

    #[test]
    fn each_strategy_is_compared_with_the_last_run_by_run() {
        let run = |slow, fast| [a_run("slow", slow, Verdict::Holds), a_run("fast", fast, Verdict::Holds)];
        let measured = measured(&[run(10, 40), run(20, 60), run(0, 5), run(50, 100), run(10, 30)]);
        let rows: Vec<_> = measured
            .strategies
            .iter()
            .map(|row| (row.figures.per_s, row.last_to_this.map(|of| of.to_string())))
            .collect();
        assert_eq!(rows, [(10, Some("3.00 (2.00 to 5.00)".to_owned())), (40, None)]);
        assert_eq!((measured.compared_with.as_str(), measured.runs), ("fast", 5));
    }

    #[test]
    fn a_strategy_that_went_wrong_once_is_shown_as_one_that_did() {
        let (held, broken) = (Verdict::Holds, Verdict::Broken);
        let run = |per_s, verdict| [a_run("it", per_s, verdict), a_run("last", 1, held)];
        let measured = measured(&[run(10, held), run(70, broken), run(20, held), run(30, held), run(40, held)]);
        let Row { figures, runs, .. } = &measured.strategies[0];
        assert_eq!((figures.verdict, figures.per_s), (broken, 70));
        assert_eq!((runs.holds, runs.broken, runs.unexpected), (4, 1, 1));
    }
}
