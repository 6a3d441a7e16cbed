//! Redis and ledger side by side: how far one is behind the other, and whether they agree.

use super::{
    Audited, Board, Retried, SaleStatus, Status,
    account::Account,
    apply::{Applied, Batch, Position},
    book::{Book, Recovered},
    database::Ledger,
    script::{Mark, mark, suspend},
    writer::{Writer, add},
};
use crate::{
    domain::{Audit, Verdict, check_id},
    error::{Code, Error, Result},
    runtime::Clock,
    store::{Store, keys},
};
use futures::{StreamExt, TryStreamExt, future::try_join_all, stream};
use std::{collections::HashMap, sync::Arc};

/// Lines of the board and of a status.
const LISTED: usize = 50;
/// Sales looked at side by side when a server starts.
const SUSPENDED_AT_A_TIME: usize = 64;

/// What is asked of Redis and ledger together. Cheap to clone.
#[derive(Clone)]
pub struct Books {
    store: Store,
    ledger: Ledger,
    books: Arc<[Arc<dyn Book>]>,
    clock: Arc<dyn Clock>,
    /// Waiting entries that make an alarm.
    stream_alarm: u64,
}

impl Books {
    pub fn new(
        store: Store,
        ledger: Ledger,
        books: Arc<[Arc<dyn Book>]>,
        clock: Arc<dyn Clock>,
        stream_alarm: u64,
    ) -> Self {
        Self { store, ledger, books, clock, stream_alarm }
    }

    /// A writer for this Redis and this ledger, under the name of a process.
    pub fn writer(&self, process: String) -> Writer {
        Writer::new(self.store.clone(), self.ledger.clone(), self.books.clone(), self.clock.clone(), process)
    }

    /// Makes sure that this Redis feeds this ledger and no other: behind another, streams have been trimmed.
    ///
    /// # Errors
    /// One sentence where it feeds another, unless it is told to `adopt` this one.
    pub async fn claim_streams(&self, adopt: bool) -> anyhow::Result<()> {
        let ours = self.ledger.identity();
        if adopt {
            let _ok: String = self.store.query("SET", (keys::LEDGER, ours)).await?;
            return Ok(());
        }
        let _new: Option<String> = self.store.query("SET", (keys::LEDGER, ours, "NX")).await?;
        self.ensure_fed().await
    }

    /// Suspends every sale of which the ledger knows more than Redis does.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn suspend_what_is_behind(&self) -> Result<()> {
        let accounts = self.ledger.accounts().await?;
        let looked = accounts.iter().map(|Account { kind, sale, position, .. }| async move {
            if suspend(&self.store, kind, sale, position.event_id).await? {
                tracing::error!(
                    sale,
                    "Redis has lost what the ledger knows: suspended until `stampede recover {sale}`"
                );
            }
            Ok(())
        });
        stream::iter(looked).buffer_unordered(SUSPENDED_AT_A_TIME).try_collect().await
    }

    /// Makes sure that this Redis feeds no other ledger than this.
    ///
    /// # Errors
    /// One sentence where it does.
    pub async fn ensure_fed(&self) -> anyhow::Result<()> {
        let fed: Option<String> = self.store.query("GET", keys::LEDGER).await?;
        anyhow::ensure!(
            fed.is_none_or(|fed| fed == self.ledger.identity()),
            "This Redis feeds another ledger: give the --database or --data-dir that has it, \
             or say --new-ledger to go on with this one, without what is only in the other."
        );
        Ok(())
    }

    /// How far the ledger is behind: the newest sales, or the one named. Where the ledger cannot be asked,
    /// Redis still tells how far the ledger was.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn status(&self, sale: Option<&str>) -> Result<Status> {
        let writer = self.store.query("GET", keys::WRITER).await?;
        let names = match sale {
            Some(sale) => {
                check_id("sale", sale)?;
                self.books.iter().map(|book| (book.kind().to_owned(), sale.to_owned())).collect()
            }
            None => self.newest().await?,
        };
        let (accounts, unreachable) = match self.accounts(sale).await {
            Ok(accounts) => (accounts, None),
            Err(error) if error.code == Code::LedgerUnavailable => (HashMap::new(), Some(error.message)),
            Err(error) => return Err(error),
        };
        let lines = names.iter().map(|(kind, name)| {
            let account = accounts.get(&(kind.clone(), name.clone()));
            self.line(kind, name, account, unreachable.is_some())
        });
        let sales: Vec<SaleStatus> = try_join_all(lines).await?.into_iter().flatten().collect();
        match sale {
            Some(sale) if sales.is_empty() && unreachable.is_none() => Err(Error::unknown_sale(sale)),
            _ => Ok(Status { sales, writer, unreachable }),
        }
    }

    /// The last audit of each of the newest sales, beside the lag.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn board(&self) -> Result<Board> {
        let Status { sales, writer, unreachable } = self.status(None).await?;
        if sales.is_empty() {
            return Ok(Board { sales: Vec::new(), writer, unreachable });
        }
        let names: Vec<String> = sales.iter().map(|line| format!("{}:{}", line.kind, line.sale)).collect();
        let audits: Vec<Option<String>> = self.store.query("HMGET", (keys::AUDITS, names)).await?;
        let mut sales: Vec<Audited> = sales
            .into_iter()
            .zip(audits)
            .map(|(status, audit)| Audited { status, audit: audit.and_then(|json| serde_json::from_str(&json).ok()) })
            .collect();
        let rank = |line: &Audited| match line.audit.as_ref().map(|audit| audit.verdict) {
            Some(Verdict::Broken) => 0,
            Some(Verdict::Unknown) => 1,
            Some(Verdict::Holds) | None => 2,
        };
        sales.sort_by_key(rank);
        Ok(Board { sales, writer, unreachable })
    }

    /// Audits a sale now, and keeps the result for the board.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`.
    pub async fn audit(&self, kind: &str, sale: &str) -> Result<Audit> {
        check_id("sale", sale)?;
        let audit = self.book(kind)?.audit(sale).await?;
        if let Ok(json) = serde_json::to_string(&audit) {
            let kept: Result<i64> = self.store.query("HSET", (keys::AUDITS, format!("{kind}:{sale}"), json)).await;
            if let Err(error) = kept {
                tracing::warn!(sale, %error, "an audit could not be kept for the board");
            }
        }
        Ok(audit)
    }

    /// Every sale that Redis or ledger knows, newest first, as kind and id.
    ///
    /// # Errors
    /// `unavailable`, `ledger_unavailable`.
    pub async fn all(&self) -> Result<Vec<(String, String)>> {
        let names: Vec<String> = self.store.query("ZREVRANGE", (keys::SALES, 0, -1)).await?;
        let mut all: Vec<(String, String)> = names.iter().filter_map(|name| split(name)).collect();
        for Account { kind, sale, .. } in self.ledger.accounts().await? {
            let name = (kind, sale);
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Ok(all)
    }

    /// The kinds that have a sale of this id.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn kinds_of(&self, sale: &str) -> Result<Vec<String>> {
        Ok(self.status(Some(sale)).await?.sales.into_iter().map(|line| line.kind).collect())
    }

    /// Builds a sale anew that Redis has lost.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, and why it cannot be.
    pub async fn recover(&self, kind: &str, sale: &str) -> Result<Recovered> {
        check_id("sale", sale)?;
        self.book(kind)?.recover(sale).await
    }

    /// Does what has become due in all sales. Any number of servers may: each thing happens once.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        let mut done = 0;
        for book in self.books.iter() {
            done += book.sweep().await?;
        }
        Ok(done)
    }

    /// Tries entries again that were set aside, of one sale or of all.
    ///
    /// # Errors
    /// `bad_request`, `unavailable`, `ledger_unavailable`.
    pub async fn retry(&self, sale: Option<&str>) -> Result<Retried> {
        let mut retried = Retried::default();
        for kept in self.ledger.kept(sale).await? {
            let (kind, sale, id) = (kept.line.kind, kept.line.sale, kept.line.event_id);
            let mut batch = Batch { kind: kind.clone(), sale: sale.clone(), released: vec![id], ..Batch::default() };
            let interpreter = self.book(&kind)?.interpreter(&sale).await?;
            add(&mut batch, &interpreter, kept.entry, self.clock.now())?;
            let reason = match batch.set_aside.pop() {
                Some(reject) => Some(reject.reason),
                None => match self.ledger.apply(&[&batch]).await? {
                    Applied::Refused(reason) => Some(reason),
                    // Somebody else has tried it at the same time: one of the two has written it.
                    Applied::Done | Applied::Overtaken => None,
                },
            };
            match reason {
                Some(reason) => {
                    self.ledger.tried_in_vain(&kind, &sale, id, &reason).await?;
                    retried.still_set_aside += 1;
                }
                None => retried.applied += 1,
            }
        }
        Ok(retried)
    }

    fn book(&self, kind: &str) -> Result<&Arc<dyn Book>> {
        self.books.iter().find(|book| book.kind() == kind).ok_or_else(|| {
            let kinds: Vec<&str> = self.books.iter().map(|book| book.kind()).collect();
            Error::bad("kind", format!("There is no kind of sale \"{kind}\"; there are: {}.", kinds.join(", ")))
        })
    }

    /// The newest sales of Redis, then those that only the ledger knows.
    async fn newest(&self) -> Result<Vec<(String, String)>> {
        let names: Vec<String> = self.store.query("ZREVRANGE", (keys::SALES, 0, LISTED - 1)).await?;
        let mut newest: Vec<(String, String)> = names.iter().filter_map(|name| split(name)).collect();
        let in_ledger = match self.ledger.newest(LISTED as u32).await {
            Ok(accounts) => accounts,
            Err(error) if error.code == Code::LedgerUnavailable => Vec::new(),
            Err(error) => return Err(error),
        };
        for (Account { kind, sale, .. }, _) in in_ledger {
            let name = (kind, sale);
            if newest.len() < LISTED && !newest.contains(&name) {
                newest.push(name);
            }
        }
        Ok(newest)
    }

    async fn accounts(&self, sale: Option<&str>) -> Result<HashMap<(String, String), (Account, u64)>> {
        let accounts = match sale {
            Some(sale) => self.ledger.of_sale(sale).await?,
            None => self.ledger.newest(4 * LISTED as u32).await?,
        };
        Ok(accounts
            .into_iter()
            .map(|(account, set_aside)| ((account.kind.clone(), account.sale.clone()), (account, set_aside)))
            .collect())
    }

    async fn line(
        &self,
        kind: &str,
        sale: &str,
        account: Option<&(Account, u64)>,
        unreachable: bool,
    ) -> Result<Option<SaleStatus>> {
        let position = account.map(|(account, _)| account.position);
        // Where the ledger cannot be asked, Redis tells what is marked as written.
        let seen_from = if unreachable { None } else { Some(position.unwrap_or_default().event_id) };
        let Some(found) = mark(&self.store, kind, sale, seen_from).await? else {
            let lost = position.map(|position| self.status_of(kind, sale, position, Mark::default(), account));
            return Ok(lost.map(|status| SaleStatus { lost: true, ..status }));
        };
        let applied = if unreachable { found.marked } else { position.unwrap_or_default() };
        Ok(Some(self.status_of(kind, sale, applied, found, account)))
    }

    fn status_of(
        &self,
        kind: &str,
        sale: &str,
        applied: Position,
        found: Mark,
        account: Option<&(Account, u64)>,
    ) -> SaleStatus {
        let waiting_ms = found.waiting_since.map_or(0, |since| (self.clock.now() - since).max(0));
        // A ledger that came later has not what was trimmed before it; it counts from there.
        let before =
            if applied.entries == 0 { found.end.entries.saturating_sub(found.length) } else { applied.entries };
        // A Redis that came back without its end counts fewer than the ledger has, and may have new ones all the same.
        let lag_events = found.waiting_since.map_or(0, |_| found.end.entries.saturating_sub(before).max(1));
        SaleStatus {
            kind: kind.to_owned(),
            sale: sale.to_owned(),
            applied_event_id: applied.event_id,
            last_event_id: found.end.event_id,
            lag_events,
            lag_seconds: waiting_ms as f64 / 1_000.0,
            set_aside: account.map_or(0, |(_, set_aside)| *set_aside),
            stream_length: found.length,
            alarm: lag_events > self.stream_alarm,
            lost: false,
        }
    }
}

/// `<kind>:<sale>`
fn split(name: &str) -> Option<(String, String)> {
    name.split_once(':').map(|(kind, sale)| (kind.to_owned(), sale.to_owned()))
}
