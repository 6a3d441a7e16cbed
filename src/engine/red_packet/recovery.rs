//! Rebuilds a red packet sale from the ledger.
//!
//! The terms determine the split of the money. The `won` rows record who has which packet. The other packets are
//! pending again.

use crate::{
    life::replay::ReplayedLife,
    recovery::{Rebuilt, Recoverable, number, part},
    red_packet::{
        history::StoredTerms,
        scripts::{KIND, PARTS, RECOVER, RESUME},
        service::{RedPackets, split},
    },
    terms::{RecordField, RecordedTerms},
};
use ledger::{database::Ledger, sale::LedgerSale};
use model::{
    Cents, EventId, Millis,
    error::{Code, Error, Result},
    red_packet::{HISTOGRAM_BUCKETS, Splitter, outcome},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, btree_map::Entry},
};
use store::script::Script;

/// The rows read, and the packets and claims restored, at a time.
const AT_A_TIME: usize = 2_048;

impl Recoverable for RedPackets {
    const KIND: &str = KIND;
    const PARTS: &'static [&'static str] = &PARTS;
    const WINS: &'static str = "won";
    const SETTLED: Option<&'static str> = Some(outcome::REFUNDED);
    const RECOVER: &'static Script = &RECOVER;
    const RESUME: &'static Script = &RESUME;
    type Terms = StoredTerms;
    type Rebuilt = RebuiltSale;

    fn opened_at(terms: &StoredTerms) -> Millis {
        terms.opened_at
    }

    async fn rebuild(&self, ledger: &Ledger, known: &LedgerSale, terms: &StoredTerms) -> Result<RebuiltSale> {
        RebuiltSale::read(ledger, known.number, known.position.event_id, terms).await
    }
}

/// A sale rebuilt from the ledger.
pub struct RebuiltSale {
    terms: StoredTerms,
    /// The won packets, in the order of their numbers.
    won: Vec<Won>,
    /// The pending packets, unless their money was refunded.
    waiting: Vec<(u32, Cents)>,
    refunded_cents: Option<Cents>,
    conflicts: Vec<String>,
}

/// A packet that was won.
struct Won {
    packet: u32,
    cents: Cents,
    user: String,
    at: Millis,
}

impl Rebuilt for RebuiltSale {
    fn chunks(&self) -> usize {
        self.waiting.len().max(self.won.len()).div_ceil(AT_A_TIME).max(1)
    }

    fn chunk(&self, chunk: usize) -> Vec<Vec<u8>> {
        let waiting = &self.waiting[part(chunk, AT_A_TIME, self.waiting.len())];
        let won = &self.won[part(chunk, AT_A_TIME, self.won.len())];
        let mut args = vec![number(waiting.len())];
        args.extend(waiting.iter().map(|(packet, cents)| format!("{packet}:{cents}").into_bytes()));
        args.extend(won.iter().flat_map(|Won { packet, cents, user, .. }| {
            [user.clone().into_bytes(), format!("{packet}:{cents}").into_bytes()]
        }));
        args
    }

    fn expected(&self) -> [usize; 2] {
        [self.waiting.len(), self.won.len()]
    }

    fn rest(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let meta = self.meta(life)?;
        let mut args = vec![number(meta.len())];
        args.extend(meta.into_iter().flat_map(|(name, value)| [name.into(), value]));
        args.extend(self.stats().into_iter().flat_map(|(name, value)| [name.into(), value.into()]));
        Ok(args)
    }

    fn recorded_wins(&self) -> u64 {
        (self.won.len() + self.conflicts.len()) as u64
    }

    fn won_and_waiting(&self) -> [usize; 2] {
        [self.won.len(), self.waiting.len()]
    }

    fn conflicts(self) -> Vec<String> {
        self.conflicts
    }
}

impl RebuiltSale {
    async fn read(ledger: &Ledger, sale: i64, upto: EventId, terms: &StoredTerms) -> Result<Self> {
        let splitter = Splitter::from_name(&terms.splitter).ok_or_else(|| unmade(&terms.splitter))?;
        let packets = split(splitter, terms.total_cents, terms.count, terms.seed).await?;
        let mut won: BTreeMap<u32, Won> = BTreeMap::new();
        let mut packet_of: HashMap<String, u32> = HashMap::new();
        let mut conflicts = Vec::new();
        let mut after = (EventId::default(), -1);
        loop {
            let rows = ledger.rows_between(sale, outcome::WON, after, upto, AT_A_TIME as u32).await?;
            for row in &rows {
                let user = row.user.clone().unwrap_or_default();
                let packet: u32 = row.item.as_deref().and_then(|item| item.parse().ok()).unwrap_or(0);
                let given = row.cents;
                // Another packet can be recorded only if somebody changed the packets in Redis by hand.
                let Some(&cents) = (packet as usize).checked_sub(1).and_then(|index| packets.get(index)) else {
                    conflicts.push(format!(
                        "packet {packet} with {given} cents, which this sale does not have, was confirmed to {user}"
                    ));
                    continue;
                };
                // The earlier row of the ledger wins: a packet has one winner, and a winner has one packet.
                match (packet_of.get(&user), won.entry(packet)) {
                    (Some(first), _) if *first == packet => {
                        conflicts.push(format!("{user} keeps packet {packet}, which was confirmed to them twice"))
                    }
                    (Some(first), _) => conflicts
                        .push(format!("{user} keeps packet {first}; packet {packet} was also confirmed to them")),
                    (None, Entry::Vacant(free)) => {
                        if cents != given {
                            conflicts.push(format!(
                                "{user} keeps packet {packet} with {cents} cents; {given} cents were confirmed to them"
                            ));
                        }
                        packet_of.insert(user.clone(), packet);
                        free.insert(Won { packet, cents, user, at: row.at });
                    }
                    (None, Entry::Occupied(first)) => {
                        let first = &first.get().user;
                        conflicts.push(format!("packet {packet} stays with {first}; it was also confirmed to {user}"));
                    }
                }
            }
            match rows.last() {
                Some(last) if rows.len() == AT_A_TIME => after = (last.event_id, last.place),
                _ => break,
            }
        }
        let refunds = ledger.rows_between(sale, outcome::REFUNDED, (EventId::default(), -1), upto, 1).await?;
        let refunded_cents = refunds.first().map(|row| row.cents);
        let mut waiting = Vec::new();
        if refunded_cents.is_none() {
            waiting.extend((1..).zip(packets).filter(|(packet, _)| !won.contains_key(packet)));
        }
        let won = won.into_values().collect();
        Ok(Self { terms: terms.clone(), won, waiting, refunded_cents, conflicts })
    }

    fn meta(&self, life: &ReplayedLife) -> Result<Vec<(String, Vec<u8>)>> {
        let terms = &self.terms;
        let mut fields = terms.fields()?;
        // The largest amount is taken. On a tie, the earliest claim is taken, which has the lowest packet number.
        match self.won.iter().max_by_key(|won| (won.cents, Reverse(won.packet))) {
            Some(Won { packet, cents, user, at }) => fields.extend([
                ("best_cents", number(cents)),
                ("best_user", user.clone().into_bytes()),
                ("best_packet", format!("{packet}:{cents}").into_bytes()),
                ("best_at", number(at)),
            ]),
            None => fields.push(("best_cents", number(0))),
        }
        if let Some(cents) = self.refunded_cents {
            let packets = terms.count - self.won.len() as u64;
            fields.extend([("refunded_cents", number(cents)), ("refunded", number(packets))]);
        }
        // A change of the sale's end replaces the one of the terms.
        fields.retain(|(name, _)| life.field(name).is_none());
        let field = |(name, value): RecordField| (name.to_owned(), value);
        Ok(fields.into_iter().map(field).chain(life.meta()).collect())
    }

    fn stats(&self) -> Vec<(String, String)> {
        if self.won.is_empty() {
            return Vec::new();
        }
        let mut columns: BTreeMap<Cents, u64> = BTreeMap::new();
        for won in &self.won {
            let column = ((won.cents - 1) / self.terms.bucket_cents).min(HISTOGRAM_BUCKETS as Cents);
            *columns.entry(column).or_default() += 1;
        }
        let claimed_cents: Cents = self.won.iter().map(|won| won.cents).sum();
        let mut stats = vec![
            ("won".to_owned(), self.won.len().to_string()),
            ("claimed_cents".to_owned(), claimed_cents.to_string()),
        ];
        stats.extend(columns.into_iter().map(|(column, count)| (format!("amount:{column}"), count.to_string())));
        stats
    }
}

fn unmade(splitter: &str) -> Error {
    Error::new(
        Code::Internal,
        format!(
            "The packets of the sale cannot be restored: this program has no splitter \"{splitter}\". Recover the sale \
             with the program that opened it."
        ),
    )
}
