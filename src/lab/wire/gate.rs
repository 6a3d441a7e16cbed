//! The gate before every call of a strategy. In a run it is open. In a play a call waits at it until its participant is
//! chosen to take a step, and what it was and what came of it is told.

use crate::lab::{
    Told,
    trace::{Call, Form},
};
use anyhow::{Context, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Lets calls pass.
pub(in crate::lab) enum Gate {
    /// At once.
    Open,
    /// Each in its turn.
    Stepped(Turns),
}

/// The turns of a participant.
pub(in crate::lab) struct Turns {
    /// Its place among the participants.
    pub place: usize,
    /// Who leads the play is told of everything.
    pub events: UnboundedSender<(usize, Event)>,
    /// A message for each turn.
    pub turns: UnboundedReceiver<()>,
    /// What was noted since the last event.
    pub locals: Vec<(String, String)>,
    /// Whether the next call makes no sense before somebody else has taken a step.
    pub backed_off: bool,
}

/// What a participant tells.
pub(in crate::lab) enum Event {
    /// It is about to make a call; `waits` if that makes no sense before somebody else has taken a step.
    Arrived { call: Call, locals: Vec<(String, String)>, waits: bool },
    /// The call was answered.
    Replied(String),
    /// The call has to wait for somebody else, and will be made again.
    Waits,
    /// The attempt is over.
    Ended { told: Result<Told>, locals: Vec<(String, String)> },
}

impl Gate {
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// What to tell of a call; nothing where nobody listens, as it is not for free.
    pub fn describe(&self, form: Form, line: u32, commands: impl FnOnce() -> Vec<Vec<String>>) -> Option<Call> {
        (!self.is_open()).then(|| Call { form, line, commands: commands() })
    }

    /// Waits until it is this participant's turn.
    pub async fn arrive(&mut self, call: Option<&Call>) -> Result<()> {
        if let (Self::Stepped(turns), Some(call)) = (self, call) {
            let locals = std::mem::take(&mut turns.locals);
            let waits = std::mem::take(&mut turns.backed_off);
            turns.tell(Event::Arrived { call: call.clone(), locals, waits });
            turns.turns.recv().await.context("The play is over.")?;
        }
        Ok(())
    }

    /// Tells what came of the call.
    pub fn replied(&self, reply: impl FnOnce() -> String) {
        if let Self::Stepped(turns) = self {
            turns.tell(Event::Replied(reply()));
        }
    }

    /// Tells that the call waits for somebody else, and comes back to the gate.
    pub fn waits(&mut self) {
        if let Self::Stepped(turns) = self {
            turns.tell(Event::Waits);
            turns.backed_off = true;
        }
    }

    /// Tells that the attempt is over.
    pub fn end(self, told: Result<Told>) {
        if let Self::Stepped(turns) = self {
            turns.events.send((turns.place, Event::Ended { told, locals: turns.locals })).ok();
        }
    }
}

impl Turns {
    /// Nobody listens any more once the play is over.
    fn tell(&self, event: Event) {
        self.events.send((self.place, event)).ok();
    }
}
