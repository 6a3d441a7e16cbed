//! Claims a second at sales on one, two and more masters of a cluster, and with attempts that wait for a replica.
//!
//! The cases take turns. In each, as many users are at as many sales; only which masters have the sales differs. All
//! share the cores of the machine, so the gain of more masters is smaller than with cores of their own. What a master
//! needs for a claim is therefore told as well, from Redis' own count of the time that it spent in calls of scripts.

use crate::{Bed, ROUNDS, Spread, claims::stampede, median};
use anyhow::{Context, Result, ensure};
use engine::red_packet::scripts::KIND;
use futures::future::try_join_all;
use serde::Serialize;
use std::{
    io::{self, Write},
    time::Instant,
};
use store::keys;

/// Sales at a time.
const SALES: usize = 12;

#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub packets: u32,
    pub cases: Vec<Case>,
}

/// Sales on so many masters, with attempts that so many replicas must have.
#[derive(Debug, Serialize)]
pub(super) struct Case {
    pub masters: usize,
    pub replicas: usize,
    pub claims_per_s: u64,
    /// The rounds' claims a second, divided by those of the first case.
    pub ratio: Spread,
    /// The microseconds that a master spends in the script for a claim.
    pub micros_per_claim: f64,
}

/// Measures the cases in turn. Each round has a share of the packets. `waiting` is the same cluster, where attempts wait
/// for a replica.
///
/// # Errors
/// One sentence: the Redis is no cluster or cannot be reached, or not every packet was given out once.
pub(super) async fn measure(bed: &Bed, waiting: &Bed, packets: u32, concurrency: u32) -> Result<Figures> {
    let masters = bed.store.masters().addresses;
    ensure!(masters.len() > 1, "--cluster needs the URL of a cluster with several masters: --redis redis+cluster://….");
    let plain = (1..=masters.len()).map(|number| (bed, number, 0));
    let cases: Vec<(&Bed, usize, usize)> = plain.chain([(waiting, masters.len(), 1)]).collect();
    let (share, mut rates) = (packets / ROUNDS as u32, vec![Vec::new(); cases.len()]);
    let mut micros = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for (case, (bed, number, _)) in cases.iter().enumerate() {
            let mut sales = Vec::new();
            for sale in 0..SALES {
                sales.push(bed.open_on(&masters[sale % number], share / SALES as u32).await?);
            }
            let before = in_scripts(&masters[..*number]).await?;
            let start = Instant::now();
            let each = |sale| stampede(&bed.red_packet, sale, share / SALES as u32, concurrency / SALES as u32);
            try_join_all(sales.iter().map(|sale| each(sale))).await?;
            let claims = f64::from(share / SALES as u32 * SALES as u32);
            rates[case].push(claims / start.elapsed().as_secs_f64());
            micros[case].push((in_scripts(&masters[..*number]).await? - before) / claims);
            for sale in sales {
                bed.clean_up(&sale).await?;
            }
        }
    }
    let first = rates[0].clone();
    let cases = cases.iter().zip(rates).zip(micros).map(|(((_, masters, replicas), rates), micros)| Case {
        masters: *masters,
        replicas: *replicas,
        ratio: Spread::of_ratios(&rates, &first),
        claims_per_s: median(rates) as u64,
        micros_per_claim: median(micros),
    });
    Ok(Figures { packets, cases: cases.collect() })
}

/// The microseconds that these masters have spent in calls of scripts.
async fn in_scripts(masters: &[String]) -> Result<f64> {
    let mut micros = 0.0;
    for master in masters {
        let client = store::client(&format!("redis://{master}"))?;
        let mut info = store::command("INFO");
        info.arg("commandstats");
        let info: String = info.query_async(&mut store::connection(&client).await?).await?;
        // Other commands go on beside the measurement.
        let line = info.lines().find(|line| line.starts_with("cmdstat_evalsha:"));
        let field = line.and_then(|line| line.split(',').find_map(|field| field.strip_prefix("usec=")));
        micros += field.context("This Redis does not count its calls.")?.parse::<f64>()?;
    }
    Ok(micros)
}

impl Bed {
    /// Opens a sale that this master has.
    async fn open_on(&self, master: &str, packets: u32) -> Result<String> {
        loop {
            let sale = self.ids.id();
            if self.store.is_at(master, &keys::sale(KIND, &sale, "meta")) {
                return self.open_as(sale, packets).await;
            }
        }
    }
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} packets in {ROUNDS} rounds, {SALES} sales at a time, every attempt wins\n", figures.packets)?;
    writeln!(
        out,
        "{:>8} {:>9} {:>10} {:>24} {:>24}",
        "masters", "replicas", "claims/s", "/ first", "µs of a master/claim"
    )?;
    for Case { masters, replicas, claims_per_s, ratio, micros_per_claim } in &figures.cases {
        writeln!(
            out,
            "{masters:>8} {replicas:>9} {claims_per_s:>10} {:>24} {micros_per_claim:>24.2}",
            ratio.to_string()
        )?;
    }
    Ok(())
}
