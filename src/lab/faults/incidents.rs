//! The incidents of a server, kept in memory.

use model::{
    error::{Code, Error, Result},
    lab::faults::{Fault, Incident, KEPT, Phase, Step, What},
};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use store::runtime::{Clock, locked};
use tokio_util::sync::CancellationToken;

/// The incidents, newest first.
pub struct Incidents {
    clock: Arc<dyn Clock>,
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    incident: Incident,
    /// Cancelled to end the fault early.
    end: CancellationToken,
    /// Cancelled when nobody observes the recovery any more.
    superseded: CancellationToken,
}

/// An incident in progress.
#[derive(Clone)]
pub struct Ongoing {
    incidents: Arc<Incidents>,
    pub id: String,
    /// Cancelled to end the fault early.
    pub end: CancellationToken,
    /// Cancelled when nobody observes the recovery any more.
    pub superseded: CancellationToken,
}

impl Incidents {
    /// An empty list.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    pub fn all(&self) -> Vec<Incident> {
        locked(&self.kept).iter().map(|kept| kept.incident.clone()).collect()
    }

    /// Begins an incident.
    ///
    /// # Errors
    /// `fault_active` if the same fault is active.
    pub fn begin(self: &Arc<Self>, id: String, fault: Fault, sale: Option<String>, ms: u64) -> Result<Ongoing> {
        let mut kept = locked(&self.kept);
        let same = kept.iter().filter(|kept| kept.incident.fault == fault && kept.incident.sale == sale);
        for before in same {
            if before.incident.is_active() {
                let why = "This fault is in progress at this server; end it, or wait until it is over.";
                return Err(Error::new(Code::FaultActive, why));
            }
            before.superseded.cancel();
        }
        let (end, superseded) = (CancellationToken::new(), CancellationToken::new());
        let incident = Incident {
            incident: id.clone(),
            fault,
            sale,
            ms,
            phase: Phase::Active,
            injected_at: self.clock.now(),
            ended_at: None,
            healed_at: None,
            steps: Vec::new(),
        };
        kept.push_front(Kept { incident, end: end.clone(), superseded: superseded.clone() });
        if kept.len() > KEPT
            && let Some(oldest) = kept.iter().rposition(|kept| !kept.incident.is_active())
        {
            kept.remove(oldest);
        }
        Ok(Ongoing { incidents: self.clone(), id, end, superseded })
    }

    /// The incident with this id.
    ///
    /// # Errors
    /// `unknown_incident`.
    pub fn find(&self, id: &str) -> Result<Incident> {
        let found =
            locked(&self.kept).iter().find(|kept| kept.incident.incident == id).map(|kept| kept.incident.clone());
        found.ok_or_else(|| unknown(id))
    }

    /// Requests the end of an incident's fault.
    ///
    /// # Errors
    /// `unknown_incident`.
    pub fn end(&self, id: &str) -> Result<()> {
        let kept = locked(&self.kept);
        kept.iter().find(|kept| kept.incident.incident == id).ok_or_else(|| unknown(id))?.end.cancel();
        Ok(())
    }
}

fn unknown(id: &str) -> Error {
    Error::of_field(
        Code::UnknownIncident,
        "incident",
        format!("This server knows no incident \"{id}\"; it keeps the newest {KEPT} since its start."),
    )
}

impl Ongoing {
    /// Adds a line to the timeline.
    pub fn note(&self, what: What, figure: Option<u64>, name: Option<String>) {
        let at = self.incidents.clock.now();
        tracing::info!(incident = self.id, ?what, figure, name, "a rehearsed fault");
        self.change(|incident| incident.steps.push(Step { at, what, figure, name }));
    }

    /// Notes that the fault is over.
    pub fn ended(&self) {
        let at = self.incidents.clock.now();
        self.change(|incident| (incident.phase, incident.ended_at) = (Phase::Healing, Some(at)));
    }

    /// Notes that everything works again.
    pub fn healed(&self) {
        let at = self.incidents.clock.now();
        self.change(|incident| (incident.phase, incident.healed_at) = (Phase::Healed, Some(at)));
    }

    /// Notes that nobody observes the recovery any more.
    pub fn give_up(&self) {
        self.change(|incident| {
            if incident.phase != Phase::Healed {
                incident.phase = Phase::Unwatched;
            }
        });
    }

    /// Removes an incident whose fault could not begin.
    pub fn forget(&self) {
        locked(&self.incidents.kept).retain(|kept| kept.incident.incident != self.id);
    }

    fn change(&self, change: impl FnOnce(&mut Incident)) {
        if let Some(kept) = locked(&self.incidents.kept).iter_mut().find(|kept| kept.incident.incident == self.id) {
            change(&mut kept.incident);
        }
    }
}
