//! The batcher, with a script call that the test controls, and with the real one.

use crate::support::{
    app::TestApp,
    redis::TestRedis,
    sale::{stored, terms},
    within,
};
use futures::future::join_all;
use model::error::{Code, Error, Result};
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};
use store::batcher::{BatchCall, Batcher, MAX_BATCH, MAX_WAITING, WaitingRoom};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// A batch in flight, waiting for its answer.
struct Call {
    sale: String,
    attempts: Vec<u32>,
    answer: oneshot::Sender<Option<Result<Vec<u32>>>>,
}

impl Call {
    /// Answers each attempt with itself.
    fn land(self) {
        let replies = self.attempts.clone();
        self.answer.send(Some(Ok(replies))).ok();
    }

    fn fail(self, message: &str) {
        self.answer.send(Some(Err(Error::new(Code::Unavailable, message)))).ok();
    }

    fn panic(self) {
        self.answer.send(None).ok();
    }
}

/// A script controlled by the test.
struct Gate(mpsc::UnboundedSender<Call>);

impl BatchCall for Gate {
    type Attempt = u32;
    type Reply = u32;

    async fn call(&self, sale: &str, attempts: Vec<u32>) -> Result<Vec<u32>> {
        let (answer, word) = oneshot::channel();
        self.0.send(Call { sale: sale.to_owned(), attempts, answer }).expect("the test listens");
        word.await.expect("the test answers").expect("the test wants no panic")
    }
}

/// A script that settles what was begun.
struct Settling(Gate);

impl BatchCall for Settling {
    type Attempt = u32;
    type Reply = u32;

    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<u32>) -> Result<Vec<u32>> {
        self.0.call(sale, attempts).await
    }
}

struct Bench {
    batcher: Arc<Batcher<Gate>>,
    calls: mpsc::UnboundedReceiver<Call>,
}

impl Bench {
    fn new() -> Self {
        let (sender, calls) = mpsc::unbounded_channel();
        Self { batcher: Arc::new(Batcher::new(Gate(sender), WaitingRoom::default())), calls }
    }

    /// Submits attempts one after the other: each waits in the queue when the next one comes.
    async fn submit(&self, sale: &'static str, attempts: std::ops::Range<u32>) -> Vec<JoinHandle<Result<u32>>> {
        let mut handles = Vec::new();
        for attempt in attempts {
            let batcher = self.batcher.clone();
            handles.push(tokio::spawn(async move { batcher.submit(sale, attempt).await }));
            // On one thread, every task that was ready has run now.
            tokio::task::yield_now().await;
        }
        handles
    }

    /// Submits 0 to 11, of which 0 is answered. Returns their answers and the batches in flight: 1, and 2 to 11.
    async fn small_and_large(&mut self) -> (Vec<JoinHandle<Result<u32>>>, Call, Call) {
        let handles = self.submit("s", 0..12).await;
        let (first, small) = (self.call().await, self.call().await);
        first.land();
        let large = self.call().await;
        assert_eq!(large.attempts.len(), 10);
        (handles, small, large)
    }

    async fn call(&mut self) -> Call {
        within("a call", self.calls.recv()).await.expect("the batcher lives")
    }

    /// Asserts that there is no call that the test has not seen: every task that could run has run.
    async fn assert_quiet(&mut self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(self.calls.try_recv().is_err(), "a batch that should not have left yet");
    }
}

async fn answers(handles: Vec<JoinHandle<Result<u32>>>) -> Vec<Result<u32>> {
    let joined = within("the answers", join_all(handles)).await;
    joined.into_iter().map(|answer| answer.expect("no panic")).collect()
}

fn oks(range: std::ops::Range<u32>) -> Vec<Result<u32>> {
    range.map(Ok).collect()
}

#[tokio::test]
async fn a_lone_attempt_leaves_at_once() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 7..8).await;
    let call = bench.call().await;
    assert_eq!((call.sale.as_str(), call.attempts.as_slice()), ("s", [7].as_slice()));
    call.land();
    assert_eq!(answers(handles).await, oks(7..8));
}

#[tokio::test]
async fn two_batches_fly_and_the_third_waits_for_one_to_land() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 0..10).await;
    let (first, second) = (bench.call().await, bench.call().await);
    assert_eq!((first.attempts.as_slice(), second.attempts.as_slice()), ([0].as_slice(), [1].as_slice()));
    bench.assert_quiet().await;
    // The second lands first, and takes all that wait.
    second.land();
    let third = bench.call().await;
    assert_eq!(third.attempts, [2, 3, 4, 5, 6, 7, 8, 9]);
    bench.assert_quiet().await;
    first.land();
    third.land();
    assert_eq!(answers(handles).await, oks(0..10));
}

#[tokio::test]
async fn a_batch_holds_256_at_most_and_order_is_kept() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 0..602).await;
    let (first, second) = (bench.call().await, bench.call().await);
    first.land();
    let third = bench.call().await;
    assert_eq!(third.attempts, (2..2 + MAX_BATCH as u32).collect::<Vec<_>>());
    second.land();
    let fourth = bench.call().await;
    assert_eq!(fourth.attempts, (258..258 + MAX_BATCH as u32).collect::<Vec<_>>());
    third.land();
    // 88 wait, and more are in flight.
    bench.assert_quiet().await;
    fourth.land();
    let fifth = bench.call().await;
    assert_eq!(fifth.attempts, (514..602).collect::<Vec<_>>());
    fifth.land();
    assert_eq!(answers(handles).await, oks(0..602));
}

/// Otherwise a large batch would be followed by a small one, and all who come after that would wait for the large one.
#[tokio::test]
async fn a_second_batch_leaves_when_as_many_wait_as_are_in_flight() {
    let mut bench = Bench::new();
    let (first, other, large) = bench.small_and_large().await;
    other.land();
    let waiting = bench.submit("s", 12..21).await;
    bench.assert_quiet().await;
    let tenth = bench.submit("s", 21..22).await;
    let second = bench.call().await;
    assert_eq!(second.attempts, (12..22).collect::<Vec<_>>());

    // Fewer than are in flight wait until nothing is.
    let last = bench.submit("s", 22..25).await;
    large.land();
    bench.assert_quiet().await;
    second.land();
    let third = bench.call().await;
    assert_eq!(third.attempts, [22, 23, 24]);
    third.land();
    let all = first.into_iter().chain(waiting).chain(tenth).chain(last).collect();
    assert_eq!(answers(all).await, oks(0..25));
}

#[tokio::test]
async fn one_sale_does_not_hold_another_up() {
    let mut bench = Bench::new();
    let busy = bench.submit("busy", 0..4).await;
    let stuck = [bench.call().await, bench.call().await];
    let other = bench.submit("other", 9..10).await;
    let call = bench.call().await;
    assert_eq!((call.sale.as_str(), call.attempts.as_slice()), ("other", [9].as_slice()));
    call.land();
    assert_eq!(answers(other).await, oks(9..10));
    for call in stuck {
        call.land();
    }
    bench.call().await.land();
    assert_eq!(answers(busy).await, oks(0..4));
}

#[tokio::test]
async fn an_error_reaches_every_caller_of_its_batch_and_nobody_else() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 0..6).await;
    let (first, second) = (bench.call().await, bench.call().await);
    first.land();
    let third = bench.call().await;
    assert_eq!(third.attempts, [2, 3, 4, 5]);
    let later = bench.submit("s", 6..8).await;
    third.fail("the wire broke");
    let fourth = bench.call().await;
    assert_eq!(fourth.attempts, [6, 7]);
    second.land();
    fourth.land();
    let broke = Err(Error::new(Code::Unavailable, "the wire broke"));
    let expected = [oks(0..2), vec![broke; 4]].concat();
    assert_eq!(answers(handles).await, expected);
    assert_eq!(answers(later).await, oks(6..8));
}

#[tokio::test]
async fn a_call_that_panics_answers_its_callers_and_frees_the_sale() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 0..5).await;
    let (first, second) = (bench.call().await, bench.call().await);
    first.panic();
    second.panic();
    for answer in answers(handles).await {
        let error = answer.expect_err("nobody knows");
        assert_eq!(error.code, Code::Unavailable);
        assert!(error.message.contains("the outcome is unknown"), "{}", error.message);
    }
    // Both places in flight are free again.
    let again = bench.submit("s", 10..12).await;
    let calls = [bench.call().await, bench.call().await];
    for call in calls {
        call.land();
    }
    assert_eq!(answers(again).await, oks(10..12));
}

/// What a batch held that is gone without an answer holds nothing back.
#[tokio::test]
async fn a_call_that_panics_no_longer_counts_as_in_flight() {
    let mut bench = Bench::new();
    let (first, other, large) = bench.small_and_large().await;
    large.panic();
    bench.assert_quiet().await;
    // As many as the other batch holds.
    let next = bench.submit("s", 12..13).await;
    let call = bench.call().await;
    assert_eq!(call.attempts, [12]);
    call.land();
    other.land();
    assert_eq!(answers(next).await, oks(12..13));
    let answered = answers(first).await;
    assert_eq!(
        (answered[..2].to_vec(), answered[2..].iter().filter(|answer| answer.is_err()).count()),
        (oks(0..2), 10)
    );
}

#[tokio::test]
async fn an_attempt_is_made_even_when_its_caller_goes_away() {
    let mut bench = Bench::new();
    let handles = bench.submit("s", 0..5).await;
    let (first, second) = (bench.call().await, bench.call().await);
    // One whose batch is in flight, and one that is still waiting.
    handles[0].abort();
    handles[3].abort();
    first.land();
    let third = bench.call().await;
    assert_eq!(third.attempts, [2, 3, 4]);
    second.land();
    third.land();
    let mut joined = within("the answers", join_all(handles)).await.into_iter();
    assert!(joined.next().expect("the first").expect_err("gone").is_cancelled());
    assert_eq!(joined.next().expect("the second").expect("no panic"), Ok(1));
    assert_eq!(joined.next().expect("the third").expect("no panic"), Ok(2));
    assert!(joined.next().expect("the fourth").expect_err("gone").is_cancelled());
    assert_eq!(joined.next().expect("the fifth").expect("no panic"), Ok(4));
}

/// Batches never have more than 256 attempts, never more than two are in flight, and all attempts are answered.
#[tokio::test]
async fn at_random_the_limits_hold_and_everyone_is_answered() {
    use rand::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut bench = Bench::new();
    let mut handles = Vec::new();
    let mut flying: HashMap<String, VecDeque<Call>> = HashMap::new();
    let mut attempt = 0;
    let mut made = 0;
    for _ in 0..400 {
        let sale = ["a", "b"][random.random_range(0..2)];
        let more = random.random_range(0..40);
        handles.extend(bench.submit(sale, attempt..attempt + more).await);
        attempt += more;
        while let Ok(call) = bench.calls.try_recv() {
            assert!((1..=MAX_BATCH).contains(&call.attempts.len()));
            assert!(call.attempts.is_sorted(), "in their order");
            made += call.attempts.len() as u32;
            flying.entry(call.sale.clone()).or_default().push_back(call);
        }
        for calls in flying.values_mut() {
            assert!(calls.len() <= 2, "{} in flight", calls.len());
            if random.random_bool(0.3)
                && let Some(call) = calls.pop_front()
            {
                call.land();
            }
        }
    }
    for call in flying.into_values().flatten() {
        call.land();
    }
    while made < attempt {
        let call = bench.call().await;
        made += call.attempts.len() as u32;
        call.land();
    }
    assert_eq!(answers(handles).await, oks(0..attempt));
}

#[tokio::test]
async fn under_load_the_real_script_is_called_far_less_often_than_attempts_are_made() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 10_000, 1_000)).await.expect("a sale");
    let attempts = (0..1_000).map(|user| app.red_packet.claim("s", format!("u{user}"), None));
    for answer in join_all(attempts).await {
        answer.expect("an outcome");
    }
    let stats = stored(&redis.raw().await, "s").await.stats;
    assert_eq!(stats["won"], 1_000);
    // Four full batches at best; how many are ready before the first answer, the runtime says.
    assert!((4..=50).contains(&stats["calls"]), "{} calls", stats["calls"]);
}

/// A script whose attempts take as much room as their number says.
struct Sized(Gate);

impl BatchCall for Sized {
    type Attempt = u32;
    type Reply = u32;

    const ROOM: usize = 10;

    fn size(attempt: &u32) -> usize {
        *attempt as usize
    }

    async fn call(&self, sale: &str, attempts: Vec<u32>) -> Result<Vec<u32>> {
        self.0.call(sale, attempts).await
    }
}

#[tokio::test]
async fn a_call_takes_what_it_has_room_for_and_never_nothing() {
    let (sender, mut calls) = mpsc::unbounded_channel();
    let batcher = Arc::new(Batcher::new(Sized(Gate(sender)), WaitingRoom::default()));
    let mut handles = Vec::new();
    // Two leave at once; the others queue.
    for attempt in [1, 1, 4, 6, 1, 30, 9, 2] {
        let batcher = batcher.clone();
        handles.push(tokio::spawn(async move { batcher.submit("s", attempt).await }));
        tokio::task::yield_now().await;
    }
    let mut taken = Vec::new();
    while taken.iter().map(Vec::len).sum::<usize>() < 8 {
        let call = within("a call", calls.recv()).await.expect("the batcher lives");
        taken.push(call.attempts.clone());
        call.land();
    }
    assert_eq!(taken[2..], [vec![4, 6], vec![1], vec![30], vec![9], vec![2]]);
    assert_eq!(answers(handles).await, [1, 1, 4, 6, 1, 30, 9, 2].map(Ok));
}

/// What waits for one script takes room from all others of the process.
#[tokio::test]
async fn the_attempts_of_all_scripts_wait_in_one_room() {
    let room = WaitingRoom::default();
    let (sender, mut calls) = mpsc::unbounded_channel();
    let slow = Batcher::new(Gate(sender.clone()), room.clone());
    let other = Batcher::new(Gate(sender.clone()), room.clone());
    let payments = Batcher::new(Settling(Gate(sender)), room);
    let attempts = u32::try_from(MAX_WAITING).expect("a number");
    let mut waiting: Vec<_> = (0..attempts).map(|attempt| Box::pin(slow.submit("s", attempt))).collect();
    for attempt in &mut waiting {
        assert!(futures::poll!(attempt).is_pending());
    }
    let error = other.submit("t", 1).await.expect_err("the room is full");
    assert_eq!(error.code, Code::Busy);
    let mut payment = Box::pin(payments.submit("t", 1));
    assert!(futures::poll!(&mut payment).is_pending(), "there is more room for what settles");
    // As soon as a batch is on its way, there is room again. (The payment may leave before it.)
    let mut on_their_way = Vec::new();
    while on_their_way.last().is_none_or(|call: &Call| call.sale != "s") {
        on_their_way.push(within("a batch", calls.recv()).await.expect("a call"));
    }
    let mut admitted = Box::pin(other.submit("t", 1));
    assert!(futures::poll!(&mut admitted).is_pending());
}
