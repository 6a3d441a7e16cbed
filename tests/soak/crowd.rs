//! Users who claim until they are told to stop, and record all answers.

use super::check::Heard;
use crate::support::within;
use futures::future::{join, join_all};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use stampede::{
    error::{Code, Error},
    sales::red_packet::Outcome,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Users claiming at the same time.
const AT_ONCE: u64 = 32;
/// How often a user without an answer tries, at most.
const TRIES: u32 = 4;

/// The current URLs of the servers; none for a killed server, whose port another program may use at any moment.
pub type Doors = Arc<Mutex<[Option<String>; 2]>>;

/// Users at one sale.
pub struct Crowd {
    places: Vec<JoinHandle<BTreeMap<String, Heard>>>,
    answers: Arc<watch::Sender<u64>>,
    stop: CancellationToken,
}

#[derive(Clone)]
struct Place {
    http: reqwest::Client,
    doors: Doors,
    sale: String,
    answers: Arc<watch::Sender<u64>>,
}

impl Crowd {
    pub fn let_loose(doors: Doors, sale: &str, seed: u64) -> Self {
        let answers = Arc::new(watch::Sender::new(0));
        let stop = CancellationToken::new();
        let place = Place { http: reqwest::Client::new(), doors, sale: sale.to_owned(), answers: answers.clone() };
        let places = (0..AT_ONCE).map(|number| {
            let (place, stop) = (place.clone(), stop.clone());
            let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number));
            tokio::spawn(async move {
                let mut heard = BTreeMap::new();
                while !stop.is_cancelled() {
                    let user = format!("u{number}-{}", heard.len());
                    heard.insert(user.clone(), place.user(&user, &mut random).await);
                }
                heard
            })
        });
        Self { places: places.collect(), answers, stop }
    }

    /// Answers that were heard.
    pub fn heard(&self) -> u64 {
        *self.answers.borrow()
    }

    /// Waits until so many answers were heard.
    pub async fn has_heard(&self, answers: u64) {
        let mut now = self.answers.subscribe();
        within("answers", now.wait_for(|now| *now >= answers)).await.expect("the crowd is there");
    }

    /// Lets everyone finish, and tells what each heard.
    pub async fn stop(self) -> BTreeMap<String, Heard> {
        self.stop.cancel();
        let heard = within("everyone has an answer", join_all(self.places)).await;
        heard.into_iter().flat_map(|place| place.expect("a place")).collect()
    }
}

impl Place {
    /// One user clicks once, or twice at the same moment.
    async fn user(&self, user: &str, random: &mut ChaCha8Rng) -> Heard {
        let (first, second) = (self.click(user, 1, random.random()), self.click(user, 2, random.random()));
        if random.random_ratio(1, 4) {
            let (first, second) = join(first, second).await;
            first.and(second)
        } else {
            first.await
        }
    }

    /// One click: a user without an answer may try again, with the same request, at either server.
    async fn click(&self, user: &str, number: u32, seed: u64) -> Heard {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let request_id = format!("{user}-r{number}");
        let mut heard = Heard { requests: [request_id.clone()].into(), ..Heard::default() };
        for _ in 0..random.random_range(1..=TRIES) {
            let asking = self.ask(random.random_range(0..2), user, &request_id);
            if let Some(outcome) = within("an answer, or none", asking).await {
                heard.take(&request_id, outcome);
                self.answers.send_modify(|answers| *answers += 1);
                break;
            }
            heard.unknown += 1;
        }
        heard
    }

    /// Tries at this server, or at the other if this one is down. `None` if the outcome is unknown.
    async fn ask(&self, mut door: usize, user: &str, request_id: &str) -> Option<Outcome> {
        let body = json!({ "sale": self.sale, "user": user, "request_id": request_id }).to_string();
        loop {
            let Some(url) = self.doors.lock().expect("the doors")[door].clone() else {
                door = 1 - door;
                continue;
            };
            let url = format!("{url}/api/red-packet/claim");
            let request = self.http.post(url).header("content-type", "application/json").body(body.clone());
            let exchange = async {
                let answer = request.send().await?;
                Ok::<_, reqwest::Error>((answer.status().is_success(), answer.bytes().await?))
            };
            match exchange.await {
                Ok((true, answer)) => return Some(serde_json::from_slice(&answer).expect("an outcome")),
                Ok((false, answer)) => {
                    let error: Error = serde_json::from_slice(&answer).unwrap_or_else(|_| panic!("{answer:?}"));
                    match error.code {
                        Code::Unavailable => return None,
                        // Redis has just been started again and took nothing.
                        Code::Busy => tokio::task::yield_now().await,
                        code => panic!("{code:?}: {error}"),
                    }
                }
                // It was not sent.
                Err(error) if error.is_connect() => door = 1 - door,
                Err(_) => return None,
            }
        }
    }
}
