//! The gate before every call of a strategy. In a run it is open. In a play, a call waits at the gate until its
//! participant is chosen to take a step. The call and its reply are reported to the leader of the play.

use anyhow::{Context, Result};
use model::lab::{
    Told,
    trace::{Call, Form},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// The gate.
pub enum Gate {
    /// Calls pass at once.
    Open,
    /// Each call waits for its turn.
    Stepped(Turns),
}

/// The turns of a participant.
pub struct Turns {
    /// The index of the participant.
    pub place: usize,
    /// The channel to the leader of the play.
    pub events: UnboundedSender<(usize, Event)>,
    /// Receives a message for each turn.
    pub turns: UnboundedReceiver<()>,
    /// The values noted since the last event.
    pub locals: Vec<(String, String)>,
    /// Whether the next call is pointless until another participant has taken a step.
    pub backed_off: bool,
}

/// An event of a participant.
pub enum Event {
    /// It is about to make a call. `waits` says that the call is pointless until another participant has taken a step.
    Arrived { call: Call, locals: Vec<(String, String)>, waits: bool },
    /// The call was answered.
    Replied(String),
    /// The call has to wait for another participant, and will be made again.
    Waits,
    /// The attempt is over.
    Ended { told: Result<Told>, locals: Vec<(String, String)> },
}

impl Gate {
    /// Whether calls pass at once, as in a run.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// The description of a call. `None` in a run, where nobody needs it: making it costs time.
    pub fn describe(&self, form: Form, line: u32, commands: impl FnOnce() -> Vec<Vec<String>>) -> Option<Call> {
        (!self.is_open()).then(|| Call { form, line, commands: commands() })
    }

    /// Waits for this participant's turn.
    pub async fn arrive(&mut self, call: Option<&Call>) -> Result<()> {
        if let (Self::Stepped(turns), Some(call)) = (self, call) {
            let locals = std::mem::take(&mut turns.locals);
            let waits = std::mem::take(&mut turns.backed_off);
            turns.tell(Event::Arrived { call: call.clone(), locals, waits });
            turns.turns.recv().await.context("The play is over.")?;
        }
        Ok(())
    }

    /// Reports the reply to the call.
    pub fn replied(&self, reply: impl FnOnce() -> String) {
        if let Self::Stepped(turns) = self {
            turns.tell(Event::Replied(reply()));
        }
    }

    /// Reports that the call waits for another participant and will come back to the gate.
    pub fn waits(&mut self) {
        if let Self::Stepped(turns) = self {
            turns.tell(Event::Waits);
            turns.backed_off = true;
        }
    }

    /// Reports that the attempt is over.
    pub fn end(self, told: Result<Told>) {
        if let Self::Stepped(turns) = self {
            turns.events.send((turns.place, Event::Ended { told, locals: turns.locals })).ok();
        }
    }
}

impl Turns {
    /// Once the play is over, nobody receives the event. That is no error.
    fn tell(&self, event: Event) {
        self.events.send((self.place, event)).ok();
    }
}
