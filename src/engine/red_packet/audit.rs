//! The audit of a red packet sale: packet by packet, from three sources.
//!
//! The figures (`audit.lua`) are of one moment, at event E. The history of wins comes from the ledger as far as it has
//! recorded, and from there to E from the stream. So everything is compared as of E, under any lag. The claimants are
//! the users with their packets; the queue has the packets that are left. Both change while they are read, so the
//! history after E is read last. It explains those changes, and a change that it does not explain is a fault. The audit
//! never stops or slows a sale, as everything is read in chunks.

use crate::{
    audit::Auditable,
    red_packet::{
        history::{StoredTerms, claims},
        scripts::{AUDIT, KIND, holding, key},
        service::RedPackets,
    },
};
use ledger::{
    database::Ledger,
    replay::{HistoryVisitor, Replay},
    sale::LedgerSale,
    scripts::stream_position,
};
use model::{
    Cents, EventId, Invariant,
    error::Result,
    red_packet::{MAX_COUNT, outcome},
};
use std::hash::{BuildHasher, RandomState};
use store::{
    Store,
    fields::Fields,
    reply::ReplyCode,
    stream::{Entry, event_type, number_field},
};

/// The rows of the ledger read at a time.
const ROWS_AT_A_TIME: u32 = 5_000;
const CLAIMANTS_AT_A_TIME: usize = 250;
const PACKETS_AT_A_TIME: i64 = 5_000;

impl Auditable for RedPackets {
    const KIND: &str = KIND;
    const OUTCOMES: &'static [&'static str] = &[outcome::WON];
    const SETTLED: Option<&'static str> = Some(outcome::REFUNDED);
    type Figures = Figures;
    type Terms = StoredTerms;

    fn store(&self) -> &Store {
        &self.store
    }

    async fn figures(&self, sale: &str) -> Result<Figures> {
        let mut reply = self.store.eval(&AUDIT, (KIND, sale), None::<&str>).await?;
        if reply.code != ReplyCode::Done {
            return Err(reply.code.refusal(&AUDIT, sale));
        }
        let event_id = reply.next_value::<String>()?.parse()?;
        let record: Fields = reply.next_value()?;
        Ok(Figures {
            event_id,
            total_cents: record.number("total_cents"),
            count: record.number("count"),
            refunded: record.number("refunded"),
            record,
            pending: reply.next_value()?,
            claimants: reply.next_value()?,
            won: reply.next_value()?,
            claimed_cents: reply.next_value()?,
        })
    }

    fn event_id(figures: &Figures) -> EventId {
        figures.event_id
    }

    fn record(figures: &Figures) -> &Fields {
        &figures.record
    }

    async fn compare(&self, sale: &str, figures: Figures) -> Result<Vec<Invariant>> {
        let Self { store, ledger, .. } = self;
        let history = Replay { store, ledger, kind: KIND, sale };
        let mut packets = Packets::new(figures.count);
        history.visit(EventId::default(), figures.event_id, &mut packets).await?;
        let (in_ledger, in_stream) = (packets.in_ledger, packets.in_stream);
        packets.begin_late();
        read_claimants(store, sale, &mut packets).await?;
        read_queue(store, sale, &mut packets).await?;
        let position = stream_position(store, KIND, sale, Some(figures.event_id)).await?;
        let newest = position.map_or(figures.event_id, |position| position.end.event_id);
        history.visit(figures.event_id, newest, &mut packets).await?;

        let Findings { doubled, twice, lost, unexpected, cents, confirmed } = packets.close();
        Ok(vec![
            Invariant::new("packets", figures.count, figures.pending + figures.claimants + figures.refunded),
            Invariant::cents("money", figures.total_cents, cents),
            Invariant::new("events", figures.won, in_ledger.wins + in_stream.wins),
            Invariant::cents("claimed_cents", figures.claimed_cents, in_ledger.cents + in_stream.cents),
            Invariant::new("doubled", 0, doubled),
            Invariant::new("twice", 0, twice),
            Invariant::new("lost", 0, lost),
            Invariant::new("unexpected", 0, unexpected),
            Invariant::new("ledger", in_ledger.wins, confirmed.wins),
            Invariant::cents("ledger_cents", in_ledger.cents, confirmed.cents),
        ])
    }
}

/// The reply of `audit.lua`.
pub struct Figures {
    event_id: EventId,
    record: Fields,
    total_cents: Cents,
    count: i64,
    refunded: i64,
    pending: i64,
    claimants: i64,
    won: i64,
    claimed_cents: Cents,
}

async fn read_claimants(store: &Store, sale: &str, packets: &mut Packets) -> Result<()> {
    let mut cursor = "0".to_owned();
    loop {
        let args = (key(sale, "claimants"), &cursor, "COUNT", CLAIMANTS_AT_A_TIME);
        let (next, found): (String, Vec<String>) = store.query("HSCAN", args).await?;
        for pair in found.chunks_exact(2) {
            packets.claimant(&pair[0], &pair[1])?;
        }
        if next == "0" {
            return Ok(());
        }
        cursor = next;
    }
}

/// Reads the queue from its end. Claims take from its head, so indices counted from the end stay the same.
async fn read_queue(store: &Store, sale: &str, packets: &mut Packets) -> Result<()> {
    let mut last = -1;
    loop {
        let first = last - PACKETS_AT_A_TIME + 1;
        let queued: Vec<String> = store.query("LRANGE", (key(sale, "pending"), first, last)).await?;
        for packet in &queued {
            packets.queued(packet)?;
        }
        if (queued.len() as i64) < PACKETS_AT_A_TIME {
            return Ok(());
        }
        last = first - 1;
    }
}

/// The audit's data of one packet.
#[derive(Clone, Copy, Default)]
struct Packet {
    cents: Cents,
    /// The hash of the user who won the packet.
    user: u64,
    won: bool,
    /// Whether the ledger has recorded the win.
    in_ledger: bool,
    /// Whether the packet was won after E.
    late: bool,
    /// Whether the claimants agree with the event.
    held: bool,
    queued: bool,
}

/// The audit's data of all packets: 32 MB for a million.
struct Packets {
    by_number: Vec<Packet>,
    hasher: RandomState,
    late: bool,
    /// The wins up to E in the ledger, and in the stream.
    in_ledger: Wins,
    in_stream: Wins,
    refunded_cents: Cents,
    /// Whether the refund came after E. Packets that were read in the queue may have been refunded since.
    late_refund: bool,
    doubled: i64,
    unexpected: i64,
    /// The claimants that no event had explained when they were read: user, packet, cents.
    unexplained: Vec<(u64, u32, Cents)>,
}

/// The number of wins, and their amount.
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
    /// The wins in the ledger up to E that the claimants confirm.
    confirmed: Wins,
}

impl HistoryVisitor for Packets {
    async fn rows(&mut self, ledger: &Ledger, known: &LedgerSale, from: EventId, upto: EventId) -> Result<()> {
        let mut after = (from, i64::MAX);
        loop {
            let rows = ledger.rows_between(known.number, outcome::WON, after, upto, ROWS_AT_A_TIME).await?;
            for row in &rows {
                let packet = row.item.as_deref().and_then(|item| item.parse().ok()).unwrap_or(0);
                self.in_ledger.add(row.cents);
                self.claim(row.user.as_deref().unwrap_or_default(), packet, row.cents, true);
            }
            match rows.last() {
                Some(last) if rows.len() == ROWS_AT_A_TIME as usize => {
                    after = (last.event_id, last.place);
                }
                _ => break,
            }
        }
        let refunds = ledger.rows_between(known.number, outcome::REFUNDED, (from, i64::MAX), upto, 1).await?;
        if let [refund] = refunds.as_slice() {
            self.refund(refund.cents);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        match event_type(entry)? {
            b"claimed" => {
                for claim in claims(entry)? {
                    self.in_stream.add(claim.cents);
                    self.claim(&claim.user, claim.packet, claim.cents, false);
                }
            }
            b"refunded" | b"closed" => self.refund(number_field(entry, "cents")?),
            _ => {}
        }
        Ok(())
    }
}

impl Packets {
    fn new(count: i64) -> Self {
        Self {
            // A number that no sale can have violates the invariant `packets`.
            by_number: vec![Packet::default(); count.clamp(0, MAX_COUNT as i64) as usize],
            hasher: RandomState::new(),
            late: false,
            in_ledger: Wins::default(),
            in_stream: Wins::default(),
            refunded_cents: 0,
            late_refund: false,
            doubled: 0,
            unexpected: 0,
            unexplained: Vec::new(),
        }
    }

    /// Marks the start of the events after E.
    fn begin_late(&mut self) {
        self.late = true;
    }

    fn packet(&mut self, number: u32) -> Option<&mut Packet> {
        self.by_number.get_mut((number as usize).checked_sub(1)?)
    }

    fn refund(&mut self, cents: Cents) {
        self.refunded_cents += cents;
        self.late_refund |= self.late;
    }

    /// Records that a user won a packet.
    fn claim(&mut self, user: &str, packet: u32, cents: Cents, in_ledger: bool) {
        let (user, late) = (self.hasher.hash_one(user), self.late);
        match self.packet(packet) {
            Some(known) if !known.won => *known = Packet { cents, user, won: true, in_ledger, late, ..*known },
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
        match self.packet(packet) {
            Some(known) if known.won && known.user == user && known.cents == cents => {
                known.held = true;
                true
            }
            _ => false,
        }
    }

    fn queued(&mut self, packet: &str) -> Result<()> {
        let held = holding(packet)?;
        match self.packet(held.packet) {
            // The packet was won before E and is still in the queue, or it is in the queue twice.
            Some(known) if known.won || known.queued => self.doubled += 1,
            Some(known) => *known = Packet { cents: held.cents, queued: true, ..*known },
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
        // A packet that was won after E may not have been among the claimants when they were read.
        let lost = self.by_number.iter().filter(|packet| packet.won && !packet.held && !packet.late).count() as i64;
        let mut users: Vec<u64> = self.by_number.iter().filter(|packet| packet.won).map(|packet| packet.user).collect();
        users.sort_unstable();
        let twice = users.windows(2).filter(|pair| pair[0] == pair[1]).count() as i64;
        let counted = self.by_number.iter().filter(|packet| packet.won || !self.late_refund);
        let cents = counted.map(|packet| packet.cents).sum::<Cents>() + self.refunded_cents;
        let mut confirmed = Wins::default();
        for packet in self.by_number.iter().filter(|packet| packet.in_ledger && packet.held && !packet.late) {
            confirmed.add(packet.cents);
        }
        Findings { doubled: self.doubled, twice, lost, unexpected: self.unexpected, cents, confirmed }
    }
}
