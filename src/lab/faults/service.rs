//! Injects faults into this server, and follows them until everything works again.

use crate::{
    faults::{
        course::{Begun, Course},
        handles::{Handles, WriterSwitch},
        incidents::{Incidents, Ongoing},
        probe::Probe,
    },
    slow_wire::SlowWire,
};
use engine::kind::{Kinds, Resources};
use ledger::service::LedgerService;
use model::{
    error::{Code, Error, Result},
    lab::faults::{DEFAULT_DELAY_MS, DELAY_MS, Fault, FaultInfo, Faults, Incident, Obstacle, SHORTEST_MS, What},
    stock::{Expired, State},
};
use std::{sync::Arc, time::Duration};
use store::{embedded::RestartSwitch, runtime::Ids};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The faults of a server. Cheap to clone.
#[derive(Clone)]
pub struct FaultService {
    /// `None` if the server was started without `--faults`.
    handles: Option<Arc<Handles>>,
    probe: Probe,
    ids: Arc<Ids>,
    incidents: Arc<Incidents>,
    /// Cancelled when the server stops.
    shutdown: CancellationToken,
}

/// A requested fault, within its limits.
struct Request {
    fault: Fault,
    sale: Option<String>,
    lasts: Duration,
    delay: Duration,
}

impl FaultService {
    /// The faults of a server. They act on the server through `handles`. Without handles, every fault is refused.
    pub fn new(
        resources: &Resources,
        kinds: &Kinds,
        ledger: Arc<LedgerService>,
        handles: Option<Handles>,
        shutdown: CancellationToken,
    ) -> Self {
        let Resources { store, clock, ids, .. } = resources.clone();
        Self {
            handles: handles.map(Arc::new),
            probe: Probe { store, ledger, kinds: kinds.clone() },
            ids,
            incidents: Arc::new(Incidents::new(clock)),
            shutdown,
        }
    }

    /// The switch for this server's writer, if faults are enabled.
    pub fn writer_switch(&self) -> Option<WriterSwitch> {
        self.handles.as_ref().map(|handles| handles.writer.clone())
    }

    /// The possible faults, and the incidents so far.
    pub fn faults(&self) -> Faults {
        let info = |fault: Fault| FaultInfo { fault, obstacle: self.obstacle(fault), length: fault.length() };
        Faults {
            enabled: self.handles.is_some(),
            faults: Fault::ALL.into_iter().map(info).collect(),
            incidents: self.incidents.all(),
        }
    }

    /// Injects a fault. Returns when it has begun. It ends by itself.
    ///
    /// # Errors
    /// `faults_disabled`; `bad_request`, also for a fault that this server cannot have; `fault_active`; `unknown_sale`,
    /// `unavailable`, `store_refused`, `ledger_unavailable` if it could not begin.
    pub async fn inject(
        &self,
        fault: Fault,
        sale: Option<String>,
        ms: Option<u64>,
        delay_ms: Option<u64>,
    ) -> Result<Incident> {
        let handles = self.handles()?.clone();
        let request = self.checked(fault, sale, ms, delay_ms)?;
        let ms = u64::try_from(request.lasts.as_millis()).unwrap_or(u64::MAX);
        let incident = self.incidents.begin(self.ids.id(), fault, request.sale.clone(), ms)?;
        let (id, this) = (incident.id.clone(), self.clone());
        let (begins, begun) = oneshot::channel();
        // A separate task, so that the fault ends even if the caller does not wait.
        tokio::spawn(async move {
            let lasts = request.lasts;
            let fault = match this.begin(&handles, request, &incident).await {
                Ok(fault) => fault,
                Err(error) => {
                    incident.forget();
                    begins.send(Err(error)).ok();
                    return;
                }
            };
            begins.send(Ok(())).ok();
            let (superseded, course) = (incident.superseded.clone(), incident.clone());
            let course = Course { probe: this.probe, incident: course, lasts };
            tokio::select! {
                () = course.run(fault) => {}
                () = superseded.cancelled() => incident.give_up(),
                () = this.shutdown.cancelled() => {}
            }
        });
        begun.await.map_err(Error::internal)??;
        self.incidents.find(&id)
    }

    /// Ends a fault early. A fault that is over does not change.
    ///
    /// # Errors
    /// `faults_disabled`, `unknown_incident`.
    pub fn end(&self, incident: &str) -> Result<Incident> {
        self.handles()?;
        self.incidents.end(incident)?;
        self.incidents.find(incident)
    }

    fn handles(&self) -> Result<&Arc<Handles>> {
        let disabled = || {
            let why =
                "This server injects no faults; nothing was tried. To rehearse an outage, start one with --faults.";
            Error::new(Code::FaultsDisabled, why)
        };
        self.handles.as_ref().ok_or_else(disabled)
    }

    fn obstacle(&self, fault: Fault) -> Option<Obstacle> {
        let Some(handles) = &self.handles else { return Some(Obstacle::Disabled) };
        match fault {
            Fault::RedisKilled if handles.redis.is_none() => Some(Obstacle::ExternalRedis),
            Fault::WireSlow | Fault::WireCut if handles.wire.is_none() => Some(Obstacle::Tls),
            _ => None,
        }
    }

    fn checked(&self, fault: Fault, sale: Option<String>, ms: Option<u64>, delay_ms: Option<u64>) -> Result<Request> {
        if let Some(obstacle) = self.obstacle(fault) {
            return Err(Error::bad("fault", impossible(obstacle)));
        }
        let lasts = match (fault.length(), ms) {
            (Some(length), None) => length.default_ms,
            (Some(length), Some(ms)) => {
                within("ms", ms, SHORTEST_MS, length.most_ms)?;
                ms
            }
            (None, None) => 0,
            (None, Some(_)) => return Err(Error::bad("ms", "This fault happens at once; leave `ms` out.")),
        };
        let delay = match (fault, delay_ms) {
            (_, None) => DEFAULT_DELAY_MS,
            (Fault::WireSlow, Some(delay)) => {
                within("delay_ms", delay, *DELAY_MS.start(), *DELAY_MS.end())?;
                delay
            }
            (_, Some(_)) => return Err(Error::bad("delay_ms", "Only `wire_slow` has a delay; leave `delay_ms` out.")),
        };
        match (fault, &sale) {
            (Fault::StockExpired, None) => {
                return Err(Error::bad("sale", "Say the quantity of which sale shall expire."));
            }
            (Fault::StockExpired, Some(_)) | (_, None) => {}
            (_, Some(_)) => return Err(Error::bad("sale", "This fault concerns no single sale; leave `sale` out.")),
        }
        Ok(Request { fault, sale, lasts: Duration::from_millis(lasts), delay: Duration::from_millis(delay) })
    }

    /// Begins the fault. It lasts until the returned value is dropped.
    async fn begin(&self, handles: &Handles, request: Request, incident: &Ongoing) -> Result<Begun> {
        let Request { fault, sale, delay, .. } = request;
        match fault {
            Fault::ScriptsFlushed => self.flush_scripts(incident).await,
            Fault::StockExpired => self.expire_stock(sale.unwrap_or_default(), incident).await,
            Fault::WriterStopped => {
                let stopped = handles.writer.stop().await;
                incident.note(What::WriterStopped, None, None);
                Ok(Begun::WriterStopped(stopped))
            }
            Fault::WireSlow => {
                incident.note(What::WireSlow, Some(delay.as_millis() as u64), None);
                Ok(Begun::WireSlow(wire(handles)?.slow_down(delay), delay))
            }
            Fault::WireCut => {
                incident.note(What::WireCut, None, None);
                Ok(Begun::WireCut(wire(handles)?.cut()))
            }
            Fault::RedisKilled => self.kill_redis(handles.redis.as_ref(), incident).await,
        }
    }

    async fn flush_scripts(&self, incident: &Ongoing) -> Result<Begun> {
        let reloads = self.probe.reloads().await?;
        let _done: String = self.probe.store.query("SCRIPT", "FLUSH").await?;
        let forgotten = self.probe.store.unknown_scripts().await?;
        incident.note(What::ScriptsForgotten, Some(forgotten as u64), None);
        incident.ended();
        Ok(Begun::ScriptsFlushed(reloads))
    }

    async fn expire_stock(&self, sale: String, incident: &Ongoing) -> Result<Begun> {
        let before = self.probe.stock()?.snapshot(&sale).await?;
        if before.state != State::Open {
            return Err(Error::bad(
                "sale",
                format!("The sale \"{sale}\" is not open, so nothing would load its quantity."),
            ));
        }
        let quantity = match self.probe.stock()?.expire(&sale).await? {
            Expired::Expired => before.cached,
            Expired::NotCached => None,
        };
        incident.note(What::QuantityExpired, quantity, None);
        incident.ended();
        Ok(Begun::StockExpired { sale, loads: before.rebuilds })
    }

    async fn kill_redis(&self, switch: Option<&RestartSwitch>, incident: &Ongoing) -> Result<Begun> {
        let process = self.probe.process().await?;
        let lost = self.probe.lost().await?;
        let gone = || Error::internal("nobody waits for the embedded Redis");
        let down = match switch {
            Some(switch) => switch.kill().await,
            None => None,
        };
        let down = down.ok_or_else(gone)?;
        incident.note(What::RedisKilled, None, Some(process.clone()));
        Ok(Begun::RedisKilled { down, process, lost })
    }
}

fn wire(handles: &Handles) -> Result<&SlowWire> {
    handles.wire.as_ref().ok_or_else(|| Error::bad("fault", impossible(Obstacle::Tls)))
}

fn impossible(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Disabled => "This server was started without --faults.",
        Obstacle::ExternalRedis => {
            "This server has no Redis of its own to kill; start it without --redis, or restart that Redis yourself."
        }
        Obstacle::Tls => "This server reaches Redis over TLS, which nothing can stand in between.",
    }
}

fn within(field: &str, value: u64, least: u64, most: u64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::bad(field, format!("`{field}` is {value}; it must be {least} to {most}.")))
}
