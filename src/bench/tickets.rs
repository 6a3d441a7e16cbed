//! Tickets of a stadium of 60,000 seats, until they are sold out and beyond.
//!
//! 100,000 users in groups of 1 to 6 come at once. Some choose their seats, most take the best available. *Stampede*
//! takes the path of every attempt, through service and batcher. *Article* calls the article's script as the article
//! does: EVAL, on 20 connections, each of which waits for its answer, with the same users and requests. Also measured:
//! choosing the best seats in small and large halls, opening a sale, and memory.

mod article;
mod memory;
mod pick;
mod probe;
mod stampede;

use crate::{Bed, ROUNDS, Spread, median, tickets::probe::Probe};
use anyhow::Result;
use engine::ticket::crowd::seat_request;
use engine::ticket::scripts::{KIND, PARTS};
use model::ticket::{HallChoice, SeatRequest, Terms, crowd::Behavior, hall::Hall, halls::HallName};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::Arc,
};

/// The number of users who come to the stadium.
const USERS: u32 = 100_000;
/// Share of users who choose their seats; the others take the best available.
const CHOOSERS: f64 = 0.3;
const SEED: u64 = 1;

/// The results of the measurement.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    users: u32,
    seats: u32,
    #[serde(flatten)]
    stampede: stampede::Figures,
    #[serde(flatten)]
    article: article::Figures,
    /// The median of the rounds' attempts a second, Stampede's divided by the article's: over all attempts, and until
    /// the last attempt that got seats.
    ratio_article: f64,
    ratio_article_selling: f64,
    /// The same ratios with their ranges.
    rounds_article: Spread,
    rounds_article_selling: Spread,
    #[serde(flatten)]
    pick: pick::Figures,
    #[serde(flatten)]
    memory: memory::Figures,
}

/// The seats that each user wants, the same for both approaches.
struct Guests {
    hall: Hall,
    requests: Vec<SeatRequest>,
}

impl Guests {
    fn new(hall: Hall) -> Self {
        let behavior =
            Behavior { choosers: CHOOSERS, groups: [1.0; 6], adjacent: 1.0, hot: 0.0, ..Behavior::default() };
        let requests = (0..USERS).map(|place| seat_request(&behavior, &hall, SEED, place, 0)).collect();
        Self { hall, requests }
    }
}

/// Measures everything, in turn.
///
/// # Errors
/// One sentence: Redis cannot be reached, or an approach gave out a seat twice or not at all.
pub(super) async fn measure(bed: &Bed, concurrency: u32) -> Result<Figures> {
    // Memory is measured first, because later measurements need memory of their own.
    let memory = memory::measure(bed).await?;
    let mut probe = Probe::on(bed).await?;
    let guests = Arc::new(Guests::new(Hall::new(HallName::Stadium.layout())?));
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let article = article::measure(bed, &guests).await?;
        rounds.push((article, stampede::measure(bed, &mut probe, &guests, concurrency).await?));
    }
    let ratios =
        |ratio: fn(&(article::Figures, stampede::Figures)) -> f64| Spread::of(rounds.iter().map(ratio).collect());
    let rounds_article = ratios(|(article, stampede)| stampede.stampede_per_s as f64 / article.article_per_s as f64);
    let rounds_article_selling =
        ratios(|(article, stampede)| stampede.stampede_selling_per_s as f64 / article.article_selling_per_s as f64);
    // The figures are those of the round in the middle.
    rounds.sort_by_key(|(_, stampede)| stampede.stampede_per_s);
    let (article, stampede) = rounds.swap_remove(ROUNDS / 2);
    let pick = pick::measure(bed, &mut probe).await?;
    probe.leave(bed).await?;
    Ok(Figures {
        users: USERS,
        seats: guests.hall.seats(),
        ratio_article: rounds_article.median,
        ratio_article_selling: rounds_article_selling.median,
        rounds_article,
        rounds_article_selling,
        stampede,
        article,
        pick,
        memory,
    })
}

/// The terms of a sale for a hall.
fn terms(bed: &Bed, hall: HallChoice, prices: BTreeMap<String, i64>) -> Terms {
    Terms {
        sale: bed.ids.id(),
        hall,
        prices,
        limit_per_user: 1_000,
        hold_s: 7_200,
        extendable: false,
        plan: model::life::Plan::default(),
    }
}

/// Opens a stadium.
async fn stadium(bed: &Bed) -> Result<String> {
    Ok(bed.tickets.open(terms(bed, HallChoice::Hall(HallName::Stadium), BTreeMap::new())).await?.sale)
}

pub(super) async fn clean_up(bed: &Bed, sale: &str) -> Result<()> {
    bed.clean_up_of(KIND, &PARTS, sale).await
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { users, seats, stampede, article, rounds_article, rounds_article_selling, pick, memory, .. } = figures;
    writeln!(out, "{users} users at {seats} seats, groups of 1 to 6, three of ten choose\n")?;
    writeln!(out, "{:<58} {:>12} {:>12}", "attempts/s", "all", "until sold")?;
    let ways = [
        ("article's script, EVAL, 20 connections", article.article_per_s, article.article_selling_per_s),
        ("Stampede, service and batcher", stampede.stampede_per_s, stampede.stampede_selling_per_s),
    ];
    for (name, all, selling) in ways {
        writeln!(out, "{name:<58} {all:>12} {selling:>12}")?;
    }
    writeln!(
        out,
        "Stampede / article: all {rounds_article}, until sold {rounds_article_selling}, of {ROUNDS} rounds\n"
    )?;
    let lines = [
        ("orders paid /s", stampede.pay_per_s.to_string()),
        ("opening a stadium holds Redis, ms", format!("{:.2}", stampede.open_block_ms)),
        ("longest call while they came, ms", format!("{:.2}", stampede.longest_call_ms)),
        ("longest call of the worst batch there is, ms", format!("{:.2}", pick.worst_batch_ms)),
        ("snapshot through the service, ms", format!("{:.2}", stampede.snapshot_ms)),
        ("its JSON, kB", format!("{:.1}", stampede.snapshot_kb)),
        ("Redis, bytes a seat, sold", stampede.bytes_per_seat.to_string()),
        ("this program with ten stadiums open, MB", memory.server_mb.to_string()),
    ];
    for (name, value) in lines {
        writeln!(out, "{name:<58} {value:>12}")?;
    }
    writeln!(
        out,
        "\n{:<34} {:>12} {:>14}   ratio, of {ROUNDS} rounds",
        "best seats, µs an attempt", "600 seats", "60,000 seats"
    )?;
    let mut line = |name: &str, small: f64, large: f64, ratio: Spread| {
        writeln!(out, "{name:<34} {small:>12.1} {large:>14.1}   {ratio}")
    };
    for level in &pick.levels {
        line(level.fill, level.pick_600_us, level.pick_60000_us, level.rounds)?;
    }
    line("worst", pick.pick_600_us, pick.pick_60000_us, pick.rounds_pick)
}
