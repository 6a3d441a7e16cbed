//! The replay of a run: what the ledger recorded at its sale while it lasted, in order.

use crate::crowd::{runner::Crowds, supply::Supply};
use ledger::{database::Ledger, sale::LedgerSale, transfers::ItemRow};
use model::{
    EventId, Millis,
    crowd::{
        Phase, place_of_user,
        replay::{MOST_TRANSFERS, Replay, Transfers},
        runs::RunRecord,
    },
    error::Result,
    find_kind,
};
use std::{
    collections::{HashMap, HashSet},
    ops::RangeInclusive,
};
use store::stream::{Entry, number_field};

/// The rows that are read at a time.
const ROWS_AT_A_TIME: u32 = 10_000;
/// How far the server's idea of Redis' time may be off, in milliseconds, when it notes the start of a run. Rows of the
/// crowd's own users belong to the run all the same.
const CLOCK_ERROR: Millis = 1_000;

/// A row, and whether it gives items away.
type Row = (ItemRow, bool);

/// What belongs to a run.
struct Span<'a> {
    /// The id of the run.
    run: &'a str,
    /// From its start to its end.
    during: RangeInclusive<Millis>,
}

impl Span<'_> {
    /// The times of rows that may belong to it.
    fn widest(&self) -> RangeInclusive<Millis> {
        self.during.start().saturating_sub(CLOCK_ERROR).max(0)..=self.during.end().saturating_add(CLOCK_ERROR)
    }

    fn has(&self, ItemRow { at, user, .. }: &ItemRow) -> bool {
        let is_of_crowd = || user.as_deref().is_some_and(|user| place_of_user(self.run, user).is_some());
        self.during.contains(at) || (self.widest().contains(at) && is_of_crowd())
    }
}

impl Crowds {
    /// What an ended run gave away. Also of an archived sale, as long as the run is kept.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `ledger_unavailable`.
    pub async fn replay(&self, run: &str) -> Result<Replay> {
        let record = self.history.report(run).await?.record;
        let RunRecord { run, kind, sale, phase, started_at, ended_at, figures, .. } = record;
        let elapsed = Millis::try_from(figures.elapsed_ms).unwrap_or(Millis::MAX);
        // The verification, which is over at `ended_at`, gives nothing away. What a lost run still did after its last
        // figures is not in them.
        let last_answer = started_at.saturating_add(elapsed);
        let until = if phase == Phase::Lost { last_answer.max(ended_at) } else { last_answer };
        let ledger = &self.ledger.ledger;
        let Some(known) = ledger.sale(&kind, &sale).await? else { return Ok(Replay { run, ..Replay::default() }) };
        let service = find_kind(self.kinds.iter().map(AsRef::as_ref), &kind)?;
        let supply = service.supply(&known, until).await?;
        // Before the rows: what is recorded meanwhile may be among them.
        let span = Span { run: &run, during: started_at..=until };
        let is_recorded = self.is_recorded(&known, *span.widest().end()).await;
        let mut rows = rows_within(ledger, known.number, &supply, &span).await?;
        let is_cut = rows.len() > MOST_TRANSFERS;
        rows.truncate(MOST_TRANSFERS);
        let first = rows.first().map(|(row, _)| row.position().0);
        let first = first.unwrap_or(EventId { millis: started_at.cast_unsigned(), sequence: 0 });
        let items = left_before(ledger, known.number, &supply, first).await?;
        let (names, transfers) = transfers(&run, started_at, &supply, &rows);
        Ok(Replay { run, items, names, transfers, is_cut, is_recorded })
    }

    /// Whether the ledger has everything that happened at a sale until a time.
    async fn is_recorded(&self, LedgerSale { kind, sale, position, .. }: &LedgerSale, until: Millis) -> bool {
        let args = (self.store.sale_key(kind, sale, "events"), format!("({}", position.event_id), "+", "COUNT", 1);
        // Of an archived sale, Redis has nothing more. While Redis is away, nobody knows more than the ledger.
        let next: Vec<Entry> = self.store.query("XRANGE", args).await.unwrap_or_default();
        next.first().is_none_or(|entry| number_field(entry, "at").is_ok_and(|at| at > until))
    }
}

/// The rows of a sale within a span of time by which its items changed hands, in order: at least the first
/// [`MOST_TRANSFERS`], and one more if there is one.
async fn rows_within(ledger: &Ledger, sale_no: i64, supply: &Supply, span: &Span<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let outcomes = supply.returned.iter().map(|outcome| (*outcome, false)).chain([(supply.given, true)]);
    for (outcome, is_given) in outcomes {
        let found = rows_of_outcome(ledger, sale_no, outcome, span).await?;
        rows.extend(found.into_iter().map(|row| (row, is_given)));
    }
    rows.sort_unstable_by_key(|(row, _)| row.position());
    Ok(rows)
}

async fn rows_of_outcome(ledger: &Ledger, sale_no: i64, outcome: &str, span: &Span<'_>) -> Result<Vec<ItemRow>> {
    let mut found: Vec<ItemRow> = Vec::new();
    let (begin, end) = span.widest().into_inner();
    let mut after = (EventId { millis: begin.cast_unsigned(), sequence: 0 }, -1);
    loop {
        let rows = ledger.item_rows(sale_no, outcome, after, ROWS_AT_A_TIME).await?;
        let Some(last) = rows.last() else { return Ok(found) };
        after = last.position();
        let is_last = rows.len() < ROWS_AT_A_TIME as usize || last.at > end;
        found.extend(rows.into_iter().filter(|row| span.has(row)));
        if is_last || found.len() > MOST_TRANSFERS {
            return Ok(found);
        }
    }
}

/// The number of items that were left before an event; `None` without a limit.
async fn left_before(ledger: &Ledger, sale_no: i64, supply: &Supply, before: EventId) -> Result<Option<u64>> {
    let Some(total) = supply.total else { return Ok(None) };
    let mut taken: i64 = 0;
    for (outcome, sign) in supply.returned.iter().map(|outcome| (*outcome, -1_i64)).chain([(supply.given, 1)]) {
        let items = match supply.is_counted {
            true => ledger.quantity_before(sale_no, outcome, before).await?,
            false => ledger.rows_before(sale_no, outcome, before).await?,
        };
        taken += sign * items;
    }
    Ok(Some(total.saturating_add_signed(taken.saturating_neg())))
}

/// The names of the items that changed hands, and the rows as columns.
fn transfers(run: &str, started_at: Millis, supply: &Supply, rows: &[Row]) -> (Vec<String>, Transfers) {
    let mut names: Vec<&str> = Vec::new();
    if !supply.is_counted {
        let mut known = HashSet::new();
        names.extend(rows.iter().filter_map(|(row, _)| row.item.as_deref()).filter(|name| known.insert(*name)));
        names.sort_by_cached_key(|name| (supply.place)(name));
    }
    let places: HashMap<&str, u32> = names.iter().copied().zip(0..).collect();
    let mut transfers = Transfers::default();
    // Redis' clock may go back.
    let mut at = rows.first().map_or(started_at, |(row, _)| row.at.min(started_at));
    let start = at;
    for (row, is_given) in rows {
        at = at.max(row.at);
        let name = row.item.as_deref().unwrap_or_default();
        let quantity = if supply.is_counted { name.parse().unwrap_or_default() } else { 1 };
        transfers.at_ms.push((at - start).unsigned_abs());
        transfers.users.push(row.user.as_deref().and_then(|user| place_of_user(run, user)));
        transfers.items.extend(places.get(name));
        transfers.quantities.push(if *is_given { quantity } else { -quantity });
    }
    (names.into_iter().map(str::to_owned).collect(), transfers)
}
