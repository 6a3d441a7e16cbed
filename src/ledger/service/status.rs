//! The progress of the ledger with each sale, and the results of the last audits.

use crate::{
    records::missing,
    sale::LedgerSale,
    scripts::{StreamPosition, stream_position},
    service::{LedgerService, Name, split},
};
use futures::future::join_all;
use model::{
    Millis, Verdict, check_id,
    error::{Code, Error, Result},
    ledger::{Audited, Board, SaleStatus, Status},
};
use std::{collections::HashMap, time::Duration};
use store::{keys, listing::readable};
use tokio::time::timeout;

/// The number of sales on the board and in a status.
const LISTED: usize = 50;

/// The time limit of the ledger, for the status of a sale. After that, the sale's page shows only the data in Redis.
const SALE_WITHIN: Duration = Duration::from_secs(1);

impl LedgerService {
    /// The lag of the ledger, for the newest sales or for the named one. If the ledger is unreachable, Redis still
    /// knows its last position.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn status(&self, sale: Option<&str>) -> Result<Status> {
        let writer = self.store.query("GET", keys::WRITER).await?;
        let names = match sale {
            Some(sale) => {
                check_id("sale", sale)?;
                self.kinds.iter().map(|kind| (kind.info().id.to_owned(), sale.to_owned())).collect()
            }
            None => self.newest().await?,
        };
        let (known, unreachable) = match self.ledger_sales(sale).await {
            Ok(known) => (known, None),
            Err(error) if error.code == Code::LedgerUnavailable => (HashMap::new(), Some(error.message)),
            Err(error) => return Err(error),
        };
        let statuses = names.iter().map(|name| self.sale_status(name, known.get(name), unreachable.is_some()));
        let statuses = join_all(statuses).await.into_iter();
        let sales: Vec<SaleStatus> = statuses.filter_map(Result::transpose).collect::<Result<_>>()?;
        if let Some(sale) = sale.filter(|_| sales.is_empty() && unreachable.is_none()) {
            return Err(Error::unknown_sale(sale));
        }
        Ok(Status { sales, writer, unreachable })
    }

    /// The last audit of each of the newest sales, with its lag.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn board(&self) -> Result<Board> {
        let Status { sales, writer, unreachable } = self.status(None).await?;
        if sales.is_empty() {
            return Ok(Board { sales: Vec::new(), writer, unreachable });
        }
        let names: Vec<String> = sales.iter().map(|status| keys::name(&status.kind, &status.sale)).collect();
        let listed = (keys::SALES, 0, LISTED - 1, "WITHSCORES");
        let opened: Vec<(String, f64)> = self.store.query("ZREVRANGE", listed).await?;
        let opened: HashMap<String, f64> = opened.into_iter().collect();
        let audits: Vec<Option<String>> = self.store.query("HMGET", (keys::AUDITS, &names)).await?;
        let mut sales: Vec<Audited> = sales
            .into_iter()
            .zip(names)
            .zip(audits)
            .map(|((status, name), audit)| Audited {
                status,
                opened_at: opened.get(&name).map(|at| *at as Millis),
                audit: audit.and_then(|json| serde_json::from_str(&json).ok()),
            })
            .collect();
        let rank = |Audited { status, audit, .. }: &Audited| match audit.as_ref().map(|audit| audit.verdict) {
            Some(Verdict::Broken) => 0,
            Some(Verdict::Unknown) => 1,
            Some(Verdict::Holds) | None if has_problem(status) => 2,
            Some(Verdict::Holds) | None => 3,
        };
        sales.sort_by_key(rank);
        Ok(Board { sales, writer, unreachable })
    }

    /// The newest sales of Redis, then those known only to the ledger.
    async fn newest(&self) -> Result<Vec<Name>> {
        let names = self.store.query("ZREVRANGE", (keys::SALES, 0, LISTED - 1)).await.map(readable)?;
        let mut newest: Vec<Name> = names.iter().filter_map(|name| split(name)).collect();
        let in_ledger = match self.ledger.newest_sales(LISTED as u32).await {
            Ok(sales) => sales,
            Err(error) if error.code == Code::LedgerUnavailable => Vec::new(),
            Err(error) => return Err(error),
        };
        for LedgerSale { kind, sale, .. } in in_ledger {
            let name = (kind, sale);
            if newest.len() < LISTED && !newest.contains(&name) {
                newest.push(name);
            }
        }
        Ok(newest)
    }

    async fn ledger_sales(&self, sale: Option<&str>) -> Result<HashMap<Name, LedgerSale>> {
        let sales = match sale {
            Some(sale) => timeout(SALE_WITHIN, self.ledger.sales_named(sale)).await.unwrap_or_else(|_| {
                Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
            })?,
            None => self.ledger.newest_sales(4 * LISTED as u32).await?,
        };
        Ok(sales.into_iter().map(|known| ((known.kind.clone(), known.sale.clone()), known)).collect())
    }

    /// The status of one sale. `None` if neither Redis nor the ledger knows it.
    async fn sale_status(
        &self,
        name: &Name,
        known: Option<&LedgerSale>,
        unreachable: bool,
    ) -> Result<Option<SaleStatus>> {
        let (kind, sale) = name;
        let recorded = known.map(|known| known.position);
        let archived = known.is_some_and(|known| known.archived_at.is_some());
        // While the ledger is unreachable, Redis says which entries were acknowledged as recorded.
        let seen_from = if unreachable { None } else { Some(recorded.unwrap_or_default().event_id) };
        let (stream, applied, lost) = match stream_position(&self.store, kind, sale, seen_from).await? {
            Some(stream) if unreachable => (stream, stream.acknowledged, false),
            Some(stream) => (stream, recorded.unwrap_or_default(), false),
            None => match recorded {
                Some(recorded) => (StreamPosition::default(), recorded, true),
                None => return Ok(None),
            },
        };
        // A ledger that was attached later does not have the entries trimmed before. It counts from there.
        let before =
            if applied.entries == 0 { stream.end.entries.saturating_sub(stream.length) } else { applied.entries };
        // A Redis that came back without its newest entries counts fewer than the ledger has, but it may have new ones.
        let lag_events = stream.waiting_since.map_or(0, |_| stream.end.entries.saturating_sub(before).max(1));
        let lag_ms = stream.waiting_since.map_or(0, |since| (self.clock.now() - since).max(0));
        Ok(Some(SaleStatus {
            kind: kind.clone(),
            sale: sale.clone(),
            applied_event_id: applied.event_id,
            last_event_id: stream.end.event_id,
            lag_events,
            lag_seconds: lag_ms as f64 / 1_000.0,
            dead_letters: known.map_or(0, |known| known.dead_letters),
            stream_length: stream.length,
            missing_events: known.map_or(0, |known| missing(known, stream.before())),
            alarm: lag_events > self.stream_alarm,
            lost: lost && !archived,
            archived,
        }))
    }
}

/// Whether something is wrong with a sale in the ledger.
fn has_problem(status: &SaleStatus) -> bool {
    status.lost || status.alarm || status.dead_letters > 0 || status.missing_events > 0
}
