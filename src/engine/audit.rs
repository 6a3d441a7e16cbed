//! The audit of a sale: the part that all kinds share.

use crate::{
    life::replay::ReplayedLife,
    terms::{RecordedTerms, terms_invariant},
};
use ledger::{database::Ledger, replay::Replay, sale::LedgerSale};
use model::{
    Audit, EventId, Invariant, Millis, check_id,
    error::{Code, Error, Result, shell_word},
};
use std::future::Future;
use store::{
    Store,
    fields::Fields,
    listing::{field_of, state_of},
    reply::{Reply, ReplyCode},
    runtime::blocking,
    script::Script,
};
use tokio::{runtime::Handle, sync::Semaphore};
use tokio_util::sync::CancellationToken;

/// A kind of sale that can be audited.
pub trait Auditable: Clone + Send + Sync + 'static {
    /// The kind, as in keys.
    const KIND: &str;
    /// The outcomes in the ledger whose rows are counted.
    const OUTCOMES: &'static [&'static str];
    /// The outcome by which a sale ends of itself, and the state that it has then, if the kind has one.
    const SETTLED: Option<&'static str> = None;

    /// A consistent set of figures of a sale in Redis.
    type Figures: Send + Sync + 'static;
    /// The terms on which a sale was opened, as the ledger keeps them.
    type Terms: RecordedTerms;

    /// The store that has its sales.
    fn store(&self) -> &Store;

    /// Reads the figures.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `unavailable`.
    fn figures(&self, sale: &str) -> impl Future<Output = Result<Self::Figures>> + Send;

    /// The last event that the figures reflect.
    fn event_id(figures: &Self::Figures) -> EventId;

    /// The record of the sale in the figures: its `meta`.
    fn record(figures: &Self::Figures) -> &Fields;

    /// Compares figures, history and stored data with each other. The caller appends the invariants that all kinds have:
    /// of the record and of the ledger itself.
    ///
    /// # Errors
    /// `unknown_sale`, `unavailable`, `ledger_unavailable`.
    fn compare(&self, sale: &str, figures: Self::Figures) -> impl Future<Output = Result<Vec<Invariant>>> + Send;
}

/// Calls the script of a kind that reads a part of a sale for its audit. Returns the last event that the reply
/// reflects, and the rest of the reply.
///
/// # Errors
/// `unknown_sale`, `unavailable`.
pub async fn read_part(
    store: &Store,
    script: &'static Script,
    (kind, sale): (&str, &str),
    args: &[&str; 3],
) -> Result<(EventId, Reply)> {
    let mut reply = store.eval(script, (kind, sale), args).await?;
    if reply.code != ReplyCode::Done {
        return Err(reply.code.refusal(script, sale));
    }
    Ok((reply.next_value::<String>()?.parse()?, reply))
}

/// Audits a sale. The verdict is `unknown` if the sale could not be checked.
///
/// # Errors
/// `bad_request`, `unknown_sale`, `sale_opening`.
pub async fn audit<K: Auditable>(kind: &K, ledger: &Ledger, sale: &str, now: Millis) -> Result<Audit> {
    check_id("sale", sale)?;
    match look(kind, ledger, sale, now).await {
        // `internal` means that something in Redis or the ledger cannot be read.
        Err(error)
            if matches!(
                error.code,
                Code::Unavailable | Code::LedgerUnavailable | Code::StoreRefused | Code::Busy | Code::Internal
            ) =>
        {
            Ok(Audit::unknown(error.message, now))
        }
        audit => audit,
    }
}

/// The number of audits that compare at a time. The others wait, with their figures.
const AT_A_TIME: usize = 2;

/// Runs a comparison on a thread of its own, until it is done or nobody waits for it any more.
///
/// An audit replays the whole history into tables of all items, orders or requests. At 200,000 items, growing such a
/// table takes up to 100 ms of processor time at once, and freeing it 70 ms. At a million items, both take ten times as
/// long. No attempt on the same thread of the runtime may wait that long. The threads are few, because each keeps some
/// of the memory that it has used.
async fn on_a_thread<T: Send + 'static>(comparison: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    static TURNS: Semaphore = Semaphore::const_new(AT_A_TIME);
    let turn = TURNS.acquire().await.map_err(Error::internal)?;
    let (runtime, stop) = (Handle::current(), CancellationToken::new());
    let _stops = stop.clone().drop_guard();
    let nobody_waits = || Err(Error::new(Code::Internal, "The audit was given up."));
    blocking(move || {
        // The turn is held until the thread is free again, even if nobody waits any more.
        let _turn = turn;
        runtime.block_on(stop.run_until_cancelled_owned(comparison)).unwrap_or_else(nobody_waits)
    })
    .await
}

/// Refuses a sale that was archived since the ledger was asked, or is being archived. Its missing parts are not lost.
async fn refuse_being_archived<K: Auditable>(kind: &K, ledger: &Ledger, sale: &str) -> Result<()> {
    let state = state_of(kind.store(), K::KIND, sale).await?;
    if state.as_deref() == Some("archived") || ledger.is_archived(K::KIND, sale).await? {
        return Err(Error::sale_archived(sale));
    }
    Ok(())
}

/// Refuses a sale that a recovery has restored in part. Its missing parts are not lost.
async fn refuse_half_recovered<K: Auditable>(kind: &K, sale: &str) -> Result<()> {
    if field_of(kind.store(), K::KIND, sale, "recovery").await?.is_some() {
        return Err(Error::new(Code::Busy, half_recovered(sale)));
    }
    Ok(())
}

fn half_recovered(sale: &str) -> String {
    format!(
        "The sale \"{sale}\" is being recovered: audit it when that is done. If its recovery was interrupted, run \
         `stampede recover {}` again.",
        shell_word(sale)
    )
}

async fn look<K: Auditable>(kind: &K, ledger: &Ledger, sale: &str, now: Millis) -> Result<Audit> {
    let known = ledger.sale(K::KIND, sale).await?;
    refuse_half_recovered(kind, sale).await?;
    let figures = match kind.figures(sale).await {
        // Something else is stored in place of the record.
        Err(error) if !error.code.is_sale_gone() && state_of(kind.store(), K::KIND, sale).await?.is_none() => {
            Err(Error::unknown_sale(sale))
        }
        figures => figures,
    };
    let figures = match (figures, &known) {
        (Ok(figures), _) => figures,
        (Err(error), Some(known)) if error.code.is_sale_gone() && known.is_archived() => {
            return Err(Error::sale_archived(sale));
        }
        // The ledger has the sale, but Redis does not.
        (Err(error), Some(known)) if error.code.is_sale_gone() => {
            refuse_being_archived(kind, ledger, sale).await?;
            refuse_half_recovered(kind, sale).await?;
            return Ok(Audit::of(vec![Invariant::new("in_redis", 1, 0)], known.position.event_id, now));
        }
        // The ledger has recorded the opening of the sale.
        (Err(error), Some(known)) if error.code == Code::SaleOpening && known.terms.is_some() => {
            return Ok(Audit::of(vec![Invariant::new("state", 0, 1)], known.position.event_id, now));
        }
        (Err(error), _) => return Err(error),
    };
    let event_id = K::event_id(&figures);
    let in_ledger = match &known {
        Some(known) => InLedger::read::<K>(ledger, known, event_id).await?,
        None => InLedger::default(),
    };
    let compared = {
        let (kind, ledger, sale, known) = (kind.clone(), ledger.clone(), sale.to_owned(), known.clone());
        on_a_thread(async move {
            let history = Replay { store: kind.store(), ledger: &ledger, kind: K::KIND, sale: &sale };
            let mut life = ReplayedLife::new(K::SETTLED);
            history.visit(EventId::default(), event_id, &mut life).await?;
            let record = K::record(&figures);
            let mut of_record = life.invariants(record).to_vec();
            of_record.push(terms_invariant::<K::Terms>(record, event_id, known.as_ref(), &life)?);
            let mut invariants = kind.compare(&sale, figures).await?;
            invariants.extend(of_record);
            Ok(invariants)
        })
        .await
    };
    if compared.as_ref().is_err_and(|error| error.code.is_sale_gone()) {
        refuse_being_archived(kind, ledger, sale).await?;
    }
    // The data read from Redis may mix the states before, during and after a recovery. A recovery that began meanwhile
    // shows here, or in its generation below.
    refuse_half_recovered(kind, sale).await?;
    let now_known = ledger.sale(K::KIND, sale).await?;
    if now_known.as_ref().is_some_and(LedgerSale::is_archived) {
        return Err(Error::sale_archived(sale));
    }
    let generation = |known: Option<LedgerSale>| known.map(|known| known.generation).unwrap_or_default();
    if generation(now_known) != generation(known) {
        return Err(Error::new(Code::Busy, half_recovered(sale)));
    }
    let mut invariants = compared?;
    invariants.extend(in_ledger.invariants());
    Ok(Audit::of(invariants, event_id, now))
}

/// The comparison of the ledger with itself and with the end of the stream.
#[derive(Default)]
struct InLedger {
    /// Rows by the tallies kept on insertion, and rows counted one by one.
    tallied: i64,
    counted: i64,
    /// Rows of events that Redis has lost.
    ahead: i64,
    dead_letters: i64,
}

impl InLedger {
    /// Reads the figures; `end` is the last event that Redis knows.
    async fn read<K: Auditable>(ledger: &Ledger, known: &LedgerSale, end: EventId) -> Result<Self> {
        let mut found = Self { dead_letters: known.dead_letters.cast_signed(), ..Self::default() };
        let position = known.position.event_id;
        for outcome in K::OUTCOMES {
            // The rows are counted up to the ledger's position at which the tally was read.
            let (upto, tallied) = ledger.tally_at(known.number, outcome).await?;
            found.tallied += tallied;
            found.counted += ledger.count_between(known.number, outcome, EventId::default(), upto).await?;
            if position > end {
                found.ahead += ledger.count_between(known.number, outcome, end, position).await?;
            }
        }
        Ok(found)
    }

    fn invariants(&self) -> [Invariant; 3] {
        [
            Invariant::new("ledger_rows", self.tallied, self.counted),
            Invariant::new("ledger_ahead", 0, self.ahead),
            Invariant::new("set_aside", 0, self.dead_letters),
        ]
    }
}
