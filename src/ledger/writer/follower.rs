//! Records the streams of one server: of the only Redis, or of a master of a cluster.
//!
//! Each has one of its own, so that a server that hangs holds up the records of no other. If a sale moves to another
//! server, two may read the same entries for a moment. Then the ledger refuses the one that is late, as it does between
//! two processes.

use crate::{
    apply::{Applied, Batch, Move, NewRow, Position, RejectedEntry},
    database::Ledger,
    kind::{Interpretation, Interpreter, LedgerKind},
    sale::LedgerSale,
    scripts::{Suspension, ack_and_trim, stream_position, suspend, suspend_living},
    writer::{
        Step,
        lease::Lease,
        steps::{self, Steps},
    },
};
use futures::{
    FutureExt, StreamExt,
    future::{BoxFuture, try_join, try_join_all},
    stream,
};
use model::{
    EventId, Millis,
    error::{Code, Error, Result},
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};
use store::{
    Reader, Store, keys,
    listing::{self, Version, state_of},
    runtime::Clock,
    stream::Entry,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest wait of a read for new entries. A new sale is noticed within this time.
const BLOCK: Duration = Duration::from_millis(200);
/// The time for which entries accumulate after a small transaction. Each transaction waits for the disk, and many small
/// ones would slow down the sales.
const GATHER: Duration = Duration::from_millis(50);
/// The pause while another process writes, or the ledger cannot be written.
const STANDBY: Duration = Duration::from_millis(500);
/// The target number of rows in a transaction: large enough to rarely wait for the disk.
const ROWS: u64 = 16_384;
/// The maximum number of rows in a transaction (the last entry may exceed it). A database ends a statement that takes
/// too long, so a transaction that is too large would never succeed, however often it is tried. After a failure, the
/// next transaction has half as many rows. The number then grows again slowly.
const MOST_ROWS: u64 = 2 * ROWS;
const FEWEST_ROWS: u64 = 256;
/// The bounds for the number of entries read at a time, from all streams together. An entry has 1 to 256 rows,
/// depending on the load, so the size of the next read is derived from the last transaction.
const FEWEST_ENTRIES: u64 = 64;
const MOST_ENTRIES: u64 = 4_096;
/// The minimum number of entries read from one stream, however many streams are read.
const FEWEST_OF_ONE: u64 = 16;
/// The maximum number of streams in one call.
const MOST_STREAMS: usize = (MOST_ENTRIES / FEWEST_OF_ONE) as usize;
/// The pause before a sale that nobody has now is looked for again: the search takes as long as a call may take, and the
/// other sales wait for it.
const AGAIN_AFTER: Duration = Duration::from_secs(10);
/// The number of new sales looked up at a time.
const NEW_AT_A_TIME: usize = 64;
/// The maximum number of new sales that are looked up in the ledger one by one.
const FEW_NEW: usize = 64;
/// A stream without new entries for this long counts as idle.
const ACTIVE_FOR: Duration = Duration::from_secs(1);
/// The time for which a paused sale is skipped before its kind is asked again.
const PAUSED_FOR: Duration = Duration::from_millis(200);
/// The interval between reads of idle streams while others are active: the cost of a read grows with the number of
/// streams.
const IDLE_EVERY: Duration = Duration::from_millis(200);
/// The number of entries kept in the stream: the live view shows the newest ones.
const KEPT: usize = 64;

/// What the followers of a process share.
pub struct Context {
    pub store: Store,
    pub ledger: Ledger,
    pub kinds: Arc<[Arc<dyn LedgerKind>]>,
    pub clock: Arc<dyn Clock>,
    pub lease: Lease,
    pub steps: Steps,
}

/// Follows the streams of one server.
pub struct Follower {
    context: Arc<Context>,
    pub address: String,
    /// Held during a step.
    in_step: steps::Step,
    /// The term of the lease in which the rest was learned.
    term: u64,
    followed: HashMap<String, Followed>,
    /// The streams of sales that are over. No more of their entries are recorded.
    over: HashSet<String>,
    /// The version of the list of sales at the last read, and that of what each server has.
    listed: Option<(Version, u64)>,
    /// When sales that nobody had at the last look are looked for again.
    again_at: Option<Instant>,
    /// The number of entries to read at a time.
    entries: u64,
    /// The maximum number of rows to record at a time.
    rows: u64,
    /// The number of sales recorded by all transactions so far. For each, one UPDATE moves the position and changes the
    /// quantity.
    pub updates: u64,
    /// When the idle streams were last read.
    read_idle: Option<Instant>,
    /// Whether a stream may have had more entries at the last read.
    more: bool,
    /// The indexes of the next calls, if reading all streams takes several: one for active streams, one for all.
    next_calls: [usize; 2],
    reader: Option<Reader>,
}

struct Followed {
    kind: Arc<dyn LedgerKind>,
    sale: String,
    position: Position,
    /// The generation of its history, read before any of its entries.
    generation: EventId,
    /// The newest recorded entries. The stream is trimmed before them.
    newest: VecDeque<EventId>,
    /// When it last had new entries.
    news_at: Option<Instant>,
    /// Until when it is skipped, because its kind has reported a pause.
    paused_until: Option<Instant>,
}

impl Followed {
    fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|until| now < until)
    }

    fn is_active(&self, now: Instant) -> bool {
        self.news_at.is_some_and(|at| now - at < ACTIVE_FOR)
    }
}

/// The interpreted entries of one sale.
struct SaleBatch {
    key: String,
    batch: Batch,
    ids: Vec<EventId>,
}

impl Follower {
    pub fn new(context: Arc<Context>, address: String) -> Self {
        let in_step = context.steps.add();
        Self {
            context,
            address,
            in_step,
            term: 0,
            followed: HashMap::new(),
            over: HashSet::new(),
            listed: None,
            again_at: None,
            entries: FEWEST_ENTRIES,
            rows: MOST_ROWS,
            updates: 0,
            read_idle: None,
            more: false,
            next_calls: [0; 2],
            reader: None,
        }
    }

    /// Records until `shutdown`, or until the server is no master any more.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut reported = None;
        loop {
            let masters = self.context.store.masters();
            if !masters.addresses.contains(&self.address) {
                return;
            }
            let step = tokio::select! {
                () = shutdown.cancelled() => return,
                step = self.step(BLOCK) => step,
            };
            let pause = match step {
                Ok(Step::Idle) => {
                    reported = None;
                    continue;
                }
                Ok(Step::Wrote { rows, .. }) => {
                    reported = None;
                    match pause_after(rows, self.more) {
                        Some(pause) => pause,
                        None => continue,
                    }
                }
                Ok(Step::Overtaken) => GATHER,
                Ok(Step::Standby) => STANDBY,
                Err(error) => {
                    // Logged once per kind of failure, not on every retry.
                    if reported != Some(error.code) {
                        tracing::warn!(%error, redis = self.address, "the ledger cannot be written and falls behind; sales continue");
                        reported = Some(error.code);
                    }
                    // Another process may be able to. What only one server of several lacks is no reason.
                    if masters.addresses.len() == 1 || error.code == Code::LedgerUnavailable {
                        self.context.lease.give_up().await;
                    }
                    STANDBY
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Reads and records entries once. Waits at most `block` for them.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`: the step may be repeated at once.
    pub async fn step(&mut self, block: Duration) -> Result<Step> {
        let _in_step = self.in_step.clone().lock_owned().await;
        let result = self.try_step(block).await;
        if result.is_err() {
            // After any error, the knowledge of ledger and streams may be outdated.
            self.forget();
        }
        result
    }

    pub fn forget(&mut self) {
        self.followed.clear();
        self.over.clear();
        self.listed = None;
        self.reader = None;
    }

    /// The connection that waits for new entries.
    async fn reader(&mut self) -> Result<&mut Reader> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => self.context.store.reader(&self.address, BLOCK).await?,
        };
        Ok(self.reader.insert(reader))
    }

    async fn try_step(&mut self, block: Duration) -> Result<Step> {
        let Some(term) = self.context.lease.hold().await? else {
            self.forget();
            return Ok(Step::Standby);
        };
        if term != self.term {
            self.forget();
            self.term = term;
        }
        // Before the positions are read: if another Redis takes over after that, this connection breaks.
        self.reader().await?;
        if !self.follow_new_sales().await? {
            self.forget();
            return Ok(Step::Standby);
        }
        let entries = self.read(block).await?;
        if entries.is_empty() {
            return Ok(Step::Idle);
        }
        let sales = self.interpret(entries).await?;
        if sales.is_empty() {
            return Ok(Step::Idle);
        }
        let count: u64 = sales.iter().map(|sale| sale.ids.len() as u64).sum();
        let rows: u64 = sales.iter().map(|sale| sale.batch.rows.len() as u64).sum();
        let batches: Vec<&Batch> = sales.iter().map(|sale| &sale.batch).collect();
        let applied = self.context.ledger.apply(&batches).await;
        self.rows = match &applied {
            Ok(_) => (self.rows + self.rows / 8).min(MOST_ROWS),
            Err(_) => (self.rows.min(rows) / 2).max(FEWEST_ROWS),
        };
        match applied? {
            Applied::Done => {
                self.updates += sales.len() as u64;
                let acknowledged: Vec<_> =
                    sales.iter().filter_map(|SaleBatch { key, batch, ids }| self.advance(key, batch, ids)).collect();
                try_join_all(acknowledged).await?;
            }
            Applied::Overtaken => {
                self.forget();
                // The next step also checks whether this process still has the lease.
                self.context.lease.doubt().await;
                return Ok(Step::Overtaken);
            }
            Applied::Refused(_) => self.one_by_one(sales).await?,
        }
        self.entries = (ROWS * count / rows.max(1)).clamp(FEWEST_ENTRIES, MOST_ENTRIES);
        Ok(Step::Wrote { entries: count, rows })
    }

    /// Starts following the new sales of this server, and drops those that another server has now. Returns whether this
    /// process still has the lease: looking up many sales can take longer than it lasts.
    async fn follow_new_sales(&mut self) -> Result<bool> {
        let now = (listing::version(&self.context.store).await?, self.context.store.masters().version);
        if self.listed == Some(now) && self.again_at.is_none_or(|at| Instant::now() < at) {
            return Ok(true);
        }
        let names = listing::names(&self.context.store).await?;
        // Keeps the sales that are already followed or known to be over. Drops those no longer on the list because they
        // were archived.
        let over = std::mem::take(&mut self.over);
        let mut followed = std::mem::take(&mut self.followed);
        let mut new = Vec::new();
        for name in names {
            let Some((id, sale)) = keys::split_name(&name) else { continue };
            let Some(kind) = self.context.kinds.iter().find(|kind| kind.info().id == id).cloned() else { continue };
            let key = self.context.store.sale_key(id, sale, "events");
            if !self.context.store.is_at(&self.address, &key) {
                continue;
            }
            match followed.remove(&key) {
                Some(sale) => _ = self.followed.insert(key, sale),
                None if over.contains(&key) => _ = self.over.insert(key),
                None => new.push((kind, sale.to_owned())),
            }
        }
        // Few are looked up one by one, because the list of all grows with the followed sales.
        let known = if new.len() > FEW_NEW { self.context.ledger.sales().await? } else { Vec::new() };
        let known: HashMap<(&str, &str), Known> =
            known.iter().map(|known| ((known.kind.as_str(), known.sale.as_str()), Known::of(known))).collect();
        // Many at a time, because each waits for Redis.
        let begin = |(kind, sale): (Arc<dyn LedgerKind>, String)| {
            let known = known.get(&(kind.info().id, sale.as_str())).copied();
            begin(self.context.store.clone(), self.context.ledger.clone(), kind, sale, known).boxed()
        };
        let asked: Vec<BoxFuture<'static, Result<Begun>>> = new.into_iter().map(begin).collect();
        let mut begun = stream::iter(asked).buffer_unordered(NEW_AT_A_TIME);
        self.again_at = None;
        while let Some(begun) = begun.next().await {
            let (key, sale) = match begun {
                // It is just being moved.
                Err(error) if error.code == Code::Busy => {
                    self.again_at = Some(Instant::now() + AGAIN_AFTER);
                    continue;
                }
                begun => begun?,
            };
            if self.context.lease.hold().await? != Some(self.term) {
                return Ok(false);
            }
            match sale {
                Begin::Follow(sale) => _ = self.followed.insert(key, *sale),
                Begin::Over => _ = self.over.insert(key),
                Begin::Unreadable => {}
            }
        }
        self.listed = Some(now);
        Ok(true)
    }

    /// The next entries of every stream that has any. Idle streams are read only every [`IDLE_EVERY`], because the cost
    /// of a read grows with the number of streams.
    async fn read(&mut self, block: Duration) -> Result<Vec<(String, Vec<Entry>)>> {
        if self.followed.is_empty() {
            tokio::time::sleep(block).await;
            return Ok(Vec::new());
        }
        let now = Instant::now();
        let active = self.followed.values().filter(|sale| sale.is_active(now) && !sale.is_paused(now)).count();
        let is_time = self.read_idle.is_none_or(|at| now - at >= IDLE_EVERY);
        if active > 0 && !is_time {
            let news = self.read_some(now, false, block).await?;
            // A caller that does not wait wants the entries of all streams.
            if !news.is_empty() || !block.is_zero() {
                return Ok(news);
            }
        }
        self.read_idle = Some(now);
        self.read_some(now, true, block).await
    }

    async fn read_some(&mut self, now: Instant, with_idle: bool, block: Duration) -> Result<Vec<(String, Vec<Entry>)>> {
        let (keys, ids): (Vec<String>, Vec<String>) = self
            .followed
            .iter()
            .filter(|(_, sale)| with_idle || sale.is_active(now))
            // A caller that does not wait wants to know whether the sale is still paused.
            .filter(|(_, sale)| block.is_zero() || !sale.is_paused(now))
            .map(|(key, sale)| (key.clone(), sale.position.event_id.to_string()))
            .unzip();
        if keys.is_empty() {
            tokio::time::sleep(block).await;
            return Ok(Vec::new());
        }
        let count = (self.entries / keys.len() as u64).max(FEWEST_OF_ONE) as usize;
        // Each call begins where the previous one ended. So no call has more streams than its limit of entries allows.
        let calls = keys.len().div_ceil(MOST_STREAMS);
        for _ in 0..calls {
            let next_call = &mut self.next_calls[usize::from(with_idle)];
            let first = *next_call % calls * MOST_STREAMS;
            let range = first..keys.len().min(first + MOST_STREAMS);
            *next_call = next_call.wrapping_add(1);
            let block = if calls == 1 { block } else { Duration::ZERO };
            let streams = self.reader().await?.read_streams(&keys[range.clone()], &ids[range], count, block).await?;
            if streams.is_empty() {
                continue;
            }
            for (key, _) in &streams {
                if let Some(sale) = self.followed.get_mut(key) {
                    sale.news_at = Some(now);
                }
            }
            self.more = calls > 1 || streams.iter().any(|(_, entries)| entries.len() == count);
            return Ok(streams);
        }
        if calls > 1 {
            tokio::time::sleep(block).await;
        }
        Ok(Vec::new())
    }

    /// Interprets as many entries as fit into a transaction. The others are read again later. The oldest entries come
    /// first, so that no stream keeps another waiting.
    async fn interpret(&mut self, mut streams: Vec<(String, Vec<Entry>)>) -> Result<Vec<SaleBatch>> {
        streams.sort_by_cached_key(|(_, entries)| entries.first().and_then(|entry| entry.0.parse::<EventId>().ok()));
        let (mut sales, mut rows) = (Vec::with_capacity(streams.len()), 0);
        streams.retain(|(key, _)| self.followed.contains_key(key));
        // All at once: one after the other, a thousand sales would take longer than their transaction.
        let asked = streams.iter().filter_map(|(key, _)| self.followed.get(key));
        let prepared = try_join_all(asked.map(|followed| prepare(&self.context.store, followed))).await?;
        let seen_at = self.context.clock.now();
        for ((key, entries), prepared) in streams.into_iter().zip(prepared) {
            if rows >= self.rows {
                self.more = true;
                break;
            }
            let Some(followed) = self.followed.get_mut(&key) else { continue };
            let Some((interpreter, seen)) = prepared else {
                followed.paused_until = Some(Instant::now() + PAUSED_FOR);
                continue;
            };
            let (kind, sale, from) = (followed.kind.info().id, followed.sale.clone(), followed.position);
            let mut batch = Batch { kind: kind.to_owned(), sale, ..Batch::default() };
            let mut ids = Vec::with_capacity(entries.len());
            // The change of the quantity by an opening among them.
            let mut opened = None;
            for entry in entries {
                if rows + batch.rows.len() as u64 >= self.rows {
                    self.more = true;
                    break;
                }
                ids.push(entry.0.parse()?);
                let (delta, had_terms) = (batch.delta, batch.terms.is_some());
                add(&mut batch, &interpreter, entry, seen_at)?;
                if batch.terms.is_some() && !had_terms {
                    opened = Some(batch.delta - delta);
                }
            }
            rows += batch.rows.len() as u64;
            // The sale was opened although the ledger already has entries of it: a server that had checked the id long
            // ago has opened a sale that Redis had lost. The opening is recorded, so that a recovery can report who has
            // what, but it adds no quantity.
            if let Some(delta) = opened.filter(|_| from.event_id != EventId::default()) {
                batch.delta -= delta;
                if suspend_living(&self.context.store, kind, &batch.sale).await? == Suspension::Begun {
                    tracing::error!(sale = batch.sale, "a sale was opened anew that Redis had lost; it is suspended");
                }
            }
            let event_id = ids.last().copied().unwrap_or(from.event_id);
            let to = Position { event_id, entries: from.entries + ids.len() as u64 };
            // Unknown while Redis is away.
            let seen = if seen.entries < to.entries { to } else { seen };
            batch.moves = Some(Move { from, generation: followed.generation, to, seen, seen_at });
            sales.push(SaleBatch { key, batch, ids });
        }
        Ok(sales)
    }

    /// Records each entry of these batches alone, because the database refused something in them. An entry that is
    /// still refused becomes a dead letter.
    async fn one_by_one(&mut self, sales: Vec<SaleBatch>) -> Result<()> {
        for sale_batch in sales {
            let Some(whole) = sale_batch.batch.moves else { continue };
            let mut from = whole.from;
            let entries = self.reread(&sale_batch, whole).await?;
            let kind =
                self.followed.get(&sale_batch.key).map(|followed| followed.kind.clone()).ok_or_else(overtaken)?;
            let interpreter = kind.interpreter(&sale_batch.batch.sale).await?;
            for entry in entries {
                let id: EventId = entry.0.parse()?;
                let to = Position { event_id: id, entries: from.entries + 1 };
                let moves = Some(Move { from, to, ..whole });
                let (kind, sale) = (sale_batch.batch.kind.clone(), sale_batch.batch.sale.clone());
                let mut batch = Batch { kind, sale, moves, ..Batch::default() };
                let bare = batch.clone();
                add(&mut batch, &interpreter, entry.clone(), whole.seen_at)?;
                match self.context.ledger.apply(&[&batch]).await? {
                    Applied::Done => {}
                    Applied::Overtaken => return Err(overtaken()),
                    Applied::Refused(reason) => {
                        tracing::error!(
                            sale = bare.sale,
                            entry = entry.0,
                            reason,
                            "an entry could not be recorded and became a dead letter"
                        );
                        batch =
                            Batch { dead_letters: vec![RejectedEntry { entry, reason, at: whole.seen_at }], ..bare };
                        match self.context.ledger.apply(&[&batch]).await? {
                            Applied::Done => {}
                            Applied::Overtaken => return Err(overtaken()),
                            Applied::Refused(why) => return Err(Error::internal(why)),
                        }
                    }
                }
                if let Some(acknowledge) = self.advance(&sale_batch.key, &batch, &[id]) {
                    acknowledge.await?;
                }
                from = to;
            }
        }
        Ok(())
    }

    /// Reads the entries of a batch again, by the same connection: another Redis would have other entries.
    async fn reread(&mut self, sale_batch: &SaleBatch, whole: Move) -> Result<Vec<Entry>> {
        let (keys, after) = ([sale_batch.key.clone()], [whole.from.event_id.to_string()]);
        let count = sale_batch.ids.len();
        let streams = self.reader().await?.read_streams(&keys, &after, count, Duration::ZERO).await?;
        Ok(streams.into_iter().flat_map(|(_, entries)| entries).collect())
    }

    /// Notes that a batch is recorded. Returns the call that acknowledges it in Redis and trims the stream.
    fn advance<'a>(
        &mut self,
        key: &str,
        batch: &'a Batch,
        ids: &[EventId],
    ) -> Option<impl Future<Output = Result<()>> + use<'a>> {
        let (followed, step) = (self.followed.get_mut(key)?, batch.moves?);
        followed.position = step.to;
        followed.newest.extend(ids);
        while followed.newest.len() > KEPT {
            followed.newest.pop_front();
        }
        // Nothing is trimmed until enough entries have been seen to know the newest ones.
        let keep_from = if followed.newest.len() < KEPT { EventId::default() } else { followed.newest[0] };
        if batch.closes {
            self.followed.remove(key);
            self.over.insert(key.to_owned());
        }
        let store = self.context.store.clone();
        Some(async move {
            if ack_and_trim(&store, &batch.kind, &batch.sale, step.to, keep_from).await? {
                return Ok(());
            }
            Err(Error::new(
                Code::Unavailable,
                format!(
                    "Redis does not have the last entry of the sale \"{}\" that was recorded; looking again.",
                    batch.sale
                ),
            ))
        })
    }
}

/// Prepares interpreting the entries of a sale: returns the interpreter, and the end of the stream, which says what a
/// loss of Redis would lose now. `None` while the sale is paused. What was read is recorded even if Redis has ended since:
/// nobody else may have it.
async fn prepare(store: &Store, followed: &Followed) -> Result<Option<(Interpreter, Position)>> {
    let Followed { kind, sale, position, .. } = followed;
    if unless_away(kind.is_paused(sale).await)? == Some(true) {
        return Ok(None);
    }
    let stream = stream_position(store, kind.info().id, sale, Some(position.event_id));
    let stream = async { unless_away(stream.await).map(Option::flatten) };
    let (stream, interpreter) = try_join(stream, kind.interpreter(sale)).await?;
    Ok(Some((interpreter, stream.map_or(*position, |stream| stream.end))))
}

/// What Redis answers; `None` if it does not, or nobody has the sale now.
fn unless_away<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Err(error) if matches!(error.code, Code::Unavailable | Code::Busy) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Adds the changes of an entry to a batch, or the entry itself as a dead letter, with the reason.
pub fn add(batch: &mut Batch, interpreter: &Interpreter, entry: Entry, now: Millis) -> Result<()> {
    match interpreter(&entry) {
        Ok(Interpretation { at, changes, terms, listed, closes, delta }) => {
            let event_id = entry.0.parse()?;
            batch.terms = terms.or(batch.terms.take());
            batch.lists.extend(listed.map(|part| (event_id, part)));
            batch.closes |= closes;
            batch.delta += delta;
            batch.rows.extend((0..).zip(changes).map(|(place, change)| NewRow { event_id, place, at, change }));
        }
        Err(reason) => {
            tracing::error!(
                sale = batch.sale,
                entry = entry.0,
                reason,
                "an entry could not be recorded and became a dead letter"
            );
            batch.dead_letters.push(RejectedEntry { entry, reason, at: now });
        }
    }
    Ok(())
}

/// The time for gathering entries after some were recorded. `None` if a stream has more entries than were read, because
/// sales go on.
fn pause_after(rows: u64, more: bool) -> Option<Duration> {
    (!more && rows < ROWS / 2).then_some(GATHER)
}

fn overtaken() -> Error {
    Error::new(
        Code::LedgerUnavailable,
        "Another process has written to the ledger in the meantime; reading its position again.",
    )
}

/// The ledger's data of a sale that the writer needs before it reads the stream.
#[derive(Clone, Copy, Default)]
struct Known {
    position: Position,
    generation: EventId,
    is_over: bool,
    is_archived: bool,
}

impl Known {
    fn of(sale: &LedgerSale) -> Self {
        let LedgerSale { position, generation, closed, .. } = *sale;
        let is_archived = sale.is_archived();
        Self { position, generation, is_over: closed || is_archived, is_archived }
    }
}

/// The stream of a sale, and how to treat it.
type Begun = (String, Begin);

enum Begin {
    Follow(Box<Followed>),
    /// The sale is over. No more of its entries are recorded.
    Over,
    /// The key holds something other than a stream, and the sale is suspended. Its recovery creates the stream again,
    /// and changes the version of the list. The key is not read, because that would make the read of the other streams
    /// fail.
    Unreadable,
}

/// The position at which to continue in the stream of a sale. Suspends the sale if Redis has lost part of it, even if
/// it is over: without its end it would be open again.
async fn begin(
    store: Store,
    ledger: Ledger,
    kind: Arc<dyn LedgerKind>,
    sale: String,
    known: Option<Known>,
) -> Result<Begun> {
    let id = kind.info().id;
    let key = store.sale_key(id, &sale, "events");
    let Known { mut position, generation, is_over, is_archived } = match known {
        Some(known) => known,
        None => position_of(&store, &ledger, id, &sale).await?,
    };
    if is_archived {
        return Ok((key, Begin::Over));
    }
    let suspension = suspend(&store, id, &sale, position.event_id, kind.lasting()).await?;
    if suspension == Suspension::Begun {
        store.note_lost(id, &sale);
        tracing::error!(
            sale,
            "Redis has lost part of a sale; the sale is suspended until it is recovered from the ledger"
        );
    }
    if is_over {
        return Ok((key, Begin::Over));
    }
    match stream_position(&store, id, &sale, Some(position.event_id)).await? {
        None if suspension.is_in_force() && is_no_stream(&store, &key).await? => return Ok((key, Begin::Unreadable)),
        // Entries that were trimmed for another ledger never reach this one.
        Some(stream) if position.entries == 0 => position.entries = stream.before(),
        // More entries were trimmed than the ledger has: it came back without its end.
        Some(stream) if stream.before() > position.entries => {
            tracing::error!(
                sale,
                entries = stream.before() - position.entries,
                "the ledger has lost entries of a sale that it had recorded, and Redis no longer has them"
            );
            ledger.note_missing(id, &sale, position, stream.before()).await?;
            position.entries = stream.before();
        }
        Some(_) | None => {}
    }
    let (newest, news_at, paused_until) = (VecDeque::new(), None, None);
    let followed = Followed { kind, sale, position, generation, newest, news_at, paused_until };
    Ok((key, Begin::Follow(Box::new(followed))))
}

/// Whether the key holds something other than a stream.
async fn is_no_stream(store: &Store, key: &str) -> Result<bool> {
    let stored: String = store.query("TYPE", key).await?;
    Ok(!matches!(stored.as_str(), "stream" | "none"))
}

/// The ledger's data of one sale. A new sale is not in the ledger at all. An archived one is about to be deleted, or
/// Redis was restored to an earlier state that still has it. Such a Redis must not give anything away again.
async fn position_of(store: &Store, ledger: &Ledger, kind: &str, sale: &str) -> Result<Known> {
    let Some(known) = ledger.sale(kind, sale).await? else { return Ok(Known::default()) };
    let is_live = async || Ok::<_, Error>(state_of(store, kind, sale).await?.is_some_and(|state| state != "archived"));
    if known.is_archived() && is_live().await? && suspend_living(store, kind, sale).await? == Suspension::Begun {
        tracing::error!(sale, "Redis was restored to a state that still has an archived sale; the sale is suspended");
    }
    Ok(Known::of(&known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_pause_while_a_stream_has_more() {
        assert_eq!(pause_after(10, true), None);
        assert_eq!(pause_after(ROWS, false), None, "a full batch");
        assert_eq!(pause_after(10, false), Some(GATHER));
    }
}
