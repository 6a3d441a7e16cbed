//! Background expiry, for every kind that has deadlines. Any number of servers may run it, as the scripts process each
//! item once.

use model::{
    Millis,
    error::{Code, Error, Result},
};
use redis::from_redis_value;
use std::{
    collections::{HashMap, HashSet},
    future::Future,
};
use store::{
    Store, command, failure,
    listing::{self, Version},
};
use tokio::sync::Mutex;

/// The sales checked in one round trip.
const AT_A_TIME: usize = 500;
/// The failures after which a sweep ends. If all sales fail, Redis is unreachable, and waiting for each is pointless.
const FAILURES: usize = 3;

/// A kind of sale that has deadlines.
pub trait Expires: Sync {
    /// The kind, as in keys.
    const KIND: &str;
    /// The numeric field of `meta` that determines the first check of a sale. It is present once the sale is open.
    const FIELD: &str;

    /// The time of the first check of a sale, by that field.
    fn first_due(field: Millis, now: Millis) -> Millis;

    /// Processes the due items of a sale. Returns their number, and the time of the next check, if there is one.
    ///
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `sale_suspended`, `unavailable`.
    fn expire_due(&self, sale: &str, now: Millis) -> impl Future<Output = Result<(u64, Option<Millis>)>> + Send;
}

/// Processes the due items of one sale, if it is open and answers. A sale that somebody has damaged delays no other.
pub async fn settle<K: Expires>(kind: &K, sale: &str, now: Millis) {
    match kind.expire_due(sale, now).await {
        Ok(_) => {}
        Err(error) if matches!(error.code, Code::SaleOpening | Code::SaleSuspended) || error.code.is_sale_gone() => {}
        Err(error) => tracing::warn!(kind = K::KIND, sale, %error, "what is due in a sale could not be processed"),
    }
}

/// The time of the next check of each sale by this process, so that it need not query Redis each time. Losing the
/// schedule costs only queries, as Redis decides about every item.
#[derive(Default)]
pub struct ExpirySchedule(Mutex<Schedule>);

#[derive(Default)]
struct Schedule {
    /// The version of the list at the last read.
    listed: Option<Version>,
    /// The number of recovered sales at that time.
    recovered: u64,
    /// The listed sales that did not exist: not open yet, or lost.
    absent: Vec<String>,
    /// The time of the last sweep.
    swept_at: Millis,
    by_sale: HashMap<String, ScheduledSale>,
    /// The sales that were already logged as unreadable.
    unreadable: HashSet<String>,
}

struct ScheduledSale {
    /// The time at which the sale is due; `None` if nothing can become due any more.
    at: Option<Millis>,
    /// Consecutive failures.
    failures: u32,
}

impl ExpirySchedule {
    /// Processes the due items in all sales of a kind. Returns their number.
    ///
    /// # Errors
    /// `unavailable` if not all sales were checked. A sale that fails does not keep others from being processed.
    pub async fn sweep<K: Expires>(&self, kind: &K, store: &Store, now: Millis) -> Result<u64> {
        // One sweep at a time in this process; other processes may sweep too.
        let mut schedule = self.0.lock().await;
        schedule.follow_clock(now);
        schedule.learn::<K>(store, now).await?;
        // What is due in a sale whose master does not answer is processed when that is back.
        let is_due = |sale: &str, entry: &ScheduledSale| {
            entry.at.is_some_and(|at| at <= now) && store.is_reachable(&store.sale_key(K::KIND, sale, "meta"))
        };
        let due = schedule.by_sale.iter().filter(|(sale, entry)| is_due(sale, entry));
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
                // The sale is still opening, or suspended. It will be checked again once it is open.
                Err(error) if matches!(error.code, Code::SaleOpening | Code::SaleSuspended) => {
                    ScheduledSale { at: Some(now), failures: 0 }
                }
                // The sale was lost from Redis, or archived. A recovery puts it on the list again.
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
    /// Forgets everything if the clock has gone back. The due times were noted by the earlier clock, and items that
    /// began since may be due earlier.
    fn follow_clock(&mut self, now: Millis) {
        if now < self.swept_at {
            self.by_sale.clear();
            self.listed = None;
        }
        self.swept_at = now;
    }

    /// Reads the due times of the sales that are new on the list, and of those that did not exist before.
    async fn learn<K: Expires>(&mut self, store: &Store, now: Millis) -> Result<()> {
        let listed = listing::version(store).await?;
        let new = if self.listed == Some(listed) {
            std::mem::take(&mut self.absent)
        } else {
            self.new_on_the_list::<K>(store, listed).await?
        };
        // The list is read again if this fails.
        self.listed = None;
        let is_reachable = |sale: &String| store.is_reachable(&store.sale_key(K::KIND, sale, "meta"));
        let (new, mut absent): (Vec<String>, Vec<String>) = new.into_iter().partition(is_reachable);
        for sales in new.chunks(AT_A_TIME) {
            let mut commands = Vec::with_capacity(sales.len());
            for sale in sales {
                let mut ask = command("HGET");
                ask.arg(store.sale_key(K::KIND, sale, "meta")).arg(K::FIELD);
                commands.push(ask);
            }
            // A sale that somebody has damaged keeps no other sale from being processed.
            let fields = store.each(commands).await;
            for (sale, field) in sales.iter().zip(fields) {
                let at = match field.and_then(|field| from_redis_value::<Option<String>>(field).map_err(Into::into)) {
                    Ok(None) => {
                        absent.push(sale.clone());
                        continue;
                    }
                    Ok(Some(field)) => field.parse().ok().map(|field| K::first_due(field, now)),
                    Err(error) if failure::is_of_another_type(&error) => None,
                    Err(error) => return Err(store.failed(&error)),
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
                // The sale is tried again, as an operator may repair it.
                absent.push(sale.clone());
            }
        }
        (self.listed, self.absent) = (Some(listed), absent);
        Ok(())
    }

    /// Reads the list, and returns the sales that are not scheduled.
    async fn new_on_the_list<K: Expires>(&mut self, store: &Store, listed: Version) -> Result<Vec<String>> {
        if self.recovered != listed.recovered {
            // A recovered sale in which nothing was due any more may have something due again.
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
