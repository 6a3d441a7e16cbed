//! The audit of a red packet sale: packet by packet, from three witnesses.
//!
//! The figures (`audit.lua`) are of one moment, at event E. The history says who won what: as far as the
//! ledger is, from the ledger, and from there to E from the stream, so whatever the lag, everything is
//! compared at E. The claimants say who has what; the queue says what nobody has yet. The last two go on
//! moving while they are read, so the history after E is read last: it explains whatever moved, and what is
//! left unexplained is a fault. Nothing here stops or slows a sale: all is read in chunks.

use super::{
    outcome,
    service::{AUDIT, KIND, claims, holding, key, reply},
};
use crate::{
    domain::{Audit, Cents, EventId, Invariant, Millis},
    error::{Code, Error, Result},
    ledger::{
        database::Ledger,
        replay::{HistoryVisitor, Replay},
        sale::LedgerSale,
        scripts::stream_position,
    },
    store::{
        Store,
        stream::{Entry, event_type, number_field},
    },
};
use redis::{Value, from_redis_value};
use std::hash::{BuildHasher, RandomState};

/// Read at a time.
const ROWS_AT_A_TIME: u32 = 5_000;
const CLAIMANTS_AT_A_TIME: usize = 250;
const PACKETS_AT_A_TIME: i64 = 5_000;

/// # Errors
/// `unknown_sale`, `sale_opening`, `unavailable`, `ledger_unavailable`.
pub(super) async fn audit(store: &Store, ledger: &Ledger, sale: &str, now: Millis) -> Result<Audit> {
    let known = ledger.sale(KIND, sale).await?;
    let figures = match figures(store, sale).await {
        Ok(figures) => figures,
        // The ledger has it, and Redis has not.
        Err(error) if error.code == Code::UnknownSale && known.is_some() => {
            let at = known.map(|known| known.position.event_id).unwrap_or_default();
            return Ok(Audit::of(vec![Invariant::new("in_redis", 1, 0)], at, now));
        }
        Err(error) => return Err(error),
    };
    let (number, position, set_aside) = match &known {
        Some(known) => (known.number, known.position.event_id, known.dead_letters),
        None => (0, EventId::default(), 0),
    };
    let tallies = Tallied::read(ledger, number).await?;
    let ahead = if position > figures.event_id { ahead(ledger, number, figures.event_id, position).await? } else { 0 };

    let past = Replay { store, ledger, kind: KIND, sale };
    let mut book = Book::new(figures.count);
    past.visit(EventId::default(), figures.event_id, &mut book).await?;
    let (won, claimed_cents) = (book.ledger.wins + book.stream.wins, book.ledger.cents + book.stream.cents);
    let in_ledger = book.ledger;
    // The tallies and the rows they must equal: as far as the ledger was when the tallies were read.
    let counted = Tallied::count(ledger, number, tallies.upto).await?;
    book.begin_late();
    read_claimants(store, sale, &mut book).await?;
    read_queue(store, sale, &mut book).await?;
    let newest = stream_position(store, KIND, sale, Some(figures.event_id))
        .await?
        .map_or(figures.event_id, |mark| mark.end.event_id);
    past.visit(figures.event_id, newest, &mut book).await?;

    let Findings { doubled, twice, lost, unexpected, cents, confirmed } = book.close();
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
            Invariant::new("ledger", in_ledger.wins, confirmed.wins),
            Invariant::new("ledger_cents", in_ledger.cents, confirmed.cents),
            Invariant::new("ledger_rows", tallies.won, counted),
            Invariant::new("ledger_ahead", 0, ahead),
            Invariant::new("set_aside", 0, set_aside.cast_signed()),
        ],
        figures.event_id,
        now,
    ))
}

/// Wins that the ledger has and Redis has lost.
async fn ahead(ledger: &Ledger, number: i64, redis: EventId, upto: EventId) -> Result<i64> {
    count_won(ledger, number, redis, upto).await
}

async fn count_won(ledger: &Ledger, number: i64, after: EventId, upto: EventId) -> Result<i64> {
    ledger.count_between(number, outcome::WON, after, upto).await
}

/// The ledger's own counter of wins, and how far the ledger was when it was read.
struct Tallied {
    won: i64,
    upto: EventId,
}

impl Tallied {
    async fn read(ledger: &Ledger, number: i64) -> Result<Self> {
        let (upto, won) = ledger.tally_at(number, outcome::WON).await?;
        Ok(Self { won, upto })
    }

    async fn count(ledger: &Ledger, number: i64, upto: EventId) -> Result<i64> {
        count_won(ledger, number, EventId::default(), upto).await
    }
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
    event_id: EventId,
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
        event_id: from_redis_value::<String>(event_id).map_err(|error| unreadable(&error))?.parse()?,
    })
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
    /// The ledger says that it was won.
    in_ledger: bool,
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
    /// Wins told by the ledger, and by the stream, up to E.
    ledger: Wins,
    stream: Wins,
    refunded_cents: Cents,
    doubled: i64,
    unexpected: i64,
    /// Claimants that no event had explained when they were read: user, packet, cents.
    unexplained: Vec<(u64, u32, Cents)>,
}

/// Wins and what they are worth.
#[derive(Clone, Copy, Default)]
struct Wins {
    wins: i64,
    cents: Cents,
}

impl Wins {
    fn add(&mut self, cents: Cents) {
        self.wins += 1;
        self.cents += cents;
    }
}

struct Findings {
    doubled: i64,
    twice: i64,
    lost: i64,
    unexpected: i64,
    cents: Cents,
    /// Wins in the ledger up to E that the claimants confirm.
    confirmed: Wins,
}

impl HistoryVisitor for Book {
    async fn rows(&mut self, ledger: &Ledger, account: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        let mut after = (from, i64::MAX);
        loop {
            let rows = ledger.rows_between(account.number, outcome::WON, after, upto, ROWS_AT_A_TIME).await?;
            for row in &rows {
                let packet = row.item.as_deref().and_then(|item| item.parse().ok()).unwrap_or(0);
                self.ledger.add(row.cents);
                self.claim(row.user.as_deref().unwrap_or_default(), packet, row.cents, true);
            }
            match rows.last() {
                Some(last) if rows.len() == ROWS_AT_A_TIME as usize => {
                    after = (last.event_id, last.place);
                }
                _ => break,
            }
        }
        let refunds = ledger.rows_between(account.number, outcome::REFUNDED, (from, i64::MAX), upto, 1).await?;
        self.refunded_cents += refunds.iter().map(|row| row.cents).sum::<Cents>();
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        match event_type(entry) {
            b"claimed" => {
                for claim in claims(entry)? {
                    self.stream.add(claim.cents);
                    self.claim(&claim.user, claim.packet, claim.cents, false);
                }
            }
            b"refunded" => self.refunded_cents += number_field(entry, "cents")?,
            _ => {}
        }
        Ok(())
    }
}

impl Book {
    fn new(count: i64) -> Self {
        Self {
            pages: vec![Page::default(); count as usize],
            hasher: RandomState::new(),
            late: false,
            ledger: Wins::default(),
            stream: Wins::default(),
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

    /// Somebody won a packet.
    fn claim(&mut self, user: &str, packet: u32, cents: Cents, in_ledger: bool) {
        let (user, late) = (self.hasher.hash_one(user), self.late);
        match self.page(packet) {
            Some(page) if !page.won => *page = Page { cents, user, won: true, in_ledger, late, ..*page },
            Some(_) => self.doubled += 1,
            None => self.unexpected += 1,
        }
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
        let mut confirmed = Wins::default();
        for page in self.pages.iter().filter(|page| page.in_ledger && page.held && !page.late) {
            confirmed.add(page.cents);
        }
        Findings { doubled: self.doubled, twice, lost, unexpected: self.unexpected, cents, confirmed }
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, format!("The audit's figures cannot be read: {error}."))
}
