//! Every script that writes, in a state in which it does.

use crate::support::{
    redis::Raw,
    sale::{Chunk, END, START, claim_args},
};
use engine::{
    closing::{FINISH, SCHEDULE, SEAL},
    coupon::scripts as coupons,
    crowd::scripts::{KEEP, PUBLISH},
    recovery::BEGIN_RECOVERY,
    red_packet::scripts as packets,
    stock::scripts as stock,
    ticket::{
        scripts as tickets,
        scripts::{CANCEL, EXPIRE, PAY, RESERVE},
    },
};
use ledger::scripts::{ACK_AND_TRIM, CLAIM_STREAMS, LEASE, SUSPEND};
use model::ticket::{
    hall::{Hall, Layout, Section},
    index,
};
use redis::{RedisResult, ToRedisArgs, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use store::{fitness::CLAIM_FORMAT, keys, listing::UNLIST, script::Script};

/// What red packets and orders are called.
const TOKEN: &str = "t";

/// What a caller has seen of a sale, before the first reply to it.
const UNSEEN: &str = "";

/// A call of a script.
#[derive(Clone)]
pub struct Call {
    pub script: &'static Script,
    pub keys: Vec<String>,
    pub args: Vec<Vec<u8>>,
}

impl Call {
    fn packets(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(packets::KIND, "s"), args: args.to_redis_args() }
    }

    pub fn tickets(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(tickets::KIND, "s"), args: args.to_redis_args() }
    }

    fn coupons(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(coupons::KIND, "s"), args: args.to_redis_args() }
    }

    fn stock(script: &'static Script, args: impl ToRedisArgs) -> Self {
        Self { script, keys: script.keys(stock::KIND, "s"), args: args.to_redis_args() }
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

fn command(words: &[&str]) -> Step {
    Step::Command(words.iter().map(|word| (*word).to_owned()).collect())
}

/// A script in a state in which it writes.
pub struct Case {
    pub before: Vec<Step>,
    pub call: Call,
    /// The keys, by number from 1, whose type does not matter: it replaces or deletes what they hold, or reads them as lost.
    pub replaces: &'static [usize],
}

impl Case {
    pub fn new(before: Vec<Step>, call: Call) -> Self {
        Self { before, call, replaces: &[] }
    }

    fn replacing(self, replaces: &'static [usize]) -> Self {
        Self { replaces, ..self }
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

fn hall() -> Hall {
    let section = Section { id: "A".into(), category: "all".into(), rows: vec![4, 4], ..Section::default() };
    Hall::new(Layout { categories: vec!["all".into()], sections: vec![section] }).expect("a hall")
}

pub fn pack(value: impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(&value).expect("packed")
}

/// Seats, layout and index, as stored.
fn of_hall() -> [Vec<u8>; 3] {
    let hall = hall();
    let seats = vec![b'0'; 8];
    let free = index::free(&hall, &index::categories(&hall, &[500]), &seats);
    [seats, index::layout(&hall), free]
}

pub fn categories() -> Vec<u8> {
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

pub fn held() -> Vec<Step> {
    vec![Step::Call(open_tickets()), Step::Call(reserve())]
}

fn being_recovered(kind: &str) -> Step {
    command(&["HSET", &keys::sale(kind, "s", "meta"), "state", "suspended", "recovery", TOKEN, "next_chunk", "0"])
}

fn recover_packets(chunk: u32) -> Call {
    Call::packets(
        &packets::RECOVER,
        (TOKEN, chunk, 2, format!("{}:3", 2 * chunk + 2), "9:4", format!("u{chunk}"), "1:4"),
    )
}

fn recover_tickets(chunk: u32) -> Call {
    let (order, request, user) = (format!("o{chunk}"), format!("r{chunk}"), format!("u{chunk}"));
    let record = (&user, "held", 500, START + 60_000, [0, chunk], [""; 0], [""; 0], [0; 0]);
    let orders = pack([(order, request, record, [chunk])]);
    Call::tickets(&tickets::RECOVER, (TOKEN, chunk, orders, pack((&user, 1))))
}

fn red_packet_cases() -> Vec<Case> {
    let chunk = Chunk::whole(&[4, 3, 3]);
    let (first, second) = (chunk.part(1, 2).args(), chunk.part(3, 3).args());
    let claim = || Step::Call(Call::packets(&packets::CLAIM, claim_args(START, &["ann", "ann", "bob"])));
    let meta = ("state", "open", "total_cents", "10", "expires_at", END);
    let resume = ((TOKEN, START, 2, 1, "5-3", 17, "5-4", 0, 3), meta, ("won", 1));
    let recovered = || vec![being_recovered(packets::KIND), Step::Call(recover_packets(0))];
    vec![
        Case::new(vec![], Call::packets(&packets::OPEN, first.clone())),
        Case::new(vec![Step::Call(Call::packets(&packets::OPEN, first))], Call::packets(&packets::OPEN, second)),
        Case::new(vec![open_packets()], Call::packets(&packets::CLAIM, claim_args(START, &["ann", "ann", "bob"]))),
        Case::new(vec![open_packets(), claim()], Call::packets(&packets::REFUND, (UNSEEN, END))),
        Case::new(vec![open_packets(), claim()], Call::packets(&packets::CLOSE, (UNSEEN, START))),
        Case::new(vec![open_packets(), claim(), being_recovered(packets::KIND)], recover_packets(0))
            .replacing(&[1, 2, 4, 5]),
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
        Case::new([held(), vec![being_recovered(tickets::KIND)]].concat_steps(), recover_tickets(0))
            .replacing(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        // It neither reads nor writes the hall, the counts and the events.
        Case::new(vec![being_recovered(tickets::KIND), Step::Call(recover_tickets(0))], recover_tickets(1))
            .replacing(&[2, 3, 4, 5, 11, 12]),
        Case::new(
            vec![being_recovered(tickets::KIND), Step::Call(recover_tickets(0))],
            Call::tickets(&tickets::RESUME, resume),
        )
        .replacing(&[2, 3, 4]),
    ]
}

/// One gets two coupons, sends a request again, and is refused a third; another is refused for the sale.
fn coupon_cases() -> Vec<Case> {
    const DAY: i64 = 86_400_000;
    let table = pack([("total", "sale", "ever"), ("per_user", "user", "day")]);
    let opening = (START, "UTC", "key", 0, table, ("total", 2, "per_user", ""));
    let open = || Step::Call(Call::coupons(&coupons::OPEN, opening.clone()));
    // Reaching beyond the time of any Redis.
    let windows = pack(BTreeMap::from([("day", [START - DAY, START, START + DAY, 2 * START])]));
    let claim = || {
        let attempts = ["ann", "r1", "C1", "ann", "r2", "C2", "ann", "r1", "C1", "bob", "r3", "C3"];
        Call::coupons(&coupons::CLAIM, (UNSEEN, START, "UTC key", windows.clone(), 4, pack(attempts)))
    };
    let claimed = || vec![open(), Step::Call(claim())];
    let end = |script| Call::coupons(script, (UNSEEN, START, "C1", "e1", "C1", "e1", "C2", "e2", "C9", "e3"));
    let set = |request: &str, total: i64| Call::coupons(&coupons::SET_LIMITS, (UNSEEN, START, request, "total", total));
    let record = |user: &str| pack((user, "claimed", START, "", "", [""; 0]));
    let recover = |chunk: u32| {
        let (code, user) = (format!("C{chunk}"), format!("u{chunk}"));
        let count = (format!("user:{user}"), format!("{code} per_user=1"));
        Call::coupons(&coupons::RECOVER, (TOKEN, chunk, 1, code, record(&user), count))
    };
    let resume = ((TOKEN, START, 1, 1, "5-3", 17, "5-4", 0, 2), ("state", "open", "basis", "UTC key"), ("won", 1));
    vec![
        Case::new(vec![], Call::coupons(&coupons::OPEN, opening.clone())),
        Case::new(vec![open()], claim()),
        Case::new(claimed(), end(&coupons::REDEEM)),
        Case::new(claimed(), end(&coupons::GIVE_BACK)),
        Case::new([claimed(), vec![Step::Call(set("a", 3))]].concat_steps(), set("b", 5)),
        Case::new(claimed(), Call::coupons(&coupons::CLOSE, (UNSEEN, START))),
        Case::new([claimed(), vec![being_recovered(coupons::KIND)]].concat_steps(), recover(0))
            .replacing(&[2, 3, 4, 5]),
        // It neither reads nor writes counts of attempts and events.
        Case::new(vec![being_recovered(coupons::KIND), Step::Call(recover(0))], recover(1)).replacing(&[4, 5]),
        Case::new(
            vec![being_recovered(coupons::KIND), Step::Call(recover(0))],
            Call::coupons(&coupons::RESUME, resume),
        ),
    ]
}

/// Of ten, one gets six, so that few are left, sends it again, and is refused more.
fn stock_cases() -> Vec<Case> {
    let open = || Step::Call(Call::stock(&stock::OPEN, (START, 10, 300_000, 5)));
    let lock = || command(&["SET", &stock::key("s", "rebuild"), TOKEN]);
    let load = || Call::stock(&stock::LOAD, (UNSEEN, START, TOKEN, 0, "0-0", "server"));
    let cached = || vec![open(), lock(), Step::Call(load())];
    let deduct = || {
        let attempts = pack(("ann", "r1", 6, "ann", "r1", 6, "bob", "r2", 9));
        Call::stock(&stock::DEDUCT, (UNSEEN, START, 3, attempts))
    };
    let deducted = || [cached(), vec![Step::Call(deduct())]].concat_steps();
    let record = |user: &str| pack((user, 1, "deducted", 9));
    let recover =
        |chunk: u32| Call::stock(&stock::RECOVER, (TOKEN, chunk, format!("r{chunk}"), record(&format!("u{chunk}"))));
    let resume = ((TOKEN, START, 1, 0, "5-3", 17, "5-4", 0, 2), ("state", "open", "sum", 9), ("won", 1));
    vec![
        Case::new(vec![], Call::stock(&stock::OPEN, (START, 10, 300_000, ""))),
        Case::new(vec![open(), lock()], load()),
        Case::new(cached(), deduct()),
        Case::new(deducted(), Call::stock(&stock::GIVE_BACK, (UNSEEN, START, "r1", "r1", "r9"))),
        Case::new(cached(), Call::stock(&stock::ADJUST, (UNSEEN, START, "a", "corrected", 4, ""))),
        Case::new(cached(), Call::stock(&stock::CLOSE, (UNSEEN, START))),
        Case::new([deducted(), vec![being_recovered(stock::KIND)]].concat_steps(), recover(0)).replacing(&[2, 3, 4, 5]),
        // It neither reads nor writes the quantity, counts of attempts and events.
        Case::new(vec![being_recovered(stock::KIND), Step::Call(recover(0))], recover(1)).replacing(&[2, 4, 5]),
        Case::new(vec![being_recovered(stock::KIND), Step::Call(recover(0))], Call::stock(&stock::RESUME, resume)),
    ]
}

/// The scripts that know no kind, and those of the ledger.
fn other_cases() -> Vec<Case> {
    let name = keys::name(packets::KIND, "s");
    let close = || Step::Call(Call::packets(&packets::CLOSE, (UNSEEN, START)));
    let marked = command(&["XGROUP", "CREATE", &packets::key("s", "events"), "ledger", "0"]);
    let last = "9999999999999-1";
    let add = || command(&["XADD", &packets::key("s", "events"), last, "type", "closed"]);
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
            vec![open_packets(), close(), add()],
            of_no_sale(&SEAL, &seal_keys.each_ref().map(String::as_str), (UNSEEN, last).to_redis_args()),
        ),
        Case::new(vec![], of_no_sale(&SCHEDULE, &[keys::CLOSED], (&name, START, "").to_redis_args())),
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
        Case::new(listed, of_no_sale(&UNLIST, &all, name.to_redis_args())),
        Case::new(vec![open_packets(), add()], Call::packets(&ACK_AND_TRIM, (last, 1, last))),
        Case::new(vec![open_packets(), add(), marked], Call::packets(&ACK_AND_TRIM, (last, 1, last))),
        Case::new(
            vec![],
            of_no_sale(&CLAIM_STREAMS, &[keys::LEDGER, keys::REDIS], ("mine", "claim", "id").to_redis_args()),
        ),
        Case::new(vec![], of_no_sale(&CLAIM_FORMAT, &[keys::FORMAT], 1.to_redis_args())),
        Case::new(vec![], of_no_sale(&KEEP, &["crowd:run"], ("{}", 9).to_redis_args())),
        Case::new(
            vec![command(&["SET", &packets::key("s", "crowd_lock"), "run"])],
            Call::packets(&PUBLISH, ("run", "{}", 9)),
        ),
        Case::new(vec![], lease(100_000)),
        Case::new(vec![command(&["SET", keys::WRITER, "me"])], lease(0)),
        // Something else in the place of the stream is a loss, too.
        Case::new(vec![open_packets()], Call::packets(&SUSPEND, (last, 0))).replacing(&[2]),
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

pub fn cases() -> Vec<Case> {
    red_packet_cases()
        .into_iter()
        .chain(ticket_cases())
        .chain(coupon_cases())
        .chain(stock_cases())
        .chain(other_cases())
        .collect()
}
