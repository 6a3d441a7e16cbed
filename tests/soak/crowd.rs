//! Users who try until they are told to stop, and record all answers.

use crate::support::within;
use futures::future::join_all;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use stampede::error::{Code, Error};
use std::{collections::BTreeMap, future::Future, sync::Arc};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Users trying at the same time.
const AT_ONCE: u64 = 16;
/// How often a user without an answer tries, at most.
pub const TRIES: u32 = 4;

/// The current URLs of the servers; none for a killed server, whose port another program may use at any moment.
pub type Doors = Arc<watch::Sender<[Option<String>; 2]>>;

/// What came of a request.
pub enum Told {
    Answer(Value),
    /// Nobody knows whether it was done.
    Unknown,
    /// Nothing was tried, and nothing will be: the sale is suspended.
    Suspended,
    /// There is no such order.
    Missing,
}

/// How much was heard at a sale.
#[derive(Clone, Copy, Default)]
struct Tally {
    answers: u64,
    /// Refusals of which it is certain that nothing was tried.
    untried: u64,
}

/// The way to the servers.
#[derive(Clone)]
pub struct Caller {
    http: reqwest::Client,
    doors: Doors,
    tally: Arc<watch::Sender<Tally>>,
    stop: CancellationToken,
}

/// What a user does at a sale, and records.
pub trait Visitor: Clone + Send + Sync + 'static {
    type Heard: Send + 'static;

    fn visit(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> impl Future<Output = Self::Heard> + Send;
}

/// Users at one sale.
pub struct Crowd<V: Visitor> {
    places: Vec<JoinHandle<BTreeMap<String, V::Heard>>>,
    tally: Arc<watch::Sender<Tally>>,
    stop: CancellationToken,
}

impl<V: Visitor> Crowd<V> {
    /// Users whose names begin so.
    pub fn let_loose(doors: Doors, visitor: &V, names: &str, seed: u64) -> Self {
        let tally = Arc::new(watch::Sender::new(Tally::default()));
        let stop = CancellationToken::new();
        let caller = Caller { http: reqwest::Client::new(), doors, tally: tally.clone(), stop: stop.clone() };
        let places = (0..AT_ONCE).map(|number| {
            let (visitor, caller, stop, names) = (visitor.clone(), caller.clone(), stop.clone(), names.to_owned());
            let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number));
            tokio::spawn(async move {
                let mut heard = BTreeMap::new();
                while !stop.is_cancelled() {
                    let user = format!("{names}{number}-{}", heard.len());
                    heard.insert(user.clone(), visitor.visit(&caller, &user, &mut random).await);
                }
                heard
            })
        });
        Self { places: places.collect(), tally, stop }
    }

    /// Waits until so many more answers were heard.
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

    /// Waits until so many more were refused untried.
    pub async fn is_refused(&self, more: u64) {
        let mut tally = self.tally.subscribe();
        let enough = tally.borrow().untried + more;
        within("refusals", tally.wait_for(|tally| tally.untried >= enough)).await.expect("the crowd is there");
    }

    /// Waits until so many more were answered or refused untried, or the sale is suspended.
    pub async fn hears_or_is_refused(&self, more: u64) {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            () = self.hears(more) => {}
            () = self.is_refused(more) => {}
        }
    }

    /// Lets everyone finish, and tells what each heard.
    pub async fn stop(self) -> BTreeMap<String, V::Heard> {
        self.stop.cancel();
        let heard = within("everyone has an answer", join_all(self.places)).await;
        heard.into_iter().flat_map(|place| place.expect("a place")).collect()
    }
}

impl Caller {
    /// Tries at either server, or at the other if that one is down, until the request was tried.
    pub async fn ask(&self, path: &str, body: &Value, random: &mut ChaCha8Rng) -> Told {
        let mut door: usize = random.random_range(0..2);
        let mut doors = self.doors.subscribe();
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
                    self.tally.send_modify(|tally| tally.answers += 1);
                    return Told::Answer(serde_json::from_slice(&answer).expect("JSON"));
                }
                Ok((false, answer)) => {
                    let error: Error = serde_json::from_slice(&answer).unwrap_or_else(|_| panic!("{answer:?}"));
                    match error.code {
                        Code::Unavailable => return Told::Unknown,
                        Code::UnknownOrder => return Told::Missing,
                        Code::SaleSuspended => {
                            // There is nothing to try any more.
                            self.stop.cancel();
                            return Told::Suspended;
                        }
                        // Redis is full, was just started again, or is not the primary yet.
                        Code::Busy | Code::StoreRefused => {
                            self.tally.send_modify(|tally| tally.untried += 1);
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
