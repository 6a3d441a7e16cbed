//! The writer: follows the streams of all sales and puts what they say into the ledger.
//!
//! One process writes at a time, by a lease; another takes over when it is silent. Where the ledger is,
//! the ledger itself knows: the writer reads each stream from there, in order, and the transaction refuses
//! whoever believes it to be elsewhere (`apply.rs`). Nothing is handed out to a consumer that may die with
//! it, so nothing needs to be claimed back: the consumer group is the public mark of what is written.

use super::{
    apply::{Applied, Batch, Move, NewRow, Position, Reject},
    book::{Book, Interpreter, Reading},
    database::Ledger,
    script::{lease, mark, pass, suspend},
};
use crate::{
    domain::{EventId, Millis},
    error::{Code, Error, Result},
    runtime::Clock,
    store::{Reader, Store, keys, stream::Entry},
};
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A writer that has been silent for so long has lost the lease.
const LEASE: Duration = Duration::from_secs(5);
/// It says that it lives so often.
const RENEWED_EVERY: Duration = Duration::from_secs(1);
/// How long it waits for news, and so how soon it notices a new sale.
const BLOCK: Duration = Duration::from_millis(200);
/// How long it lets news gather after a small transaction: each waits for the disk, and many small ones would take
/// from the sales what one takes alone.
const GATHER: Duration = Duration::from_millis(50);
/// How long it waits when it may not write, or cannot.
const STANDBY: Duration = Duration::from_millis(500);
/// Rows that a transaction should have: many enough that the disk is waited for seldom.
const ROWS: u64 = 16_384;
/// Entries read at a time, of all streams together. How many rows an entry has depends on the load (1 to 256),
/// so the last transaction says how many entries the next should have.
const FEWEST_ENTRIES: u64 = 64;
const MOST_ENTRIES: u64 = 4_096;
/// The newest entries stay, for the live view shows what happened last.
const KEPT: usize = 64;

/// Follows the streams of one Redis.
pub struct Writer {
    store: Store,
    ledger: Ledger,
    books: Arc<[Arc<dyn Book>]>,
    clock: Arc<dyn Clock>,
    /// Who we are, in the lease.
    process: String,
    renewed: Option<Instant>,
    followed: HashMap<String, Followed>,
    /// Sales on the list when it was last read.
    listed: Option<u64>,
    /// Entries to read at a time.
    entries: u64,
    reader: Option<Reader>,
}

struct Followed {
    book: Arc<dyn Book>,
    sale: String,
    position: Position,
    /// The newest entries that are written: the stream is trimmed behind them.
    kept: VecDeque<EventId>,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another process writes.
    Standby,
    /// There was nothing to write.
    Idle,
    Wrote {
        entries: u64,
        rows: u64,
    },
}

/// Entries of one sale, read and understood.
struct Heap {
    key: String,
    batch: Batch,
    ids: Vec<EventId>,
}

impl Writer {
    pub fn new(
        store: Store,
        ledger: Ledger,
        books: Arc<[Arc<dyn Book>]>,
        clock: Arc<dyn Clock>,
        process: String,
    ) -> Self {
        let followed = HashMap::new();
        Self {
            store,
            ledger,
            books,
            clock,
            process,
            renewed: None,
            followed,
            listed: None,
            entries: FEWEST_ENTRIES,
            reader: None,
        }
    }

    /// Writes until it is told to stop, and gives the lease back.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut said = None;
        loop {
            let step = tokio::select! {
                () = shutdown.cancelled() => break,
                step = self.step(BLOCK) => step,
            };
            let pause = match step {
                Ok(Step::Idle) => {
                    said = None;
                    continue;
                }
                Ok(Step::Wrote { rows, .. }) => {
                    said = None;
                    if rows >= ROWS / 2 {
                        continue;
                    }
                    GATHER
                }
                Ok(Step::Standby) => STANDBY,
                Err(error) => {
                    // Once for each trouble, not for each try.
                    if said != Some(error.code) {
                        tracing::warn!(%error, "the ledger falls behind; sales go on");
                        said = Some(error.code);
                    }
                    self.give_up().await;
                    STANDBY
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => break,
                () = tokio::time::sleep(pause) => {}
            }
        }
        self.give_up().await;
    }

    /// Writes what there is, once, waiting at most so long for it.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`: it may be tried again at once.
    pub async fn step(&mut self, block: Duration) -> Result<Step> {
        let result = self.try_step(block).await;
        if result.is_err() {
            // Whatever went wrong, what is believed of ledger and streams may be so no longer.
            self.forget();
        }
        result
    }

    /// Writes all that there is, stepping until there is no more.
    ///
    /// # Errors
    /// As [`Writer::step`].
    pub async fn catch_up(&mut self) -> Result<()> {
        while matches!(self.step(Duration::ZERO).await?, Step::Wrote { .. }) {}
        Ok(())
    }

    /// Gives the lease back, for another process to write.
    pub async fn give_up(&mut self) {
        if self.renewed.take().is_some() {
            // Where Redis does not hear it, the lease runs out.
            lease(&self.store, &self.process, 0).await.ok();
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.followed.clear();
        self.listed = None;
        self.reader = None;
    }

    async fn try_step(&mut self, block: Duration) -> Result<Step> {
        if !self.hold_lease().await? {
            self.forget();
            return Ok(Step::Standby);
        }
        self.follow_new_sales().await?;
        let entries = self.read(block).await?;
        if entries.is_empty() {
            return Ok(Step::Idle);
        }
        let heaps = self.understand(entries).await?;
        let count: u64 = heaps.iter().map(|heap| heap.ids.len() as u64).sum();
        let rows: u64 = heaps.iter().map(|heap| heap.batch.rows.len() as u64).sum();
        let batches: Vec<&Batch> = heaps.iter().map(|heap| &heap.batch).collect();
        match self.ledger.apply(&batches).await? {
            Applied::Done => {
                for heap in heaps {
                    self.passed(&heap.key, &heap.batch, &heap.ids).await?;
                }
            }
            Applied::Overtaken => return Err(overtaken()),
            Applied::Refused(_) => self.one_by_one(heaps).await?,
        }
        self.entries = (ROWS * count / rows.max(1)).clamp(FEWEST_ENTRIES, MOST_ENTRIES);
        Ok(Step::Wrote { entries: count, rows })
    }

    async fn hold_lease(&mut self) -> Result<bool> {
        if self.renewed.is_some_and(|renewed| renewed.elapsed() < RENEWED_EVERY) {
            return Ok(true);
        }
        let (held, _) = lease(&self.store, &self.process, LEASE.as_millis() as u64).await?;
        if held && self.renewed.is_none() {
            tracing::info!(process = self.process, "this process writes the ledger");
            self.forget();
        }
        self.renewed = held.then(Instant::now);
        Ok(held)
    }

    /// Takes up the sales that are new on the list.
    async fn follow_new_sales(&mut self) -> Result<()> {
        let listed: u64 = self.store.query("ZCARD", keys::SALES).await?;
        if self.listed == Some(listed) {
            return Ok(());
        }
        let known: HashMap<(String, String), (Position, bool)> = self
            .ledger
            .accounts()
            .await?
            .into_iter()
            .map(|account| ((account.kind, account.sale), (account.position, account.closed)))
            .collect();
        let names: Vec<String> = self.store.query("ZRANGE", (keys::SALES, 0, -1)).await?;
        for name in names {
            let Some((kind, sale)) = name.split_once(':') else { continue };
            let Some(book) = self.books.iter().find(|book| book.kind() == kind).cloned() else { continue };
            let key = keys::sale(kind, sale, "events");
            let (mut position, closed) = known.get(&(kind.to_owned(), sale.to_owned())).copied().unwrap_or_default();
            if closed || self.followed.contains_key(&key) {
                continue;
            }
            if let Some(mark) = mark(&self.store, kind, sale, Some(position.event_id)).await? {
                if suspend(&self.store, kind, sale, position.event_id).await? {
                    tracing::error!(
                        sale,
                        "Redis has lost what the ledger knows; the sale is suspended until it is recovered"
                    );
                }
                if position.entries == 0 {
                    // What was trimmed behind another ledger never comes here.
                    position.entries = mark.end.entries.saturating_sub(mark.length);
                }
            }
            self.followed.insert(key, Followed { book, sale: sale.to_owned(), position, kept: VecDeque::new() });
        }
        self.listed = Some(listed);
        Ok(())
    }

    /// The next entries of every stream that has some.
    async fn read(&mut self, block: Duration) -> Result<Vec<(String, Vec<Entry>)>> {
        if self.followed.is_empty() {
            tokio::time::sleep(block).await;
            return Ok(Vec::new());
        }
        let (keys, ids): (Vec<&str>, Vec<String>) =
            self.followed.iter().map(|(key, sale)| (key.as_str(), sale.position.event_id.to_string())).unzip();
        let count = (self.entries as usize / keys.len()).max(1);
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(self.store.reader(BLOCK).await?),
        };
        reader.read_streams(&keys, &ids, count, block).await
    }

    async fn understand(&self, streams: Vec<(String, Vec<Entry>)>) -> Result<Vec<Heap>> {
        let mut heaps = Vec::with_capacity(streams.len());
        for (key, entries) in streams {
            let Some(followed) = self.followed.get(&key) else { continue };
            let (kind, sale) = (followed.book.kind(), &followed.sale);
            let from = followed.position;
            // Where the stream ends now: what a Redis that is lost in this moment takes with it.
            let seen = mark(&self.store, kind, sale, Some(from.event_id)).await?.map_or(from, |mark| mark.end);
            let seen_at = self.clock.now();
            let interpreter = followed.book.interpreter(sale).await?;
            let mut batch = Batch { kind: kind.to_owned(), sale: sale.clone(), ..Batch::default() };
            let mut ids = Vec::with_capacity(entries.len());
            for entry in entries {
                ids.push(entry.0.parse()?);
                add(&mut batch, &interpreter, entry, seen_at)?;
            }
            let event_id = ids.last().copied().unwrap_or(from.event_id);
            let to = Position { event_id, entries: from.entries + ids.len() as u64 };
            batch.moves = Some(Move { from, to, seen, seen_at });
            heaps.push(Heap { key, batch, ids });
        }
        Ok(heaps)
    }

    /// The database refuses something among many: each entry alone, and what it still refuses is set aside.
    async fn one_by_one(&mut self, heaps: Vec<Heap>) -> Result<()> {
        for heap in heaps {
            let Some(whole) = heap.batch.moves else { continue };
            let mut from = whole.from;
            let entries = self.reread(&heap, whole).await?;
            let book = self.followed.get(&heap.key).map(|followed| followed.book.clone()).ok_or_else(overtaken)?;
            let interpreter = book.interpreter(&heap.batch.sale).await?;
            for entry in entries {
                let id: EventId = entry.0.parse()?;
                let to = Position { event_id: id, entries: from.entries + 1 };
                let moves = Some(Move { from, to, ..whole });
                let (kind, sale) = (heap.batch.kind.clone(), heap.batch.sale.clone());
                let mut batch = Batch { kind, sale, moves, ..Batch::default() };
                let bare = batch.clone();
                add(&mut batch, &interpreter, entry.clone(), whole.seen_at)?;
                match self.ledger.apply(&[&batch]).await? {
                    Applied::Done => {}
                    Applied::Overtaken => return Err(overtaken()),
                    Applied::Refused(reason) => {
                        tracing::error!(sale = bare.sale, entry = entry.0, reason, "an entry is set aside");
                        batch = Batch { set_aside: vec![Reject { entry, reason, at: whole.seen_at }], ..bare };
                        match self.ledger.apply(&[&batch]).await? {
                            Applied::Done => {}
                            Applied::Overtaken => return Err(overtaken()),
                            Applied::Refused(why) => return Err(Error::new(Code::Internal, why)),
                        }
                    }
                }
                self.passed(&heap.key, &batch, &[id]).await?;
                from = to;
            }
        }
        Ok(())
    }

    async fn reread(&self, heap: &Heap, whole: Move) -> Result<Vec<Entry>> {
        let (after, upto) = (format!("({}", whole.from.event_id), whole.to.event_id.to_string());
        self.store.query("XRANGE", (&heap.key, after, upto)).await
    }

    /// Books that a batch is written, marks it in Redis and trims behind it.
    async fn passed(&mut self, key: &str, batch: &Batch, ids: &[EventId]) -> Result<()> {
        let (Some(followed), Some(step)) = (self.followed.get_mut(key), batch.moves) else { return Ok(()) };
        followed.position = step.to;
        followed.kept.extend(ids);
        while followed.kept.len() > KEPT {
            followed.kept.pop_front();
        }
        // Before there are enough to know which the newest are, nothing is trimmed.
        let keep_from = if followed.kept.len() < KEPT { EventId::default() } else { followed.kept[0] };
        pass(&self.store, &batch.kind, &batch.sale, step.to, keep_from).await?;
        if batch.closes {
            self.followed.remove(key);
        }
        Ok(())
    }
}

/// Adds what an entry says to a batch, or sets it aside with the reason why nobody can read it.
pub(super) fn add(batch: &mut Batch, interpreter: &Interpreter, entry: Entry, now: Millis) -> Result<()> {
    match interpreter(&entry) {
        Ok(Reading { at, lines, terms, closes }) => {
            let event_id = entry.0.parse()?;
            batch.terms = terms.or(batch.terms.take());
            batch.closes |= closes;
            batch.rows.extend((0..).zip(lines).map(|(place, line)| NewRow { event_id, place, at, line }));
        }
        Err(reason) => {
            tracing::error!(sale = batch.sale, entry = entry.0, reason, "an entry is set aside");
            batch.set_aside.push(Reject { entry, reason, at: now });
        }
    }
    Ok(())
}

fn overtaken() -> Error {
    Error::new(Code::LedgerUnavailable, "Another process has written the ledger meanwhile; looking again.")
}
