//! The progress of the ledger with each sale, and the results of the last audits.

use crate::{
    records::missing,
    sale::LedgerSale,
    scripts::{StreamPosition, stream_position},
    service::{LedgerService, Name, split},
};
use futures::future::{join_all, try_join};
use model::{
    EventId, Millis, Verdict, check_id,
    error::{Code, Error, Result},
    ledger::{Audited, Board, Recovering, SaleStatus, Status, VerdictCounts},
};
use serde::Deserialize;
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
        let names = match sale {
            Some(sale) => {
                check_id("sale", sale)?;
                self.kinds.iter().map(|kind| (kind.info().id.to_owned(), sale.to_owned())).collect()
            }
            None => self.newest(0).await?.0,
        };
        let status = self.statuses(sale, names).await?;
        match sale.filter(|_| status.sales.is_empty() && status.unreachable.is_none()) {
            Some(sale) => Err(Error::unknown_sale(sale)),
            None => Ok(status),
        }
    }

    /// The status of these sales, which may all have this id.
    async fn statuses(&self, sale: Option<&str>, names: Vec<Name>) -> Result<Status> {
        let (writer, recovering) =
            try_join(self.store.query("GET", self.store.key(keys::WRITER)), self.recovering(&names)).await?;
        let (known, unreachable) = match self.ledger_sales(sale, &names).await {
            Ok(known) => (known, None),
            Err(error) if error.code == Code::LedgerUnavailable => (HashMap::new(), Some(error.message)),
            Err(error) => return Err(error),
        };
        let read = || async {
            let statuses = names.iter().zip(&recovering).map(|(name, recovering)| {
                self.sale_status(name, known.get(name), recovering.clone(), unreachable.is_some())
            });
            join_all(statuses).await.into_iter().filter_map(Result::transpose).collect::<Result<Vec<SaleStatus>>>()
        };
        let mut sales = self.store.of_reachable(read).await?;
        // Of an id, which any kind may have, only what the ledger knows.
        sales.retain(|status| !status.away || sale.is_none() || status.applied_event_id != EventId::default());
        Ok(Status { sales, writer, unreachable })
    }

    /// The recoveries of these sales that a server makes by itself.
    async fn recovering(&self, names: &[Name]) -> Result<Vec<Option<Recovering>>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = names.iter().map(|(kind, sale)| keys::name(kind, sale)).collect();
        let noted: Vec<Option<String>> = self.store.query("HMGET", (self.store.key(keys::LOST), names)).await?;
        Ok(noted.into_iter().map(|noted| serde_json::from_str(&noted?).ok()).collect())
    }

    /// The last audit of each sale, with its lag: a page of the newest after `skip` of them. The first page begins with
    /// all broken and unknown sales.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn board(&self, skip: u32) -> Result<Board> {
        let (counts, mut on_page) = self.verdicts().await?;
        if skip > 0 {
            on_page.clear();
        }
        let (newest, next) = self.newest(skip).await?;
        for name in newest {
            if !on_page.contains(&name) {
                on_page.push(name);
            }
        }
        let Status { sales, writer, unreachable } = self.statuses(None, on_page).await?;
        let cluster = self.store.partial_cluster();
        if sales.is_empty() {
            return Ok(Board { sales: Vec::new(), counts, next, writer, unreachable, cluster });
        }
        let names: Vec<String> = sales.iter().map(|status| keys::name(&status.kind, &status.sale)).collect();
        let opened: Vec<Option<f64>> = self.store.query("ZMSCORE", (self.store.key(keys::SALES), &names)).await?;
        let audits: Vec<Option<String>> = self.store.query("HMGET", (self.store.key(keys::AUDITS), &names)).await?;
        let mut sales: Vec<Audited> = sales
            .into_iter()
            .zip(opened)
            .zip(audits)
            .map(|((status, opened), audit)| Audited {
                status,
                opened_at: opened.map(|at| at as Millis),
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
        Ok(Board { sales, counts, next, writer, unreachable, cluster })
    }

    /// What the last audits of all sales found.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn verdict_counts(&self) -> Result<VerdictCounts> {
        Ok(self.verdicts().await?.0)
    }

    /// What the last audits of all sales found, and the names of the first broken and unknown ones. Read in parts, so that
    /// many sales delay nothing else.
    async fn verdicts(&self) -> Result<(VerdictCounts, Vec<Name>)> {
        #[derive(Deserialize)]
        struct Found {
            verdict: Verdict,
        }
        let listed: u64 = self.store.query("ZCARD", self.store.key(keys::SALES)).await?;
        // HSCAN may return an entry twice.
        let (mut found, mut cursor) = (HashMap::new(), 0_u64);
        loop {
            let part: (u64, Vec<(String, String)>) =
                self.store.query("HSCAN", (self.store.key(keys::AUDITS), cursor, "COUNT", 100)).await?;
            for (name, audit) in part.1 {
                if let Ok(Found { verdict }) = serde_json::from_str(&audit) {
                    found.insert(name, verdict);
                }
            }
            cursor = part.0;
            if cursor == 0 {
                break;
            }
        }
        let (mut counts, mut problems) = (VerdictCounts::default(), Vec::new());
        for (name, verdict) in found {
            match verdict {
                Verdict::Holds => counts.holds += 1,
                Verdict::Broken => counts.broken += 1,
                Verdict::Unknown => counts.unknown += 1,
            }
            if verdict != Verdict::Holds {
                problems.extend(split(&name).map(|name| (verdict == Verdict::Unknown, name)));
            }
        }
        counts.not_audited = listed.saturating_sub(counts.all());
        problems.sort();
        problems.truncate(LISTED);
        Ok((counts, problems.into_iter().map(|(_, name)| name).collect()))
    }

    /// The newest sales of Redis after `skip` of them, and at their end those known only to the ledger. Also returns what
    /// the next page skips, if there is one.
    async fn newest(&self, skip: u32) -> Result<(Vec<Name>, Option<u32>)> {
        let last = skip as usize + LISTED;
        let names = self.store.query("ZREVRANGE", (self.store.key(keys::SALES), skip, last - 1)).await.map(readable)?;
        let mut newest: Vec<Name> = names.iter().filter_map(|name| split(name)).collect();
        if names.len() == LISTED {
            return Ok((newest, u32::try_from(last).ok()));
        }
        let in_ledger = match self.ledger.newest_sales(LISTED as u32).await {
            Ok(sales) => sales,
            Err(error) if error.code == Code::LedgerUnavailable => Vec::new(),
            Err(error) => return Err(error),
        };
        let names: Vec<String> = in_ledger.iter().map(|known| keys::name(&known.kind, &known.sale)).collect();
        let listed: Vec<Option<f64>> = if names.is_empty() {
            Vec::new()
        } else {
            self.store.query("ZMSCORE", (self.store.key(keys::SALES), &names)).await?
        };
        let only_there = in_ledger.into_iter().zip(listed).filter(|(_, listed)| listed.is_none());
        newest.extend(only_there.map(|(LedgerSale { kind, sale, .. }, _)| (kind, sale)));
        newest.truncate(LISTED);
        Ok((newest, None))
    }

    async fn ledger_sales(&self, sale: Option<&str>, names: &[Name]) -> Result<HashMap<Name, LedgerSale>> {
        let sales = match sale {
            Some(sale) => timeout(SALE_WITHIN, self.ledger.sales_named(sale)).await.unwrap_or_else(|_| {
                Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
            })?,
            None => self.ledger.newest_sales(4 * LISTED as u32).await?,
        };
        let of = |known: LedgerSale| ((known.kind.clone(), known.sale.clone()), known);
        let mut known: HashMap<Name, LedgerSale> = sales.into_iter().map(of).collect();
        for (kind, id) in names.iter().filter(|_| sale.is_none()) {
            if !known.contains_key(&(kind.clone(), id.clone())) {
                known.extend(self.ledger.sale(kind, id).await?.map(of));
            }
        }
        Ok(known)
    }

    /// The status of one sale. `None` if neither Redis nor the ledger knows it. Of a sale whose master does not answer, what
    /// the ledger has.
    async fn sale_status(
        &self,
        name: &Name,
        known: Option<&LedgerSale>,
        recovering: Option<Recovering>,
        unreachable: bool,
    ) -> Result<Option<SaleStatus>> {
        let (kind, sale) = name;
        let recorded = known.map(|known| known.position);
        let archived = known.is_some_and(|known| known.archived_at.is_some());
        if !self.store.is_reachable(&self.store.sale_key(kind, sale, "meta")) {
            let event_id = recorded.unwrap_or_default().event_id;
            return Ok(Some(SaleStatus {
                kind: kind.clone(),
                sale: sale.clone(),
                applied_event_id: event_id,
                last_event_id: event_id,
                dead_letters: known.map_or(0, |known| known.dead_letters),
                archived,
                away: true,
                ..SaleStatus::default()
            }));
        }
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
            away: false,
            recovery: known.and_then(|known| known.recovery.clone()),
            recovering,
        }))
    }
}

/// Whether something is wrong with a sale in the ledger.
fn has_problem(status: &SaleStatus) -> bool {
    status.lost || status.away || status.alarm || status.dead_letters > 0 || status.missing_events > 0
}
