//! Builds a sale anew that Redis has lost, from the ledger.
//!
//! The terms say how the money was split, the won rows who has which packet; what nobody has waits again.
//! What the ledger never saw is gone, and is said. Counts of refused attempts begin anew: they change
//! nothing, so no ledger has them.

use super::{
    HISTOGRAM_BUCKETS, Splitter,
    book::Kept,
    outcome,
    service::{KIND, RECOVER, RESUME, key, split},
};
use crate::{
    domain::{Cents, EventId, Millis},
    error::{Code, Error, Result},
    ledger::{database::Ledger, kind::Recovered},
    sales::lost::{accept, refuse_living, refuse_moved, unknown_to_the_ledger},
    store::{Store, keys},
};
use std::collections::BTreeMap;

/// Rows read, packets and claims put back at a time.
const AT_A_TIME: usize = 2_048;

/// # Errors
/// `unknown_sale` to the ledger; `sale_exists` where it is alive; `internal` where its packets cannot be
/// made again; `unavailable`, `ledger_unavailable`.
pub(super) async fn recover(store: &Store, ledger: &Ledger, sale: &str, token: &str, now: Millis) -> Result<Recovered> {
    let Some(account) = ledger.sale(KIND, sale).await? else { return Err(unknown_to_the_ledger(sale)) };
    refuse_living(store, KIND, sale).await?;
    let Some(terms) = account.terms.as_deref().and_then(|terms| serde_json::from_str::<Kept>(terms).ok()) else {
        return Err(Error::new(
            Code::Internal,
            format!("The ledger never saw the sale \"{sale}\" being opened, so its packets are not known."),
        ));
    };
    let found = Found::read(ledger, account.number, account.position.event_id, &terms).await?;
    found.put_back(store, sale, token).await?;

    let unseen = account.seen.entries.saturating_sub(account.position.entries);
    let fields = found.meta(&terms);
    let stats = found.stats(&terms);
    let mut args = vec![
        token.to_owned(),
        now.to_string(),
        found.waiting().count().to_string(),
        found.won.len().to_string(),
        account.position.event_id.to_string(),
        account.position.entries.to_string(),
        unseen.to_string(),
        fields.len().to_string(),
    ];
    args.extend(fields.into_iter().chain(stats).flat_map(|(name, value)| [name, value]));
    let keys = recovery_keys(sale);
    refuse_moved(ledger, KIND, sale, account.position).await?;
    let code: Vec<i64> = store.eval(&RESUME, &keys, &args).await?;
    accept(&code, sale)?;
    let _new: i64 = store.query("ZADD", (keys::SALES, "NX", terms.opened_at, format!("{KIND}:{sale}"))).await?;
    Ok(Recovered {
        won: found.won.len() as u64,
        waiting: found.waiting().count() as u64,
        conflicts: found.conflicts,
        upto: account.position.event_id,
        unseen,
        seen_at: account.seen_at,
    })
}

fn recovery_keys(sale: &str) -> [String; 5] {
    ["pending", "claimants", "meta", "stats", "events"].map(|part| key(sale, part))
}

/// What the ledger has of a sale.
struct Found {
    /// Cents of each packet, packet 1 first.
    cents: Vec<Cents>,
    /// Packet to winner and when.
    won: BTreeMap<u32, (String, Millis)>,
    refunded_cents: Option<Cents>,
    conflicts: Vec<String>,
}

impl Found {
    async fn read(ledger: &Ledger, number: i64, upto: EventId, terms: &Kept) -> Result<Self> {
        let splitter = Splitter::from_name(&terms.splitter).ok_or_else(|| unmade(&terms.splitter))?;
        let cents = split(splitter, terms.total_cents, terms.count, terms.seed).await?;
        let mut found = Self { cents, won: BTreeMap::new(), refunded_cents: None, conflicts: Vec::new() };
        let mut after = (EventId::default(), -1);
        loop {
            let rows = ledger.rows_between(number, outcome::WON, after, upto, AT_A_TIME as u32).await?;
            for row in &rows {
                let user = row.user.clone().unwrap_or_default();
                let packet: u32 = row.item.as_deref().and_then(|item| item.parse().ok()).unwrap_or(0);
                let amount = (packet as usize).checked_sub(1).and_then(|index| found.cents.get(index));
                if amount != Some(&row.cents) {
                    return Err(unmade(&terms.splitter));
                }
                match found.won.get(&packet) {
                    None => _ = found.won.insert(packet, (user, row.at)),
                    Some((first, _)) => {
                        found.conflicts.push(format!("packet {packet} stays with {first}; {user} was told the same"));
                    }
                }
            }
            match rows.last() {
                Some(last) if rows.len() == AT_A_TIME => after = (last.event_id, last.place),
                _ => break,
            }
        }
        let refunds = ledger.rows_between(number, outcome::REFUNDED, (EventId::default(), -1), upto, 1).await?;
        found.refunded_cents = refunds.first().map(|row| row.cents);
        Ok(found)
    }

    /// The packets that nobody has, unless their money went back.
    fn waiting(&self) -> impl Iterator<Item = (usize, Cents)> {
        let there = self.refunded_cents.is_none();
        let packets = (1..).zip(self.cents.iter().copied());
        packets.filter(move |(packet, _)| there && !self.won.contains_key(&(*packet as u32)))
    }

    async fn put_back(&self, store: &Store, sale: &str, token: &str) -> Result<()> {
        let waiting: Vec<String> = self.waiting().map(|(packet, cents)| format!("{packet}:{cents}")).collect();
        let won: Vec<[String; 2]> = self
            .won
            .iter()
            .map(|(packet, (user, _))| [user.clone(), format!("{packet}:{}", self.cents[*packet as usize - 1])])
            .collect();
        let chunks = waiting.len().max(won.len()).div_ceil(AT_A_TIME).max(1);
        let keys = recovery_keys(sale);
        for chunk in 0..chunks {
            let part = |length: usize| (chunk * AT_A_TIME).min(length)..((chunk + 1) * AT_A_TIME).min(length);
            let packets = &waiting[part(waiting.len())];
            let mut args = vec![token.to_owned(), chunk.to_string(), packets.len().to_string()];
            args.extend_from_slice(packets);
            args.extend(won[part(won.len())].iter().flatten().cloned());
            let code: Vec<i64> = store.eval(&RECOVER, &keys, &args).await?;
            accept(&code, sale)?;
        }
        Ok(())
    }

    fn meta(&self, terms: &Kept) -> Vec<(String, String)> {
        let mut fields: Vec<(&str, String)> = vec![
            ("state", if self.refunded_cents.is_some() { "refunded" } else { "open" }.to_owned()),
            ("total_cents", terms.total_cents.to_string()),
            ("count", terms.count.to_string()),
            ("splitter", terms.splitter.clone()),
            ("seed", terms.seed.to_string()),
            ("life_s", terms.life_s.to_string()),
            ("bucket_cents", terms.bucket_cents.to_string()),
            ("opened_at", terms.opened_at.to_string()),
            ("expires_at", terms.expires_at.to_string()),
        ];
        // The largest amount; of equals, the earliest claim, which is the one with the lowest number.
        let best =
            self.won.iter().max_by_key(|(packet, _)| (self.cents[**packet as usize - 1], std::cmp::Reverse(**packet)));
        match best {
            Some((packet, (user, at))) => {
                let cents = self.cents[*packet as usize - 1];
                fields.extend([
                    ("best_cents", cents.to_string()),
                    ("best_user", user.clone()),
                    ("best_packet", format!("{packet}:{cents}")),
                    ("best_at", at.to_string()),
                ]);
            }
            None => fields.push(("best_cents", "0".to_owned())),
        }
        if let Some(cents) = self.refunded_cents {
            let packets = self.cents.len() - self.won.len();
            fields.extend([("refunded_cents", cents.to_string()), ("refunded", packets.to_string())]);
        }
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn stats(&self, terms: &Kept) -> Vec<(String, String)> {
        if self.won.is_empty() {
            return Vec::new();
        }
        let mut columns: BTreeMap<Cents, u64> = BTreeMap::new();
        let mut claimed = 0;
        for packet in self.won.keys() {
            let cents = self.cents[*packet as usize - 1];
            claimed += cents;
            *columns.entry(((cents - 1) / terms.bucket_cents).min(HISTOGRAM_BUCKETS as Cents)).or_default() += 1;
        }
        let mut stats =
            vec![("won".to_owned(), self.won.len().to_string()), ("claimed_cents".to_owned(), claimed.to_string())];
        stats.extend(columns.into_iter().map(|(column, count)| (format!("amount:{column}"), count.to_string())));
        stats
    }
}

fn unmade(splitter: &str) -> Error {
    Error::new(
        Code::Internal,
        format!(
            "The packets of the sale cannot be made again: the splitter \"{splitter}\" of this program gives other \
             amounts than the ledger has. Recover it with the program that opened it."
        ),
    )
}
