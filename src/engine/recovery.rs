//! Rebuilds a sale that Redis has lost from the ledger. This module has the steps, which all kinds share.
//!
//! Changes that the ledger never recorded are gone, and are reported. Counts of refused attempts start again: refusals
//! change nothing, so no ledger has them.

use crate::{
    archiving_schedule::schedule_end,
    life::replay::ReplayedLife,
    recovery_guards::{living, next_generation, readable_field, refuse_archived},
    terms::RecordedTerms,
    unrecorded::{describe, has_entries_after, unrecorded},
};
use ledger::{
    database::Ledger,
    kind::{DeadLetters, LedgerKind, Recovered},
    records::refuse_incomplete,
    replay::HistoryVisitor,
    sale::LedgerSale,
};
use model::{
    EventId, Millis, check_id,
    crowd::Status,
    error::{Code, Error, Result, shell_word},
};
use std::{future::Future, ops::Range};
use store::{
    Store, keys, listing,
    reply::{Reply, ReplyCode},
    runtime::Clock,
    script::{Script, script},
};

/// Begins a recovery. Its keys are the `meta` of the sale, then the keys that a recovery does not restore.
pub static BEGIN_RECOVERY: Script = script!("sale/begin_recovery.lua");

/// A kind of sale that can be rebuilt from the ledger.
pub trait Recoverable: LedgerKind {
    /// The kind, as in keys.
    const KIND: &str;
    /// The parts of the keys of its sales.
    const PARTS: &'static [&'static str];
    /// The field in `stats` that counts wins.
    const WINS: &'static str;
    /// Restores a chunk. The arguments are the token, the number of the chunk, then [`Rebuilt::chunk`].
    const RECOVER: &'static Script;
    /// Opens the sale again. The arguments are the token, now, the two [`Rebuilt::expected`], position and entries of
    /// the ledger, the generation that begins, the number of entries that the ledger never saw, then [`Rebuilt::rest`].
    const RESUME: &'static Script;

    /// The terms on which a sale was opened, as the ledger keeps them.
    type Terms: RecordedTerms;
    /// A sale rebuilt from the ledger.
    type Rebuilt: Rebuilt;
    /// The outcome by which a sale ends of itself, and the state that it has then, if the kind has one.
    const SETTLED: Option<&'static str> = None;
    /// The outcomes of changes of the kind whose requests are remembered among those of a sale's life.
    const REMEMBERED: &'static [&'static str] = &[];

    /// The time of the opening of a sale with these terms.
    fn opened_at(terms: &Self::Terms) -> Millis;

    /// Reads the records of a sale in the ledger.
    ///
    /// # Errors
    /// `internal` if the sale cannot be rebuilt from it; `ledger_unavailable`.
    fn rebuild(
        &self,
        ledger: &Ledger,
        known: &LedgerSale,
        terms: &Self::Terms,
    ) -> impl Future<Output = Result<Self::Rebuilt>> + Send;

    /// Forgets the cached data of a sale that is in Redis again, as it may be wrong. Called after a recovery.
    fn forget(&self, _sale: &str) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A sale rebuilt from the ledger, in the form of the scripts.
pub trait Rebuilt: Send + Sync {
    /// The number of chunks in which the sale is restored.
    fn chunks(&self) -> usize;

    /// The arguments of a chunk.
    fn chunk(&self, chunk: usize) -> Vec<Vec<u8>>;

    /// The expected number of each of the two things that the chunks restore, checked before the sale reopens.
    fn expected(&self) -> [usize; 2];

    /// The further arguments for reopening the sale: the fields of its record, those of its life included, and counts.
    ///
    /// # Errors
    /// `internal`.
    fn rest(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>>;

    /// The number of wins that the ledger has recorded.
    fn recorded_wins(&self) -> u64;

    /// The number of items that users have, and of items left.
    fn won_and_waiting(&self) -> [usize; 2];

    /// The winners whose item an earlier winner has, one sentence each.
    fn conflicts(self) -> Vec<String>;
}

/// The number of tries of a recovery. It starts over if the ledger has recorded more meanwhile. That ends soon, as the
/// stream from which the ledger reads is gone.
const TRIES: u32 = 3;
/// The number of dead letters that a refusal describes.
const NAMED: usize = 3;

/// Rebuilds a sale; `token` distinguishes this recovery from any other.
///
/// This process may be stopped anywhere and continue later. So it first stores its token in the sale's record, and
/// reads the ledger afterwards. Once another recovery has begun, each script refuses the calls of this one.
///
/// # Errors
/// `unknown_sale` if the ledger does not have the sale; `sale_exists` if it is live; `busy` if another recovery
/// replaced this one, or the ledger's writer was faster each time; `internal` if the ledger could not record something
/// of the sale and `dead_letters` refuses that, or if the sale cannot be rebuilt; `unavailable`, `ledger_unavailable`.
pub async fn recover<K: Recoverable>(
    kind: &K,
    store: &Store,
    ledger: &Ledger,
    sale: &str,
    token: String,
    clock: &dyn Clock,
    dead_letters: DeadLetters,
) -> Result<Recovered> {
    check_id("sale", sale)?;
    if let Some(group) = ledger.sale(K::KIND, sale).await?.and_then(|known| known.group()) {
        store.restore_group((K::KIND, sale), &group, clock.now()).await?;
    }
    let counted_wins = wins_in_redis::<K>(store, sale).await?;
    let lost_event = lost_event::<K>(store, sale).await?;
    let rebuilding = Rebuilding { kind, store, ledger, sale, clock, counted_wins, lost_event, dead_letters };
    for number in 1..=TRIES {
        if let Some(recovered) = rebuilding.run(format!("{token}-{number}")).await? {
            return Ok(recovered);
        }
    }
    Err(Error::new(
        Code::Busy,
        format!("The ledger went on recording more of the sale \"{sale}\" during the recovery. Run it again."),
    ))
}

/// The number of wins that Redis has counted; 0 if it has no readable count.
async fn wins_in_redis<K: Recoverable>(store: &Store, sale: &str) -> Result<u64> {
    match readable_field(store, &store.sale_key(K::KIND, sale, "stats"), K::WINS).await {
        Ok(count) => Ok(count.unwrap_or(0)),
        // Something else is stored in place of the count.
        Err(error) if error.code == Code::Internal => Ok(0),
        Err(error) => Err(error),
    }
}

/// The event whose loss has suspended the sale, if that is why it is suspended; of a sale that is gone as a whole, the
/// latest one that this process has seen.
async fn lost_event<K: Recoverable>(store: &Store, sale: &str) -> Result<Option<EventId>> {
    if !store.query("EXISTS", store.sale_key(K::KIND, sale, "meta")).await? {
        return Ok(store.latest_event(K::KIND, sale));
    }
    match readable_field(store, &store.sale_key(K::KIND, sale, "meta"), "lost").await {
        Err(error) if error.code == Code::Internal => Ok(None),
        event => event,
    }
}

/// The rebuilding of a sale: the input of each try.
struct Rebuilding<'a, K> {
    kind: &'a K,
    store: &'a Store,
    ledger: &'a Ledger,
    sale: &'a str,
    clock: &'a dyn Clock,
    /// The wins that Redis had counted before.
    counted_wins: u64,
    /// The event whose loss has suspended the sale.
    lost_event: Option<EventId>,
    /// Whether to rebuild the sale although the ledger could not record something of it.
    dead_letters: DeadLetters,
}

impl<K: Recoverable> Rebuilding<'_, K> {
    /// Rebuilds the sale from the current state of the ledger. Returns `None` if the ledger moved on meanwhile.
    async fn run(&self, token: String) -> Result<Option<Recovered>> {
        let Self { kind, store, ledger, sale, clock, counted_wins, lost_event, dead_letters } = *self;
        let known = async || ledger.sale(K::KIND, sale).await?.ok_or_else(|| unknown_to_the_ledger(sale));
        let before = known().await?;
        refuse_archived(&before)?;
        refuse_incomplete(store, &before).await?;
        begin::<K>(store, sale, &token).await?;
        // From here on, nothing is added to the stream. Data that was read before may be out of date.
        let known = known().await?;
        refuse_archived(&known)?;
        if has_entries_after(store, &known).await? {
            let why = "Redis has events of the sale that the ledger has not recorded yet, so nothing was recovered";
            return Err(Error::new(Code::Busy, format!("{why} (\"{sale}\"). Run it again.")));
        }
        let unrecorded = unrecorded(store, ledger, &known, clock.now()).await?;
        let sentences = describe(kind, sale, &unrecorded).await;
        if !unrecorded.is_empty() && dead_letters == DeadLetters::Refuse {
            return Err(has_dead_letters(sale, unrecorded.len(), &sentences));
        }
        let terms = known.terms.as_deref().and_then(|terms| serde_json::from_str::<K::Terms>(terms).ok());
        let terms = terms.ok_or_else(|| {
            Error::new(
                Code::Internal,
                format!("The ledger never saw the sale \"{sale}\" being opened, so its terms are not known."),
            )
        })?;
        let mut life = ReplayedLife::new(K::SETTLED).remembering(K::REMEMBERED);
        life.rows(ledger, &known, EventId::default(), known.position.event_id).await?;
        let rebuilt = kind.rebuild(ledger, &known, &terms).await?;
        let generation = next_generation(store, &known, clock.now()).await?;

        for chunk in 0..rebuilt.chunks() {
            let mut args = vec![token.clone().into_bytes(), number(chunk)];
            args.extend(rebuilt.chunk(chunk));
            accept(&store.eval(K::RECOVER, (K::KIND, sale), &args).await?, K::RECOVER, sale)?;
        }

        let position = known.position;
        let unseen = known.seen.entries.saturating_sub(position.entries);
        // The ledger may have it: then nothing that the server had seen is lost.
        let lost_event = match lost_event.filter(|event| *event != EventId::default()) {
            Some(event) if !ledger.has_event(known.number, event).await? => Some(event),
            _ => None,
        };
        let (rest, expected, closed_at) = (rebuilt.rest(&life)?, rebuilt.expected(), life.closed_at);
        let [won, waiting] = rebuilt.won_and_waiting().map(|count| count as u64);
        let recovered = Recovered {
            won,
            waiting,
            lost_wins: counted_wins.saturating_sub(rebuilt.recorded_wins()),
            conflicts: rebuilt.conflicts(),
            dead_letters: unrecorded.len() as u64,
            unrecorded: sentences,
            upto: position.event_id,
            unseen,
            lost_event,
            seen_at: known.seen_at,
        };
        let report = recovered.report(clock.now(), known.recovery.as_ref());
        // This is safe only now that the earlier stream is gone: entries that no writer has read by now can never be
        // read. A writer may hold entries that Redis has lost. If it has recorded some since the ledger was read, or
        // another recovery was faster, the ledger must be read again. If not, the writer can no longer record any.
        if !ledger.begin_generation(&known, generation, &report).await? {
            return Ok(None);
        }
        let mut args = vec![token.into_bytes(), clock.script_time().into_bytes()];
        args.extend(expected.map(number));
        args.extend([number(position.event_id), number(position.entries), number(generation), number(unseen)]);
        args.extend(rest);
        // This comes before the sale is live. Otherwise a crash in between would leave a live sale that nobody sweeps,
        // records or archives.
        let name = keys::name(K::KIND, sale);
        if let Some(over_at) = closed_at.or_else(|| life.field("ends_at")?.parse().ok()) {
            let _new: i64 = store.query("ZADD", (store.key(keys::CLOSED), "NX", over_at, &name)).await?;
        }
        listing::list(store, K::KIND, sale, K::opened_at(&terms)).await?;
        // Sweeps check sales again that had nothing due any more.
        let _count: u64 = store.query("INCR", store.key(keys::RECOVERED)).await?;
        let resumed = accept(&store.eval(K::RESUME, (K::KIND, sale), &args).await?, K::RESUME, sale);
        if resumed.is_err() && ledger.is_archived(K::KIND, sale).await? {
            // Another recovery was faster, and the sale has been archived since. It must not come back to the list.
            listing::unlist(store, &keys::name(K::KIND, sale)).await?;
        }
        resumed?;

        kind.forget(sale).await;
        // What was given may be good for longer than the sale lasts. If this fails, it is archived by its end.
        schedule_end(store, K::KIND, sale).await.ok();
        // If this fails, the next server that wants to recover the sale finds it live.
        store.query::<i64>("HDEL", (store.key(keys::LOST), &name)).await.ok();
        Ok(Some(recovered))
    }
}

/// Begins this recovery, and deletes the parts that are not restored, such as counts of refused attempts and locks. A
/// crowd's status and lock and an operator's pause do not belong to the sale. They stay, unless their keys hold
/// something else.
async fn begin<K: Recoverable>(store: &Store, sale: &str, token: &str) -> Result<()> {
    let mut parts = vec!["meta"];
    for part in K::PARTS.iter().filter(|part| !K::RECOVER.parts().iter().any(|restored| restored == *part)) {
        if !stays(store, part, &store.sale_key(K::KIND, sale, part)).await? {
            parts.push(part);
        }
    }
    accept(&store.eval_sale_on(&BEGIN_RECOVERY, (K::KIND, sale), &parts, &[token]).await?, &BEGIN_RECOVERY, sale)
}

/// Whether this part does not belong to the sale, and its key holds nothing but the expected data.
async fn stays(store: &Store, part: &str, key: &str) -> Result<bool> {
    if !matches!(part, "crowd" | "crowd_lock" | "paused") {
        return Ok(false);
    }
    match store.query::<String>("TYPE", key).await?.as_str() {
        "none" => Ok(true),
        "string" if part == "crowd" => {
            let status: Option<Vec<u8>> = store.query("GET", key).await?;
            Ok(status.is_none_or(|status| serde_json::from_slice::<Status>(&status).is_ok()))
        }
        // A lock and a pause expire by themselves; -1 means that the key never expires.
        "string" => Ok(store.query::<i64>("PTTL", key).await? != -1),
        _ => Ok(false),
    }
}

/// The range of items that belong to a chunk of this size.
pub fn part(chunk: usize, size: usize, length: usize) -> Range<usize> {
    (chunk * size).min(length)..((chunk + 1) * size).min(length)
}

/// A number as an argument, or any value that is written like a number.
pub fn number(number: impl ToString) -> Vec<u8> {
    number.to_string().into_bytes()
}

fn accept(reply: &Reply, script: &Script, sale: &str) -> Result<()> {
    match reply.code {
        ReplyCode::Done | ReplyCode::Repeat => Ok(()),
        ReplyCode::Exists => Err(living(sale)),
        ReplyCode::UnknownSale | ReplyCode::OutOfOrder | ReplyCode::Incomplete => Err(Error::new(
            Code::Busy,
            format!(
                "This recovery of the sale \"{sale}\" was given up ({}): another one has begun since, or Redis has lost \
                 what was restored. See whether the sale is live; if not, run it again.",
                reply.code.name()
            ),
        )),
        code => Err(code.unexpected(script)),
    }
}

fn unknown_to_the_ledger(sale: &str) -> Error {
    Error {
        message: format!("The ledger has no sale \"{sale}\", so there is nothing to recover it from."),
        ..Error::unknown_sale(sale)
    }
}

/// The refusal to give away items that the winners in dead letters already have.
fn has_dead_letters(sale: &str, count: usize, what: &[String]) -> Error {
    let (some, rest) = what.split_at(what.len().min(NAMED));
    let more = if rest.is_empty() { "" } else { "; …" };
    let flag = "--without-dead-letters";
    Error::new(
        Code::Internal,
        format!(
            "{count} of the events of the sale \"{sale}\" could not be recorded in the ledger (dead letters), so nothing was \
             recovered: what they gave would be given to others. They are: {}{more}. Fix the cause and retry them on the audit page, or \
             give them up: `stampede recover {flag} {}`.",
            some.join("; "),
            shell_word(sale)
        ),
    )
}
