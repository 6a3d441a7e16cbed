//! The scripts of coupons, alone: reply, stored state, event, repeat, wrong calls.

use crate::support::{
    redis::{Raw, TestRedis},
    sale::{START, map},
};
use engine::coupon::{
    history::claims,
    scripts::{CLAIM, CouponRecord, GIVE_BACK, KIND, OPEN, REDEEM, SET_LIMITS, SNAPSHOT, USER, VOID, key},
};
use model::coupon::CouponState;
use redis::{ToRedisArgs, Value, from_redis_value};
use serde::Serialize;
use std::collections::BTreeMap;
use store::{
    script::Script,
    stream::{Entry, event_type},
};

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
/// The limits that the program has.
const TABLE: [(&str, &str, &str); 3] =
    [("total", "sale", "ever"), ("per_user", "user", "ever"), ("per_user_per_day", "user", "day")];
/// The day of [`START`] in UTC.
const TODAY: i64 = START / DAY * DAY;

fn pack(value: impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(&value).expect("packed")
}

/// The windows around an instant.
fn windows(now: i64) -> Vec<u8> {
    let (today, hour) = (now / DAY * DAY, now / HOUR * HOUR);
    pack(BTreeMap::from([
        ("day", [today - DAY, today, today + DAY, today + 2 * DAY]),
        ("hour", [hour - HOUR, hour, hour + HOUR, hour + 2 * HOUR]),
    ]))
}

async fn call(redis: &Raw, script: &Script, args: impl ToRedisArgs) -> Vec<Value> {
    let reply = redis.script(script, &script.keys(KIND, "s"), &args.to_redis_args()).await.expect("a reply");
    from_redis_value(reply).expect("a list")
}

/// Opens the sale "s"; an empty limit is none.
async fn open(redis: &Raw, total: &str, per_user: &str, per_day: &str) -> i64 {
    let limits = ("total", total, "per_user", per_user, "per_user_per_day", per_day);
    let reply = call(redis, &OPEN, (START, "UTC", "key", 0, " ", pack(TABLE), "", "0 0", limits)).await;
    from_redis_value(reply[0].clone()).expect("a code")
}

fn pairs(reply: &[Value]) -> Vec<(i64, Vec<u8>)> {
    let pairs = reply[..reply.len() - 1].chunks_exact(2);
    pairs
        .map(|pair| {
            (from_redis_value(pair[0].clone()).expect("a code"), from_redis_value(pair[1].clone()).expect("a detail"))
        })
        .collect()
}

/// A batch: user, request id, code, …
async fn claim_at(redis: &Raw, now: i64, words: &[&str]) -> Vec<(i64, Vec<u8>)> {
    pairs(&call(redis, &CLAIM, ("", now, "UTC key", windows(now), words.len() / 3, pack(words))).await)
}

fn refusal(limit: &str, total: i64, per_user: i64, per_day: i64) -> (i64, Vec<u8>) {
    (1014, pack((limit, "total", total, "per_user", per_user, "per_user_per_day", per_day)))
}

fn text(code: i64, detail: &str) -> (i64, Vec<u8>) {
    (code, detail.as_bytes().to_vec())
}

async fn counts(redis: &Raw) -> BTreeMap<String, String> {
    redis.run("HGETALL", key("s", "counts")).await
}

async fn stats(redis: &Raw) -> BTreeMap<String, i64> {
    let mut stats: BTreeMap<String, String> = redis.run("HGETALL", key("s", "stats")).await;
    stats.retain(|name, _| !name.starts_with("minute:"));
    stats.into_iter().map(|(name, count)| (name, count.parse().expect("a count"))).collect()
}

/// The events of the sale: the type of each, and the words that it has packed.
async fn events(redis: &Raw) -> Vec<(String, Vec<String>)> {
    type Fields = Vec<(String, Vec<u8>)>;
    let entries: Vec<(String, Fields)> = redis.run("XRANGE", (key("s", "events"), "-", "+")).await;
    let event = |(_, fields): (String, Fields)| {
        let kind = String::from_utf8(fields[0].1.clone()).expect("a type");
        let packed = fields.iter().find(|(name, _)| name == "data").map(|(_, packed)| packed);
        (kind, packed.map_or_else(Vec::new, |packed| rmp_serde::from_slice(packed).expect("words")))
    };
    entries.into_iter().map(event).collect()
}

async fn record(redis: &Raw, code: &str) -> CouponRecord {
    let record: Vec<u8> = redis.run("HGET", (key("s", "coupons"), code)).await;
    rmp_serde::from_slice(&record).expect("a record")
}

#[tokio::test]
async fn a_claim_writes_code_counts_and_event_in_one_step() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(open(&redis, "10", "5", "2").await, 0);
    assert_eq!(claim_at(&redis, START, &["ann", "r1", "C1"]).await, [text(0, "C1")]);
    assert_eq!(claim_at(&redis, START, &["ann", "r2", "C2"]).await, [text(0, "C2")]);

    let today = format!("per_user_per_day@{TODAY}");
    assert_eq!(
        counts(&redis).await,
        BTreeMap::from([
            ("sale:".to_owned(), "C2 total=2".to_owned()),
            ("user:ann".to_owned(), format!("C2 per_user=2 {today}=2")),
        ])
    );
    let found = record(&redis, "C2").await;
    let expected = (found.user.as_str(), found.claimed_at, found.previous.as_str(), found.windows.as_str());
    assert_eq!(expected, ("ann", START, "C1", today.as_str()));
    assert_eq!((found.ended_at, found.ended_by, found.others), (None, None, vec![]));
    assert_eq!(stats(&redis).await, map(&[("calls", 2), ("won", 2)]));
    let minute = START / 60_000;
    let field = format!("minute:{}", minute % 60);
    assert_eq!(redis.run::<String>("HGET", (key("s", "stats"), field)).await, format!("{minute}=2"));
    let kinds: Vec<(String, Vec<String>)> = events(&redis).await;
    assert_eq!(kinds[0].0, "opened");
    assert_eq!(kinds[2], ("claimed".to_owned(), ["ann", "r2", "C2"].map(str::to_owned).to_vec()));
    assert_eq!(kinds.len(), 3);
}

#[tokio::test]
async fn attempts_of_a_batch_see_what_those_before_them_did() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "3", "2", "").await;
    let words = [
        ["ann", "r1", "C1"],
        ["ann", "r2", "C2"],
        ["ann", "r3", "C3"],
        // The same request once more, and one of another user.
        ["ann", "r1", "C1"],
        ["bob", "r1", "C1"],
        ["bob", "r4", "C4"],
        ["cid", "r5", "C5"],
    ]
    .concat();
    let reply = claim_at(&redis, START, &words).await;
    assert_eq!(
        reply,
        [
            text(0, "C1"),
            text(0, "C2"),
            refusal("per_user", 1, 0, -1),
            text(500, "C1 claimed"),
            text(1015, ""),
            text(0, "C4"),
            refusal("total", 0, 2, -1),
        ]
    );
    assert_eq!(
        stats(&redis).await,
        map(&[("calls", 1), ("won", 3), ("repeat", 1), ("refused:per_user", 1), ("refused:total", 1)])
    );
    // And in a batch of its own each gets the same answer.
    for (words, answer) in words.chunks(3).zip(reply) {
        let (code, detail) = match answer {
            (0, code) => (500, [&code[..], b" claimed"].concat()),
            other => other,
        };
        let again = claim_at(&redis, START, words).await;
        // By now the sale has none left.
        let answer =
            if code == 1014 { refusal("total", 0, if words[0] == "ann" { 0 } else { 2 }, -1) } else { (code, detail) };
        assert_eq!(again, [answer], "{words:?}");
    }
}

#[tokio::test]
async fn a_batch_holds_256_attempts_and_no_other_numbers() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "", "", "").await;
    let words: Vec<String> =
        (0..256).flat_map(|nth| [format!("u{nth}"), format!("r{nth}"), format!("C{nth}")]).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert!(claim_at(&redis, START, &words).await.iter().all(|(code, _)| *code == 0));
    let keys = CLAIM.keys(KIND, "s");
    let before = counts(&redis).await;
    for (keys, n, words) in [(&keys[..5], 1, 3), (&keys[..], 0, 0), (&keys[..], 2, 3), (&keys[..], 1, 2)] {
        let args = ("", START, "UTC key", windows(START), n, pack(vec!["x"; words])).to_redis_args();
        redis.script(&CLAIM, keys, &args).await.expect_err("wrong numbers");
    }
    assert_eq!(counts(&redis).await, before);
}

/// A sale with a fourth limit, of which no script has heard: for each city and hour. `coupon/limits.rs` has its row in a
/// test; `coupon/replay.rs` replays the events of such a sale.
async fn open_with_cities(redis: &Raw, total: &str, per_hour: &str) {
    let table = [TABLE.to_vec(), vec![("per_city_per_hour", "city", "hour")]].concat();
    let limits = ("total", total, "per_user", "", "per_user_per_day", "", "per_city_per_hour", per_hour);
    let reply = call(redis, &OPEN, (START, "UTC", "key", 0, " ", pack(table), "", "0 0", limits)).await;
    assert_eq!(reply[0], Value::Int(0));
}

/// A batch: user, city, …; request and code follow from the user.
async fn claim_in(redis: &Raw, now: i64, attempts: &[(&str, &str)]) -> Vec<(i64, Vec<u8>)> {
    let words: Vec<String> = attempts
        .iter()
        .flat_map(|(user, city)| [(*user).to_owned(), format!("r-{user}"), format!("C-{user}"), (*city).to_owned()])
        .collect();
    let args = ("", now, "UTC key", windows(now), attempts.len(), pack(words), "city");
    pairs(&call(redis, &CLAIM, args).await)
}

#[tokio::test]
async fn a_fourth_limit_is_an_entry_in_the_table_of_the_sale() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open_with_cities(&redis, "100", "2").await;
    assert_eq!(claim_in(&redis, START, &[("ann", "Xi'an")]).await, [text(0, "C-ann")]);
    // In batches of three and four, too, each attempt sees what those before it did.
    let flat = |total: i64| {
        let words =
            ("per_city_per_hour", "total", total, "per_user", -1, "per_user_per_day", -1, "per_city_per_hour", 0);
        (1014, pack(words))
    };
    let three = [("bob", "Xi'an"), ("cid", "Xi'an"), ("dan", "Wuhan")];
    assert_eq!(claim_in(&redis, START, &three).await, [text(0, "C-bob"), flat(98), text(0, "C-dan")]);
    let four = [("eve", "Wuhan"), ("fay", "Wuhan"), ("ann", "Xi'an"), ("gus", "Lijiang")];
    let answers = [text(0, "C-eve"), flat(96), text(500, "C-ann claimed"), text(0, "C-gus")];
    assert_eq!(claim_in(&redis, START, &four).await, answers);
    let hour = START / HOUR * HOUR;
    assert_eq!(counts(&redis).await["city:Xi'an"], format!("C-bob per_city_per_hour@{hour}=2"));
    // What is given back frees its place there, too.
    assert_eq!(call(&redis, &GIVE_BACK, ("", START, "C-ann", "back", "")).await[0], Value::Int(0));
    assert_eq!(counts(&redis).await["city:Xi'an"], format!("C-bob per_city_per_hour@{hour}=1"));
    assert_eq!(claim_in(&redis, START, &[("cid", "Xi'an")]).await, [text(0, "C-cid")]);
    // It is changed like the others, and its hour ends.
    let reply = call(&redis, &SET_LIMITS, ("", START, "edit", "per_city_per_hour", 3)).await;
    assert_eq!(reply[0], Value::Int(0));
    assert_eq!(claim_in(&redis, START, &[("hal", "Xi'an")]).await, [text(0, "C-hal")]);
    assert_eq!(claim_in(&redis, START, &[("ida", "Xi'an")]).await[0].0, 1014);
    assert_eq!(claim_in(&redis, START + HOUR, &[("ida", "Xi'an")]).await, [text(0, "C-ida")]);
    // What a user has left is told with and without a city.
    let windows = windows(START + HOUR);
    let left = async |city: &[&str]| {
        let reply = call(&redis, &USER, (START + HOUR, "UTC key", &windows, "ann", 10, city)).await;
        from_redis_value::<Vec<u8>>(reply[1].clone()).expect("a list")
    };
    let three = ("total", 93, "per_user", -1, "per_user_per_day", -1);
    assert_eq!(left(&[]).await, pack(three));
    assert_eq!(
        left(&["city", "Xi'an"]).await,
        pack(("total", 93, "per_user", -1, "per_user_per_day", -1, "per_city_per_hour", 2))
    );
    // The winners in the events are those who won, with as many words as each attempt has.
    let mut won = Vec::new();
    let stored: Vec<Entry> = redis.run("XRANGE", (key("s", "events"), "-", "+")).await;
    for entry in stored.iter().filter(|entry| event_type(entry).is_ok_and(|kind| kind == b"claimed")) {
        won.extend(claims(entry).expect("claims").into_iter().map(|claim| (claim.user, claim.code, claim.further)));
    }
    let users: Vec<&str> = won.iter().map(|(user, ..)| user.as_str()).collect();
    assert_eq!(users, ["ann", "bob", "dan", "eve", "gus", "cid", "hal", "ida"]);
    assert!(won.iter().all(|(user, code, further)| *code == format!("C-{user}") && further.len() == 1));
    assert_eq!(won[2].2, ["Wuhan"]);
}

/// No limit counts for the sale.
#[tokio::test]
async fn what_is_given_back_counts_less_only_where_something_counts() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let args = (START, "UTC", "key", 0, " ", pack([("per_user", "user", "ever")]), "", "0 0", ("per_user", 1));
    assert_eq!(call(&redis, &OPEN, args).await[0], Value::Int(0));
    assert_eq!(claim_at(&redis, START, &["ann", "r1", "C1"]).await, [text(0, "C1")]);
    assert_eq!(claim_at(&redis, START, &["ann", "r2", "C2"]).await[0].0, 1014);
    assert_eq!(call(&redis, &GIVE_BACK, ("", START, "C1", "back", "")).await[0], Value::Int(0));
    assert_eq!(counts(&redis).await, map(&[("user:ann", "C1 per_user=0".to_owned())]));
    assert_eq!(claim_at(&redis, START, &["ann", "r2", "C2"]).await, [text(0, "C2")]);
}

#[tokio::test]
async fn whoever_does_not_know_a_limit_of_the_sale_is_refused_and_erases_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open_with_cities(&redis, "", "2").await;
    claim_in(&redis, START, &[("ann", "Xi'an")]).await;
    let before = counts(&redis).await;
    // No city comes with the attempt.
    assert_eq!(claim_at(&redis, START, &["bob", "r1", "C1"]).await, [text(1026, "")]);
    // No hours come with it.
    let days = pack(BTreeMap::from([("day", [TODAY - DAY, TODAY, TODAY + DAY, TODAY + 2 * DAY])]));
    let attempt = pack(["bob", "r1", "C1", "Xi'an"]);
    let args = ("", START, "UTC key", &days, 1, attempt, "city");
    assert_eq!(pairs(&call(&redis, &CLAIM, args).await), [text(1026, "")]);
    assert_eq!(call(&redis, &USER, (START, "UTC key", days, "ann", 10)).await[0], Value::Int(1026));
    assert_eq!(counts(&redis).await, before);
}

/// Who brings more than the sale has limits for claims by those that it has.
#[tokio::test]
async fn a_sale_keeps_the_limits_with_which_it_was_opened() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "3", "2", "1").await;
    assert_eq!(claim_in(&redis, START, &[("ann", "Xi'an")]).await, [text(0, "C-ann")]);
    let again = claim_at(&redis, START, &["ann", "again", "C9"]).await;
    assert_eq!(again, [refusal("per_user_per_day", 2, 1, 0)]);
    let fields: Vec<String> = counts(&redis).await.into_keys().collect();
    assert_eq!(fields, ["sale:", "user:ann"]);
    let reply = call(&redis, &SET_LIMITS, ("", START, "edit", "per_city_per_hour", 3)).await;
    assert_eq!(
        (&reply[0], from_redis_value::<String>(reply[1].clone())),
        (&Value::Int(1030), Ok("per_city_per_hour".to_owned()))
    );
    let lifted = call(&redis, &SET_LIMITS, ("", START, "edit", "per_city_per_hour", "")).await;
    assert_eq!(lifted[0], Value::Int(500));
}

#[tokio::test]
async fn a_window_that_has_begun_is_not_left_again() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "", "", "1").await;
    let midnight = TODAY + DAY;
    assert_eq!(claim_at(&redis, midnight - 1, &["ann", "r1", "C1"]).await, [text(0, "C1")]);
    assert_eq!(claim_at(&redis, midnight, &["ann", "r2", "C2"]).await, [text(0, "C2")]);
    // The clock goes back over midnight: what comes counts to the later day.
    assert_eq!(claim_at(&redis, midnight - 1, &["ann", "r3", "C3"]).await, [refusal("per_user_per_day", -1, -1, 0)]);
    assert_eq!(claim_at(&redis, midnight - 1, &["bob", "r4", "C4"]).await, [text(0, "C4")]);
    assert_eq!(claim_at(&redis, midnight, &["bob", "r5", "C5"]).await, [refusal("per_user_per_day", -1, -1, 0)]);
}

#[tokio::test]
async fn a_caller_whose_windows_do_not_reach_the_time_is_told_the_time() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "", "", "1").await;
    let before = redis.keys().await;
    for now in [TODAY - DAY - 1, TODAY + 2 * DAY] {
        let args = ("", now, "UTC key", windows(START), 1, pack(["ann", "r1", "C1"]));
        assert_eq!(pairs(&call(&redis, &CLAIM, args).await), [text(1030, &format!("{now} UTC key"))]);
    }
    assert_eq!(redis.keys().await, before);
    assert_eq!(claim_at(&redis, START, &["ann", "r1", "C1"]).await, [text(0, "C1")]);
}

#[tokio::test]
async fn a_caller_that_assumes_another_sales_terms_is_told_the_right_ones() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "", "", "").await;
    for basis in ["", "Asia/Shanghai key", "UTC other"] {
        let told = format!("{START} UTC key");
        let args = ("", START, basis, windows(START), 2, pack(["ann", "r1", "C1", "bob", "r2", "C2"]));
        assert_eq!(pairs(&call(&redis, &CLAIM, args).await), [text(1030, &told), text(1030, &told)]);
        let reply = call(&redis, &USER, (START, basis, windows(START), "ann", 10)).await;
        assert_eq!((&reply[0], from_redis_value::<String>(reply[1].clone())), (&Value::Int(1030), Ok(told)));
    }
    assert!(counts(&redis).await.is_empty());
}

#[tokio::test]
async fn a_coupon_ends_once_and_the_same_request_gets_the_same_answer() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "", "").await;
    claim_at(&redis, START, &["ann", "r1", "C1", "ann", "r2", "C2", "ann", "r3", "C3"]).await;
    let detail = |at: i64| pack(("ann", START, at));
    let words = ("C1", "e1", "C1", "e1", "C1", "e2", "C2", "e3", "C9", "e4");
    let reply = pairs(&call(&redis, &REDEEM, ("", START + 5, words)).await);
    let at = detail(START + 5);
    assert_eq!(reply, [(0, at.clone()), (500, at.clone()), (1028, at.clone()), (0, at.clone()), text(1027, "")]);
    // What was redeemed is not given back, and the other way round.
    let words = (("C1", "e1", ""), ("C3", "b1", "Ill"), ("C3", "b1", "Other"), ("C3", "b2", ""));
    let reply = pairs(&call(&redis, &GIVE_BACK, ("", START + 7, words)).await);
    let back = detail(START + 7);
    assert_eq!(reply, [(1028, at), (0, back.clone()), (500, back.clone()), (1029, back.clone())]);
    assert_eq!(pairs(&call(&redis, &REDEEM, ("", START + 9, "C3", "e5")).await), [(1029, back)]);
    assert_eq!(counts(&redis).await["sale:"], "C3 total=2", "one of three was given back");
    let stats = stats(&redis).await;
    assert_eq!((stats["redeemed"], stats["returned"], stats["ended_repeat"], stats["ended_refused"]), (2, 1, 2, 5));
    let events = events(&redis).await;
    assert_eq!(events[2].1, ["ann", "C1", "e1", "ann", "C2", "e3"]);
    assert_eq!(events[3].1, ["ann", "C3", "b1"]);
    assert_eq!(events.len(), 4, "what changed nothing has no event");
}

#[tokio::test]
async fn a_redemption_is_taken_back_once_and_its_request_does_not_redeem_again() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "", "").await;
    claim_at(&redis, START, &["ann", "r1", "C1", "ann", "r2", "C2"]).await;
    call(&redis, &REDEEM, ("", START + 1, "C1", "e1")).await;
    let detail = |at: i64| pack(("ann", START, at));
    // Of C1 once; C2 is not redeemed, and C9 was never claimed.
    let words = [["C1", "other"], ["C1", "e1"], ["C1", "e1"], ["C2", "e1"], ["C9", "e1"]];
    let words: Vec<&str> = words.into_iter().flat_map(|[code, request]| [code, request, ""]).collect();
    let reply = pairs(&call(&redis, &VOID, ("", START + 2, words)).await);
    let at = detail(START + 2);
    assert_eq!(reply, [text(1033, ""), (0, at.clone()), (500, at.clone()), text(1033, ""), text(1027, "")]);
    let found = record(&redis, "C1").await;
    assert_eq!((found.state, found.voided), (CouponState::Claimed, vec![("e1".to_owned(), START + 2)]));
    assert_eq!(counts(&redis).await["sale:"], "C2 total=2", "it has counted all the while");
    // Its request ends the coupon no more, another one does.
    let again = pairs(&call(&redis, &REDEEM, ("", START + 3, "C1", "e1", "C1", "e2")).await);
    assert_eq!(again, [(1060, at.clone()), (0, detail(START + 3))]);
    assert_eq!(pairs(&call(&redis, &VOID, ("", START + 4, "C1", "e1", "")).await), [(500, at.clone())]);
    assert_eq!(record(&redis, "C1").await.state, CouponState::Redeemed, "by the other one, which stays");
    assert_eq!(pairs(&call(&redis, &VOID, ("", START + 5, "C1", "e2", "")).await), [(0, detail(START + 5))]);
    let back = pairs(&call(&redis, &GIVE_BACK, ("", START + 6, ("C1", "e1", ""), ("C1", "b1", ""))).await);
    assert_eq!(back, [(1060, at), (0, detail(START + 6))]);
    assert_eq!(pairs(&call(&redis, &VOID, ("", START + 7, "C1", "b1", "")).await), [text(1033, "")]);
    let stats = stats(&redis).await;
    assert_eq!((stats["redeemed"], stats["returned"], stats["voided"]), (0, 1, 2));
    let events = events(&redis).await;
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["opened", "claimed", "redeemed", "voided", "redeemed", "voided", "returned"]);
    assert_eq!(events[3].1, ["ann", "C1", "e1"]);
}

#[tokio::test]
async fn a_hundred_redemptions_of_a_coupon_are_taken_back() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "", "").await;
    claim_at(&redis, START, &["ann", "r1", "C1"]).await;
    let void = async |request: &str| pairs(&call(&redis, &VOID, ("", START, "C1", request, "")).await)[0].0;
    for nth in 0..=100 {
        let request = format!("e{nth}");
        call(&redis, &REDEEM, ("", START, "C1", &request)).await;
        assert_eq!(void(&request).await, if nth < 100 { 0 } else { 1014 });
    }
    assert_eq!(void("e0").await, 500);
    assert_eq!(record(&redis, "C1").await.state, CouponState::Redeemed, "the last one stays");
}

#[tokio::test]
async fn a_coupon_is_redeemed_within_its_time() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let limits = ("total", "", "per_user", "", "per_user_per_day", "");
    let validity = format!("{} {}", START + 10, START + 20);
    let opening = |validity: &str| (START, "UTC", "key", 0, validity.to_owned(), pack(TABLE), "", "0 0", limits);
    assert_eq!(call(&redis, &OPEN, opening(&validity)).await[0], Value::Int(0));
    assert_eq!(call(&redis, &OPEN, opening(&validity)).await[0], Value::Int(500));
    assert_eq!(call(&redis, &OPEN, opening(" ")).await[0], Value::Int(1007), "other terms");
    claim_at(&redis, START, &["ann", "r1", "C1", "ann", "r2", "C2"]).await;
    let detail = |at: i64| pack(("ann", START, at));
    let redeem = async |at: i64, code: &str| pairs(&call(&redis, &REDEEM, ("", at, code, "e")).await).remove(0);
    assert_eq!(redeem(START + 9, "C1").await, (1061, detail(START + 10)));
    assert_eq!(redeem(START + 10, "C1").await, (0, detail(START + 10)));
    assert_eq!(redeem(START + 19, "C2").await, (0, detail(START + 19)));
    // Afterwards, a request gets its answer again, and a coupon is given back all the same.
    assert_eq!(redeem(START + 20, "C1").await, (500, detail(START + 10)));
    call(&redis, &VOID, ("", START + 20, "C2", "e", "")).await;
    assert_eq!(pairs(&call(&redis, &REDEEM, ("", START + 20, "C2", "f")).await), [(1062, detail(START + 20))]);
    assert_eq!(pairs(&call(&redis, &GIVE_BACK, ("", START + 21, "C2", "b", "")).await)[0].0, 0);
    // Of a sale that an older program has opened.
    redis.run::<i64>("HDEL", (key("s", "meta"), "validity")).await;
    claim_at(&redis, START, &["ann", "r3", "C3"]).await;
    assert_eq!(redeem(START + 99, "C3").await.0, 0);
}

#[tokio::test]
async fn a_total_of_0_stops_claims_until_it_is_raised() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "5", "").await;
    claim_at(&redis, START, &["ann", "r1", "C1"]).await;
    let set = async |request: &str, total: u64| call(&redis, &SET_LIMITS, ("", START, request, "total", total)).await;
    set("stop", 0).await;
    // Also who has none yet; a request that was answered is answered again.
    let reply = claim_at(&redis, START, &["ann", "r2", "C2", "bob", "r3", "C3", "ann", "r1", "C1"]).await;
    assert_eq!(reply, [refusal("total", 0, 4, -1), refusal("total", 0, 5, -1), text(500, "C1 claimed")]);
    set("go", 2).await;
    assert_eq!(claim_at(&redis, START, &["bob", "r3", "C3", "ann", "r2", "C2"]).await[0], text(0, "C3"));
}

/// What somebody has deleted is no limit that was lifted.
#[tokio::test]
async fn without_one_of_its_limits_nothing_is_claimed_until_it_is_set_again() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "", "1").await;
    redis.run::<i64>("HDEL", (key("s", "meta"), "limit:total")).await;
    let before = counts(&redis).await;
    let claim = async || {
        let attempt = pack(["ann", "r1", "C1"]);
        redis
            .script(&CLAIM, &CLAIM.keys(KIND, "s"), &("", START, "UTC key", windows(START), 1, attempt).to_redis_args())
            .await
    };
    let set = async |name: &str, most: &str| {
        redis.script(&SET_LIMITS, &SET_LIMITS.keys(KIND, "s"), &("", START, "edit", name, most).to_redis_args()).await
    };
    assert_eq!(claim().await.expect_err("no total").code(), Some("UNREADABLE"));
    assert_eq!(set("per_user", "3").await.expect_err("no total").code(), Some("UNREADABLE"));
    assert_eq!(counts(&redis).await, before);
    set("total", "10").await.expect("it is set");
    claim().await.expect("claimed");
}

#[tokio::test]
async fn limits_are_set_by_name_and_others_stay() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "10", "", "1").await;
    let set = async |request: &str, words: &[&str]| {
        let reply = call(&redis, &SET_LIMITS, ("", START, request, words)).await;
        let code: i64 = from_redis_value(reply[0].clone()).expect("a code");
        let packed: Vec<u8> = from_redis_value(reply[1].clone()).expect("a list");
        (code, rmp_serde::from_slice::<Vec<String>>(&packed).unwrap_or_default().join(" "))
    };
    let first = set("a", &["per_user", "3", "per_user_per_day", ""]).await;
    assert_eq!(first, (0, "total 10 per_user 3 per_user_per_day ".to_owned()));
    let same = set("b", &["total", "10", "per_user", "3"]).await;
    assert_eq!(same, (500, first.1.clone()));
    // A request gets its own answer, whatever was set since, and is good for nothing else.
    assert_eq!(set("c", &["per_user", "4"]).await.0, 0);
    assert_eq!(set("a", &["per_user", "3", "per_user_per_day", ""]).await, (500, first.1));
    assert_eq!(set("a", &["per_user", "5"]).await.0, 1024);
    assert_eq!(redis.run::<String>("HGET", (key("s", "meta"), "limit:per_user")).await, "4");
    let events = events(&redis).await;
    // One of each edit, also of the one that changed nothing.
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["opened", "limits", "limits", "limits"]);
    assert_eq!(events[1].1, ["a", "per_user", "3", "per_user_per_day", ""]);
    assert_eq!(events[2].1, ["b", "total", "10", "per_user", "3"]);
    // The newest 64 are known.
    for nth in 0..64 {
        assert_eq!(set(&format!("n{nth}"), &["total", &(20 + nth).to_string()]).await.0, 0);
    }
    assert_eq!(set("n0", &["total", "20"]).await.0, 500);
    assert_eq!(
        set("c", &["per_user", "4"]).await.0,
        500,
        "it is forgotten, and in force; from now on it is known again"
    );
    assert_eq!(set("a", &["per_user", "5"]).await.0, 0, "it is forgotten");
    // The sale was opened on other terms than it has now: those of then tell a repeat.
    assert_eq!(open(&redis, "10", "", "1").await, 500);
    assert_eq!(open(&redis, "10", "3", "").await, 1007);
}

/// An edit that changed nothing is known like any other: sent again, it does not undo what was set since.
#[tokio::test]
async fn an_edit_that_changed_nothing_is_remembered_too() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    open(&redis, "5", "", "").await;
    let set = async |request: &str, total: &str| {
        let reply = call(&redis, &SET_LIMITS, ("", START, request, "total", total)).await;
        let packed: Vec<u8> = from_redis_value(reply[1].clone()).expect("a list");
        let in_force = rmp_serde::from_slice::<Vec<String>>(&packed).unwrap_or_default();
        (from_redis_value::<i64>(reply[0].clone()).expect("a code"), in_force.get(1).cloned().unwrap_or_default())
    };
    let answered = |code: i64, total: &str| (code, total.to_owned());
    assert_eq!(set("e1", "5").await, answered(500, "5"));
    assert_eq!(set("e2", "3").await, answered(0, "3"));
    assert_eq!(set("e1", "5").await, answered(500, "5"), "its own answer");
    assert_eq!(set("e1", "4").await.0, 1024);
    assert_eq!(redis.run::<String>("HGET", (key("s", "meta"), "limit:total")).await, "3");
    assert_eq!(events(&redis).await.len(), 3, "of the opening and of both edits, so that a recovery has them");
    // It takes one of the 64 places.
    for nth in 0..63 {
        assert_eq!(set(&format!("n{nth}"), "3").await, answered(500, "3"));
    }
    assert_eq!(set("e1", "5").await, answered(0, "5"), "it is forgotten");
}

/// A live page gets a snapshot fifty times a second.
#[tokio::test]
async fn a_snapshot_has_the_fields_that_it_is_asked_for_and_no_others() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    assert_eq!(call(&redis, &SNAPSHOT, (32, 16, "basis")).await, [Value::Int(1005)]);
    open(&redis, "5", "", "").await;
    call(&redis, &SET_LIMITS, ("", START, "e1", "total", 4)).await;
    let reply = call(&redis, &SNAPSHOT, (32, 16, "basis", "limit:total", "nothing")).await;
    let meta: BTreeMap<String, String> = from_redis_value(reply[1].clone()).expect("fields");
    let expected = [("basis", "UTC key"), ("limit:total", "4"), ("state", "open")];
    assert_eq!(meta, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
}
