//! Every script that writes, in a state in which it does.

use crate::{
    KINDS,
    red_packets::cases::open as open_packets,
    support::{redis::Raw, sale::START},
};
use engine::{
    archiving_schedule::SCHEDULE,
    closing::{FINISH, SEAL},
    crowd::scripts::{KEEP, PUBLISH},
    life::service::CHANGE,
    recovery::BEGIN_RECOVERY,
    red_packet::scripts as packets,
};
use ledger::scripts::{ACK_AND_TRIM, CLAIM_STREAMS, KEEP_AUDIT, LEASE};
use model::Audit;
use redis::{RedisResult, ToRedisArgs, Value};
use serde::Serialize;
use store::{JOIN_GROUP, fence::SUSPEND, fitness::CLAIM_FORMAT, keys, listing::UNLIST, script::Script};

/// What red packets and orders are called.
pub const TOKEN: &str = "t";

/// What a caller has seen of a sale, before the first reply to it.
pub const UNSEEN: &str = "";

/// A call of a script.
#[derive(Clone)]
pub struct Call {
    pub script: &'static Script,
    pub keys: Vec<String>,
    pub args: Vec<Vec<u8>>,
}

impl Call {
    /// A call about the sale "s" of a kind.
    pub fn new(kind: &str, script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(kind, "s"), args: args.to_redis_args() }
    }

    pub async fn run(&self, redis: &Raw) -> RedisResult<Value> {
        redis.script(self.script, &self.keys, &self.args).await
    }
}

/// What leads to the state before a script's call.
pub enum Step {
    Call(Call),
    /// A plain command.
    Command(Vec<String>),
}

pub fn command(words: &[&str]) -> Step {
    Step::Command(words.iter().map(|word| (*word).to_owned()).collect())
}

/// A script in a state in which it writes.
pub struct Case {
    pub before: Vec<Step>,
    pub call: Call,
    /// The keys, by number from 1, whose type does not matter: it replaces or deletes what they hold, reads them as lost,
    /// only adds to a sample there, or only asks whether they exist.
    pub replaces: &'static [usize],
    /// Whether it ends what is due.
    pub is_due: bool,
}

impl Case {
    pub fn new(before: Vec<Step>, call: Call) -> Self {
        Self { before, call, replaces: &[], is_due: false }
    }

    pub fn replacing(self, replaces: &'static [usize]) -> Self {
        Self { replaces, ..self }
    }

    pub fn due(self) -> Self {
        Self { is_due: true, ..self }
    }

    pub async fn prepare(&self, redis: &Raw) {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        for step in &self.before {
            match step {
                Step::Call(call) => _ = call.run(redis).await.expect("a reply"),
                Step::Command(words) => _ = redis.run::<Value>(&words[0], &words[1..]).await,
            }
        }
    }
}

pub fn pack(value: impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(&value).expect("packed")
}

pub fn being_recovered(kind: &str) -> Step {
    command(&["HSET", &keys::sale(kind, "s", "meta"), "state", "suspended", "recovery", TOKEN, "next_chunk", "0"])
}

/// The scripts that know no kind, and those of the ledger.
fn other_cases() -> Vec<Case> {
    let name = keys::name(packets::KIND, "s");
    let close = || Step::Call(Call::new(packets::KIND, &packets::CLOSE, (UNSEEN, START)));
    let marked = command(&["XGROUP", "CREATE", &packets::key("s", "events"), "ledger", "0"]);
    let last = "9999999999999-1";
    let add = || command(&["XADD", &packets::key("s", "events"), last, "type", "closed", "at", "1"]);
    let of_no_sale = |script, keys: &[&str], args: Vec<Vec<u8>>| {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        Call { script, keys, args }
    };
    let listed = vec![
        command(&["ZADD", keys::SALES.one, "1", &name]),
        command(&["HSET", keys::AUDITS.one, &name, "{}"]),
        command(&["ZADD", keys::CLOSED.one, "1", &name]),
    ];
    let seal_keys = ["meta", "events", "crowd_lock", "pending"].map(|part| packets::key("s", part));
    let change = |request: &str, change: &str, fields: &[&str]| {
        let args = [(UNSEEN, START, request, change).to_redis_args(), fields.to_redis_args()].concat();
        Call { script: &CHANGE, keys: ["meta", "events"].map(|part| packets::key("s", part)).to_vec(), args }
    };
    let pause = || Step::Call(change("a", "paused", &["reason", "rain", "hold_clock", "stops"]));
    let titled = || Step::Call(change("a", "described", &["title_en", "Red"]));
    let audit = |at| serde_json::to_string(&Audit::unknown("why", at)).expect("JSON");
    let all = [keys::SALES.one, keys::AUDITS.one, keys::CLOSED.one, keys::UNLISTED.one];
    let lease = |for_ms: u32| of_no_sale(&LEASE, &[keys::WRITER.one], ("me", for_ms).to_redis_args());
    vec![
        Case::new(
            vec![open_packets(), close(), add()],
            of_no_sale(&SEAL, &seal_keys.each_ref().map(String::as_str), (UNSEEN, START, last).to_redis_args()),
        ),
        Case::new(vec![open_packets()], change("a", "paused", &["reason", "", "hold_clock", "stops"])),
        Case::new(vec![open_packets(), pause()], change("b", "resumed", &[])),
        Case::new(vec![open_packets(), pause()], change("b", "scheduled", &["ends_in_s", "9"])),
        Case::new(vec![open_packets(), titled()], change("b", "described", &["title_en", "", "title_zh", "红"])),
        Case::new(vec![], of_no_sale(&SCHEDULE, &[keys::CLOSED.one], (&name, START, "").to_redis_args())),
        Case::new(
            vec![command(&["HSET", &packets::key("s", "meta"), "state", "archived"]), add()],
            of_no_sale(
                &FINISH,
                &["meta", "events"].map(|part| packets::key("s", part)).each_ref().map(String::as_str),
                3_600.to_redis_args(),
            ),
        )
        .replacing(&[2]),
        Case::new(
            vec![command(&["HSET", &packets::key("s", "meta"), "state", "suspended"])],
            of_no_sale(&BEGIN_RECOVERY, &[&packets::key("s", "meta")], TOKEN.to_redis_args()),
        )
        .replacing(&[1]),
        Case::new(vec![], of_no_sale(&JOIN_GROUP, &[&packets::key("s", "meta")], (START, "g", "").to_redis_args())),
        Case::new(listed, of_no_sale(&UNLIST, &all, name.to_redis_args())),
        Case::new(vec![open_packets(), add()], Call::new(packets::KIND, &ACK_AND_TRIM, (last, 1, last))),
        Case::new(vec![open_packets(), add(), marked], Call::new(packets::KIND, &ACK_AND_TRIM, (last, 1, last))),
        Case::new(
            vec![],
            of_no_sale(
                &CLAIM_STREAMS,
                &[keys::LEDGER.one, keys::REDIS.one],
                ("mine", "claim", "id", "").to_redis_args(),
            ),
        ),
        Case::new(
            vec![command(&["HSET", keys::AUDITS.one, &name, &audit(1)])],
            of_no_sale(&KEEP_AUDIT, &[keys::AUDITS.one], (&name, "", audit(2)).to_redis_args()),
        ),
        Case::new(vec![], of_no_sale(&CLAIM_FORMAT, &[keys::FORMAT.one], 1.to_redis_args())),
        Case::new(vec![], of_no_sale(&KEEP, &["crowd:run"], ("{}", 9).to_redis_args())).replacing(&[1]),
        Case::new(
            vec![command(&["SET", &packets::key("s", "crowd_lock"), "run"])],
            Call::new(packets::KIND, &PUBLISH, ("run", "{}", 9)),
        )
        .replacing(&[1]),
        Case::new(vec![], lease(100_000)),
        Case::new(vec![command(&["SET", keys::WRITER.one, "me"])], lease(0)),
        // Whatever stands in the place of the stream.
        Case::new(vec![open_packets()], Call::new(packets::KIND, &SUSPEND, ("", 0))).replacing(&[2]),
    ]
}

/// `[Vec<Step>].concat()`, without copies.
pub trait Concat {
    fn concat_steps(self) -> Vec<Step>;
}

impl<const N: usize> Concat for [Vec<Step>; N] {
    fn concat_steps(self) -> Vec<Step> {
        self.into_iter().flatten().collect()
    }
}

pub fn cases() -> Vec<Case> {
    KINDS.iter().flat_map(|kind| (kind.script_cases)()).chain(other_cases()).collect()
}
