//! The audit of a red packet sale: packet by packet, from three witnesses.
//!
//! The figures (`audit.lua`) are of one moment, at event E. The events say who won what; the claimants
//! say who has what; the queue says what nobody has yet. The last two go on moving while they are read,
//! so the events after E are read last: they explain whatever moved, and what is left unexplained is a
//! fault. Nothing here stops or slows a sale: all is read in chunks.

use super::service::{AUDIT, Entry, claims, event_type, holding, key, number_field, reply};
use crate::{
    error::{Code, Error, Result},
    sales::{Audit, Cents, Invariant, Millis},
    store::Store,
};
use redis::{Value, from_redis_value};
use std::hash::{BuildHasher, RandomState};

/// Read at a time; an event holds up to 256 claims.
const EVENTS_AT_A_TIME: usize = 64;
const CLAIMANTS_AT_A_TIME: usize = 250;
const PACKETS_AT_A_TIME: i64 = 5_000;

/// # Errors
/// `unknown_sale`, `sale_opening`, `unavailable`.
pub(super) async fn audit(store: &Store, sale: &str, now: Millis) -> Result<Audit> {
    let figures = figures(store, sale).await?;
    let mut book = Book::new(figures.count);

    let position = read_events(store, sale, "-".to_owned(), &figures.event_id, &mut book).await?;
    let (won, claimed_cents) = (book.wins, book.won_cents);
    book.begin_late();
    read_claimants(store, sale, &mut book).await?;
    read_queue(store, sale, &mut book).await?;
    let newest = newest_event(store, sale).await?;
    read_events(store, sale, position, &newest, &mut book).await?;

    let Findings { doubled, twice, lost, unexpected, cents } = book.close();
    Ok(Audit::of(
        vec![
            Invariant::new("packets", figures.count, figures.pending + figures.claimants + figures.refunded),
            Invariant::new("money", figures.total_cents, cents),
            Invariant::new("events", figures.won, won),
            Invariant::new("claimed_cents", figures.claimed_cents, claimed_cents),
            Invariant::new("doubled", 0, doubled),
            Invariant::new("twice", 0, twice),
            Invariant::new("lost", 0, lost),
            Invariant::new("unexpected", 0, unexpected),
        ],
        figures.event_id.parse()?,
        now,
    ))
}

/// The reply of `audit.lua`.
struct Figures {
    total_cents: Cents,
    count: i64,
    refunded: i64,
    pending: i64,
    claimants: i64,
    won: i64,
    claimed_cents: Cents,
    event_id: String,
}

async fn figures(store: &Store, sale: &str) -> Result<Figures> {
    let keys = ["pending", "claimants", "meta", "stats", "events"].map(|part| key(sale, part));
    let values: Vec<Value> = store.eval(&AUDIT, &keys, None::<&str>).await?;
    let number = |index: usize| {
        let value = values.get(index).cloned().unwrap_or(Value::Nil);
        from_redis_value::<i64>(value).map_err(|error| unreadable(&error))
    };
    match number(0)? {
        reply::DONE => {}
        reply::OPENING => {
            return Err(Error::new(
                Code::SaleOpening,
                format!("The sale \"{sale}\" is still being opened; audit it when it is."),
            ));
        }
        _ => return Err(Error::unknown_sale(sale)),
    }
    let event_id = values.get(10).cloned().unwrap_or(Value::Nil);
    Ok(Figures {
        total_cents: number(2)?,
        count: number(3)?,
        refunded: number(4)?,
        pending: number(6)?,
        claimants: number(7)?,
        won: number(8)?,
        claimed_cents: number(9)?,
        event_id: from_redis_value(event_id).map_err(|error| unreadable(&error))?,
    })
}

/// Books the events from `start` to `end`, and says where to go on.
async fn read_events(store: &Store, sale: &str, mut start: String, end: &str, book: &mut Book) -> Result<String> {
    loop {
        let args = (key(sale, "events"), &start, end, "COUNT", EVENTS_AT_A_TIME);
        let entries: Vec<Entry> = store.query("XRANGE", args).await?;
        for entry in &entries {
            book.event(entry)?;
            start = format!("({}", entry.0);
        }
        if entries.len() < EVENTS_AT_A_TIME {
            return Ok(start);
        }
    }
}

async fn newest_event(store: &Store, sale: &str) -> Result<String> {
    let newest: Vec<Entry> = store.query("XREVRANGE", (key(sale, "events"), "+", "-", "COUNT", 1)).await?;
    Ok(newest.into_iter().next().map_or_else(|| "-".to_owned(), |(id, _)| id))
}

async fn read_claimants(store: &Store, sale: &str, book: &mut Book) -> Result<()> {
    let mut cursor = "0".to_owned();
    loop {
        let args = (key(sale, "claimants"), &cursor, "COUNT", CLAIMANTS_AT_A_TIME);
        let (next, found): (String, Vec<String>) = store.query("HSCAN", args).await?;
        for pair in found.chunks_exact(2) {
            book.claimant(&pair[0], &pair[1])?;
        }
        if next == "0" {
            return Ok(());
        }
        cursor = next;
    }
}

/// Reads the queue from its end: claims take from its head, so the places counted from the end stay.
async fn read_queue(store: &Store, sale: &str, book: &mut Book) -> Result<()> {
    let mut last = -1;
    loop {
        let first = last - PACKETS_AT_A_TIME + 1;
        let packets: Vec<String> = store.query("LRANGE", (key(sale, "pending"), first, last)).await?;
        for packet in &packets {
            book.queued(packet)?;
        }
        if (packets.len() as i64) < PACKETS_AT_A_TIME {
            return Ok(());
        }
        last = first - 1;
    }
}

/// What is known of one packet.
#[derive(Clone, Copy, Default)]
struct Page {
    cents: Cents,
    /// Hash of the user who won it.
    user: u64,
    won: bool,
    /// Won after E.
    late: bool,
    /// The claimants say the same as the event.
    held: bool,
    queued: bool,
}

/// A page for each packet: 32 MB for a million.
struct Book {
    pages: Vec<Page>,
    hasher: RandomState,
    late: bool,
    wins: i64,
    won_cents: Cents,
    refunded_cents: Cents,
    doubled: i64,
    unexpected: i64,
    /// Claimants that no event had explained when they were read: user, packet, cents.
    unexplained: Vec<(u64, u32, Cents)>,
}

struct Findings {
    doubled: i64,
    twice: i64,
    lost: i64,
    unexpected: i64,
    cents: Cents,
}

impl Book {
    fn new(count: i64) -> Self {
        Self {
            pages: vec![Page::default(); count as usize],
            hasher: RandomState::new(),
            late: false,
            wins: 0,
            won_cents: 0,
            refunded_cents: 0,
            doubled: 0,
            unexpected: 0,
            unexplained: Vec::new(),
        }
    }

    /// What is booked from here on happened after E.
    fn begin_late(&mut self) {
        self.late = true;
    }

    fn page(&mut self, packet: u32) -> Option<&mut Page> {
        self.pages.get_mut((packet as usize).checked_sub(1)?)
    }

    fn event(&mut self, entry: &Entry) -> Result<()> {
        match event_type(entry) {
            b"claimed" => {
                for claim in claims(entry)? {
                    let user = self.hasher.hash_one(&claim.user);
                    self.wins += 1;
                    self.won_cents += claim.cents;
                    let late = self.late;
                    match self.page(claim.packet) {
                        Some(page) if !page.won => {
                            *page = Page { cents: claim.cents, user, won: true, late, ..*page };
                        }
                        Some(_) => self.doubled += 1,
                        None => self.unexpected += 1,
                    }
                }
            }
            b"refunded" => self.refunded_cents += number_field(entry, "cents")?,
            _ => {}
        }
        Ok(())
    }

    fn claimant(&mut self, user: &str, packet: &str) -> Result<()> {
        let held = holding(packet)?;
        let user = self.hasher.hash_one(user);
        if !self.explain(user, held.packet, held.cents) {
            self.unexplained.push((user, held.packet, held.cents));
        }
        Ok(())
    }

    fn explain(&mut self, user: u64, packet: u32, cents: Cents) -> bool {
        match self.page(packet) {
            Some(page) if page.won && page.user == user && page.cents == cents => {
                page.held = true;
                true
            }
            _ => false,
        }
    }

    fn queued(&mut self, packet: &str) -> Result<()> {
        let held = holding(packet)?;
        match self.page(held.packet) {
            // Won before E and still, or twice, in the queue.
            Some(page) if page.won || page.queued => self.doubled += 1,
            Some(page) => *page = Page { cents: held.cents, queued: true, ..*page },
            None => self.unexpected += 1,
        }
        Ok(())
    }

    fn close(mut self) -> Findings {
        for (user, packet, cents) in std::mem::take(&mut self.unexplained) {
            if !self.explain(user, packet, cents) {
                self.unexpected += 1;
            }
        }
        // What was won after E may not have been there yet when the claimants were read.
        let lost = self.pages.iter().filter(|page| page.won && !page.held && !page.late).count() as i64;
        let mut users: Vec<u64> = self.pages.iter().filter(|page| page.won).map(|page| page.user).collect();
        users.sort_unstable();
        let twice = users.windows(2).filter(|pair| pair[0] == pair[1]).count() as i64;
        let cents = self.pages.iter().map(|page| page.cents).sum::<Cents>() + self.refunded_cents;
        Findings { doubled: self.doubled, twice, lost, unexpected: self.unexpected, cents }
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, format!("The audit's figures cannot be read: {error}."))
}
