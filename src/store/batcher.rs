//! Turns single attempts into batches.
//!
//! A lone attempt is sent at once. While a batch of a sale is in flight, further attempts queue. They leave as a second
//! batch as soon as they are as many as that batch holds, so the second batch hides the round trip of the first.
//! Without this condition, large batches would alternate with very small ones, and a very small batch costs Redis and
//! the server almost as much as a large one. When a batch returns, another follows under the same condition, or at once
//! if nothing else is in flight. A batch takes all waiting attempts, up to [`MAX_BATCH`] attempts and the room of a
//! call. So batches grow with the load: there is no timer and nothing to tune. A third batch in flight gains nothing
//! where Redis is close by. Where Redis is far away, an attempt waits for a batch to return before its own leaves, so
//! it takes up to two round trips.

use crate::{counts::KindCounts, runtime::locked};
use model::error::{Code, Error, Result};
use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};
use tokio::sync::oneshot;

/// The most attempts in one script call.
pub const MAX_BATCH: usize = 256;
/// The maximum number of batches of one sale in flight.
pub const MAX_IN_FLIGHT: usize = 2;
/// The maximum number of waiting attempts in one process. Further attempts are refused untried.
pub const MAX_WAITING: usize = 200_000;
/// Additional room for attempts that settle something begun earlier, such as payments.
pub const MORE_TO_SETTLE: usize = 20_000;

/// A script that answers a batch of attempts with one reply each, in order.
pub trait BatchCall: Send + Sync + 'static {
    type Attempt: Send + Sync + 'static;
    /// The answer to an attempt.
    type Reply: Send + 'static;

    /// The largest total size of the attempts in one call.
    const ROOM: usize = MAX_BATCH;

    /// Whether the attempts settle something begun earlier. Other waiting attempts do not block such attempts.
    const SETTLES: bool = false;

    /// The size of an attempt, in the unit of [`BatchCall::ROOM`].
    fn size(_attempt: &Self::Attempt) -> usize {
        1
    }

    /// Calls the script once. An error is the answer to every attempt of the batch. Its code says whether the outcome
    /// is unknown or nothing was tried.
    fn call(&self, sale: &str, attempts: Vec<Self::Attempt>) -> impl Future<Output = Result<Vec<Self::Reply>>> + Send;
}

/// Counts the waiting attempts of a process, over all scripts and sales, those that found no room, and how long the
/// others take until their answer.
#[derive(Clone, Default)]
pub struct WaitingRoom {
    waiting: Arc<AtomicUsize>,
    counts: Arc<KindCounts>,
}

impl WaitingRoom {
    /// The same room, for attempts that are counted here.
    pub(crate) fn with(&self, counts: Arc<KindCounts>) -> Self {
        Self { waiting: self.waiting.clone(), counts }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// Adds the times of a batch that is answered now.
    fn answered(&self, arrivals: &[Instant]) {
        let now = Instant::now();
        self.counts.answered.add_durations(arrivals.iter().map(|arrival| now - *arrival));
    }

    /// Takes one of `most` places. Returns false if none is free, and counts the attempt as refused.
    fn enter(&self, most: usize) -> bool {
        let entered = self.waiting.fetch_update(Relaxed, Relaxed, |waiting| (waiting < most).then_some(waiting + 1));
        if entered.is_err() {
            self.counts.refused.fetch_add(1, Relaxed);
        }
        entered.is_ok()
    }

    fn leave(&self, attempts: usize) {
        self.waiting.fetch_sub(attempts, Relaxed);
    }
}

/// The queues of one script: one for each sale with attempts.
pub struct Batcher<C: BatchCall> {
    shared: Arc<Shared<C>>,
}

struct Shared<C: BatchCall> {
    script: C,
    room: WaitingRoom,
    queues: Mutex<Queues<C>>,
}

struct Queues<C: BatchCall> {
    by_sale: HashMap<Arc<str>, Queue<C>>,
}

struct Queue<C: BatchCall> {
    waiting: VecDeque<Waiting<C>>,
    /// Includes batches that are about to leave.
    batches_in_flight: usize,
    attempts_in_flight: usize,
}

impl<C: BatchCall> Queue<C> {
    fn new() -> Self {
        Self { waiting: VecDeque::new(), batches_in_flight: 0, attempts_in_flight: 0 }
    }

    /// Whether the waiting attempts may leave as a batch beside `others` batches in flight. It counts attempts and
    /// ignores their size, which is enough to keep small batches from leaving.
    fn may_leave(&self, others: usize) -> bool {
        match others {
            0 => !self.waiting.is_empty(),
            // A batch that is about to leave has no attempts yet.
            _ => others < MAX_IN_FLIGHT && self.waiting.len() >= self.attempts_in_flight.max(1),
        }
    }
}

/// An attempt that waits, and its caller.
struct Waiting<C: BatchCall> {
    attempt: C::Attempt,
    answer: oneshot::Sender<Result<C::Reply>>,
    arrival: Instant,
}

impl<C: BatchCall> Batcher<C> {
    /// A batcher for this script, without queues. Its attempts wait in `room`.
    pub fn new(script: C, room: WaitingRoom) -> Self {
        let queues = Mutex::new(Queues { by_sale: HashMap::new() });
        Self { shared: Arc::new(Shared { script, room, queues }) }
    }

    /// Queues one attempt and waits for its reply. The attempt is made even if the caller goes away.
    ///
    /// # Errors
    /// `busy` if nothing was tried; otherwise the error of the script call, for the whole batch.
    pub async fn submit(&self, sale: &str, attempt: C::Attempt) -> Result<C::Reply> {
        let (answer, reply) = oneshot::channel();
        self.enqueue(sale, Waiting { attempt, answer, arrival: Instant::now() })?;
        reply.await.unwrap_or_else(|_| Err(Error::new(Code::Unavailable, LOST)))
    }

    fn enqueue(&self, sale: &str, attempt: Waiting<C>) -> Result<()> {
        let most = MAX_WAITING + if C::SETTLES { MORE_TO_SETTLE } else { 0 };
        if !self.shared.room.enter(most) {
            return Err(Error::new(
                Code::Busy,
                format!("{most} attempts are already waiting; this one was not tried. Try again."),
            ));
        }
        let mut queues = self.shared.lock();
        let queue = match queues.by_sale.get_mut(sale) {
            Some(queue) => queue,
            None => queues.by_sale.entry(sale.into()).or_insert(Queue::new()),
        };
        queue.waiting.push_back(attempt);
        if queue.may_leave(queue.batches_in_flight) {
            queue.batches_in_flight += 1;
            drop(queues);
            let flight = Flight { shared: self.shared.clone(), sale: sale.into(), attempts: 0, landed: false };
            tokio::spawn(flight.fly());
        }
        Ok(())
    }
}

const LOST: &str = "The batch was lost, so the outcome is unknown. Send the same request id again.";

impl<C: BatchCall> Shared<C> {
    fn lock(&self) -> MutexGuard<'_, Queues<C>> {
        // Nothing panics while the lock is held.
        locked(&self.queues)
    }
}

/// One batch of a sale in flight, followed by its successors.
struct Flight<C: BatchCall> {
    shared: Arc<Shared<C>>,
    sale: Arc<str>,
    /// The number of attempts in the batch.
    attempts: usize,
    landed: bool,
}

impl<C: BatchCall> Flight<C> {
    async fn fly(mut self) {
        loop {
            // Lets ready callers submit first, also those that were just answered. The batch takes their attempts
            // along: larger batches are cheaper per attempt.
            tokio::task::yield_now().await;
            let Some(batch) = self.next() else { break };
            let arrivals: Vec<Instant> = batch.iter().map(|waiting| waiting.arrival).collect();
            let (attempts, answers): (Vec<_>, Vec<_>) =
                batch.into_iter().map(|Waiting { attempt, answer, .. }| (attempt, answer)).unzip();
            match self.shared.script.call(&self.sale, attempts).await {
                Ok(replies) => {
                    for (answer, reply) in answers.into_iter().zip(replies) {
                        // A caller that went away gets no answer, but may try again.
                        answer.send(Ok(reply)).ok();
                    }
                }
                Err(error) => {
                    for answer in answers {
                        answer.send(Err(error.clone())).ok();
                    }
                }
            }
            self.shared.room.answered(&arrivals);
        }
    }

    /// Takes all waiting attempts that fit into a call. If they may not leave yet, the flight ends under the same lock.
    /// So each attempt is taken along, starts a flight of its own, or is left to the flight that is still under way.
    fn next(&mut self) -> Option<Vec<Waiting<C>>> {
        let mut queues = self.shared.lock();
        let queue = queues.by_sale.get_mut(&self.sale)?;
        queue.attempts_in_flight -= std::mem::take(&mut self.attempts);
        if !queue.may_leave(queue.batches_in_flight - 1) {
            self.landed = true;
            queue.batches_in_flight -= 1;
            if queue.batches_in_flight == 0 {
                queues.by_sale.remove(&self.sale);
            }
            return None;
        }
        let mut room = C::ROOM;
        let fits = |waiting: &&Waiting<C>| match room.checked_sub(C::size(&waiting.attempt)) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        };
        // At least one: an attempt that is too large for a call is sent alone.
        let taken = queue.waiting.iter().take(MAX_BATCH).take_while(fits).count().max(1);
        // Not `split_off`: it copies all remaining attempts, and a crowd has 100,000.
        let batch: Vec<_> = queue.waiting.drain(..taken).collect();
        self.attempts = batch.len();
        queue.attempts_in_flight += self.attempts;
        self.shared.room.leave(self.attempts);
        Some(batch)
    }
}

/// A flight that ends abnormally (its script call panicked, or the runtime is stopping) drops its queue. The callers
/// get the error that the outcome is unknown instead of waiting forever.
impl<C: BatchCall> Drop for Flight<C> {
    fn drop(&mut self) {
        if self.landed {
            return;
        }
        let mut queues = self.shared.lock();
        if let Some(queue) = queues.by_sale.get_mut(&self.sale) {
            queue.batches_in_flight -= 1;
            queue.attempts_in_flight -= self.attempts;
            let left_behind = std::mem::take(&mut queue.waiting);
            if queue.batches_in_flight == 0 {
                queues.by_sale.remove(&self.sale);
            }
            self.shared.room.leave(left_behind.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;

    #[test]
    fn an_attempt_that_finds_no_room_was_not_tried() {
        let counts = Counts::of(&[]);
        let room = WaitingRoom::default().with(counts.of_kind("stock"));
        assert!(room.enter(1));
        assert!(counts.attempts().is_empty());
        assert!(!room.enter(1) && !room.enter(1));
        assert_eq!(counts.attempts().into_iter().collect::<Vec<_>>(), [(("stock", "not_tried".to_owned()), 2)]);
        room.leave(1);
        assert!(room.enter(1), "those who were refused take no room");
    }
}
