//! The recovery of lost sales, the same for `stampede recover` and for a server that recovers them by itself.

use anyhow::{Context, Result, bail, ensure};
use ledger::{
    kind::{DeadLetters, Recovered},
    service::{LedgerService, Name},
    writer::Writer,
};
use model::{
    Audit, Verdict,
    error::{Code, Error},
};
use serde::Serialize;
use std::time::Duration;
use store::{Store, listing::state_of};
use tokio::time::{Instant, sleep, timeout};

/// The time in which the sale's stream must reach the ledger, before the recovery begins and after it.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);
/// The time after which the log reports the reason of the wait.
const SILENT_FOR: Duration = Duration::from_secs(2);

/// A recovered sale.
#[derive(Serialize)]
pub(super) struct Report {
    pub kind: String,
    pub sale: String,
    #[serde(flatten)]
    pub recovered: Recovered,
    pub audit: Audit,
}

/// The result for one sale.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Attempted {
    Back(Report),
    Failed { kind: String, sale: String, error: String },
}

impl Attempted {
    /// The verdict of the audit; `unknown` for a sale that was not recovered.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Back(report) => report.audit.verdict,
            Self::Failed { .. } => Verdict::Unknown,
        }
    }
}

/// Recovers one sale after the other.
pub(super) struct Recovery<'a> {
    store: &'a Store,
    service: &'a LedgerService,
    /// Records what Redis still has, if no server does. `None` in the server that writes the ledger.
    writer: Option<Writer>,
    /// Whether to rebuild live sales, too.
    pub suspends: bool,
    dead_letters: DeadLetters,
    /// The reason why the ledger cannot be written. No further sale can be recovered then.
    blocked: Option<String>,
    /// The reason why the last try to record failed.
    obstacle: Option<Error>,
}

impl<'a> Recovery<'a> {
    pub fn new(
        store: &'a Store,
        service: &'a LedgerService,
        writer: Option<Writer>,
        dead_letters: DeadLetters,
    ) -> Self {
        Self { store, service, writer, suspends: false, dead_letters, blocked: None, obstacle: None }
    }

    /// Lets other processes write the ledger at once.
    pub async fn end(&mut self) {
        if let Some(writer) = &mut self.writer {
            writer.give_up().await;
        }
    }

    /// Records what Redis still has of a sale, rebuilds it from the ledger, and audits it.
    pub async fn recover(&mut self, (kind, sale): Name) -> Attempted {
        let recovered = self.rebuild(&kind, &sale).await;
        // Records the recovery of the sale, unless a server is recording it at this moment. The audit shows the
        // position of the ledger.
        timeout(CAUGHT_UP_WITHIN, self.write()).await.ok();
        match recovered {
            Ok(recovered) => {
                let audit = self.service.audit(&kind, &sale).await;
                // The sale is back, whatever keeps it from being audited.
                let audit = audit.unwrap_or_else(|error| Audit::unknown(error.message, self.service.now()));
                Attempted::Back(Report { kind, sale, recovered, audit })
            }
            Err(error) => Attempted::Failed { kind, sale, error: format!("{error:#}") },
        }
    }

    async fn rebuild(&mut self, kind: &str, sale: &str) -> Result<Recovered> {
        if let Some(why) = &self.blocked {
            bail!(why.clone());
        }
        if !self.suspends {
            return self.record_and_recover(kind, sale).await;
        }
        // The ledger needs only the terms at this point: a live sale continues to add events until it is suspended.
        timeout(CAUGHT_UP_WITHIN, self.write()).await.ok();
        self.ensure_possible(kind, sale).await?;
        self.service.suspend(kind, sale).await?;
        let recovered = self.record_and_recover(kind, sale).await;
        // Another recovery may have been faster.
        let is_suspended = recovered.is_err()
            && state_of(self.store, kind, sale).await.is_ok_and(|state| state.as_deref() == Some("suspended"));
        if is_suspended {
            return recovered.context("The sale is suspended, and accepts no attempts until it is recovered");
        }
        recovered
    }

    /// Checks for conditions that would end the recovery of a sale after it was suspended.
    async fn ensure_possible(&self, kind: &str, sale: &str) -> Result<()> {
        let status = self.service.status(Some(sale)).await?;
        let of_kind = status.sales.iter().find(|status| status.kind == kind);
        let dead_letters = of_kind.map_or(0, |status| status.dead_letters);
        ensure!(
            dead_letters == 0 || self.dead_letters == DeadLetters::GiveUp,
            "{dead_letters} of the events of the sale \"{sale}\" could not be recorded in the ledger (dead letters), so it was \
             not suspended: fix the cause and retry them on the audit page, or give them up with --without-dead-letters."
        );
        ensure!(
            !self.store.ready().await?,
            "Redis is full, so the sale was not suspended: give Redis more memory, and run it again."
        );
        let is_paused = match self.service.is_paused(kind, sale).await {
            // Something else in place of the pause is cleared with the rest.
            Err(error) if error.code == Code::Internal => false,
            is_paused => is_paused?,
        };
        ensure!(
            !is_paused,
            "An operator has paused the ledger of this sale, so it was not suspended: resume it, and run it again."
        );
        Ok(())
    }

    async fn record_and_recover(&mut self, kind: &str, sale: &str) -> Result<Recovered> {
        // The rest of the sale in Redis is recorded first, because the sale is rebuilt from the ledger.
        self.record(kind, sale).await?;
        Ok(self.service.recover(kind, sale, self.dead_letters).await?)
    }

    /// Records all waiting entries, if this is what records them.
    async fn write(&mut self) -> model::error::Result<()> {
        match &mut self.writer {
            Some(writer) => writer.catch_up().await,
            None => Ok(()),
        }
    }

    /// Calls [`Recovery::catch_up`] with a time limit.
    async fn record(&mut self, kind: &str, sale: &str) -> Result<()> {
        self.obstacle = None;
        if let Ok(caught_up) = timeout(CAUGHT_UP_WITHIN, self.catch_up(kind, sale)).await {
            return caught_up;
        }
        let why = match &self.obstacle {
            Some(obstacle) => format!("The ledger cannot be written ({obstacle})"),
            None => {
                let seconds = CAUGHT_UP_WITHIN.as_secs();
                format!("In {seconds} s, the ledger did not record all that Redis still has of the sale")
            }
        };
        let why = format!("{why}, so nothing was recovered; fix the cause and run it again.");
        if self.obstacle.as_ref().is_some_and(|obstacle| obstacle.code == Code::LedgerUnavailable) {
            self.blocked = Some(why.clone());
        }
        bail!(why)
    }

    /// Waits until the ledger has recorded the whole stream of the sale. If no server records it, this command does.
    async fn catch_up(&mut self, kind: &str, sale: &str) -> Result<()> {
        // What the writer of this server has read from a Redis that is gone is nowhere else.
        self.service.steps_ended().await;
        let mut silent_until = Some(Instant::now() + SILENT_FOR);
        loop {
            // If a server writes at the same time, one of the two must try again.
            self.obstacle = self.write().await.err();
            let status = self.service.status(Some(sale)).await?;
            if let Some(reason) = status.unreachable {
                self.blocked = Some(reason.clone());
                bail!(reason);
            }
            // A sale of another kind may have the same id.
            let of_kind = status.sales.iter().find(|status| status.kind == kind);
            let status = of_kind.context("It is not known how far the ledger has recorded the sale")?;
            let lag_events = status.lag_events;
            if lag_events == 0 && !status.away {
                return Ok(());
            }
            if silent_until.is_some_and(|until| Instant::now() >= until) {
                silent_until = None;
                tracing::warn!(sale, lag_events, "waiting for the ledger to record what Redis still has of the sale");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
}
