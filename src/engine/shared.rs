//! An answer that is costly to find out, and that all readers of a server share.

use model::{Millis, error::Result};
use std::sync::Arc;
use store::runtime::Clock;
use tokio::sync::Mutex;

/// For how many times as long as it took to find an answer is it given to others: so that at most a tenth of the time is
/// spent on it, however many readers ask.
const SHARED_FOR: Millis = 9;
/// The longest time for which an answer is given to others, in milliseconds.
const MOST: Millis = 10_000;

/// Finds out the same for all who ask at about the same time, once.
pub struct Shared<T> {
    clock: Arc<dyn Clock>,
    latest: Mutex<Option<Latest<T>>>,
}

struct Latest<T> {
    answer: Result<T>,
    /// Who asks from then on gets this answer.
    from: Millis,
    /// Who asks from then on does not.
    until: Millis,
}

impl<T: Clone> Shared<T> {
    /// Nothing is known yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, latest: Mutex::new(None) }
    }

    /// Returns the latest answer, or one that is found by `ask`. An answer is given to others for at least so many
    /// milliseconds; an error, to those who have waited for it as well, but not for longer.
    ///
    /// # Errors
    /// Those of `ask`.
    pub async fn get(&self, at_least: Millis, ask: impl Future<Output = Result<T>>) -> Result<T> {
        let asked_at = self.clock.now();
        let mut latest = self.latest.lock().await;
        if let Some(latest) = latest.as_ref().filter(|latest| (latest.from..latest.until).contains(&asked_at)) {
            return latest.answer.clone();
        }
        let begun_at = self.clock.now();
        let answer = ask.await;
        let ended_at = self.clock.now();
        let shared_for =
            if answer.is_ok() { (SHARED_FOR * (ended_at - begun_at)).clamp(at_least, MOST) } else { at_least };
        *latest = Some(Latest { answer: answer.clone(), from: asked_at, until: ended_at + shared_for });
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::join3;
    use model::error::{Code, Error};
    use store::runtime::ManualClock;

    /// An answer that takes so many milliseconds, and what was answered: 1 at first.
    struct Bench {
        clock: Arc<ManualClock>,
        shared: Shared<u32>,
        asked: Mutex<u32>,
    }

    impl Bench {
        fn new() -> Self {
            let clock = Arc::new(ManualClock::new(1_000));
            Self { shared: Shared::new(clock.clone()), clock, asked: Mutex::new(0) }
        }

        async fn get(&self, at_least: Millis, takes: Millis, is_found: bool) -> Result<u32> {
            let ask = async {
                // Whoever else asks does so before the answer is there.
                tokio::task::yield_now().await;
                self.clock.advance(takes);
                let mut asked = self.asked.lock().await;
                *asked += 1;
                if is_found { Ok(*asked) } else { Err(Error::new(Code::Unavailable, format!("no {asked}"))) }
            };
            self.shared.get(at_least, ask).await
        }
    }

    #[tokio::test]
    async fn the_longer_an_answer_takes_the_longer_it_is_shared() {
        let bench = Bench::new();
        assert_eq!(bench.get(0, 10, true).await, Ok(1));
        bench.clock.advance(89);
        assert_eq!(bench.get(0, 10, true).await, Ok(1));
        bench.clock.advance(1);
        assert_eq!(bench.get(0, 5_000, true).await, Ok(2));
        bench.clock.advance(MOST);
        assert_eq!(bench.get(0, 0, true).await, Ok(3), "never for too long");
        assert_eq!(bench.get(50, 0, true).await, Ok(4), "one that takes no time is not kept");
        bench.clock.advance(49);
        assert_eq!(bench.get(50, 0, true).await, Ok(4), "unless for a certain time");
    }

    #[tokio::test]
    async fn who_waits_gets_the_answer_of_who_asked_first() {
        let bench = Bench::new();
        let all = join3(bench.get(0, 10, true), bench.get(0, 10, true), bench.get(0, 10, true)).await;
        assert_eq!(all, (Ok(1), Ok(1), Ok(1)));
    }

    #[tokio::test]
    async fn an_error_is_shared_by_those_who_have_waited_and_no_longer() {
        let bench = Bench::new();
        let (first, second, third) =
            join3(bench.get(0, 2_000, false), bench.get(0, 2_000, true), bench.get(0, 2_000, true)).await;
        assert_eq!(first.clone().expect_err("an error").message, "no 1");
        assert_eq!((second, third), (first.clone(), first));
        assert_eq!(bench.get(0, 10, true).await, Ok(2));
    }
}
