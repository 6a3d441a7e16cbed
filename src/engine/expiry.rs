//! Background expiry, for every kind that has deadlines. Any number of servers may run it: the scripts process each
//! item once.

use model::{
    Millis,
    error::{Code, Error, Result},
};
use redis::{Pipeline, RedisResult};
use std::{
    collections::{HashMap, HashSet},
    future::Future,
};
use store::{
    Store, command, failure, keys,
    listing::{self, Version},
};
use tokio::sync::Mutex;

/// Sales checked in one round trip.
const AT_A_TIME: usize = 500;
/// Sales that may fail in one sweep: if all fail, Redis is unreachable, and waiting for each is pointless.
const FAILURES: usize = 3;

/// A kind of sale in which something becomes due.
pub trait Expires: Sync {
    /// The kind, as in keys.
    const KIND: &str;
    /// The numeric field of `meta` that determines when to check a sale first; present once it is open.
    const FIELD: &str;

    /// When to check a sale first, given that field.
    fn first_due(field: Millis, now: Millis) -> Millis;

    /// Processes what is due in a sale. Returns how much was processed, and when to check again, if ever.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `sale_suspended`, `unavailable`.
    fn expire_due(&self, sale: &str, now: Millis) -> impl Future<Output = Result<(u64, Option<Millis>)>> + Send;
}

/// Processes what is due in one sale, if it is open and answers: one that somebody has damaged keeps no other waiting.
pub async fn settle<K: Expires>(kind: &K, sale: &str, now: Millis) {
    match kind.expire_due(sale, now).await {
        Ok(_) => {}
        Err(error) if matches!(error.code, Code::SaleOpening | Code::SaleSuspended) || error.code.is_sale_gone() => {}
        Err(error) => tracing::warn!(kind = K::KIND, sale, %error, "what is due in a sale could not be processed"),
    }
}

/// When this process has to check each sale again, so that it need not query Redis each time.
/// Losing it costs only queries: what happens to a sale is decided in Redis.
#[derive(Default)]
pub struct ExpirySchedule(Mutex<Schedule>);

#[derive(Default)]
struct Schedule {
    /// The version of the list when it was last read.
    listed: Option<Version>,
    /// How many sales had been recovered then.
    recovered: u64,
    /// Sales on the list that were not there: not open yet, or lost.
    absent: Vec<String>,
    /// When the last sweep was.
    swept_at: Millis,
    by_sale: HashMap<String, ScheduledSale>,
    /// Sales of which that was logged.
    unreadable: HashSet<String>,
}

struct ScheduledSale {
    /// When the sale is due; `None` if nothing can become due any more.
    at: Option<Millis>,
    /// Consecutive failures.
    failures: u32,
}

impl ExpirySchedule {
    /// Processes what is due in all sales of a kind. Returns how much was processed.
    ///
    /// # Errors
    /// `unavailable`: not all sales were checked. A sale that fails does not keep others from being processed.
    pub async fn sweep<K: Expires>(&self, kind: &K, store: &Store, now: Millis) -> Result<u64> {
        // One sweep at a time in this process; other processes may sweep too.
        let mut schedule = self.0.lock().await;
        schedule.follow_clock(now);
        schedule.learn::<K>(store, now).await?;
        let due = schedule.by_sale.iter().filter(|(_, entry)| entry.at.is_some_and(|at| at <= now));
        let mut due: Vec<(u32, String)> = due.map(|(sale, entry)| (entry.failures, sale.clone())).collect();
        // Sales that keep failing come last.
        due.sort_unstable();
        let (mut done, mut failed): (u64, Vec<Error>) = (0, Vec::new());
        for (failures, sale) in due {
            let entry = match kind.expire_due(&sale, now).await {
                Ok((count, at)) => {
                    done += count;
                    ScheduledSale { at, failures: 0 }
                }
                // Still opening, or suspended: it will be checked again once it is open.
                Err(error) if matches!(error.code, Code::SaleOpening | Code::SaleSuspended) => {
                    ScheduledSale { at: Some(now), failures: 0 }
                }
                // Lost from Redis, or archived; a recovery puts it on the list again.
                Err(error) if error.code.is_sale_gone() => {
                    schedule.by_sale.remove(&sale);
                    schedule.absent.push(sale);
                    continue;
                }
                Err(error) => {
                    failed.push(error);
                    if failed.len() == FAILURES {
                        break;
                    }
                    ScheduledSale { at: Some(now), failures: failures + 1 }
                }
            };
            schedule.by_sale.insert(sale, entry);
        }
        match failed.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(done),
        }
    }
}

impl Schedule {
    /// Forgets everything if the clock has gone back: when something is due next was noted by the earlier clock, and
    /// what has begun since may be due earlier.
    fn follow_clock(&mut self, now: Millis) {
        if now < self.swept_at {
            self.by_sale.clear();
            self.listed = None;
        }
        self.swept_at = now;
    }

    /// Queries when sales that are new on the list are due, and those that were not there.
    async fn learn<K: Expires>(&mut self, store: &Store, now: Millis) -> Result<()> {
        let listed = listing::version(store).await?;
        let new = if self.listed == Some(listed) {
            std::mem::take(&mut self.absent)
        } else {
            self.new_on_the_list::<K>(store, listed).await?
        };
        // Read again if this fails.
        self.listed = None;
        let mut absent = Vec::new();
        for sales in new.chunks(AT_A_TIME) {
            let mut pipeline = Pipeline::with_capacity(sales.len());
            for sale in sales {
                let mut ask = command("HGET");
                ask.arg(keys::sale(K::KIND, sale, "meta")).arg(K::FIELD);
                pipeline.add_command(ask);
            }
            // What somebody has damaged keeps no other sale from being processed.
            let fields: Vec<RedisResult<Option<String>>> = store.pipeline(pipeline.ignore_errors()).await?;
            for (sale, field) in sales.iter().zip(fields) {
                let at = match field {
                    Ok(None) => {
                        absent.push(sale.clone());
                        continue;
                    }
                    Ok(Some(field)) => field.parse().ok().map(|field| K::first_due(field, now)),
                    Err(error) if failure::is_of_another_type(&error) => None,
                    Err(error) => return Err(failure::failed(&error)),
                };
                if at.is_some() {
                    self.unreadable.remove(sale);
                    self.by_sale.insert(sale.clone(), ScheduledSale { at, failures: 0 });
                    continue;
                }
                if self.unreadable.insert(sale.clone()) {
                    tracing::error!(
                        kind = K::KIND,
                        sale,
                        "what Redis has of a sale cannot be read, so nothing of it expires"
                    );
                }
                // It is tried again, as an operator may repair it.
                absent.push(sale.clone());
            }
        }
        (self.listed, self.absent) = (Some(listed), absent);
        Ok(())
    }

    /// Reads the list, and returns the sales that are not scheduled.
    async fn new_on_the_list<K: Expires>(&mut self, store: &Store, listed: Version) -> Result<Vec<String>> {
        if self.recovered != listed.recovered {
            // A sale in which nothing was due any more may have something due again.
            self.by_sale.clear();
            self.recovered = listed.recovered;
        }
        let names = listing::names(store).await?;
        let sales: HashSet<&str> =
            names.iter().filter_map(|name| name.strip_prefix(K::KIND)?.strip_prefix(':')).collect();
        // Archived sales are no longer on the list.
        self.by_sale.retain(|sale, _| sales.contains(sale.as_str()));
        let new = sales.into_iter().filter(|sale| !self.by_sale.contains_key(*sale));
        Ok(new.map(str::to_owned).collect())
    }
}
