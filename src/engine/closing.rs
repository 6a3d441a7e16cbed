//! Closes sales, and archives closed ones.
//!
//! The steps of archiving have an order in which a crash at any point is harmless. First the sale is sealed in Redis,
//! so that nothing can happen to it any more. Then the ledger marks it as archived, its keys are deleted, and it is
//! removed from the list. Another call continues where the last one ended. The server that writes the ledger makes such
//! calls by itself.

use crate::KINDS;
use crate::{
    archiving_schedule::{self, Mode, SCHEDULE},
    kind::{Kinds, Registration, SaleKind},
    life::service::CHANGE,
    recovery::BEGIN_RECOVERY,
};
use ledger::{absence::archived_or_lost, database::Ledger, sale::LedgerSale};
use model::{
    Millis, SaleState, check_id,
    closing::{Archived, Closed},
    error::{Code, Error, Result},
    find_kind,
};
use std::{sync::Arc, time::Duration};
use store::{
    JOIN_GROUP, Store, keys,
    listing::{self, readable},
    reply::ReplyCode,
    runtime::Clock,
    script::{Script, script},
};

/// Seals a sale before its keys are deleted. The last of its keys depends on the kind.
pub static SEAL: Script = script!("sale/seal.lua");

/// Its keys are `meta` and `events` of an archived sale, then the other keys of the sale.
pub static FINISH: Script = script!("sale/finish.lua");

/// The scripts of all kinds, for the store to load.
pub static SCRIPTS: [&Script; 7] = [&SEAL, &SCHEDULE, &CHANGE, &listing::UNLIST, &FINISH, &BEGIN_RECOVERY, &JOIN_GROUP];

/// The sales archived in one go. The number is small, so that no other work waits long.
const AT_A_TIME: usize = 20;
/// The time for which Redis knows that the id of an archived sale is taken. Afterwards only the ledger knows.
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// The wait before another try to archive a sale in which something is still pending.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Closes sales and archives closed ones. Cheap to clone.
#[derive(Clone)]
pub struct Closing {
    store: Store,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    kinds: Kinds,
}

/// The reason why a sale cannot be archived yet.
enum Refusal {
    NotClosed,
    Pending,
    /// The ledger does not have all events of the sale.
    Behind,
    /// This many events of the sale could not be recorded.
    DeadLetters(u64),
}

impl Refusal {
    fn error(&self, sale: &str) -> Error {
        let why = match self {
            Self::NotClosed => "it is not closed, and its end has not come; close it first".to_owned(),
            Self::Pending => {
                "something in it is still pending, such as a held order, or a crowd is running at it; wait until that \
                 is over"
                    .to_owned()
            }
            Self::Behind => "the ledger does not have all of its events yet; try again in a moment".to_owned(),
            Self::DeadLetters(count) => {
                format!("{count} of its events could not be recorded in the ledger; fix the cause and retry them first")
            }
        };
        Error::new(Code::NotArchivable, format!("The sale \"{sale}\" cannot be archived yet: {why}."))
    }
}

impl Closing {
    pub fn new(store: Store, ledger: Ledger, clock: Arc<dyn Clock>, kinds: Kinds) -> Self {
        Self { store, ledger, clock, kinds }
    }

    /// Closes a sale, once: it accepts no more attempts. Unclaimed money is refunded. Held orders can still be paid or
    /// cancelled, and expire.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `sale_opening`, `sale_suspended`, `unavailable`.
    pub async fn close(&self, kind: &str, sale: &str) -> Result<Closed> {
        check_id("sale", sale)?;
        let (registration, service) = self.kind(kind)?;
        let name = keys::name(registration.info.id, sale);
        // The sale is scheduled first, so that no crash leaves a closed sale that is never archived.
        let is_new = self.schedule(&name, self.clock.now(), Mode::IfMissing).await?;
        let closed = service.close(sale).await;
        if closed.is_ok() {
            // It is scheduled once more, because an archiving that found the sale open may have removed it meanwhile. A
            // sale with an end was scheduled by that.
            self.schedule(&name, self.clock.now(), Mode::IfEarlier).await?;
        } else if is_new && closed.as_ref().is_err_and(|error| is_refusal(error.code)) {
            self.forget(&name).await?;
        }
        if closed == Ok(Closed::Closed) {
            tracing::info!(kind, sale, "a sale is closed");
        }
        closed
    }

    /// Archives a sale that is over, once: its keys are removed from Redis, and its history stays in the ledger.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_lost`, `sale_suspended`, `unavailable`, `ledger_unavailable`;
    /// `not_archivable`, naming the condition that is missing.
    pub async fn archive(&self, kind: &str, sale: &str) -> Result<Archived> {
        check_id("sale", sale)?;
        let (registration, service) = self.kind(kind)?;
        self.try_archive(registration, service, sale).await?.map_err(|refusal| refusal.error(sale))
    }

    /// Archives the sales that have been closed for `keep`, a few at a time. Returns their number.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn archive_due(&self, keep: Duration) -> Result<usize> {
        let latest = self.clock.now().saturating_sub(millis(keep));
        let range = (self.store.key(keys::CLOSED), "-inf", latest, "BYSCORE", "LIMIT", 0, AT_A_TIME);
        let names = self.store.query("ZRANGE", range).await.map(readable)?;
        let mut archived = 0;
        for name in names {
            let parts = keys::split_name(&name).and_then(|(kind, sale)| Some((self.kind(kind).ok()?, sale)));
            let Some(((registration, service), sale)) = parts else {
                self.forget(&name).await?;
                continue;
            };
            match self.try_archive(registration, service, sale).await {
                Ok(Ok(_)) => archived += 1,
                Ok(Err(Refusal::NotClosed)) => self.forget(&name).await?,
                Err(error) if error.code.is_sale_gone() => self.forget(&name).await?,
                Ok(Err(_)) => self.postpone(&name, latest).await?,
                Err(error) if error.code == Code::SaleSuspended => self.postpone(&name, latest).await?,
                Err(error) if error.code == Code::LedgerUnavailable => return Err(error),
                // A sale that fails does not block the others. If Redis is unreachable, the next call here fails as
                // well.
                Err(error) => {
                    tracing::warn!(name, %error, "a closed sale could not be archived; trying again in a while");
                    self.postpone(&name, latest).await?;
                }
            }
        }
        Ok(archived)
    }

    async fn try_archive(
        &self,
        registration: &Registration,
        service: &dyn SaleKind,
        sale: &str,
    ) -> Result<std::result::Result<Archived, Refusal>> {
        let kind = registration.info.id;
        // Otherwise the ledger would mark a sale of another Redis.
        self.store.refuse_change()?;
        let name = keys::name(kind, sale);
        let known = match self.ledger.sale(kind, sale).await? {
            Some(known) if known.is_archived() => {
                self.finish(registration, sale).await?;
                return Ok(Ok(Archived::Repeat));
            }
            known => known,
        };
        // The list's entry of the sale is read while Redis still has it.
        let mut summaries = service.summaries(&[sale.to_owned()]).await?;
        let Some(mut summary) = summaries.pop() else {
            let unknown = Err(Error::unknown_sale(sale));
            return archived_or_lost(unknown, &self.store, &self.ledger, kind, sale).await;
        };
        // This is checked first, because the closing must come before all other conditions.
        let is_running = match summary.state {
            SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused => true,
            SaleState::Expired => registration.refunds_at_end,
            _ => false,
        };
        if is_running {
            return Ok(Err(Refusal::NotClosed));
        }
        let Some(known) = known else { return Ok(Err(Refusal::Behind)) };
        if known.dead_letters > 0 {
            return Ok(Err(Refusal::DeadLetters(known.dead_letters)));
        }
        summary.state = SaleState::Archived;
        let summary = serde_json::to_string(&summary).map_err(Error::internal)?;

        // Once the sale is sealed, its archiving must be finished soon, even if this process ends.
        let before: Option<f64> = self.store.query("ZSCORE", (self.store.key(keys::CLOSED), &name)).await?;
        self.schedule(&name, 0, Mode::Set).await?;
        let sealed = self.seal(registration, &known).await;
        // A sale counts as sealed if the outcome of the sealing is unknown.
        let may_be_sealed = match &sealed {
            Ok(sealed) => sealed.is_ok(),
            Err(error) => error.code.is_outcome_unknown(),
        };
        if !may_be_sealed {
            match before {
                Some(before) => _ = self.schedule(&name, before as Millis, Mode::IfThere).await?,
                None => self.forget(&name).await?,
            }
        }
        if let Err(refusal) = sealed? {
            return Ok(Err(refusal));
        }
        // This process may have been paused since then, and the sale may have been lost and recovered meanwhile.
        if !self.ledger.archive(&known, self.clock.now(), &summary).await?
            && !self.ledger.is_archived(kind, sale).await?
        {
            return Ok(Err(Refusal::Behind));
        }
        self.finish(registration, sale).await?;
        tracing::info!(kind, sale, "a sale is archived");
        Ok(Ok(Archived::Archived))
    }

    async fn seal(&self, registration: &Registration, known: &LedgerSale) -> Result<std::result::Result<(), Refusal>> {
        let sale = &known.sale;
        let parts = ["meta", "events", "crowd_lock", registration.unsettled];
        let applied = known.position.event_id.to_string();
        match self
            .store
            .change_on(&SEAL, (registration.info.id, sale), &parts, &[self.clock.script_time(), applied])
            .await?
            .code
        {
            ReplyCode::Done | ReplyCode::Repeat => Ok(Ok(())),
            ReplyCode::NotClosed => Ok(Err(Refusal::NotClosed)),
            ReplyCode::Pending => Ok(Err(Refusal::Pending)),
            ReplyCode::Behind => Ok(Err(Refusal::Behind)),
            code => Err(code.refusal(&SEAL, sale)),
        }
    }

    /// Deletes the keys of a sale that the ledger has marked as archived.
    async fn finish(&self, registration: &Registration, sale: &str) -> Result<()> {
        let kind = registration.info.id;
        let others = registration.parts.iter().filter(|part| !matches!(**part, "meta" | "events"));
        let parts: Vec<&str> = ["meta", "events"].iter().chain(others).copied().collect();
        let kept_s = KEPT_FOR.as_secs();
        match self.store.eval_sale_on(&FINISH, (kind, sale), &parts, &[kept_s.to_string()]).await?.code {
            ReplyCode::Done => {
                self.store.leave_group(kind, sale, kept_s).await?;
                listing::unlist(&self.store, &keys::name(kind, sale)).await
            }
            ReplyCode::Exists => Err(Error::new(
                Code::SaleSuspended,
                format!(
                    "The sale \"{sale}\" was archived, but Redis was restored to a state before that; it stays suspended."
                ),
            )),
            code => Err(code.unexpected(&FINISH)),
        }
    }

    /// Cancels the automatic archiving of a sale, unless the sale is over or has an end.
    async fn forget(&self, name: &str) -> Result<()> {
        archiving_schedule::cancel(&self.store, name, self.clock.now()).await
    }

    /// Postpones the archiving of a sale, so that a sale that cannot be archived yet does not block the others.
    async fn postpone(&self, name: &str, due: Millis) -> Result<()> {
        self.schedule(name, due + millis(AGAIN_AFTER), Mode::IfThere).await.map(drop)
    }

    async fn schedule(&self, name: &str, closed_at: Millis, mode: Mode) -> Result<bool> {
        archiving_schedule::schedule(&self.store, name, closed_at, mode).await
    }

    fn kind(&self, id: &str) -> Result<(&'static Registration, &dyn SaleKind)> {
        Ok((find_kind(KINDS.iter(), id)?, self.kinds.find(id)?))
    }
}

/// Closes a sale of a kind by `script`, whose only argument is the time.
///
/// # Errors
/// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `sale_opening`, `sale_suspended`, `unavailable`.
pub async fn close(
    script: &'static Script,
    (kind, sale): (&str, &str),
    store: &Store,
    ledger: &Ledger,
    clock: &dyn Clock,
) -> Result<Closed> {
    check_id("sale", sale)?;
    match store.change(script, (kind, sale), &[clock.script_time()]).await?.code {
        ReplyCode::Done => Ok(Closed::Closed),
        ReplyCode::Repeat => Ok(Closed::Repeat),
        code => archived_or_lost(Err(code.refusal(script, sale)), store, ledger, kind, sale).await,
    }
}

/// Whether this error means that nothing was closed and nothing will be.
fn is_refusal(code: Code) -> bool {
    code.is_sale_gone() || code.status() < 500
}

fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

#[async_trait::async_trait]
impl model::closing::ClosingApi for Closing {
    async fn close(&self, kind: &str, sale: &str) -> Result<Closed> {
        self.close(kind, sale).await
    }

    async fn archive(&self, kind: &str, sale: &str) -> Result<Archived> {
        self.archive(kind, sale).await
    }
}
