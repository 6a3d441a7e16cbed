//! Users who make attempts until they are told to stop, and record all answers; and an operator beside them.

use super::{
    harness::Harness,
    operator::{Change, operate},
    verdict::{Ends, Loss, Verdict},
};
use crate::support::within;
use futures::future::{BoxFuture, FutureExt, LocalBoxFuture, OptionFuture, join, join_all};
use model::error::{Code, Error};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// How often a user without an answer tries at most.
pub const TRIES: u32 = 4;

/// Where users go, and how many how often.
#[derive(Clone)]
pub struct Doors {
    /// The current URLs of the servers; none for a killed server, whose port another program may use at any moment.
    pub urls: Arc<watch::Sender<[Option<String>; 2]>>,
    /// Whether a suspended sale recovers by itself, so that users go on.
    pub recover: bool,
    /// Users of a sale who try at the same time.
    pub at_once: u64,
    /// The least time between two users in one of these places.
    pub every: Duration,
}

/// The outcome of a request, as far as the user knows.
pub enum Told {
    Answer(Value),
    /// It is unknown whether it was done.
    Unknown,
    /// Nothing was tried, and nothing will be: the sale is suspended.
    Suspended,
    /// There is no such order.
    Missing,
}

/// When a request was made, relative to the jump of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// It was answered before the jump, or the clock did not jump.
    #[default]
    Before,
    /// It is unknown, because the jump came in between.
    Meanwhile,
    /// It was first sent after the jump.
    After,
}

impl When {
    /// The time of a request that was first sent and first answered at these times.
    fn between(sent: Self, answered: Self) -> Self {
        if sent == answered { sent } else { Self::Meanwhile }
    }
}

/// All answers to one request.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub was_sent: bool,
    pub answers: Vec<Value>,
    /// Attempts with an unknown outcome.
    pub unknown: u32,
    /// It was told that the order does not exist, although it had been acknowledged.
    pub is_missing: bool,
    /// When it was first sent, and first answered.
    pub when: When,
}

impl Step {
    /// Whether an answer had this outcome.
    pub fn heard(&self, outcome: &str) -> bool {
        self.answers.iter().any(|answer| answer["outcome"] == outcome)
    }

    /// Turns its answers into unknown outcomes.
    pub fn forget(&mut self) {
        self.is_missing = false;
        self.answers.clear();
        self.unknown += 1;
    }
}

/// How many answers users of a sale have received.
#[derive(Clone, Copy, Default)]
struct Tally {
    answers: u64,
    unknown: u64,
    /// When the latest answer came, and the longest time without one since the users were last [asked](Course::felt).
    answered: Option<Instant>,
    longest: Duration,
    /// Refusals that certainly changed nothing.
    untried: u64,
    /// The present, relative to the jump of a clock.
    now: When,
}

impl Tally {
    fn note_answer(&mut self) {
        let now = Instant::now();
        self.answers += 1;
        self.longest = self.longest.max(self.answered.map_or(Duration::ZERO, |before| now - before));
        self.answered = Some(now);
    }
}

/// What users felt of something.
#[derive(Clone, Copy, Debug)]
pub struct Felt {
    pub answers: u64,
    pub unknown: u64,
    /// Attempts that were refused untried.
    pub untried: u64,
    /// The longest time without an answer.
    pub longest: Duration,
}

/// What a user does and records at a sale, and how that is judged.
pub trait Visitor: Clone + Send + Sync + 'static {
    type Heard: Send + Sync + 'static;

    fn visit(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> impl Future<Output = Self::Heard> + Send;

    /// The kind and the id of the sale.
    fn sale(&self) -> (&'static str, &str);

    /// Compares what users were told with what is stored; `loss` is what Redis has lost of the sale, if anything.
    fn judge<'a>(
        &'a self,
        heard: &'a BTreeMap<String, Self::Heard>,
        harness: &'a Harness,
        ends: Ends,
        loss: Option<&'a Loss>,
        verdict: &'a mut Verdict,
    ) -> impl Future<Output = ()>;
}

/// Users at one sale, whatever its kind.
pub trait Users: Send {
    /// How far they have come.
    fn course(&self) -> &Course;

    /// Starts users whose names begin with `names`; they make attempts until they are stopped.
    fn let_loose(&mut self, names: &str, seed: u64);

    /// Stops them after the attempts that they have started.
    fn stop(&mut self) -> BoxFuture<'_, ()>;

    /// See [`Visitor::judge`].
    fn judge<'a>(
        &'a self,
        harness: &'a Harness,
        ends: Ends,
        loss: Option<&'a Loss>,
        verdict: &'a mut Verdict,
    ) -> LocalBoxFuture<'a, ()>;
}

pub struct Crowd<V: Visitor> {
    doors: Doors,
    visitor: V,
    places: Vec<JoinHandle<BTreeMap<String, V::Heard>>>,
    operator: Option<JoinHandle<Vec<Change>>>,
    course: Course,
    heard: BTreeMap<String, V::Heard>,
    changes: Vec<Change>,
}

impl<V: Visitor> Crowd<V> {
    pub fn new(doors: Doors, visitor: V) -> Self {
        let (places, changes) = (Vec::new(), Vec::new());
        Self { doors, visitor, places, operator: None, course: Course::default(), heard: BTreeMap::new(), changes }
    }
}

impl<V: Visitor> Users for Crowd<V> {
    fn course(&self) -> &Course {
        &self.course
    }

    fn let_loose(&mut self, names: &str, seed: u64) {
        self.course = Course::default();
        let caller = Caller { http: reqwest::Client::new(), doors: self.doors.clone(), course: self.course.clone() };
        let places = (0..self.doors.at_once).map(|number| {
            let (visitor, caller, names) = (self.visitor.clone(), caller.clone(), names.to_owned());
            let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number));
            let mut pace = tokio::time::interval(self.doors.every.max(Duration::from_nanos(1)));
            pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            tokio::spawn(async move {
                let mut heard = BTreeMap::new();
                while !caller.course.stop.is_cancelled() {
                    pace.tick().await;
                    let user = format!("{names}{number}-{}", heard.len());
                    heard.insert(user.clone(), visitor.visit(&caller, &user, &mut random).await);
                }
                heard
            })
        });
        self.places = places.collect();
        let (visitor, caller, names) = (self.visitor.clone(), caller.clone(), names.to_owned());
        let mut random = ChaCha8Rng::seed_from_u64(!seed);
        self.operator = Some(tokio::spawn(async move { operate(&caller, visitor.sale(), &names, &mut random).await }));
    }

    fn stop(&mut self) -> BoxFuture<'_, ()> {
        self.course.stop.cancel();
        let (places, operator) = (std::mem::take(&mut self.places), self.operator.take());
        async {
            let (heard, changes) =
                within("everyone has an answer", join(join_all(places), OptionFuture::from(operator))).await;
            self.changes.extend(changes.into_iter().flat_map(|changes| changes.expect("the operator")));
            self.heard.extend(heard.into_iter().flat_map(|place| place.expect("a place")));
        }
        .boxed()
    }

    fn judge<'a>(
        &'a self,
        harness: &'a Harness,
        ends: Ends,
        loss: Option<&'a Loss>,
        verdict: &'a mut Verdict,
    ) -> LocalBoxFuture<'a, ()> {
        async move {
            self.visitor.judge(&self.heard, harness, ends, loss, verdict).await;
            let (kind, sale) = self.visitor.sale();
            verdict.judge_life(&self.changes, &harness.changes(kind, sale).await, loss.is_some());
        }
        .boxed_local()
    }
}

/// How far users have come.
#[derive(Clone, Default)]
pub struct Course {
    tally: Arc<watch::Sender<Tally>>,
    stop: CancellationToken,
}

impl Course {
    /// The clock is about to jump, or has done so.
    pub fn is_now(&self, now: When) {
        self.tally.send_modify(|tally| tally.now = now);
    }

    /// What users felt since this was last asked, or since they began.
    pub fn felt(&self) -> Felt {
        let mut felt = Felt { answers: 0, unknown: 0, untried: 0, longest: Duration::ZERO };
        self.tally.send_modify(|tally| {
            felt =
                Felt { answers: tally.answers, unknown: tally.unknown, untried: tally.untried, longest: tally.longest };
            (tally.answers, tally.unknown, tally.untried, tally.longest) = (0, 0, 0, Duration::ZERO);
        });
        felt
    }

    /// Waits for this many more answers.
    pub async fn hears(&self, more: u64) {
        let mut tally = self.tally.subscribe();
        let enough = tally.borrow().answers + more;
        let heard = async {
            tokio::select! {
                answers = tally.wait_for(|tally| tally.answers >= enough) => { answers.expect("the crowd is there"); }
                () = self.stop.cancelled() => panic!("the sale is suspended"),
            }
        };
        within("answers", heard).await;
    }

    /// Waits until this many more attempts were refused untried.
    pub async fn is_refused(&self, more: u64) {
        let mut tally = self.tally.subscribe();
        let enough = tally.borrow().untried + more;
        within("refusals", tally.wait_for(|tally| tally.untried >= enough)).await.expect("the crowd is there");
    }

    /// Waits until this many more attempts were answered or refused untried, or the sale is suspended.
    pub async fn hears_or_is_refused(&self, more: u64) {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            () = self.hears(more) => {}
            () = self.is_refused(more) => {}
        }
    }
}

/// Sends requests to the servers.
#[derive(Clone)]
pub struct Caller {
    http: reqwest::Client,
    doors: Doors,
    course: Course,
}

impl Caller {
    /// Whether the users are to stop.
    pub fn is_stopped(&self) -> bool {
        self.course.stop.is_cancelled()
    }

    /// Waits until others were answered or refused untried this often, or are to stop, however long that takes.
    pub async fn waits_for_others(&self, answers: u64) {
        let mut tally = self.course.tally.subscribe();
        let told = |tally: &Tally| tally.answers + tally.untried;
        // The count begins anew where somebody asks what users have felt.
        let before = told(&tally.borrow());
        let enough = |tally: &Tally| told(tally) >= before + answers || told(tally) < before;
        tokio::select! {
            biased;
            () = self.course.stop.cancelled() => {}
            _ = tally.wait_for(enough) => {}
        }
    }

    /// Sends a request until there is an answer or the user gives up, and records the result.
    pub async fn tell(&self, path: &str, body: &Value, random: &mut ChaCha8Rng, step: &mut Step) -> Option<Value> {
        let (is_first, sent) = (!step.was_sent, self.now());
        step.was_sent = true;
        if is_first {
            step.when = When::Meanwhile;
        }
        for _ in 0..random.random_range(1..=TRIES) {
            match self.ask(path, body, random).await {
                Told::Answer(answer) => {
                    if is_first {
                        step.when = When::between(sent, self.now());
                    }
                    step.answers.push(answer.clone());
                    return Some(answer);
                }
                Told::Suspended => return None,
                Told::Missing => {
                    step.is_missing = true;
                    return None;
                }
                Told::Unknown => {
                    self.course.tally.send_modify(|tally| tally.unknown += 1);
                    step.unknown += 1;
                }
            }
        }
        None
    }

    fn now(&self) -> When {
        self.course.tally.borrow().now
    }

    /// Tries either server, or the other one if that is down, until the request was tried.
    pub async fn ask(&self, path: &str, body: &Value, random: &mut ChaCha8Rng) -> Told {
        let mut door: usize = random.random_range(0..2);
        let mut doors = self.doors.urls.subscribe();
        loop {
            let open = within("a server", doors.wait_for(|doors| doors.iter().any(Option::is_some))).await;
            let url = open.expect("doors")[door].clone();
            let Some(url) = url else {
                door = 1 - door;
                continue;
            };
            let request = self.http.post(format!("{url}{path}")).header("content-type", "application/json");
            let exchange = async {
                let answer = request.body(body.to_string()).send().await?;
                Ok::<_, reqwest::Error>((answer.status().is_success(), answer.bytes().await?))
            };
            match within("an answer, or none", exchange).await {
                Ok((true, answer)) => {
                    self.course.tally.send_modify(Tally::note_answer);
                    return Told::Answer(serde_json::from_slice(&answer).expect("JSON"));
                }
                Ok((false, answer)) => {
                    let error: Error = serde_json::from_slice(&answer).unwrap_or_else(|_| panic!("{answer:?}"));
                    match error.code {
                        Code::Unavailable => return Told::Unknown,
                        Code::UnknownOrder => return Told::Missing,
                        Code::SaleSuspended if self.doors.recover => {
                            self.course.tally.send_modify(|tally| tally.untried += 1);
                            tokio::task::yield_now().await;
                        }
                        Code::SaleSuspended => {
                            // There is nothing to try any more.
                            self.course.stop.cancel();
                            return Told::Suspended;
                        }
                        // Redis is full, was just started again, or is not the primary yet; or a quantity is not cached.
                        Code::Busy | Code::StoreRefused | Code::LedgerUnavailable => {
                            self.course.tally.send_modify(|tally| tally.untried += 1);
                            tokio::task::yield_now().await;
                        }
                        code => panic!("{code:?}: {error}"),
                    }
                }
                // It was not sent.
                Err(error) if error.is_connect() => {
                    door = 1 - door;
                    tokio::task::yield_now().await;
                }
                Err(_) => return Told::Unknown,
            }
        }
    }
}
