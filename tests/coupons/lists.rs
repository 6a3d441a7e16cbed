//! Lists: own codes, each given once, and users who alone may claim.

use super::{claim, coupons, give_back, limits, redeem, terms, void, won};
use crate::support::{
    app::TestApp,
    ledger::sqlite,
    redis::{Raw, TestRedis},
};
use engine::{
    coupon::{
        scripts::{PARTS, key},
        service::Coupons,
    },
    kind::KindService,
};
use ledger::kind::DeadLetters;
use model::{
    SaleState, Verdict,
    coupon::{ByLimit, CouponState, End, LISTED_AT_A_TIME, LimitName, List, Lists, Outcome, Part, State, Terms},
    error::Code,
    snapshot::SaleSnapshot,
};
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet};

const CODES: [&str; 4] = ["Summer-1", "SUMMER2", "7K3M9Q2X4T81", "SUMMER4"];
const USERS: [&str; 3] = ["ann", "bob", "小梅"];

fn part(list: List, first: u64, entries: &[&str]) -> Part {
    Part { list, first, entries: entries.iter().map(|entry| (*entry).to_owned()).collect() }
}

async fn upload(sales: &Coupons, list: List, first: u64, entries: &[&str]) -> Result<Lists, Code> {
    sales.upload("s", part(list, first, entries)).await.map(|done| done.lists).map_err(|error| error.code)
}

/// A sale with four own codes, for three users.
async fn with_lists(given_back_counts: bool) -> (TestRedis, Raw, TestApp, Coupons) {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = coupons(&app);
    sales.open(Terms { lists: Lists::of(4, 3), given_back_counts, ..terms(limits(0, 0, 0)) }).await.expect("a sale");
    upload(&sales, List::Codes, 1, &CODES).await.expect("uploaded");
    upload(&sales, List::Users, 1, &USERS).await.expect("uploaded");
    (redis, raw, app, sales)
}

async fn pending(redis: &Raw) -> Vec<String> {
    redis.run("LRANGE", (key("s", "pending"), 0, -1)).await
}

async fn holds(sales: &Coupons) {
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn a_sale_accepts_claims_once_its_lists_are_there() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = coupons(&app);
    let opened = Terms { lists: Lists::of(4, 1), ..terms(limits(0, 0, 0)) };
    assert!(!sales.open(opened.clone()).await.expect("a sale").existed);
    let early = async || sales.claim("s", "ann".to_owned(), Some("r".to_owned())).await.map_err(|error| error.code);
    assert_eq!(early().await, Err(Code::SaleOpening));
    assert_eq!(upload(&sales, List::Codes, 1, &CODES[..3]).await.map(|lists| lists.missing()), Ok(2));
    // Opening it again changes nothing of what is there; other lists are other terms.
    assert!(sales.open(opened.clone()).await.expect("a repeat").existed);
    let other = Terms { lists: Lists::of(5, 1), ..opened };
    assert_eq!(sales.open(other).await.map_err(|error| error.code), Err(Code::SaleExists));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").state, State::Opening);
    assert_eq!(sales.summaries(&["s".to_owned()]).await.expect("summaries")[0].state, SaleState::Opening);
    holds(&sales).await;
    assert_eq!(upload(&sales, List::Users, 1, &["ann"]).await.map(|lists| lists.missing()), Ok(1));
    assert_eq!(early().await, Err(Code::SaleOpening));
    assert_eq!(upload(&sales, List::Codes, 4, &CODES[3..]).await.map(|lists| lists.is_whole()), Ok(true));
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.left(), snapshot.codes_left()), (State::Open, Some(4), Some(4)));
    assert_eq!(early().await, Ok(Outcome::Won { code: CODES[0].to_owned() }));
    holds(&sales).await;
}

#[tokio::test]
async fn a_part_is_taken_once_and_in_its_place() {
    let redis = TestRedis::start().await;
    let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
    let sales = coupons(&app);
    sales.open(Terms { lists: Lists::of(4, 0), ..terms(limits(0, 0, 0)) }).await.expect("a sale");
    for existed in [false, true] {
        let uploaded = sales.upload("s", part(List::Codes, 1, &CODES[..2])).await.expect("uploaded");
        assert_eq!((uploaded.lists.codes_uploaded, uploaded.existed), (2, existed));
    }
    let before = pending(&raw).await;
    for (list, first, entries, code) in [
        (List::Codes, 1, &["SUMMER9"][..], Code::RequestReused),
        (List::Codes, 4, &["SUMMER9"], Code::BadRequest),
        (List::Codes, 2, &["SUMMER2", "SUMMER9"], Code::BadRequest),
        // One of these is there, spelled in another way.
        (List::Codes, 3, &["SUMMER9", "SUMMER-1"], Code::BadRequest),
        (List::Codes, 3, &["SUMMER7", "SUMMER8", "SUMMER9"], Code::BadRequest),
        (List::Users, 1, &["ann"], Code::BadRequest),
    ] {
        assert_eq!(upload(&sales, list, first, entries).await, Err(code), "{entries:?} from {first}");
    }
    assert_eq!(pending(&raw).await, before);
    assert_eq!(raw.run::<usize>("HLEN", key("s", "codes")).await, 2);
    let many: Vec<String> = (0..=LISTED_AT_A_TIME).map(|nth| format!("CODE{nth:05}")).collect();
    let many = Part { list: List::Codes, first: 1, entries: many };
    assert_eq!(sales.upload("s", many).await.map_err(|error| error.field), Err(Some("codes".to_owned())));
    sales.close("s").await.expect("closed");
    assert_eq!(upload(&sales, List::Codes, 3, &CODES[2..]).await, Err(Code::BadRequest));
    assert_eq!(upload(&sales, List::Codes, 1, &CODES[..2]).await.map(|lists| lists.codes_uploaded), Ok(2), "a repeat");
}

#[tokio::test]
async fn codes_are_given_in_their_order_and_read_as_people_type_them() {
    let (_redis, raw, _app, sales) = with_lists(false).await;
    let given = [won(&sales, "ann", "1").await, won(&sales, "bob", "2").await, won(&sales, "ann", "3").await];
    assert_eq!(given, CODES[..3]);
    let again = Outcome::Repeat { code: CODES[0].to_owned(), state: CouponState::Claimed };
    assert_eq!(claim(&sales, "ann", "1").await, again);
    assert_eq!(claim(&sales, "Ann", "4").await, Outcome::NotInvited, "names are compared exactly");
    for (typed, code) in [("summer 1", CODES[0]), ("7k3m-9q2x-4t8l", CODES[2])] {
        let End::Redeemed(coupon) = redeem(&sales, typed, "e").await else { panic!("{typed}") };
        assert_eq!((coupon.code.as_str(), coupon.user.as_str()), (code, "ann"));
    }
    assert!(matches!(redeem(&sales, CODES[3], "e").await, End::UnknownCode { .. }), "nobody has it");
    let held = sales.user("s", "ann".to_owned()).await.expect("a user");
    assert_eq!(held.left, ByLimit { total: Some(1), ..ByLimit::default() });
    assert_eq!(held.coupons.iter().map(|coupon| coupon.code.as_str()).collect::<Vec<_>>(), [CODES[2], CODES[0]]);
    assert_eq!(won(&sales, "小梅", "5").await, CODES[3]);
    let left = ByLimit { total: Some(0), ..ByLimit::default() };
    assert_eq!(claim(&sales, "bob", "6").await, Outcome::Refused { limit: LimitName::Total, left });
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.sale_state(), snapshot.codes_left()), (SaleState::SoldOut, Some(0)));
    assert_eq!((snapshot.outcomes.not_invited, snapshot.outcomes.refused.total), (1, 1));
    // What viewers see of a code does not let them use it.
    let shown: BTreeSet<String> = snapshot.latest.into_iter().map(|claim| claim.code_ends).collect();
    assert!(shown.iter().all(|end| end.len() <= 4), "{shown:?}");
    assert_eq!(pending(&raw).await, [""; 0]);
    holds(&sales).await;
}

#[tokio::test]
async fn a_code_that_comes_back_is_given_after_all_others_and_old_requests_do_not_touch_it() {
    let (_redis, raw, app, sales) = with_lists(false).await;
    let code = won(&sales, "ann", "1").await;
    redeem(&sales, &code, "till").await;
    void(&sales, &code, "till").await;
    give_back(&sales, &code, "back").await;
    assert_eq!(pending(&raw).await, ["SUMMER2", "7K3M-9Q2X-4T81 7K3M9Q2X4T81", "SUMMER4", "SUMMER1 Summer-1"]);
    for request in ["2", "3", "4"] {
        won(&sales, "bob", request).await;
    }
    assert_eq!(won(&sales, "小梅", "5").await, code);
    assert!(matches!(give_back(&sales, &code, "back").await, End::Repeat(coupon) if coupon.user == "ann"));
    assert!(matches!(redeem(&sales, &code, "till").await, End::AlreadyVoided(coupon) if coupon.user == "ann"));
    assert!(matches!(void(&sales, &code, "till").await, End::Repeat(coupon) if coupon.user == "ann"));
    let returned = Outcome::Repeat { code: code.clone(), state: CouponState::Returned };
    assert_eq!(claim(&sales, "ann", "1").await, returned);
    assert!(matches!(redeem(&sales, &code, "till-2").await, End::Redeemed(coupon) if coupon.user == "小梅"));
    holds(&sales).await;
    app.writer("one").catch_up().await.expect("the ledger");
    holds(&sales).await;
}

#[tokio::test]
async fn a_code_that_goes_on_counting_is_not_given_again() {
    let (_redis, raw, _app, sales) = with_lists(true).await;
    let code = won(&sales, "ann", "1").await;
    give_back(&sales, &code, "back").await;
    assert_eq!(pending(&raw).await.len(), 3);
    assert!(matches!(redeem(&sales, &code, "till").await, End::AlreadyReturned(_)));
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").codes_left(), Some(3));
    holds(&sales).await;
}

/// Everything of the sale, but for the record's generation, and streams.
async fn stored(redis: &Raw) -> BTreeMap<&'static str, BTreeMap<String, Vec<u8>>> {
    let mut stored = BTreeMap::new();
    for part in ["meta", "counts", "coupons", "codes", "invited"] {
        let mut fields: BTreeMap<String, Vec<u8>> = redis.run("HGETALL", key("s", part)).await;
        fields.retain(|name, _| name != "generation" && name != "recent");
        stored.insert(part, fields);
    }
    // MessagePack has several forms of the same number.
    stored.get_mut("coupons").expect("coupons").values_mut().for_each(|record| {
        let read: engine::coupon::scripts::CouponRecord = rmp_serde::from_slice(record).expect("a record");
        *record = format!("{read:?}").into_bytes();
    });
    stored
}

#[tokio::test]
async fn lists_come_back_from_the_ledger_whole_or_in_part() {
    for is_whole in [false, true] {
        let redis = TestRedis::start().await;
        let (raw, app) = (redis.raw().await, TestApp::on(&redis).await);
        let sales = coupons(&app);
        sales.open(Terms { lists: Lists::of(4, 3), ..terms(limits(0, 0, 0)) }).await.expect("a sale");
        upload(&sales, List::Codes, 1, &CODES).await.expect("uploaded");
        upload(&sales, List::Users, 1, &USERS[..2]).await.expect("uploaded");
        if is_whole {
            upload(&sales, List::Users, 3, &USERS[2..]).await.expect("uploaded");
            let code = won(&sales, "ann", "1").await;
            redeem(&sales, &code, "till").await;
            void(&sales, &code, "till").await;
            give_back(&sales, &code, "back").await;
            let code = won(&sales, "bob", "2").await;
            redeem(&sales, &code, "till").await;
        }
        app.writer("one").catch_up().await.expect("the ledger");
        let (before, waiting) = (stored(&raw).await, pending(&raw).await);
        raw.run::<i64>("DEL", PARTS.map(|part| key("s", part)).to_vec()).await;
        let recovered = sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
        assert_eq!((recovered.conflicts, recovered.waiting), (vec![], if is_whole { 3 } else { 4 }));
        assert_eq!((stored(&raw).await, pending(&raw).await), (before, waiting));
        holds(&sales).await;
        if !is_whole {
            assert_eq!(upload(&sales, List::Users, 3, &USERS[2..]).await.map(|lists| lists.is_whole()), Ok(true));
        }
        assert_eq!(won(&sales, "小梅", "3").await, if is_whole { CODES[2] } else { CODES[0] });
        assert_eq!(claim(&sales, "eve", "4").await, Outcome::NotInvited);
        holds(&sales).await;
    }
}

/// They are rows beside the history, which names the places only.
#[tokio::test]
async fn the_ledger_has_each_part() {
    let (redis, _raw, app, _sales) = with_lists(false).await;
    app.writer("one").catch_up().await.expect("the ledger");
    let mut ledger = sqlite(redis.folder()).await;
    let parts =
        sqlx::query("SELECT list, entries FROM lists ORDER BY event_ms, event_seq").fetch_all(&mut ledger).await;
    let parts: Vec<(String, String)> = parts.expect("parts").iter().map(|row| (row.get(0), row.get(1))).collect();
    let text = |entries: &[&str]| serde_json::to_string(entries).expect("JSON");
    assert_eq!(parts, [("codes".to_owned(), text(&CODES)), ("users".to_owned(), text(&USERS))]);
    let rows = sqlx::query("SELECT item FROM history WHERE outcome = 'listed' ORDER BY event_ms, event_seq");
    let rows = rows.fetch_all(&mut ledger).await.expect("rows");
    assert_eq!(rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>(), ["codes 1-4", "users 1-3"]);
}

/// A Redis that evicts deletes whole keys.
#[tokio::test]
async fn a_list_that_is_gone_suspends_the_sale() {
    for part in ["codes", "pending", "invited"] {
        let (_redis, raw, app, sales) = with_lists(false).await;
        won(&sales, "ann", "1").await;
        app.writer("one").catch_up().await.expect("the ledger");
        raw.run::<i64>("DEL", key("s", part)).await;
        let lost = sales.claim("s", "bob".to_owned(), Some("2".to_owned())).await.map_err(|error| error.code);
        assert_eq!(lost, Err(Code::SaleSuspended), "{part}");
        sales.recover("s", DeadLetters::Refuse).await.expect("recovered");
        assert_eq!(won(&sales, "bob", "2").await, CODES[1]);
        holds(&sales).await;
    }
}

#[tokio::test]
async fn the_audit_names_what_differs_from_the_lists() {
    let (_redis, raw, _app, sales) = with_lists(false).await;
    won(&sales, "ann", "1").await;
    let broken = async || {
        let audit = sales.audit("s").await.expect("an audit");
        let broken = audit.invariants.into_iter().filter(|invariant| !invariant.holds());
        broken.map(|invariant| (invariant.name, invariant.expected, invariant.found)).collect::<Vec<_>>()
    };
    let one = |name: &str, expected: i64, found: i64| (name.to_owned(), expected, found);
    assert_eq!(broken().await, []);
    // A code of nobody's list.
    raw.run::<i64>("RPUSH", (key("s", "pending"), "FORGED1")).await;
    assert_eq!(broken().await[..2], [one("lists", 0, 3), one("own_codes", 4, 5)]);
    raw.run::<String>("RPOP", key("s", "pending")).await;
    // Another order.
    raw.run::<String>("LMOVE", (key("s", "pending"), key("s", "pending"), "LEFT", "RIGHT")).await;
    assert_eq!(broken().await, [one("lists", 0, 3)]);
    raw.run::<String>("LMOVE", (key("s", "pending"), key("s", "pending"), "RIGHT", "LEFT")).await;
    // A code that somebody has is said to be nobody's, and one is missing.
    raw.run::<i64>("HSET", (key("s", "codes"), "SUMMER1", "")).await;
    raw.run::<i64>("HDEL", (key("s", "codes"), "SUMMER4")).await;
    assert_eq!(broken().await, [one("lists", 0, 2)]);
    raw.run::<i64>("HSET", (key("s", "codes"), "SUMMER4", "")).await;
    let id: Vec<String> = raw.run("HKEYS", key("s", "coupons")).await;
    raw.run::<i64>("HSET", (key("s", "codes"), "SUMMER1", &id[0])).await;
    // Somebody was added to the users.
    raw.run::<i64>("HSET", (key("s", "invited"), "eve", "")).await;
    assert_eq!(broken().await, [one("lists", 0, 1), one("invited", 3, 4)]);
    won(&sales, "eve", "2").await;
    assert_eq!(broken().await, [one("lists", 0, 1), one("invited", 3, 4), one("uninvited", 0, 1)]);
}

/// Thousands at a time, by many at once.
#[tokio::test]
async fn each_code_is_given_once_to_a_rush() {
    const LENGTH: usize = 3_000;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = coupons(&app);
    sales.open(Terms { lists: Lists::of(LENGTH as u64, 0), ..terms(limits(0, 0, 0)) }).await.expect("a sale");
    let codes: Vec<String> = (0..LENGTH).map(|nth| format!("RUSH{nth:05}")).collect();
    for (nth, entries) in codes.chunks(LISTED_AT_A_TIME).enumerate() {
        let first = (nth * LISTED_AT_A_TIME) as u64 + 1;
        sales.upload("s", Part { list: List::Codes, first, entries: entries.to_vec() }).await.expect("uploaded");
    }
    let claims = (0..LENGTH + 100).map(|nth| sales.claim("s", format!("u{nth}"), Some(format!("r{nth}"))));
    let answers = futures::future::join_all(claims).await;
    let won = answers.into_iter().filter_map(|answer| match answer.expect("an outcome") {
        Outcome::Won { code } => Some(code),
        Outcome::Refused { limit: LimitName::Total, .. } => None,
        other => panic!("{other:?}"),
    });
    let won: Vec<String> = won.collect();
    assert_eq!((won.len(), won.iter().collect::<BTreeSet<_>>().len()), (LENGTH, LENGTH));
    assert_eq!(won.into_iter().collect::<BTreeSet<_>>(), codes.into_iter().collect());
    holds(&sales).await;
}
