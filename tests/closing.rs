//! Closing a sale, and archiving a closed one.

use crate::support::{
    app::TestApp,
    eventually,
    kinds::samples,
    proxy::{FaultProxy, Hold},
    redis::{Raw, TestRedis},
    sale::{LIFE_S, START, terms},
};
use ledger::{
    apply::{Batch, Move, NewRow, Position},
    kind::{Change, DeadLetters},
    scripts::STREAM_POSITION,
};
use model::{
    Audit, SaleState, Verdict,
    closing::{Archived, Closed},
    error::Code,
    ledger::Search,
    life::{Plan, When},
    list::{ListQuery, SaleList},
    red_packet,
    ticket::{
        self, Outcome, Paid, Pick, SeatRequest,
        hall::{Layout, Section},
    },
};
use serde_json::json;
use std::{collections::BTreeMap, time::Duration};
use store::keys;

const WEEK: Duration = Duration::from_secs(7 * 86_400);

async fn open_packets(app: &TestApp, sale: &str) {
    app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
}

/// A row of five seats.
fn seats(sale: &str) -> ticket::Terms {
    let section = Section { id: "A".into(), category: "all".into(), rows: vec![5_u16.into()], ..Section::default() };
    ticket::Terms {
        sale: sale.to_owned(),
        hall: ticket::HallChoice::Layout(Layout {
            categories: vec!["all".into()],
            sections: vec![section],
            ..Layout::default()
        }),
        prices: BTreeMap::from([("all".to_owned(), 100)]),
        limit_per_user: 6,
        hold_s: 60,
        extendable: false,
        plan: model::life::Plan::default(),
    }
}

async fn open_seats(app: &TestApp, sale: &str) {
    app.tickets.open(seats(sale)).await.expect("a sale");
}

fn picked(count: u32) -> SeatRequest {
    SeatRequest {
        pick: vec![Pick { category: "all".into(), count, adjacent: true, strict: false }],
        ..SeatRequest::default()
    }
}

async fn catch_up(app: &TestApp) {
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    writer.give_up().await;
}

async fn outcomes(app: &TestApp, sale: &str) -> Vec<String> {
    let search = Search { sale: Some(sale.to_owned()), ..Search::default() };
    let mut rows = app.ledger.rows(&search, 1_000, None).await.expect("rows");
    rows.sort_by_key(|row| row.id);
    rows.into_iter().map(|row| row.outcome).collect()
}

/// The keys that are left of a sale.
async fn keys_of(raw: &Raw, sale: &str) -> Vec<String> {
    let keys: Vec<String> = raw.run("KEYS", "{*").await;
    keys.into_iter().filter(|key| key.contains(&format!(":{sale}}}"))).collect()
}

async fn listed(app: &TestApp, state: Option<SaleState>) -> Vec<(String, SaleState)> {
    let state = state.map(|state| state.name().to_owned());
    let list = app.lists.list(ListQuery { state, ..ListQuery::default() }).await.expect("a list");
    list.sales.into_iter().map(|sale| (sale.sale, sale.state)).collect()
}

#[tokio::test]
async fn a_closed_red_packet_refuses_newcomers_and_the_rest_goes_back_once() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.red_packet;
    open_packets(&app, "s").await;
    let won = sales.claim("s", "ann".into(), None).await.expect("an outcome");
    app.time.advance(1_000);
    assert_eq!(app.closing.close("red_packet", "s").await, Ok(Closed::Closed));
    app.time.advance(1_000);
    assert_eq!(app.closing.close("red_packet", "s").await, Ok(Closed::Repeat));
    let closed_at = START + 1_000;
    assert_eq!(sales.claim("s", "bob".into(), None).await, Ok(red_packet::Outcome::Closed { closed_at }));
    // Winners get the same answer as before.
    let red_packet::Outcome::Won { packet, cents } = won else { panic!("{won:?}") };
    assert_eq!(sales.claim("s", "ann".into(), None).await, Ok(red_packet::Outcome::Repeat { packet, cents }));
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.outcomes.closed, snapshot.pending), (red_packet::State::Closed, 1, 0));
    assert_eq!(snapshot.refunded_cents, 100 - cents);
    // Nothing is refunded twice, even once the sale would have expired.
    app.time.advance(LIFE_S * 1_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(0));
    assert_eq!(sales.refund("s").await, Ok(red_packet::Refund::Repeat { refunded_cents: 100 - cents }));
    catch_up(&app).await;
    assert_eq!(outcomes(&app, "s").await, ["opened", "won", "closed", "refunded"]);
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(listed(&app, Some(SaleState::Closed)).await, [("s".to_owned(), SaleState::Closed)]);
}

#[tokio::test]
async fn a_closed_ticket_sale_holds_no_more_seats_and_its_orders_end_as_before() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = &app.tickets;
    open_seats(&app, "s").await;
    let hold = async |user: &str| match sales.reserve("s", user.into(), Some(user.into()), picked(1)).await {
        Ok(Outcome::Held(order)) => order,
        other => panic!("{other:?}"),
    };
    let (ann, bob) = (hold("ann").await, hold("bob").await);
    assert_eq!(app.closing.close("ticket", "s").await, Ok(Closed::Closed));
    assert_eq!(app.closing.close("ticket", "s").await, Ok(Closed::Repeat));
    let refused = sales.reserve("s", "eve".into(), None, picked(1)).await;
    assert_eq!(refused, Ok(Outcome::Closed { closed_at: START }));
    let repeat = sales.reserve("s", "ann".into(), Some("ann".into()), picked(1)).await;
    assert_eq!(repeat, Ok(Outcome::Repeat(ann.clone())));
    assert!(matches!(sales.pay("s", ann.order, None).await, Ok(Paid::Paid(_))));

    // While an order is held, the sale is not archived.
    catch_up(&app).await;
    let error = app.closing.archive("ticket", "s").await.expect_err("an order is held");
    assert_eq!((error.code, error.code.status()), (Code::NotArchivable, 409));
    assert!(error.message.contains("still pending"), "{}", error.message);

    app.time.advance(60_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "the order of bob");
    assert!(matches!(sales.pay("s", bob.order, None).await, Ok(Paid::Refunded(_))));
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.outcomes.closed), (ticket::State::Closed, 1));
    catch_up(&app).await;
    assert_eq!(outcomes(&app, "s").await, ["opened", "held", "held", "closed", "paid", "expired", "late"]);
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(app.closing.archive("ticket", "s").await, Ok(Archived::Archived));
    let error = sales.snapshot("s").await.expect_err("archived");
    assert_eq!((error.code, error.code.status()), (Code::SaleArchived, 410));
}

#[tokio::test]
async fn an_archived_sale_leaves_redis_and_stays_in_the_ledger() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    open_packets(&app, "s").await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    let refused = async |why: &str| {
        let error = app.closing.archive("red_packet", "s").await.expect_err(why);
        assert_eq!(error.code, Code::NotArchivable, "{error:?}");
        assert!(error.message.contains(why), "{}", error.message);
    };
    // Also while the ledger is behind: closing comes first.
    refused("not closed").await;
    catch_up(&app).await;
    refused("not closed").await;
    app.closing.close("red_packet", "s").await.expect("closed");
    refused("does not have all of its events").await;
    catch_up(&app).await;
    app.ledger_service.audit("red_packet", "s").await.expect("an audit");
    assert_eq!(app.closing.archive("red_packet", "s").await, Ok(Archived::Archived));
    assert_eq!(app.closing.archive("red_packet", "s").await, Ok(Archived::Repeat));

    // That its id is taken is known for a while.
    let meta = engine::red_packet::scripts::key("s", "meta");
    assert_eq!(keys_of(&raw, "s").await, [meta.as_str()]);
    assert!((1..=3_600).contains(&raw.run::<i64>("TTL", &meta).await));
    assert_eq!(raw.run::<i64>("ZCARD", keys::SALES.one).await, 0);
    assert_eq!(raw.run::<i64>("ZCARD", keys::CLOSED.one).await, 0);
    assert_eq!(raw.run::<i64>("HLEN", keys::AUDITS.one).await, 0);
    assert_eq!(outcomes(&app, "s").await, ["opened", "won", "closed", "refunded"]);
    assert_eq!(listed(&app, None).await, []);
    let archived = app
        .lists
        .list(ListQuery { state: Some("archived".into()), id: Some("s".into()), ..ListQuery::default() })
        .await
        .expect("a list");
    let [sale] = archived.sales.as_slice() else { panic!("{archived:?}") };
    assert_eq!((sale.state, sale.total, sale.number("total_cents")), (SaleState::Archived, Some(5), 100));
    let named =
        |sale: &str| ListQuery { state: Some("archived".into()), sale: Some(sale.into()), ..ListQuery::default() };
    for (asked, found) in [("s", 1), ("s2", 0)] {
        assert_eq!(app.lists.list(named(asked)).await.expect("a list").sales.len(), found, "{asked}");
    }
    let nobody = app.lists.list(named("")).await.expect_err("no id");
    assert_eq!((nobody.code, nobody.field.as_deref()), (Code::BadRequest, Some("sale")));

    // Every request says that it is archived.
    let codes = [
        app.red_packet.snapshot("s").await.map(drop),
        app.red_packet.claim("s", "eve".into(), None).await.map(drop),
        app.red_packet.refund("s").await.map(drop),
        app.red_packet.audit("s").await.map(drop),
        app.red_packet.recover("s", DeadLetters::Refuse).await.map(drop),
        app.closing.close("red_packet", "s").await.map(drop),
    ];
    for answer in codes {
        assert_eq!(answer.expect_err("archived").code, Code::SaleArchived);
    }
    assert_eq!(app.red_packet.open(terms("s", 100, 5)).await.expect_err("taken").code, Code::SaleExists);
    // It is not lost: nothing suspends it, and neither board nor audit of all names it.
    app.ledger_service.suspend_lost().await.expect("nothing to suspend");
    assert_eq!(app.ledger_service.all().await, Ok(Vec::new()));
    let status = app.ledger_service.status(Some("s")).await.expect("a status").sales;
    assert_eq!((status[0].lost, status[0].archived), (false, true));
    assert_eq!(app.ledger_service.board(0).await.expect("a board").sales, []);
}

/// The request that opened it, sent again, is answered with the sale that it opened; so is a crowd that names no kind.
#[tokio::test]
async fn over_http_an_archived_sale_is_gone_for_every_request() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for mut sample in samples() {
        let kind = sample.kind;
        sample.terms["request_id"] = json!(format!("r-{kind}"));
        let open = async || server.post(&sample.path("open"), &sample.terms).await;
        let (status, opened) = open().await;
        assert_eq!(status, 200, "{opened}");
        let sale = opened["sale"].as_str().expect("an id");
        assert_eq!(open().await.1["sale"], sale, "the same sale");
        server.app.closing.close(kind, sale).await.expect("closed");
        catch_up(&server.app).await;
        server.app.closing.archive(kind, sale).await.expect("archived");
        let crowd =
            json!({ "sale": sale, "users": 1, "concurrency": 1, "repeat_rate": 0, "arrival": "burst", "kind": null });
        for (status, answer) in [open().await, server.post("/api/crowd/start", &crowd).await] {
            assert_eq!((status, &answer["error"]["code"]), (410, &json!("sale_archived")), "{answer}");
            assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains(sale)), "{answer}");
        }
    }
}

/// So is the request that opened a sale which Redis has lost: it chose no id, and can choose no other.
#[tokio::test]
async fn over_http_the_request_that_opened_a_lost_sale_is_told_so() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let server = TestApp::on(&redis).await.serve().await;
    for mut sample in samples() {
        sample.terms["request_id"] = json!("r");
        let open = async || server.post(&sample.path("open"), &sample.terms).await;
        let (status, opened) = open().await;
        assert_eq!(status, 200, "{opened}");
        catch_up(&server.app).await;
        let sale = opened["sale"].as_str().expect("an id");
        raw.run::<i64>("DEL", keys_of(&raw, sale).await).await;
        let (status, answer) = open().await;
        let error = &answer["error"];
        assert_eq!(
            (status, &error["code"], &error["field"]),
            (503, &json!("sale_lost"), &json!("request_id")),
            "{answer}"
        );
        assert!(error["message"].as_str().is_some_and(|message| message.contains("stampede recover")), "{answer}");
    }
}

#[tokio::test]
async fn an_expired_and_refunded_sale_may_be_archived_too() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    open_packets(&app, "s").await;
    app.time.advance(LIFE_S * 1_000);
    app.red_packet.refund("s").await.expect("refunded");
    assert_eq!(app.closing.close("red_packet", "s").await, Ok(Closed::Repeat));
    catch_up(&app).await;
    assert_eq!(app.closing.archive("red_packet", "s").await, Ok(Archived::Archived));
}

/// A crash may happen between sealing, marking and deleting; the next attempt continues.
#[tokio::test]
async fn a_half_done_archiving_is_finished() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    for sale in ["sealed", "marked", "deleted"] {
        open_packets(&app, sale).await;
        app.closing.close("red_packet", sale).await.expect("closed");
    }
    catch_up(&app).await;
    let name = |sale: &str| format!("red_packet:{sale}");
    for sale in ["sealed", "marked", "deleted"] {
        raw.run::<i64>("ZADD", (keys::CLOSED.one, 0, name(sale))).await;
        raw.run::<i64>("HSET", (engine::red_packet::scripts::key(sale, "meta"), "state", "archived")).await;
    }
    let list: SaleList = app.lists.list(ListQuery::default()).await.expect("a list");
    for sale in list.sales.iter().filter(|sale| sale.sale != "sealed") {
        let summary = serde_json::to_string(sale).expect("JSON");
        let known = app.ledger.sale("red_packet", &sale.sale).await.expect("the ledger").expect("a sale");
        assert_eq!(app.ledger.archive(&known, START, &summary).await, Ok(true));
    }
    for key in keys_of(&raw, "deleted").await {
        raw.run::<i64>("DEL", key).await;
    }
    // A sealed sale cannot change, and no writer treats it as lost.
    assert!(app.red_packet.claim("sealed", "ann".into(), None).await.is_err());
    catch_up(&app).await;
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(3));
    let left: Vec<String> = raw.run("KEYS", "{*").await;
    assert!(left.iter().all(|key| key.ends_with(":meta")), "nothing but what says that they are archived: {left:?}");
    assert_eq!(raw.run::<i64>("ZCARD", keys::SALES.one).await, 0);
    assert_eq!(listed(&app, Some(SaleState::Archived)).await.len(), 3);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(0));
}

#[tokio::test]
async fn closed_sales_are_archived_by_themselves_when_they_were_kept_long_enough() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for nth in 0..25 {
        open_packets(&app, &format!("s{nth}")).await;
        app.closing.close("red_packet", &format!("s{nth}")).await.expect("closed");
    }
    open_seats(&app, "held").await;
    app.tickets.reserve("held", "ann".into(), None, picked(1)).await.expect("an outcome");
    app.closing.close("ticket", "held").await.expect("closed");
    catch_up(&app).await;
    let millis = i64::try_from(WEEK.as_millis()).expect("a week");
    app.time.advance(millis - 1);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(0), "not a moment too early");
    app.time.advance(1);
    let first = app.closing.archive_due(WEEK).await.expect("some");
    assert!((1..=20).contains(&first), "a few at a time: {first}");
    let rest = app.closing.archive_due(WEEK).await.expect("the rest");
    assert_eq!(first + rest, 25, "what is pending stands in nobody's way");
    // Once its order has ended, it is archived too.
    app.ledger_service.sweep().await.expect("a sweep");
    catch_up(&app).await;
    app.time.advance(60_000);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(1));
    assert_eq!(listed(&app, None).await, []);
}

#[tokio::test]
async fn what_cannot_be_closed_says_why() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let close = async |kind: &str, sale: &str| {
        let (status, body) = server.post("/api/sales/close", &json!({ "kind": kind, "sale": sale })).await;
        (status, body["error"]["code"].as_str().unwrap_or_default().to_owned(), body["outcome"].clone())
    };
    assert_eq!(close("raffle", "s").await, (400, "bad_request".into(), json!(null)));
    assert_eq!(close("ticket", "nope").await, (404, "unknown_sale".into(), json!(null)));
    open_packets(&server.app, "s").await;
    let raw = redis.raw().await;
    let meta = engine::red_packet::scripts::key("s", "meta");
    raw.run::<i64>("HSET", (&meta, "state", "opening")).await;
    assert_eq!(close("red_packet", "s").await, (409, "sale_opening".into(), json!(null)));
    raw.run::<i64>("HSET", (&meta, "state", "suspended")).await;
    assert_eq!(close("red_packet", "s").await, (503, "sale_suspended".into(), json!(null)));
    raw.run::<i64>("HSET", (&meta, "state", "open")).await;
    assert_eq!(close("red_packet", "s").await, (200, String::new(), json!("closed")));
    assert_eq!(close("red_packet", "s").await, (200, String::new(), json!("repeat")));
    assert_eq!(raw.run::<Vec<String>>("ZRANGE", (keys::CLOSED.one, 0, -1)).await, ["red_packet:s"]);
    let (status, body) = server.post("/api/sales/archive", &json!({ "kind": "red_packet", "sale": "s" })).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("not_archivable")));
}

#[tokio::test]
async fn a_closed_sale_that_is_recovered_is_closed_again() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    open_packets(&app, "p").await;
    app.red_packet.claim("p", "ann".into(), None).await.expect("an outcome");
    app.closing.close("red_packet", "p").await.expect("closed");
    open_seats(&app, "t").await;
    app.tickets.reserve("t", "ann".into(), None, picked(2)).await.expect("an outcome");
    app.closing.close("ticket", "t").await.expect("closed");
    catch_up(&app).await;
    raw.run::<()>("FLUSHALL", "SYNC").await;
    app.red_packet.recover("p", DeadLetters::Refuse).await.expect("recovered");
    app.tickets.recover("t", DeadLetters::Refuse).await.expect("recovered");
    let closed = red_packet::Outcome::Closed { closed_at: START };
    assert_eq!(app.red_packet.claim("p", "bob".into(), None).await, Ok(closed));
    let refused = app.tickets.reserve("t", "bob".into(), None, picked(1)).await;
    assert_eq!(refused, Ok(Outcome::Closed { closed_at: START }));
    assert_eq!(app.red_packet.audit("p").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(app.tickets.audit("t").await.expect("an audit").verdict, Verdict::Holds);
    // They are archived automatically as before.
    let mut names: Vec<String> = raw.run("ZRANGE", (keys::CLOSED.one, 0, -1)).await;
    names.sort_unstable();
    assert_eq!(names, ["red_packet:p", "ticket:t"]);
}

/// Redis was restored from a backup that is older than the archiving: nothing may be given away again.
#[tokio::test]
async fn an_archived_sale_that_redis_has_again_is_suspended() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    open_packets(&app, "s").await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    app.closing.close("red_packet", "s").await.expect("closed");
    catch_up(&app).await;
    app.closing.archive("red_packet", "s").await.expect("archived");
    raw.run::<i64>("DEL", engine::red_packet::scripts::key("s", "meta")).await;
    crate::support::sale::open(&raw, "s", &[60, 40]).await;
    raw.run::<i64>("ZADD", (keys::SALES.one, START, "red_packet:s")).await;
    // Its events are older than what the ledger has.
    raw.run::<i64>("DEL", engine::red_packet::scripts::key("s", "events")).await;
    raw.run::<String>("XADD", (engine::red_packet::scripts::key("s", "events"), "1-1", "type", "opened", "at", "1"))
        .await;
    catch_up(&app).await;
    assert_eq!(app.red_packet.claim("s", "bob".into(), None).await.expect_err("suspended").code, Code::SaleSuspended);
    assert_eq!(app.red_packet.recover("s", DeadLetters::Refuse).await.expect_err("archived").code, Code::SaleArchived);
    assert_eq!(app.closing.archive("red_packet", "s").await.expect_err("suspended").code, Code::SaleSuspended);
}

/// The refund is neither recorded nor in the replica that was promoted: the order would stand as paid for ever.
#[tokio::test]
async fn a_sale_that_has_lost_a_refund_is_not_archived() {
    let mut redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    open_seats(&app, "s").await;
    let order = app.tickets.reserve("s", "ann".into(), None, picked(1)).await.expect("an outcome");
    let Outcome::Held(order) = order else { panic!("{order:?}") };
    app.tickets.pay("s", order.order.clone(), None).await.expect("paid");
    app.closing.close("ticket", "s").await.expect("closed");
    catch_up(&app).await;
    let replica = redis.lagging_replica().await;
    app.tickets.cancel("s", order.order.clone(), String::new(), None).await.expect("refunded");
    redis.fail_over_to(replica).await;
    let refused = eventually("an answer", async || match app.closing.archive("ticket", "s").await {
        Err(error) if error.code == Code::Unavailable => None,
        answer => Some(answer),
    });
    assert_eq!(refused.await.expect_err("lost").code, Code::SaleSuspended);
    assert_eq!(app.ledger.is_archived("ticket", "s").await, Ok(false));
}

/// Somebody has written so by hand, or a server ended before the ledger knew.
#[tokio::test]
async fn a_sale_that_only_redis_calls_archived_can_be_recovered() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    open_packets(&app, "s").await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    catch_up(&app).await;
    raw.run::<i64>("HSET", (engine::red_packet::scripts::key("s", "meta"), "state", "archived")).await;
    let refused = app.red_packet.recover("s", DeadLetters::Refuse).await.expect_err("it may be being archived");
    assert!(refused.message.contains("`stampede recover --suspend s`"), "{refused}");
    app.ledger_service.suspend("red_packet", "s").await.expect("suspended");
    assert_eq!(app.red_packet.recover("s", DeadLetters::Refuse).await.expect("recovered").won, 1);
    app.red_packet.claim("s", "bob".into(), None).await.expect("an outcome");
}

/// Who opens a sale asks the ledger first whether its id is free; the sale may be archived before it is opened.
#[tokio::test]
async fn an_id_that_is_archived_while_it_is_opened_again_is_not_given_away_again() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    let proxy = FaultProxy::before(&redis).await;
    let slow = TestApp::at(&redis, &proxy.url, app.time.clone(), 2).await;
    open_seats(&app, "t").await;
    open_packets(&app, "s").await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    for (kind, sale) in [("red_packet", "s"), ("ticket", "t")] {
        app.closing.close(kind, sale).await.expect("closed");
    }
    catch_up(&app).await;

    for (kind, sale, script) in
        [("red_packet", "s", &engine::red_packet::scripts::OPEN), ("ticket", "t", &engine::ticket::scripts::OPEN)]
    {
        proxy.hold(Hold::Command, script.sha());
        let open = async {
            if kind == "ticket" {
                slow.tickets.open(seats("t")).await.map(drop)
            } else {
                slow.red_packet.open(terms("s", 100, 5)).await.map(drop)
            }
        };
        let (opened, ()) = tokio::join!(open, async {
            proxy.holds().await;
            app.closing.archive(kind, sale).await.expect("archived");
            proxy.heal();
        });
        let error = opened.expect_err("its id is taken");
        assert!(error.code == Code::SaleExists && error.message.contains("archived"), "{error:?}");
        assert_eq!(keys_of(&raw, sale).await.len(), 1, "nothing but what says that it is archived");
    }
    assert_eq!(raw.run::<i64>("ZCARD", keys::SALES.one).await, 0);
    let claimed = app.red_packet.claim("s", "bob".into(), None).await;
    assert_eq!(claimed.expect_err("archived").code, Code::SaleArchived);
    assert_eq!(app.red_packet.audit("s").await.expect_err("archived").code, Code::SaleArchived);
    assert_eq!(app.tickets.audit("t").await.expect_err("archived").code, Code::SaleArchived);
}

/// Periodic tasks do not cost more because of archived sales.
#[tokio::test]
async fn a_thousand_archived_sales_cost_neither_commands_nor_rows() {
    const ARCHIVED: usize = 1_000;
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let raw = redis.raw().await;
    open_packets(&app, "p").await;
    open_seats(&app, "t").await;
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");
    let mut work = async || {
        // The list has changed, so everything that caches it reads it again.
        raw.run::<i64>("INCR", keys::UNLISTED.one).await;
        raw.run::<()>("CONFIG", "RESETSTAT").await;
        writer.step(Duration::ZERO).await.expect("a step");
        app.ledger_service.sweep().await.expect("a sweep");
        app.ledger_service.board(0).await.expect("a board");
        app.lists.list(ListQuery::default()).await.expect("a list");
        app.closing.archive_due(WEEK).await.expect("nothing is due");
        raw.commands_in_scripts().await
    };
    work().await;
    let before = work().await;

    let position = Position { event_id: "1-1".parse().expect("an id"), entries: 1 };
    let batches: Vec<Batch> = (0..ARCHIVED)
        .map(|nth| Batch {
            kind: "red_packet".into(),
            sale: format!("old{nth}"),
            moves: Some(Move { to: position, seen: position, ..Move::default() }),
            rows: vec![NewRow {
                event_id: position.event_id,
                place: 0,
                at: START,
                change: Change { outcome: "opened", cents: 1, ..Change::default() },
            }],
            ..Batch::default()
        })
        .collect();
    app.ledger.apply(&batches.iter().collect::<Vec<_>>()).await.expect("the rows");
    for nth in 0..ARCHIVED {
        let known = app.ledger.sale("red_packet", &format!("old{nth}")).await.expect("the ledger").expect("a sale");
        assert_eq!(app.ledger.archive(&known, START, "{}").await, Ok(true));
    }
    let after = work().await;
    // The lease may be renewed in one of them and not in the other.
    assert!(after <= before + 10, "{before} commands before, {after} after");
    assert_eq!(app.ledger.sales().await.expect("rows").len(), 2);
    assert_eq!(app.ledger.newest_sales(200).await.expect("rows").len(), 2);
    assert!(app.ledger.is_archived("red_packet", "old7").await.expect("an answer"));
}

/// An audit is in the middle of a sale, and somebody ends the sale.
async fn audited_while(step: &str, end: impl AsyncFn(&TestApp)) -> model::error::Result<Audit> {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::on(&redis).await;
    let auditor = TestApp::at(&redis, &wire.url, app.time.clone(), 2).await;
    open_packets(&app, "s").await;
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    catch_up(&app).await;
    wire.hold(Hold::Command, step);
    let audit = auditor.ledger_service.audit("red_packet", "s");
    let (audit, ()) = futures::join!(audit, async {
        wire.holds().await;
        end(&app).await;
        wire.heal();
    });
    let kept: i64 = redis.raw().await.run("HLEN", keys::AUDITS.one).await;
    assert_eq!(kept, i64::from(audit.is_ok()), "audits of archived sales are not kept");
    audit
}

#[tokio::test]
async fn an_audit_holds_while_the_unclaimed_money_goes_back() {
    // The queue has been read, and what came after is about to be.
    let audit = audited_while(STREAM_POSITION.sha(), async |app| {
        app.closing.close("red_packet", "s").await.expect("closed");
    });
    let audit = audit.await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn an_audit_of_a_sale_that_is_archived_meanwhile_says_so() {
    let audit = audited_while("HSCAN", async |app| {
        app.closing.close("red_packet", "s").await.expect("closed");
        catch_up(app).await;
        app.closing.archive("red_packet", "s").await.expect("archived");
    });
    assert_eq!(audit.await.expect_err("no audit").code, Code::SaleArchived);
}

/// A server that has the hall in memory says the same as one that has not.
#[tokio::test]
async fn nothing_of_an_archived_ticket_sale_is_answered_from_memory() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    open_seats(&app, "s").await;
    let order = app.tickets.reserve("s", "ann".into(), None, picked(1)).await.expect("an outcome");
    let Outcome::Held(order) = order else { panic!("{order:?}") };
    app.tickets.cancel("s", order.order.clone(), String::new(), None).await.expect("cancelled");
    app.closing.close("ticket", "s").await.expect("closed");
    catch_up(&app).await;
    app.closing.archive("ticket", "s").await.expect("archived");
    let archived = |error: model::error::Error| error.code == Code::SaleArchived;
    assert!(app.tickets.hall("s").await.is_err_and(archived));
    assert!(app.tickets.seat("s", "A-01-01").await.is_err_and(archived));
    assert!(app.tickets.order("s", &order.order).await.is_err_and(archived));
}

/// One that cannot be archived is tried again later, and the others are archived.
#[tokio::test]
async fn a_closed_sale_that_cannot_be_archived_stands_in_no_others_way() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    for sale in ["broken", "sound"] {
        open_packets(&app, sale).await;
        app.closing.close("red_packet", sale).await.expect("closed");
        app.time.advance(1_000);
    }
    catch_up(&app).await;
    raw.run::<i64>("DEL", engine::red_packet::scripts::key("broken", "events")).await;
    app.time.advance(i64::try_from(WEEK.as_millis()).expect("a week"));
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(1));
    assert_eq!(listed(&app, Some(SaleState::Archived)).await, [("sound".to_owned(), SaleState::Archived)]);
}

/// Nobody closes it, and nothing in it is pending.
#[tokio::test]
async fn a_sale_past_its_end_is_archived_as_if_it_was_closed_then() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let ends = Some(When::InSeconds(60));
    app.tickets.open(ticket::Terms { plan: Plan { ends, ..Plan::default() }, ..seats("s") }).await.expect("a sale");
    catch_up(&app).await;
    let early = app.closing.archive("ticket", "s").await.expect_err("it runs");
    assert_eq!(early.code, Code::NotArchivable);
    app.time.advance(60_000);
    assert_eq!(listed(&app, None).await, [("s".to_owned(), SaleState::Expired)]);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(0), "it is kept for a while");
    app.time.advance(WEEK.as_millis() as i64 - 1);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(0));
    app.time.advance(1);
    assert_eq!(app.closing.archive_due(WEEK).await, Ok(1));
    assert_eq!(listed(&app, Some(SaleState::Archived)).await, [("s".to_owned(), SaleState::Archived)]);
}

/// What is held when the sale ends is settled first.
#[tokio::test]
async fn a_sale_past_its_end_in_which_something_is_held_is_not_archived() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let ends = Some(When::InSeconds(10));
    app.tickets.open(ticket::Terms { plan: Plan { ends, ..Plan::default() }, ..seats("s") }).await.expect("a sale");
    let held = app.tickets.reserve("s", "ann".into(), None, picked(2)).await;
    assert!(matches!(held, Ok(Outcome::Held(_))), "{held:?}");
    app.time.advance(10_000);
    catch_up(&app).await;
    let pending = app.closing.archive("ticket", "s").await.expect_err("pending");
    assert_eq!(pending.code, Code::NotArchivable);
    app.time.advance(50_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "the order is not paid in time");
    catch_up(&app).await;
    assert_eq!(app.closing.archive("ticket", "s").await, Ok(Archived::Archived));
}
