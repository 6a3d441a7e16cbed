//! Sales as scripts make them, and their stored state in Redis.

use super::{app::TestApp, redis::Raw};
use engine::red_packet::scripts::{AUDIT, Attempt, CLAIM, ClaimArgs, KIND, OPEN, RECOVER, REFUND, SNAPSHOT, key};
use model::{
    Cents, Millis,
    error::Result,
    red_packet::{Splitter, Terms},
    ticket::{
        self, HallChoice, Pick, SeatRequest,
        hall::{Layout, Section},
    },
};
use redis::{ToRedisArgs, Value, from_redis_value};
use std::collections::BTreeMap;
use store::runtime::ManualClock;

/// The time at which every test begins.
pub const START: Millis = 1_700_000_000_000;
/// The life of the sales of [`open`], in seconds, and their end.
pub const LIFE_S: i64 = 60;
pub const END: Millis = START + LIFE_S * 1_000;

pub fn clock() -> std::sync::Arc<ManualClock> {
    std::sync::Arc::new(ManualClock::new(START))
}

pub fn terms(sale: &str, total_cents: Cents, count: u64) -> Terms {
    Terms {
        sale: sale.to_owned(),
        total_cents,
        count,
        splitter: Splitter::DoubleMean,
        expires_in_s: LIFE_S as u64,
        seed: Some(7),
        plan: model::life::Plan::default(),
    }
}

/// The arguments of `open.lua`, to be changed one by one.
#[derive(Clone)]
pub struct Chunk {
    pub now: Millis,
    pub total: Cents,
    pub count: usize,
    pub splitter: &'static str,
    pub seed: u64,
    pub life_s: i64,
    pub bucket_cents: Cents,
    pub first: usize,
    pub cents: Vec<Cents>,
}

impl Chunk {
    /// A whole sale in one chunk, with exactly these packets.
    pub fn whole(cents: &[Cents]) -> Self {
        Self {
            now: START,
            total: cents.iter().sum(),
            count: cents.len(),
            splitter: "equal",
            seed: 7,
            life_s: LIFE_S,
            bucket_cents: 1,
            first: 1,
            cents: cents.to_vec(),
        }
    }

    /// Packets `first` to `last` of the same sale, from 1.
    pub fn part(&self, first: usize, last: usize) -> Self {
        Self { first, cents: self.cents[first - 1..last].to_vec(), ..self.clone() }
    }

    pub fn args(&self) -> Vec<Vec<u8>> {
        let mut args = vec![
            self.now.to_string(),
            self.total.to_string(),
            self.count.to_string(),
            self.splitter.to_owned(),
            self.seed.to_string(),
            self.life_s.to_string(),
            self.bucket_cents.to_string(),
            self.first.to_string(),
            // No plan.
            String::new(),
        ];
        args.extend(self.cents.iter().zip(self.first..).map(|(cents, no)| format!("{no}:{cents}")));
        args.into_iter().map(String::into_bytes).collect()
    }

    /// Sends the chunk. Returns the code and the number of packets loaded.
    pub async fn send(&self, redis: &Raw, sale: &str) -> (i64, i64) {
        let reply = redis.script(&OPEN, &open_keys(sale), &self.args()).await.expect("a reply");
        from_redis_value(reply).expect("two numbers")
    }
}

/// Opens a sale with exactly these packets, from [`START`] to [`END`], by the script alone.
pub async fn open(redis: &Raw, sale: &str, cents: &[Cents]) {
    assert_eq!(Chunk::whole(cents).send(redis, sale).await, (0, cents.len() as i64));
}

pub fn open_keys(sale: &str) -> Vec<String> {
    OPEN.keys(KIND, sale)
}

pub fn refund_keys(sale: &str) -> Vec<String> {
    REFUND.keys(KIND, sale)
}

pub fn audit_keys(sale: &str) -> Vec<String> {
    AUDIT.keys(KIND, sale)
}

/// The keys of `recover.lua` and `resume.lua`.
pub fn recovery_keys(sale: &str) -> Vec<String> {
    RECOVER.keys(KIND, sale)
}

pub fn snapshot_keys(sale: &str) -> Vec<String> {
    SNAPSHOT.keys(KIND, sale)
}

/// The arguments of `claim.lua`, by a caller who has seen nothing. The request of user `u` is `r-u`, unless one is
/// given after a bar.
pub fn claim_args(now: Millis, users: &[&str]) -> Vec<Vec<u8>> {
    let attempts: Vec<Attempt> = users
        .iter()
        .map(|user| match user.split_once('|') {
            Some((user, request_id)) => Attempt { user: user.to_owned(), request_id: request_id.to_owned() },
            None => Attempt { user: (*user).to_owned(), request_id: format!("r-{user}") },
        })
        .collect();
    let mut args = vec![Vec::new()];
    args.extend(ClaimArgs { now: &now.to_string(), attempts: &attempts }.to_redis_args());
    args
}

/// Sends one batch through `claim.lua`. Returns code and detail for each attempt.
pub async fn claim_at(redis: &Raw, sale: &str, now: Millis, users: &[&str]) -> Vec<(i64, String)> {
    let reply = redis.script(&CLAIM, &CLAIM.keys(KIND, sale), &claim_args(now, users)).await.expect("a reply");
    pairs(reply)
}

/// Sends one batch at [`START`].
pub async fn claim(redis: &Raw, sale: &str, users: &[&str]) -> Vec<(i64, String)> {
    claim_at(redis, sale, START, users).await
}

pub async fn refund_at(redis: &Raw, sale: &str, now: Millis) -> (i64, i64) {
    let reply = redis.script(&REFUND, &refund_keys(sale), &[Vec::new(), now.to_string().into_bytes()]).await;
    let (code, cents, _seen): (i64, i64, String) = from_redis_value(reply.expect("a reply")).expect("two numbers");
    (code, cents)
}

/// Replies in the notation of the tests.
pub fn replies(expected: &[(i64, &str)]) -> Vec<(i64, String)> {
    expected.iter().map(|(code, detail)| (*code, (*detail).to_owned())).collect()
}

fn pairs(reply: Value) -> Vec<(i64, String)> {
    let values: Vec<Value> = from_redis_value(reply).expect("a list");
    values
        .chunks_exact(2)
        .map(|pair| {
            let [code, detail] = pair else { panic!("an odd number of values") };
            (from_redis_value(code.clone()).expect("a code"), from_redis_value(detail.clone()).expect("a detail"))
        })
        .collect()
}

/// Everything in Redis that belongs to a sale.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub pending: Vec<String>,
    pub claimants: BTreeMap<String, String>,
    pub meta: BTreeMap<String, String>,
    pub stats: BTreeMap<String, i64>,
    pub events: Vec<Event>,
    pub attempts: Vec<Event>,
}

/// A stream entry with its id, its fields in their order, and its `data` decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: String,
    pub fields: Vec<(String, String)>,
    pub data: Vec<String>,
}

impl Event {
    pub fn fields(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    pub fn is(&self, kind: &str) -> bool {
        self.fields.first() == Some(&("type".to_owned(), kind.to_owned()))
    }
}

pub async fn stored(redis: &Raw, sale: &str) -> Stored {
    Stored {
        pending: redis.run("LRANGE", (key(sale, "pending"), 0, -1)).await,
        claimants: redis.run("HGETALL", key(sale, "claimants")).await,
        meta: meta_of(redis, sale).await,
        stats: redis.run("HGETALL", key(sale, "stats")).await,
        events: stream(redis, &key(sale, "events")).await,
        attempts: stream(redis, &key(sale, "attempts")).await,
    }
}

/// The `meta` of a sale without the fields of the fence (`lua/lib/fence.lua`), which depend on the time of day.
async fn meta_of(redis: &Raw, sale: &str) -> BTreeMap<String, String> {
    let mut meta: BTreeMap<String, String> = redis.run("HGETALL", key(sale, "meta")).await;
    meta.retain(|field, _| !["generation", "recent", "format"].contains(&field.as_str()));
    meta
}

pub async fn stream(redis: &Raw, key: &str) -> Vec<Event> {
    type Fields = Vec<(String, Vec<u8>)>;
    let entries: Vec<(String, Fields)> = redis.run("XRANGE", (key, "-", "+")).await;
    entries
        .into_iter()
        .map(|(id, fields)| {
            let (packed, plain): (Vec<_>, Vec<_>) =
                fields.into_iter().partition(|(name, _)| ["data", "places", "requests"].contains(&name.as_str()));
            let packed: BTreeMap<String, Vec<u8>> = packed.into_iter().collect();
            Event {
                id,
                fields: plain
                    .into_iter()
                    .map(|(name, value)| (name, String::from_utf8(value).expect("text")))
                    .collect(),
                data: data(&packed),
            }
        })
        .collect()
}

/// The packed data of an entry. For a "claimed" event, it is the user, request id and packet of each winner. The
/// request is looked up at the index that the event gives for the winner.
fn data(packed: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let texts = |name: &str| -> Vec<String> {
        packed.get(name).map_or_else(Vec::new, |bytes| rmp_serde::from_slice(bytes).expect("a list of strings"))
    };
    let Some(places) = packed.get("places") else { return texts("data") };
    let places: Vec<usize> = rmp_serde::from_slice(places).expect("a list of numbers");
    let (data, requests) = (texts("data"), texts("requests"));
    assert_eq!(data.len(), 2 * places.len());
    data.chunks(2)
        .zip(places)
        .flat_map(|(pair, place)| [pair[0].clone(), requests[place - 1].clone(), pair[1].clone()])
        .collect()
}

/// Every win of a sale by its events: user, request id, packet.
pub async fn wins(redis: &Raw, sale: &str) -> Vec<(String, String, String)> {
    let events = stream(redis, &key(sale, "events")).await;
    let claimed = events.iter().filter(|event| event.is("claimed"));
    claimed
        .flat_map(|event| event.data.chunks(3))
        .map(|words| (words[0].clone(), words[1].clone(), words[2].clone()))
        .collect()
}

pub fn map<V: Clone>(pairs: &[(&str, V)]) -> BTreeMap<String, V> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

pub fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Opens a ticket sale with one section of 200 seats.
pub async fn open_seats(app: &TestApp, sale: &str) {
    let section =
        Section { id: "A".into(), category: "all".into(), rows: vec![50_u16.into(); 4], ..Section::default() };
    let terms = ticket::Terms {
        sale: sale.to_owned(),
        hall: HallChoice::Layout(Layout {
            categories: vec!["all".into()],
            sections: vec![section],
            ..Layout::default()
        }),
        prices: BTreeMap::from([("all".to_owned(), 100)]),
        limit_per_user: 6,
        hold_s: 60,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    app.tickets.open(terms).await.expect("a sale");
}

/// An attempt to hold a seat.
pub async fn reserve(app: &TestApp, sale: &str, user: &str) -> Result<ticket::Outcome> {
    let pick = vec![Pick { category: "all".into(), count: 1, adjacent: true, strict: false }];
    app.tickets.reserve(sale, user.into(), None, SeatRequest { pick, ..SeatRequest::default() }).await
}
