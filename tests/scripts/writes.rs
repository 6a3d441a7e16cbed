//! Look, decide, then write: whatever keeps a script from one of its writes, it has made none of them before.
//!
//! Every script that writes is called in a state in which it does, and again with each of its keys of another type, and
//! by a user who may not run one of its commands, for each command. What is stored then is either as it was, byte by
//! byte, or as after the call that nothing kept from anything.

use crate::{
    readme,
    support::{
        redis::{Raw, TestRedis},
        sale::{Chunk, END, START, claim_args},
    },
};
use redis::{RedisResult, ToRedisArgs, Value};
use serde::Serialize;
use stampede::{
    crowd::scripts::{KEEP, PUBLISH},
    ledger::scripts::{ACK_AND_TRIM, CLAIM_STREAMS, LEASE, SUSPEND},
    sales::{
        closing::service::{SCHEDULE, SEAL},
        red_packet::scripts as packets,
        ticket::{
            hall::{Hall, Layout, Section},
            index,
            scripts::{self as tickets, CANCEL, EXPIRE, PAY, RESERVE},
        },
    },
    store::{fitness::CLAIM_FORMAT, keys, listing::UNLIST, script::Script},
};
use std::collections::{BTreeMap, BTreeSet};

/// The user who lacks rights, and the password.
const LIMITED: &str = "limited";
/// What red packets and orders are called.
const TOKEN: &str = "t";

/// What a caller has seen of a sale, before the first reply to it.
const UNSEEN: &str = "";

/// A call of a script.
#[derive(Clone)]
struct Call {
    script: &'static Script,
    keys: Vec<String>,
    args: Vec<Vec<u8>>,
}

impl Call {
    fn packets(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(packets::KIND, "s"), args: args.to_redis_args() }
    }

    fn tickets(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(tickets::KIND, "s"), args: args.to_redis_args() }
    }

    async fn run(&self, redis: &Raw) -> RedisResult<Value> {
        redis.script(self.script, &self.keys, &self.args).await
    }
}

/// What leads to the state before a script's call.
enum Step {
    Call(Call),
    /// A plain command.
    Command(Vec<String>),
}

fn command(words: &[&str]) -> Step {
    Step::Command(words.iter().map(|word| (*word).to_owned()).collect())
}

/// A script in a state in which it writes.
struct Case {
    before: Vec<Step>,
    call: Call,
    /// The keys, by number from 1, that it replaces or deletes whatever they hold.
    replaces: &'static [usize],
}

impl Case {
    fn new(before: Vec<Step>, call: Call) -> Self {
        Self { before, call, replaces: &[] }
    }

    fn replacing(self, replaces: &'static [usize]) -> Self {
        Self { replaces, ..self }
    }

    async fn prepare(&self, redis: &Raw) {
        redis.run::<String>("FLUSHALL", "SYNC").await;
        for step in &self.before {
            match step {
                Step::Call(call) => _ = call.run(redis).await.expect("a reply"),
                Step::Command(words) => _ = redis.run::<Value>(&words[0], &words[1..]).await,
            }
        }
    }
}

/// Names and values.
type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// What a key holds: a dump, or the entries of a stream without their ids, which follow the clock.
#[derive(Debug, PartialEq)]
enum Content {
    Dump(Vec<u8>),
    Entries(Vec<Fields>),
    Hash(BTreeMap<String, Vec<u8>>),
}

/// Everything that is stored.
#[derive(Debug, PartialEq)]
struct Stored {
    dumps: BTreeMap<String, Vec<u8>>,
    contents: BTreeMap<String, Content>,
}

async fn stored(redis: &Raw) -> Stored {
    let (mut dumps, mut contents) = (BTreeMap::new(), BTreeMap::new());
    for key in redis.run::<Vec<String>>("KEYS", "*").await {
        let dump: Vec<u8> = redis.run("DUMP", &key).await;
        let content = match redis.run::<String>("TYPE", &key).await.as_str() {
            "stream" => {
                let entries: Vec<(String, Fields)> = redis.run("XRANGE", (&key, "-", "+")).await;
                Content::Entries(entries.into_iter().map(|(_, fields)| fields).collect())
            }
            // But for the ids of events, which are not the same twice.
            "hash" => {
                let mut fields: BTreeMap<String, Vec<u8>> = redis.run("HGETALL", &key).await;
                fields.retain(|name, _| name != "generation" && name != "recent");
                Content::Hash(fields)
            }
            _ => Content::Dump(dump.clone()),
        };
        dumps.insert(key.clone(), dump);
        contents.insert(key, content);
    }
    Stored { dumps, contents }
}

/// The types of a script's keys, as its header has them.
fn types(script: &Script) -> Vec<String> {
    let source = &readme::scripts()[script.name];
    let lines = source.lines().map_while(|line| line.strip_prefix("--")).skip_while(|line| !line.starts_with(" KEYS"));
    let mut types = Vec::new();
    for line in lines.take_while(|line| !line.starts_with(" ARGV")) {
        let mut words = line.trim_start_matches(" KEYS").split_whitespace();
        if words.next().is_some_and(|word| word.parse() == Ok(types.len() + 1)) {
            types.push(words.nth(1).expect("a type").to_owned());
        }
    }
    types
}

/// The commands that a script makes sure of before it writes.
fn made_sure_of(script: &Script) -> BTreeSet<String> {
    let source = &readme::scripts()[script.name];
    let calls = source.split("may_write(").skip(1).map(|call| call.lines().next().unwrap_or(call));
    let words = calls.flat_map(|call| call.split('\'').skip(1).step_by(2));
    words.filter(|word| word.starts_with(|sign: char| sign.is_ascii_uppercase())).map(str::to_owned).collect()
}

fn hall() -> Hall {
    let section = Section { id: "A".into(), category: "all".into(), rows: vec![4, 4], ..Section::default() };
    Hall::new(Layout { categories: vec!["all".into()], sections: vec![section] }).expect("a hall")
}

fn pack(value: impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(&value).expect("packed")
}

/// Seats, layout and index, as stored.
fn of_hall() -> [Vec<u8>; 3] {
    let hall = hall();
    let seats = vec![b'0'; 8];
    let free = index::free(&hall, &index::categories(&hall, &[500]), &seats);
    [seats, index::layout(&hall), free]
}

fn categories() -> Vec<u8> {
    pack(index::categories(&hall(), &[500]))
}

fn open_packets() -> Step {
    Step::Call(Call::packets(&packets::OPEN, Chunk::whole(&[4, 3, 3]).args()))
}

fn open_tickets() -> Call {
    let [seats, layout, free] = of_hall();
    let terms = ("{}", "[500]", 4, 60_000, "", "1", 8);
    let args = [START.to_redis_args(), vec![seats, layout, free], terms.to_redis_args()].concat();
    Call::tickets(&tickets::OPEN, args)
}

/// One holds the best two seats, another chooses a seat, a third one that is taken.
fn reserve() -> Call {
    let none: [u32; 0] = [];
    let wanted = (
        ("ann", "r-ann", "o-ann", none, [1, 2, 1], [""; 0]),
        ("bob", "r-bob", "o-bob", [1, 1, 0], none, [""; 0]),
        ("cid", "r-cid", "o-cid", [1, 1, 0], none, [""; 0]),
    );
    Call::tickets(&RESERVE, (UNSEEN, START, categories(), pack(wanted)))
}

fn held() -> Vec<Step> {
    vec![Step::Call(open_tickets()), Step::Call(reserve())]
}

fn suspended(kind: &str) -> Step {
    command(&["HSET", &keys::sale(kind, "s", "meta"), "state", "suspended"])
}

fn recover_packets(chunk: u32) -> Call {
    Call::packets(
        &packets::RECOVER,
        (TOKEN, chunk, 2, format!("{}:3", 2 * chunk + 2), "9:4", format!("u{chunk}"), "1:4"),
    )
}

fn recover_tickets(chunk: u32) -> Call {
    let (order, request, user) = (format!("o{chunk}"), format!("r{chunk}"), format!("u{chunk}"));
    let record = (&user, "held", 500, START + 60_000, [0, chunk], 0, [""; 0]);
    let orders = pack([(order, request, record, [chunk])]);
    Call::tickets(&tickets::RECOVER, (TOKEN, chunk, orders, pack((&user, 1))))
}

fn red_packet_cases() -> Vec<Case> {
    let chunk = Chunk::whole(&[4, 3, 3]);
    let (first, second) = (chunk.part(1, 2).args(), chunk.part(3, 3).args());
    let claim = || Step::Call(Call::packets(&packets::CLAIM, claim_args(START, &["ann", "ann", "bob"])));
    let meta = ("state", "open", "total_cents", "10", "expires_at", END);
    let resume = ((TOKEN, START, 2, 1, "5-3", 17, "5-4", 0, 3), meta, ("won", 1));
    let recovered = || vec![Step::Call(recover_packets(0))];
    vec![
        Case::new(vec![], Call::packets(&packets::OPEN, first.clone())),
        Case::new(vec![Step::Call(Call::packets(&packets::OPEN, first))], Call::packets(&packets::OPEN, second)),
        Case::new(vec![open_packets()], Call::packets(&packets::CLAIM, claim_args(START, &["ann", "ann", "bob"]))),
        Case::new(vec![open_packets(), claim()], Call::packets(&packets::REFUND, (UNSEEN, END))),
        Case::new(vec![open_packets(), claim()], Call::packets(&packets::CLOSE, (UNSEEN, START))),
        Case::new(vec![open_packets(), claim(), suspended(packets::KIND)], recover_packets(0)).replacing(&[1, 2, 4, 5]),
        // It neither reads nor writes counts and events.
        Case::new(recovered(), recover_packets(1)).replacing(&[4, 5]),
        Case::new(recovered(), Call::packets(&packets::RESUME, resume)),
    ]
}

fn ticket_cases() -> Vec<Case> {
    let paid = || {
        let pay = Call::tickets(&PAY, (UNSEEN, START, categories(), "o-ann", "p-ann"));
        [held(), vec![Step::Call(pay)]].concat_steps()
    };
    let [seats, layout, free] = of_hall();
    let resume = (
        (TOKEN, START, 1, 1, "5-3", 17, "5-4", 0),
        (seats, layout, free),
        (
            pack(("state", "open", "limit", "4", "hold_ms", "60000")),
            pack(("free:1", 7, "held:1", 1)),
            pack(("held", 1)),
        ),
    );
    let both = (UNSEEN, START, categories(), "o-ann", "o-bob");
    // A payment, and another of the same order, which is refunded.
    let payments = (UNSEEN, START, categories(), "o-ann", "p-1", "o-ann", "p-2", "o-bob", "p-3", "o-bob", "p-3");
    let damaged = command(&["HSET", &tickets::key("s", "orders"), "o-bob", "?"]);
    vec![
        Case::new(vec![], open_tickets()).replacing(&[2, 3, 4]),
        Case::new(vec![Step::Call(open_tickets())], reserve()),
        Case::new(held(), Call::tickets(&PAY, payments)),
        Case::new(paid(), Call::tickets(&CANCEL, both)),
        Case::new(
            [held(), vec![damaged]].concat_steps(),
            Call::tickets(&EXPIRE, (UNSEEN, START + 60_000, categories(), 64)),
        ),
        Case::new(held(), Call::tickets(&tickets::CLOSE, (UNSEEN, START))),
        Case::new([held(), vec![suspended(tickets::KIND)]].concat_steps(), recover_tickets(0))
            .replacing(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        // It neither reads nor writes the hall, the counts and the events.
        Case::new(vec![Step::Call(recover_tickets(0))], recover_tickets(1)).replacing(&[2, 3, 4, 5, 11, 12]),
        Case::new(vec![Step::Call(recover_tickets(0))], Call::tickets(&tickets::RESUME, resume)).replacing(&[2, 3, 4]),
    ]
}

/// The scripts that know no kind, and those of the ledger.
fn other_cases() -> Vec<Case> {
    let name = keys::name(packets::KIND, "s");
    let close = || Step::Call(Call::packets(&packets::CLOSE, (UNSEEN, START)));
    let marked = command(&["XGROUP", "CREATE", &packets::key("s", "events"), "ledger", "0"]);
    let last = "9999999999999-1";
    let add = command(&["XADD", &packets::key("s", "events"), last, "type", "closed"]);
    let of_no_sale = |script, keys: &[&str], args: Vec<Vec<u8>>| {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        Call { script, keys, args }
    };
    let listed = vec![
        command(&["ZADD", keys::SALES, "1", &name]),
        command(&["HSET", keys::AUDITS, &name, "{}"]),
        command(&["ZADD", keys::CLOSED, "1", &name]),
    ];
    let seal_keys = ["meta", "events", "crowd_lock", "pending"].map(|part| packets::key("s", part));
    let all = [keys::SALES, keys::AUDITS, keys::CLOSED, keys::UNLISTED];
    let lease = |for_ms: u32| of_no_sale(&LEASE, &[keys::WRITER], ("me", for_ms).to_redis_args());
    vec![
        Case::new(
            vec![open_packets(), close(), add],
            of_no_sale(&SEAL, &seal_keys.each_ref().map(String::as_str), last.to_redis_args()),
        ),
        Case::new(vec![], of_no_sale(&SCHEDULE, &[keys::CLOSED], (&name, START, "").to_redis_args())),
        Case::new(listed, of_no_sale(&UNLIST, &all, name.to_redis_args())),
        Case::new(vec![open_packets()], Call::packets(&ACK_AND_TRIM, (last, 1, last))),
        Case::new(vec![open_packets(), marked], Call::packets(&ACK_AND_TRIM, (last, 1, last))),
        Case::new(vec![], of_no_sale(&CLAIM_STREAMS, &[keys::LEDGER], ("mine", 0).to_redis_args())),
        Case::new(vec![], of_no_sale(&CLAIM_FORMAT, &[keys::FORMAT], 1.to_redis_args())),
        Case::new(vec![], of_no_sale(&KEEP, &["crowd:run"], ("{}", 9).to_redis_args())),
        Case::new(
            vec![command(&["SET", &packets::key("s", "crowd_lock"), "run"])],
            Call::packets(&PUBLISH, ("run", "{}", 9)),
        ),
        Case::new(vec![], lease(100_000)),
        Case::new(vec![command(&["SET", keys::WRITER, "me"])], lease(0)),
        Case::new(vec![open_packets()], Call::packets(&SUSPEND, last)),
    ]
}

/// `[Vec<Step>].concat()`, without copies.
trait Concat {
    fn concat_steps(self) -> Vec<Step>;
}

impl<const N: usize> Concat for [Vec<Step>; N] {
    fn concat_steps(self) -> Vec<Step> {
        self.into_iter().flatten().collect()
    }
}

fn cases() -> Vec<Case> {
    red_packet_cases().into_iter().chain(ticket_cases()).chain(other_cases()).collect()
}

#[test]
fn every_script_that_writes_has_a_case() {
    let tried: BTreeSet<&str> = cases().iter().map(|case| case.call.script.name).collect();
    let writing = readme::scripts().into_iter().filter(|(name, _)| {
        let script = stampede::server::scripts().into_iter().find(|script| script.name == name).expect("a script");
        !script.source.starts_with("#!lua flags=no-writes")
    });
    let writing: BTreeSet<String> = writing.map(|(name, _)| name).collect();
    assert_eq!(tried, writing.iter().map(String::as_str).collect());
}

#[tokio::test]
async fn a_key_of_another_type_keeps_a_script_from_all_of_its_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for case in cases() {
        let name = case.call.script.name;
        case.prepare(&redis).await;
        let before = stored(&redis).await;
        case.call.run(&redis).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = stored(&redis).await;
        assert_ne!(before, done, "{name} writes");

        let types = types(case.call.script);
        assert_eq!(types.len(), case.call.keys.len(), "{name}");
        let mut replaced = Vec::new();
        for (number, (key, right)) in (1..).zip(case.call.keys.iter().zip(types)) {
            case.prepare(&redis).await;
            redis.run::<i64>("DEL", key).await;
            match right.as_str() {
                "STRING" => _ = redis.run::<i64>("RPUSH", (key, "of another type")).await,
                _ => _ = redis.run::<String>("SET", (key, "of another type")).await,
            }
            let before = stored(&redis).await;
            let answer = case.call.run(&redis).await;
            let after = stored(&redis).await;
            if after == before {
                continue;
            }
            assert!(answer.is_ok(), "{name}: {key} of another type, and half is done: {answer:?}");
            let beside = |stored: &Stored| -> BTreeSet<String> {
                let others = stored.contents.keys().filter(|other| *other != key);
                others.filter(|other| after.contents.get(*other) != done.contents.get(*other)).cloned().collect()
            };
            assert_eq!((beside(&after), beside(&done)), Default::default(), "{name}: {key} of another type");
            replaced.push(number);
        }
        assert_eq!(replaced, case.replaces, "{name}");
    }
}

#[tokio::test]
async fn a_user_without_one_command_is_kept_from_all_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    redis.run::<String>("ACL", ("SETUSER", LIMITED, "on", format!(">{LIMITED}"), "~*", "+@all")).await;
    let limited = Raw::at(&format!("{}?user={LIMITED}&pass={LIMITED}", server.url())).await;
    let allow = async |sign: &str, command: &str| {
        redis.run::<String>("ACL", ("SETUSER", LIMITED, format!("{sign}{}", command.to_lowercase()))).await
    };
    for case in cases() {
        let name = case.call.script.name;
        case.prepare(&redis).await;
        case.call.run(&limited).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = stored(&redis).await.contents;
        let mut refused = BTreeSet::new();
        let commands: BTreeSet<String> = case.call.script.commands().collect();
        for command in commands {
            case.prepare(&redis).await;
            let before = stored(&redis).await;
            allow("-", &command).await;
            let answer = case.call.run(&limited).await;
            allow("+", &command).await;
            let after = stored(&redis).await;
            match answer {
                Ok(_) => assert_eq!(after.contents, done, "{name} without {command}"),
                Err(error) => {
                    assert_eq!(after, before, "{name} without {command} has done half: {error}");
                    refused.insert(command);
                }
            }
        }
        let unasked: Vec<String> = made_sure_of(case.call.script).difference(&refused).cloned().collect();
        assert_eq!(unasked, [""; 0], "{name} runs without these");
    }
}
