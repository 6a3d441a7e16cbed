//! The cost of choosing the best seats in a hall of 600 and in one of 60,000, filled to the same degree.
//!
//! Both halls have one category and rows of 20, so they differ only in the number of rows. The script is called back to
//! back, alternating between the halls, and its seats are released each time. Redis itself reports the time of each
//! call. The medians of each round are compared.

use crate::tickets::{Bed, Probe, ROUNDS, Spread, clean_up, median, terms};
use anyhow::{Context, Result};
use engine::{
    crowd::rng::UserRng,
    ticket::scripts::{CANCEL, KIND, ORDERS_AT_A_TIME, RESERVE, SEATS_AT_A_TIME},
};
use model::ticket::{
    HallChoice, Outcome, SeatRequest,
    hall::{Hall, Layout, Section},
    index::{self, LARGEST_GROUP},
};
use serde::Serialize;
use std::collections::BTreeMap;

const ROW: u16 = 20;
/// The rows of a section. A section may have at most 200.
const SECTION: u32 = 30;
/// The calls per hall and fill level in each round.
const CALLS: u32 = 30;
/// The seats in one order while a hall is filled.
const AT_A_TIME: usize = 10;
/// The attempts of two seats per batch.
const BATCH: u32 = 16;
const SMALL_BATCH: u32 = 2;

#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// The time at the fill level with the worst ratio, in µs.
    pub pick_600_us: f64,
    pub pick_60000_us: f64,
    /// The median of the rounds' `60,000 seats / 600 seats`.
    pub ratio_pick: f64,
    /// The same ratio with its range.
    pub rounds_pick: Spread,
    pub levels: Vec<Level>,
    /// The time of the longest possible call: the most seats that one call may hold or release, each in another row.
    pub worst_batch_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Level {
    pub fill: &'static str,
    pub pick_600_us: f64,
    pub pick_60000_us: f64,
    /// The median of the rounds' `60,000 seats / 600 seats`.
    pub ratio: f64,
    /// The same ratio with its range.
    pub rounds: Spread,
}

/// The seats that are taken beforehand.
#[derive(Clone, Copy)]
enum Fill {
    /// The best seats, in percent.
    Best(u32),
    /// Seats anywhere, in percent.
    Anywhere(u32),
    /// Every other seat, so that no two adjacent seats are free.
    EveryOther,
}

const FILLS: [(&str, Fill, u32); 7] = [
    ("empty", Fill::Best(0), BATCH),
    ("half, from the best", Fill::Best(50), BATCH),
    ("half, anywhere", Fill::Anywhere(50), BATCH),
    ("every other seat", Fill::EveryOther, BATCH),
    ("90 %, from the best", Fill::Best(90), BATCH),
    ("90 %, anywhere", Fill::Anywhere(90), BATCH),
    ("99 %, anywhere", Fill::Anywhere(99), SMALL_BATCH),
];

pub(super) async fn measure(bed: &Bed, probe: &mut Probe) -> Result<Figures> {
    let mut levels = Vec::new();
    for (name, fill, batch) in FILLS {
        levels.push(level(bed, probe, name, fill, batch).await?);
    }
    let worst = levels.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).context("No filling was measured.")?;
    Ok(Figures {
        pick_600_us: worst.pick_600_us,
        pick_60000_us: worst.pick_60000_us,
        ratio_pick: worst.ratio,
        rounds_pick: worst.rounds,
        worst_batch_ms: worst_batch(bed, probe).await?,
        levels,
    })
}

/// Chooses seats in both halls, filled to the same degree.
async fn level(bed: &Bed, probe: &mut Probe, name: &'static str, fill: Fill, batch: u32) -> Result<Level> {
    let small = Room::open(bed, 30, fill).await?;
    let large = Room::open(bed, 3_000, fill).await?;
    let (mut of_small, mut of_large) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for round in 0..ROUNDS as u32 {
        let (mut small_calls, mut large_calls) = (Vec::new(), Vec::new());
        for call in round * CALLS..(round + 1) * CALLS {
            small_calls.push(small.pick(probe, bed, call, batch).await?);
            large_calls.push(large.pick(probe, bed, call, batch).await?);
        }
        let us = |calls: Vec<u64>| middle(calls) as f64 / f64::from(batch);
        of_small.push(us(small_calls));
        of_large.push(us(large_calls));
    }
    clean_up(bed, &small.sale).await?;
    clean_up(bed, &large.sale).await?;
    let rounds = Spread::of_ratios(&of_large, &of_small);
    let tenths = |us: f64| (us * 10.0).round() / 10.0;
    Ok(Level {
        fill: name,
        pick_600_us: tenths(median(of_small)),
        pick_60000_us: tenths(median(of_large)),
        ratio: rounds.median,
        rounds,
    })
}

fn middle(mut calls: Vec<u64>) -> u64 {
    calls.sort_unstable();
    calls[calls.len() / 2]
}

/// A partly filled hall.
struct Room {
    sale: String,
    hall: Hall,
    categories: Vec<u8>,
}

/// An attempt in the form of the script: user, request id, order, chosen, picks, holders.
type PickAttempt = (String, String, String, Vec<u32>, Vec<u32>, Vec<String>);

impl Room {
    async fn open(bed: &Bed, rows: u32, fill: Fill) -> Result<Self> {
        let sections = (0..rows / SECTION).map(|number| Section {
            id: format!("S{number}"),
            category: "all".to_owned(),
            rows: vec![ROW.into(); SECTION as usize],
            rank: (number * SECTION) as u16,
            ..Section::default()
        });
        let layout = Layout { categories: vec!["all".to_owned()], sections: sections.collect(), ..Layout::default() };
        let prices = BTreeMap::from([("all".to_owned(), 100)]);
        let room = Self::of(bed, layout, prices).await?;
        let mut seats: Vec<u32> = (0..room.hall.seats()).collect();
        let all = seats.len();
        match fill {
            Fill::Best(percent) => seats.truncate(all * percent as usize / 100),
            Fill::Anywhere(percent) => {
                let mut rng = UserRng::new(crate::tickets::SEED, 0);
                for at in 0..all {
                    seats.swap(at, at + rng.below((all - at) as u32) as usize);
                }
                seats.truncate(all * percent as usize / 100);
            }
            Fill::EveryOther => seats.retain(|seat| seat % 2 == 0),
        }
        let taking = seats.chunks(AT_A_TIME).enumerate().map(|(number, seats)| {
            let ids = seats.iter().filter_map(|seat| room.hall.seat(*seat)).map(|seat| room.hall.id(seat));
            let request = SeatRequest { seats: ids.collect(), ..SeatRequest::default() };
            bed.tickets.reserve(&room.sale, format!("filler-{number}"), None, request)
        });
        for outcome in futures::future::join_all(taking).await {
            anyhow::ensure!(matches!(outcome?, Outcome::Held(_)), "A hall could not be filled.");
        }
        Ok(room)
    }

    async fn of(bed: &Bed, layout: Layout, prices: BTreeMap<String, i64>) -> Result<Self> {
        let cents: Vec<i64> = layout.categories.iter().filter_map(|name| prices.get(name).copied()).collect();
        let hall = Hall::new(layout.clone())?;
        let sale = bed.tickets.open(terms(bed, HallChoice::Layout(layout), prices)).await?.sale;
        let categories = rmp_serde::to_vec(&index::categories(&hall, &cents))?;
        Ok(Self { sale, hall, categories })
    }

    /// Calls the script with a batch. Returns the time for which it blocked Redis, in microseconds.
    async fn reserve(&self, probe: &mut Probe, bed: &Bed, wanted: &[PickAttempt]) -> Result<u64> {
        let keys = RESERVE.keys(KIND, &self.sale);
        let now = bed.clock.now().to_string().into_bytes();
        let args = [Vec::new(), now, self.categories.clone(), rmp_serde::to_vec(wanted)?];
        let (reply, us) = probe.call(&RESERVE, &keys, &args).await?;
        let reply: Vec<redis::Value> = redis::from_redis_value(reply)?;
        let codes = reply.chunks_exact(2).map(|pair| &pair[0]).map(|code| redis::from_redis_value::<i64>(code.clone()));
        for code in codes {
            anyhow::ensure!(code? == 0, "An attempt of the benchmark got no seats.");
        }
        Ok(us)
    }

    /// Releases the seats.
    async fn cancel(&self, probe: &mut Probe, bed: &Bed, wanted: &[PickAttempt]) -> Result<u64> {
        let keys = CANCEL.keys(KIND, &self.sale);
        let mut args = vec![Vec::new(), bed.clock.now().to_string().into_bytes(), self.categories.clone()];
        // The whole order, for no reason.
        args.extend(wanted.iter().flat_map(|one| [one.2.clone().into_bytes(), Vec::new(), Vec::new(), Vec::new()]));
        Ok(probe.call(&CANCEL, &keys, &args).await?.1)
    }

    async fn pick(&self, probe: &mut Probe, bed: &Bed, call: u32, batch: u32) -> Result<u64> {
        let wanted: Vec<PickAttempt> = (0..batch)
            .map(|number| {
                let name = |what: &str| format!("{what}-{call}-{number}");
                (name("user"), name("request"), name("order"), Vec::new(), vec![1, 2, 1], Vec::new())
            })
            .collect();
        let us = self.reserve(probe, bed, &wanted).await?;
        self.cancel(probe, bed, &wanted).await?;
        Ok(us)
    }
}

/// Holds and cancels as many orders of the largest size as fit into a call, each seat in another row. Returns the time
/// of the longer of the two calls.
async fn worst_batch(bed: &Bed, probe: &mut Probe) -> Result<f64> {
    let rows = 3_000;
    let room = Room::open(bed, rows, Fill::Best(0)).await?;
    let (mut reserves, mut cancels) = (Vec::new(), Vec::new());
    for call in 0..9 {
        let wanted: Vec<PickAttempt> = (0..ORDERS_AT_A_TIME as u32)
            .map(|number| {
                let name = |what: &str| format!("{what}-{call}-{number}");
                let seat = |nth: u32| [1, (number * 10 + nth) * 1_171 % rows, (number * 7 + nth * 3) % u32::from(ROW)];
                let chosen = (0..LARGEST_GROUP as u32).flat_map(seat).collect();
                (name("user"), name("request"), name("order"), chosen, Vec::new(), Vec::new())
            })
            .collect();
        let (first, rest) = wanted.split_at(SEATS_AT_A_TIME / LARGEST_GROUP);
        reserves.push(room.reserve(probe, bed, first).await?);
        room.reserve(probe, bed, rest).await?;
        cancels.push(room.cancel(probe, bed, &wanted).await?);
    }
    clean_up(bed, &room.sale).await?;
    Ok(middle(reserves).max(middle(cancels)) as f64 / 1_000.0)
}
