//! The path of every attempt, through service and batcher.

use crate::tickets::{Bed, Guests, Probe, USERS, clean_up, stadium};
use anyhow::{Result, ensure};
use engine::ticket::{
    scripts::{PARTS, key},
    service::Tickets,
};
use model::ticket::{Order, Outcome};
use serde::Serialize;
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};
use store::runtime::locked;

#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub stampede_per_s: u64,
    /// Attempts a second until the last attempt that got seats.
    pub stampede_selling_per_s: u64,
    /// Orders that got seats.
    pub orders: u64,
    pub pay_per_s: u64,
    pub open_block_ms: f64,
    pub longest_call_ms: f64,
    pub snapshot_ms: f64,
    pub snapshot_kb: f64,
    pub bytes_per_seat: u64,
}

pub(super) async fn measure(bed: &Bed, probe: &mut Probe, guests: &Arc<Guests>, concurrency: u32) -> Result<Figures> {
    let held = probe.held_us().await?;
    let sale = stadium(bed).await?;
    let open_block_ms = (probe.held_us().await? - held) as f64 / 1_000.0;

    probe.forget().await?;
    let run = Arc::new(Run {
        tickets: bed.tickets.clone(),
        sale: sale.clone(),
        guests: guests.clone(),
        next: AtomicU32::new(0),
        start: Instant::now(),
        taken: AtomicU64::new(0),
        last: Mutex::new(0),
    });
    let workers: Vec<_> = (0..concurrency).map(|_| tokio::spawn(run.clone().come())).collect();
    let mut orders = Vec::new();
    for worker in workers {
        orders.extend(worker.await??);
    }
    let stampede_per_s = per_s(USERS.into(), run.start);
    let longest_call_ms = probe.longest_ms().await?;
    let selling = *locked(&run.last);
    let seats: HashSet<&str> = orders.iter().flat_map(|order| &order.seats).map(String::as_str).collect();
    let taken = run.taken.load(Relaxed);
    ensure!(
        seats.len() as u64 == taken && taken == u64::from(guests.hall.seats()),
        "Stampede gave {taken} seats, {} of them different, of {}.",
        seats.len(),
        guests.hall.seats()
    );

    let count = orders.len() as u64;
    let pay_per_s = pay(bed, &sale, orders, concurrency).await?;
    let mut snapshots = Vec::new();
    let mut snapshot_kb = 0.0;
    for _ in 0..21 {
        let start = Instant::now();
        let json = serde_json::to_string(&bed.tickets.snapshot(&sale).await?)?;
        snapshots.push(start.elapsed().as_secs_f64() * 1_000.0);
        snapshot_kb = json.len() as f64 / 1_000.0;
    }
    snapshots.sort_by(f64::total_cmp);

    // The ledger writer would trim the stream. Without a writer, the whole history would be counted.
    let _trimmed: i64 = bed.store.query("XTRIM", (key(&sale, "events"), "MAXLEN", 64)).await?;
    let bytes_per_seat = bytes_of(bed, &sale).await? / u64::from(guests.hall.seats());
    clean_up(bed, &sale).await?;
    Ok(Figures {
        stampede_per_s,
        stampede_selling_per_s: selling,
        orders: count,
        pay_per_s,
        open_block_ms,
        longest_call_ms,
        snapshot_ms: snapshots[snapshots.len() / 2],
        snapshot_kb,
        bytes_per_seat,
    })
}

/// All users at one stadium.
struct Run {
    tickets: Tickets,
    sale: String,
    guests: Arc<Guests>,
    next: AtomicU32,
    start: Instant,
    /// The number of seats given out.
    taken: AtomicU64,
    /// Attempts a second until the last attempt that got seats.
    last: Mutex<u64>,
}

impl Run {
    /// Runs one user after the other until all have come. Returns the held orders.
    async fn come(self: Arc<Self>) -> Result<Vec<Order>> {
        let mut held = Vec::new();
        loop {
            let user = self.next.fetch_add(1, Relaxed);
            let Some(seats) = self.guests.requests.get(user as usize) else { return Ok(held) };
            let (name, request) = (format!("user-{user}"), format!("request-{user}"));
            if let Outcome::Held(order) = self.tickets.reserve(&self.sale, name, Some(request), seats.clone()).await? {
                self.taken.fetch_add(order.seats.len() as u64, Relaxed);
                *locked(&self.last) = per_s(user.into(), self.start);
                held.push(order);
            }
        }
    }
}

/// Pays all orders. Returns orders per second.
async fn pay(bed: &Bed, sale: &str, orders: Vec<Order>, concurrency: u32) -> Result<u64> {
    let count = orders.len() as u64;
    let orders = Arc::new(Mutex::new(orders));
    let start = Instant::now();
    let workers: Vec<_> = (0..concurrency)
        .map(|_| {
            let (tickets, sale, orders) = (bed.tickets.clone(), sale.to_owned(), orders.clone());
            tokio::spawn(async move {
                let next = || locked(&orders).pop();
                while let Some(order) = next() {
                    tickets.pay(&sale, order.order, None).await?;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    Ok(per_s(count, start))
}

fn per_s(count: u64, start: Instant) -> u64 {
    (count as f64 / start.elapsed().as_secs_f64()) as u64
}

/// The bytes that the keys of a sale take in memory.
async fn bytes_of(bed: &Bed, sale: &str) -> Result<u64> {
    let mut bytes = 0;
    for part in PARTS {
        // Measures every element, not a sample.
        let of_key: Option<u64> = bed.store.query("MEMORY", ("USAGE", key(sale, part), "SAMPLES", 0)).await?;
        bytes += of_key.unwrap_or(0);
    }
    Ok(bytes)
}
