//! A line of clients: some have their turn, the others wait, and whoever would make it too long is refused.

use model::error::{Code, Error, Result};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A line, for one thing that clients ask for.
pub struct Line {
    turns: Arc<Semaphore>,
    /// Taken by those that have their turn, too.
    places: Arc<Semaphore>,
    what: &'static str,
}

/// A client's turn, which ends when this is dropped.
pub struct Turn {
    _turn: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Line {
    /// A line for `what`, a plural, in which so many clients have their turn at a time, and at most `longest` are in all.
    pub fn new(what: &'static str, turns: usize, longest: usize) -> Self {
        Self { turns: Arc::new(Semaphore::new(turns)), places: Arc::new(Semaphore::new(longest)), what }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// `busy` if the line is too long.
    pub async fn turn(&self) -> Result<Turn> {
        let busy =
            |_| Error::new(Code::Busy, format!("Many {} wait at this server; try again in a moment.", self.what));
        let place = self.places.clone().try_acquire_owned().map_err(busy)?;
        let turn = self.turns.clone().acquire_owned().await.map_err(Error::internal)?;
        Ok(Turn { _turn: turn, _place: place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn clients_wait_for_their_turn_in_a_line_that_has_an_end() {
        let line = Line::new("plays", 1, 2);
        let first = line.turn().await.expect("a turn");
        let mut second = Box::pin(line.turn());
        assert!(second.as_mut().now_or_never().is_none(), "it waits");
        assert_eq!(line.turn().await.map(drop).expect_err("a refusal").code, Code::Busy);
        drop(first);
        second.await.expect("its turn");
    }
}
