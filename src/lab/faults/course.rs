//! The course of an incident after its fault has begun: the visible effects while the fault lasts, and the recovery.

use crate::{
    faults::{
        handles::Stopped,
        incidents::Ongoing,
        probe::{Lag, Probe},
    },
    slow_wire::Disturbed,
};
use model::{lab::faults::What, stock::State};
use std::{collections::BTreeMap, pin::pin, time::Duration};
use store::embedded::Down;
use tokio::time::sleep;

/// The interval between probes.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// An active fault. Most faults end when their value in here is dropped.
pub enum Begun {
    /// Redis has forgotten its scripts. Holds the number of earlier reloads of each.
    ScriptsFlushed(BTreeMap<String, u64>),
    /// A cached quantity has expired. `loads` is the number of earlier loads.
    StockExpired { sale: String, loads: u64 },
    /// The writer is stopped.
    WriterStopped(Stopped),
    /// Everything sent to Redis arrives later by this delay.
    WireSlow(Disturbed, Duration),
    /// The connections to Redis are cut.
    WireCut(Disturbed),
    /// The Redis with this process id was killed, when `lost` sales were lost or suspended.
    RedisKilled { down: Down, process: String, lost: usize },
}

/// Follows one incident.
pub struct Course {
    /// Observes the server.
    pub probe: Probe,
    /// Records the timeline.
    pub incident: Ongoing,
    /// The duration of the fault, unless it is ended early.
    pub lasts: Duration,
}

impl Course {
    /// Follows the incident from the fault to the recovery.
    pub async fn run(self, begun: Begun) {
        let is_healed = match begun {
            Begun::ScriptsFlushed(reloads) => self.scripts_flushed(reloads).await,
            Begun::StockExpired { sale, loads } => self.stock_expired(&sale, loads).await,
            Begun::WriterStopped(stopped) => self.writer_stopped(stopped).await,
            Begun::WireSlow(disturbed, delay) => self.wire_slow(disturbed, delay).await,
            Begun::WireCut(disturbed) => self.wire_cut(disturbed).await,
            Begun::RedisKilled { down, process, lost } => self.redis_killed(down, &process, lost).await,
        };
        if !is_healed {
            self.incident.give_up();
        }
    }

    /// Nothing calls a script for this purpose. Each script is reloaded at its next call, which may be much later. The
    /// first reloads show that reloading works, and end the timeline.
    async fn scripts_flushed(&self, before: BTreeMap<String, u64>) -> bool {
        let reloaded = until(|| async {
            let now = self.probe.reloads().await.ok()?;
            let is_more = |(script, count): &(String, u64)| before.get(script).unwrap_or(&0) < count;
            let reloaded: Vec<_> = now.into_iter().filter(is_more).collect();
            (!reloaded.is_empty()).then_some(reloaded)
        });
        for (script, _) in reloaded.await {
            self.incident.note(What::ScriptReloaded, None, Some(script));
        }
        self.healed()
    }

    /// The next deduction loads the quantity, by any user.
    async fn stock_expired(&self, sale: &str, before: u64) -> bool {
        let Ok(stock) = self.probe.stock() else { return false };
        loop {
            sleep(LOOK_EVERY).await;
            match stock.snapshot(sale).await {
                Ok(now) if now.rebuilds > before => {
                    let (quantity, server) =
                        now.rebuilt.into_iter().next().map(|rebuild| (rebuild.quantity, rebuild.server)).unzip();
                    self.incident.note(What::QuantityLoaded, quantity, server);
                    self.incident.healed();
                    return true;
                }
                Ok(now) if now.state != State::Open => return false,
                Err(error) if error.code.is_sale_gone() => return false,
                Ok(_) | Err(_) => {}
            }
        }
    }

    async fn writer_stopped(&self, stopped: Stopped) -> bool {
        let mut most = 0;
        let watch = async {
            let mut is_noted = false;
            loop {
                if let Ok(lag) = self.probe.lag().await {
                    if lag.events > 0 && !is_noted {
                        self.incident.note(What::EventsWait, Some(lag.events), None);
                        is_noted = true;
                    }
                    most = lag.events.max(most);
                }
                sleep(LOOK_EVERY).await;
            }
        };
        self.last(stopped, watch).await;
        self.ledger_caught_up(most).await;
        self.healed()
    }

    async fn wire_slow(&self, disturbed: Disturbed, delay: Duration) -> bool {
        let is_slow = |took: &Duration| *took >= delay;
        let note = |took: Duration| self.incident.note(What::RoundTrip, Some(took.as_millis() as u64), None);
        let watch = async { note(until(|| async { self.probe.round_trip().await.ok().filter(is_slow) }).await) };
        self.last(disturbed, watch).await;
        note(until(|| async { self.probe.round_trip().await.ok().filter(|took| !is_slow(took)) }).await);
        self.healed()
    }

    async fn wire_cut(&self, disturbed: Disturbed) -> bool {
        self.last(disturbed, self.unanswered()).await;
        self.answered().await;
        self.ledger_caught_up(0).await;
        self.healed()
    }

    async fn redis_killed(&self, down: Down, killed: &str, lost: usize) -> bool {
        self.last(down, self.unanswered()).await;
        let started = until(|| async { self.probe.process().await.ok().filter(|process| process != killed) }).await;
        self.incident.note(What::RedisStarted, None, Some(started));
        self.answered().await;
        // As at the start of a server: items that Redis has lost and the ledger has must not be given away again.
        let now = until(|| async {
            self.probe.ledger.suspend_lost().await.ok()?;
            self.probe.lost().await.ok()
        });
        match now.await.checked_sub(lost) {
            None | Some(0) => self.incident.note(What::NothingLost, None, None),
            Some(sales) => {
                self.incident.note(What::SalesSuspended, Some(sales as u64), None);
                // Until an operator has recovered them.
                until(|| async { self.probe.lost().await.ok().filter(|now| *now <= lost) }).await;
            }
        }
        self.ledger_caught_up(0).await;
        self.healed()
    }

    /// Keeps the fault for its duration and watches it meanwhile. The fault ends when it is dropped.
    async fn last(&self, fault: impl Send, watch: impl Future<Output = ()>) {
        let mut over = pin!(async {
            tokio::select! {
                () = self.incident.end.cancelled() => What::EndedEarly,
                () = sleep(self.lasts) => What::Ended,
            }
        });
        let what = tokio::select! {
            what = &mut over => what,
            () = watch => over.await,
        };
        drop(fault);
        self.incident.note(what, None, None);
        self.incident.ended();
    }

    /// Notes that a call gets no answer.
    async fn unanswered(&self) {
        until(|| async { self.probe.round_trip().await.err() }).await;
        self.incident.note(What::Unanswered, None, None);
    }

    /// Waits until calls are answered on every connection.
    async fn answered(&self) {
        until(|| async { self.probe.round_trip().await.ok() }).await;
        self.incident.note(What::Answered, None, None);
    }

    /// Waits until a process writes the ledger and the ledger has everything up to now. `most` is the highest number of
    /// waiting events so far.
    async fn ledger_caught_up(&self, mut most: u64) {
        let look = || async { self.probe.lag().await.ok() };
        let before = until(look).await;
        let writer = until(|| async { look().await?.writer }).await;
        self.incident.note(What::WriterRuns, None, Some(writer));
        most = most.max(before.events);
        until(|| async { look().await.filter(|now: &Lag| now.is_past(&before)) }).await;
        self.incident.note(What::CaughtUp, Some(most), None);
    }

    fn healed(&self) -> bool {
        self.incident.healed();
        true
    }
}

/// Probes until there is a result.
async fn until<T, F: Future<Output = Option<T>>>(look: impl Fn() -> F) -> T {
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        sleep(LOOK_EVERY).await;
    }
}
