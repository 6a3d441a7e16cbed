//! The list of all sales: every kind, filters, and stable pages.

use crate::{
    KINDS,
    support::{
        app::{Server, TestApp},
        redis::TestRedis,
        sale::{END, LIFE_S, START, terms},
    },
};
use engine::list::service::Demos;
use ledger::kind::DeadLetters;
use model::{
    SaleState,
    life::{Plan, Texts},
    list::{ListQuery, MAX_SORTED, SaleList, SaleTotals},
    red_packet::Terms,
    ticket::{self, halls::HallName},
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

async fn list(app: &TestApp, query: ListQuery) -> SaleList {
    app.lists.list(query).await.expect("a list")
}

fn ids(list: &SaleList) -> Vec<&str> {
    list.sales.iter().map(|sale| sale.sale.as_str()).collect()
}

async fn open_packets(app: &TestApp, sale: &str) {
    app.red_packet.open(terms(sale, 100, 5)).await.expect("a sale");
}

async fn open_theatre(app: &TestApp, sale: &str) {
    let terms = ticket::Terms {
        sale: sale.to_owned(),
        hall: ticket::HallChoice::Hall(HallName::Theatre),
        prices: std::collections::BTreeMap::new(),
        limit_per_user: 6,
        hold_s: 60,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    app.tickets.open(terms).await.expect("a sale");
}

async fn ask(server: &Server, body: Value) -> (u16, Value) {
    server.post("/api/sales", &body).await
}

#[tokio::test]
async fn sales_of_all_kinds_are_listed_newest_first_with_what_is_left() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    assert_eq!(ask(&server, json!({})).await, (200, json!({ "sales": [], "next": null })));
    open_packets(&server.app, "p").await;
    server.app.red_packet.claim("p", "ann".into(), None).await.expect("an outcome");
    server.app.time.advance(1);
    open_theatre(&server.app, "t").await;
    server.app.writer("one").catch_up().await.expect("the ledger");
    server.app.red_packet.claim("p", "bob".into(), None).await.expect("an outcome");
    let (status, body) = ask(&server, json!({})).await;
    assert_eq!(status, 200);
    assert_eq!(
        body["sales"][0],
        json!({
            "kind": "ticket", "sale": "t", "state": "open", "total": 596, "left": 596, "opened_at": START + 1,
            "now": START + 1, "opens_at": null, "ends_at": null, "title": {}, "currency": "CNY",
            "crowd": false, "lag_events": 0, "hall": "theatre", "seats": 596, "remaining": 596, "held": 0, "sold": 0,
        })
    );
    let packets = &body["sales"][1];
    assert_eq!(
        (&packets["kind"], &packets["sale"], &packets["state"], &packets["total"], &packets["left"]),
        (&json!("red_packet"), &json!("p"), &json!("open"), &json!(5), &json!(3))
    );
    assert_eq!((&packets["count"], &packets["pending"], &packets["total_cents"]), (&json!(5), &json!(3), &json!(100)));
    assert_eq!((&packets["opened_at"], &packets["expires_at"]), (&json!(START), &json!(END)));
    assert_eq!(packets["lag_events"], 1, "the second claim");
    assert_eq!(body["next"], Value::Null);
}

/// Beside what all kinds have.
#[tokio::test]
async fn coupons_and_stock_are_listed_with_their_figures() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let post = async |path: &str, body: Value| {
        let (status, answer) = server.post(path, &body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    };
    post("/api/coupon/open", json!({ "id": "c", "total": 10, "per_user": 2 })).await;
    let code = post("/api/coupon/claim", json!({ "sale": "c", "user": "ann" })).await["code"].clone();
    post("/api/coupon/claim", json!({ "sale": "c", "user": "bob" })).await;
    post("/api/coupon/claim", json!({ "sale": "c", "user": "cid" })).await;
    post("/api/coupon/redeem", json!({ "sale": "c", "code": code })).await;
    post("/api/stock/open", json!({ "id": "s", "quantity": 10, "low_mark": 3 })).await;
    for (request_id, quantity) in [("r1", 6), ("r2", 2)] {
        let deduction = json!({ "sale": "s", "user": "ann", "quantity": quantity, "request_id": request_id });
        post("/api/stock/deduct", deduction).await;
    }
    post("/api/stock/give-back", json!({ "sale": "s", "request_id": "r2" })).await;
    post("/api/stock/restock", json!({ "sale": "s", "quantity": 5 })).await;
    post("/api/stock/correct", json!({ "sale": "s", "counted": 3 })).await;
    server.app.writer("one").catch_up().await.expect("the ledger");
    let listed = post("/api/sales", json!({})).await;
    let entry = |kind: &str| {
        let sales = listed["sales"].as_array().expect("a list");
        sales.iter().find(|sale| sale["kind"] == kind).cloned().unwrap_or_else(|| panic!("{kind} in {listed}"))
    };
    assert_eq!(
        entry("coupon"),
        json!({
            "kind": "coupon", "sale": "c", "state": "open", "total": 10, "left": 7, "opened_at": START, "crowd": false,
            "now": START, "opens_at": null, "ends_at": null, "title": {}, "currency": "CNY",
            "lag_events": 0, "limits": { "total": 10, "per_user": 2, "per_user_per_day": null }, "counted": 3, "claimed": 3,
            "redeemed": 1,
        })
    );
    assert_eq!(
        entry("stock"),
        json!({
            "kind": "stock", "sale": "s", "state": "open", "total": 9, "left": 3, "opened_at": START, "crowd": false,
            "now": START, "opens_at": null, "ends_at": null, "title": {}, "currency": "CNY",
            "lag_events": 0, "deducted": 8, "returned": 2, "low": true, "held": null,
        })
    );
}

/// Who closes several sales at once is asked for more where something is held.
#[tokio::test]
async fn a_list_says_how_much_is_held() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (path, body) in [
        ("/api/ticket/open", json!({ "id": "t", "hall": "theatre" })),
        ("/api/ticket/reserve", json!({ "sale": "t", "user": "ann", "pick": [{ "category": "stalls", "count": 2 }] })),
        ("/api/stock/open", json!({ "id": "held", "quantity": 10, "hold_s": 60 })),
        ("/api/stock/deduct", json!({ "sale": "held", "user": "ann", "quantity": 3, "request_id": "r" })),
        ("/api/stock/open", json!({ "id": "sold", "quantity": 10 })),
        ("/api/stock/deduct", json!({ "sale": "sold", "user": "ann", "quantity": 3, "request_id": "r" })),
    ] {
        let (status, answer) = server.post(path, &body).await;
        assert_eq!(status, 200, "{path}: {answer}");
    }
    let listed = list(&server.app, ListQuery { sort: Some("sale".to_owned()), ..ListQuery::default() }).await;
    let held: Vec<_> = listed.sales.iter().map(|sale| (sale.sale.as_str(), sale.held())).collect();
    assert_eq!(held, [("held", 3), ("sold", 0), ("t", 2)]);
    let snapshot = server.post("/api/stock/snapshot", &json!({ "sale": "held" })).await.1;
    assert_eq!((&snapshot["held"], &listed.sales[0].details["held"]), (&json!(3), &json!(3)));
}

#[tokio::test]
async fn a_list_is_filtered_by_kind_state_and_part_of_an_id() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for sale in ["a1", "a2", "b1"] {
        open_packets(&app, sale).await;
        app.time.advance(1);
    }
    open_theatre(&app, "a3").await;
    for user in 0..5 {
        app.red_packet.claim("a2", format!("u{user}"), None).await.expect("an outcome");
    }
    let query = |kind: Option<&str>, state: Option<SaleState>, id: Option<&str>| ListQuery {
        kind: kind.map(str::to_owned),
        state: state.map(|state| state.name().to_owned()),
        id: id.map(str::to_owned),
        ..ListQuery::default()
    };
    assert_eq!(ids(&list(&app, query(None, None, None)).await), ["a3", "b1", "a2", "a1"]);
    assert_eq!(ids(&list(&app, query(Some("ticket"), None, None)).await), ["a3"]);
    assert_eq!(ids(&list(&app, query(None, None, Some("a"))).await), ["a3", "a2", "a1"]);
    assert_eq!(ids(&list(&app, query(None, None, Some("1"))).await), ["b1", "a1"]);
    assert_eq!(ids(&list(&app, query(None, None, Some("B1"))).await), ["b1"]);
    assert_eq!(ids(&list(&app, query(None, Some(SaleState::SoldOut), None)).await), ["a2"]);
    assert_eq!(ids(&list(&app, query(Some("red_packet"), Some(SaleState::Open), Some("a"))).await), ["a1"]);
    let exactly = |sale: &str| ListQuery { sale: Some(sale.to_owned()), ..ListQuery::default() };
    assert_eq!(ids(&list(&app, exactly("a2")).await), ["a2"]);
    assert_eq!(ids(&list(&app, exactly("a")).await), [""; 0]);
    app.time.advance(LIFE_S * 1_000);
    assert_eq!(ids(&list(&app, query(None, Some(SaleState::Expired), None)).await), ["b1", "a2", "a1"]);
    assert_eq!(ids(&list(&app, query(None, Some(SaleState::Archived), None)).await), [""; 0]);
}

#[tokio::test]
async fn a_sale_is_found_by_a_text_in_its_id_or_a_title() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for (sale, title) in [("a1", None), ("b1", Some("Autumn A1")), ("c1", Some("冬季"))] {
        let title = Texts { en: title.map(str::to_owned), zh: None };
        let plan = Plan { title, ..Plan::default() };
        app.red_packet.open(Terms { plan, ..terms(sale, 100, 5) }).await.expect("a sale");
        app.time.advance(1);
    }
    let with = |text: &str| ListQuery { text: Some(text.to_owned()), ..ListQuery::default() };
    assert_eq!(ids(&list(&app, with("a1")).await), ["b1", "a1"]);
    assert_eq!(ids(&list(&app, with("AUTUMN a")).await), ["b1"]);
    assert_eq!(ids(&list(&app, with("冬")).await), ["c1"]);
    assert_eq!(ids(&list(&app, with("spring")).await), [""; 0]);
    assert_eq!(ids(&list(&app, ListQuery { sale: Some("c1".into()), ..with("冬") }).await), ["c1"]);
    assert_eq!(ids(&list(&app, ListQuery { sale: Some("a1".into()), ..with("冬") }).await), [""; 0]);
    let sorted = list(&app, ListQuery { sort: Some("sale".to_owned()), ..with("A1") }).await;
    assert_eq!(ids(&sorted), ["a1", "b1"]);
    assert_eq!(sorted.totals.map(|totals| (totals.listed, totals.sales)), Some((3, 2)));
}

#[tokio::test]
async fn pages_stand_still_while_sales_are_opened_and_closed() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    // Several in each millisecond.
    for nth in 0..30 {
        open_packets(&app, &format!("s{nth:02}")).await;
        app.time.advance(nth % 3 / 2);
    }
    let all = list(&app, ListQuery::default()).await;
    assert_eq!((all.sales.len(), &all.next), (30, &None));
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = list(&app, ListQuery { limit: Some(7), after, ..ListQuery::default() }).await;
        seen.extend(page.sales.iter().map(|sale| sale.sale.clone()));
        // A sale that is opened meanwhile comes before the first page.
        open_packets(&app, &format!("new{}", seen.len())).await;
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids(&all));
    // Exactly full pages have no empty one after them.
    let page = list(
        &app,
        ListQuery { limit: Some(15), kind: Some("red_packet".into()), id: Some("s".into()), ..ListQuery::default() },
    )
    .await;
    let rest =
        list(&app, ListQuery { limit: Some(15), id: Some("s".into()), after: page.next, ..ListQuery::default() }).await;
    assert_eq!((page.sales.len(), rest.sales.len(), rest.next), (15, 15, None));
}

#[tokio::test]
async fn a_sorted_list_has_live_sales_first_and_the_sums_of_all_its_pages() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for (sale, claims) in [("a1", 5), ("a2", 2), ("b1", 0)] {
        open_packets(&app, sale).await;
        for user in 0..claims {
            app.red_packet.claim(sale, format!("u{user}"), None).await.expect("an outcome");
        }
        app.time.advance(1);
    }
    open_theatre(&app, "t").await;
    let by = |sort: &str| ListQuery { sort: Some(sort.to_owned()), ..ListQuery::default() };
    let sorted = list(&app, by("left")).await;
    assert_eq!(ids(&sorted), ["a2", "b1", "t", "a1"], "what is sold out comes last");
    let totals = SaleTotals { listed: 4, sales: 4, live: 3, total: 611, left: 604 };
    assert_eq!((sorted.totals, sorted.next), (Some(totals), None));
    assert_eq!(ids(&list(&app, by("-left")).await), ["t", "b1", "a2", "a1"]);
    assert_eq!(ids(&list(&app, by("opened_at")).await), ["a2", "b1", "t", "a1"]);
    assert_eq!(ids(&list(&app, by("-sale")).await), ["t", "b1", "a2", "a1"]);
    assert_eq!(ids(&list(&app, by("-kind")).await), ["t", "b1", "a2", "a1"], "the newest first in each kind");

    let first = list(&app, ListQuery { limit: Some(3), ..by("-total") }).await;
    assert_eq!((ids(&first), first.totals), (vec!["t", "b1", "a2"], Some(totals)));
    let rest = list(&app, ListQuery { limit: Some(3), after: first.next, ..by("-total") }).await;
    assert_eq!((ids(&rest), rest.totals, &rest.next), (vec!["a1"], Some(totals), &None));

    let found = list(&app, ListQuery { id: Some("A".to_owned()), ..by("sale") }).await;
    assert_eq!(ids(&found), ["a2", "a1"]);
    assert_eq!(found.totals, Some(SaleTotals { listed: 4, sales: 2, live: 1, total: 10, left: 3 }));
    let tickets = list(&app, ListQuery { kind: Some("ticket".to_owned()), ..by("sale") }).await;
    assert_eq!(ids(&tickets), ["t"]);
    let sold_out = list(&app, ListQuery { state: Some("sold_out".to_owned()), ..by("sale") }).await;
    assert_eq!(ids(&sold_out), ["a1"]);
    assert_eq!(list(&app, ListQuery::default()).await.totals, None, "nobody asked for an order");
}

/// What is said aloud on the telephone must name one sale.
#[tokio::test]
async fn a_generated_id_has_an_end_that_no_other_sale_of_the_list_has() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let mut generated = Vec::new();
    for _ in 0..3 {
        let (_, opened) = server.post("/api/stock/open", &json!({ "quantity": 1 })).await;
        generated.push(opened["sale"].as_str().expect("an id").to_owned());
        server.app.time.advance(1);
    }
    // A chosen id that ends like the first one, and is older.
    let alike = format!("like-{}", &generated[0][generated[0].len() - 6..]).to_uppercase();
    server.post("/api/stock/open", &json!({ "id": alike, "quantity": 1 })).await;
    let page = |sort: Option<&str>, id: Option<&str>| ListQuery {
        sort: sort.map(str::to_owned),
        id: id.map(str::to_owned),
        ..ListQuery::default()
    };
    let all = list(&server.app, page(Some("sale"), None)).await;
    assert_eq!(all.short_ids.keys().collect::<BTreeSet<_>>(), generated.iter().collect(), "a chosen id has none");
    for (id, short) in &all.short_ids {
        let with_it: Vec<_> = ids(&all).into_iter().filter(|other| ends_like(other, short)).collect();
        assert_eq!(with_it, [id], "{short}");
    }
    let first = Some(generated[0].as_str());
    let sorted = list(&server.app, page(Some("sale"), first)).await;
    let short = |list: &SaleList| list.short_ids[&generated[0]].clone();
    assert_eq!((sorted.short_ids.len(), short(&sorted).len()), (1, 7), "told from those that are not on the page");
    let unsorted = list(&server.app, page(None, first)).await;
    assert_eq!((ids(&unsorted), short(&unsorted).len()), (vec![&*generated[0]], 4));
}

fn ends_like(id: &str, end: &str) -> bool {
    id.to_ascii_lowercase().ends_with(end)
}

/// To sort them, all would have to be read each time.
#[tokio::test]
async fn a_list_that_is_too_long_to_be_sorted_is_in_its_usual_order() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    for sale in ["b", "a"] {
        open_packets(&app, sale).await;
        app.time.advance(1);
    }
    let older: Vec<String> =
        (0..MAX_SORTED).flat_map(|nth| ["1".to_owned(), format!("red_packet:older-{nth}")]).collect();
    redis.raw().await.run::<i64>("ZADD", ("stampede:sales", older)).await;
    let query = ListQuery { sort: Some("-sale".to_owned()), limit: Some(1), ..ListQuery::default() };
    let first = list(&app, query.clone()).await;
    assert_eq!((ids(&first), first.totals), (vec!["a"], None));
    let second = list(&app, ListQuery { after: first.next, ..query }).await;
    assert_eq!((ids(&second), second.totals), (vec!["b"], None), "the order goes on from page to page");
}

#[tokio::test]
async fn what_cannot_be_listed_is_named() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (field, bad) in [
        ("kind", json!("coupons")),
        ("state", json!("gone")),
        ("limit", json!(0)),
        ("limit", json!(201)),
        ("after", json!("x")),
        ("after", json!("-1-red_packet:s")),
        ("after", json!("1-raffle:s")),
        ("after", json!("1-red_packet:")),
        ("id", json!("a\nb")),
        ("sort", json!("price")),
        ("sort", json!("--left")),
    ] {
        let (status, body) = ask(&server, json!({ field: bad })).await;
        assert_eq!(
            (status, &body["error"]["code"], &body["error"]["field"]),
            (400, &json!("bad_request"), &json!(field))
        );
    }
    for bad in ["1-red_packet:s", "-1", "0"] {
        let (status, body) = ask(&server, json!({ "state": "archived", "after": bad })).await;
        assert_eq!((status, &body["error"]["field"]), (400, &json!("after")), "{bad}");
    }
    let (status, body) = ask(&server, json!({ "state": "archived", "sort": "left" })).await;
    assert_eq!((status, &body["error"]["field"]), (400, &json!("sort")), "the ledger has its own order");
    let (status, body) = ask(&server, json!({ "after": "50" })).await;
    assert_eq!((status, &body["error"]["field"]), (400, &json!("after")), "it is a position of a sorted list only");
}

/// The sale is registered, and the connection fails before the first packet: it must not be listed.
#[tokio::test]
async fn a_sale_without_a_packet_is_not_listed() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    redis.raw().await.run::<i64>("ZADD", ("stampede:sales", START, "red_packet:ghost")).await;
    assert_eq!(list(&app, ListQuery::default()).await, SaleList::default());
}

#[tokio::test]
async fn each_kind_has_a_demonstration_of_which_something_is_left() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    // An operator's own sale is no demonstration.
    open_packets(&app, "p").await;
    let mut before = HashMap::new();
    let mut demos = async || -> Vec<(&str, String)> {
        let demos = app.lists.open_demos(&before).await;
        before = demos.iter().map(|(kind, sale)| (kind.id, sale.clone())).collect();
        demos.into_iter().map(|(kind, sale)| (kind.id, sale.expect("a demo"))).collect()
    };
    let mut expected = KINDS.map(|kind| (kind.info.id, kind.info.demo.to_owned()));
    assert_eq!(demos().await, expected);
    for (nth, kind) in KINDS.iter().enumerate() {
        assert_eq!(demos().await, expected);
        app.closing.close(kind.info.id, kind.info.demo).await.expect("closed");
        expected[nth].1 = format!("{}-2", kind.info.demo);
        assert_eq!(demos().await, expected);
    }
}

#[tokio::test]
async fn each_kind_has_a_demonstration_that_starts_in_a_minute() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let scheduled = async || {
        let state = Some(SaleState::Scheduled.name().to_owned());
        let list = list(&app, ListQuery { state, ..ListQuery::default() }).await;
        let mut found: Vec<String> = list.sales.into_iter().map(|sale| sale.sale).collect();
        found.sort();
        found
    };
    let named = |end: &str| {
        let mut names = KINDS.map(|kind| format!("{}-scheduled{end}", kind.info.demo));
        names.sort();
        names
    };
    Demos::default().open(&app.lists).await;
    assert_eq!(scheduled().await, named(""));
    // The program is started again: before the start it finds them, afterwards it schedules others.
    Demos::default().open(&app.lists).await;
    assert_eq!(scheduled().await, named(""));
    app.time.advance(60_000);
    assert!(scheduled().await.is_empty());
    let mut demos = Demos::default();
    demos.open(&app.lists).await;
    assert_eq!(scheduled().await, named("-2"));
    app.time.advance(60_000);
    demos.open(&app.lists).await;
    assert!(scheduled().await.is_empty(), "once for each start");
}

#[tokio::test]
async fn an_empty_list_says_where_redis_has_lost_what_the_ledger_has() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    open_packets(&server.app, "p").await;
    server.app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(ask(&server, json!({})).await.1.get("lost"), None, "it is there");
    let _ok: String = redis.raw().await.run("FLUSHALL", None::<&str>).await;
    assert_eq!(ask(&server, json!({})).await, (200, json!({ "sales": [], "next": null, "lost": true })));
    assert_eq!(ask(&server, json!({ "id": "q" })).await, (200, json!({ "sales": [], "next": null })), "a filter");
}

/// Whatever is left in Redis, and on every page; nobody asks the ledger for it.
#[tokio::test]
async fn sales_that_redis_has_lost_are_named_beside_those_that_it_has() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let raw = redis.raw().await;
    for sale in ["a", "b", "c", "d"] {
        open_packets(&server.app, sale).await;
    }
    server.app.closing.close("red_packet", "d").await.expect("closed");
    server.app.writer("one").catch_up().await.expect("the ledger");
    server.app.closing.archive("red_packet", "d").await.expect("archived");
    let missing = async |query: Value| ask(&server, query).await.1["missing"].clone();
    server.app.missing.look().await.expect("a look");
    assert_eq!((missing(json!({})).await, server.get("/readyz").await.1), (Value::Null, json!({ "status": "ready" })));

    for sale in ["a", "c"] {
        let keys: Vec<String> = raw.run("KEYS", format!("{{red_packet:{sale}}}:*")).await;
        raw.run::<i64>("DEL", keys).await;
    }
    server.app.missing.look().await.expect("a look");
    let name = |sale: &str| json!({ "kind": "red_packet", "sale": sale });
    let found = json!({ "count": 2, "sales": [name("a"), name("c")] });
    for query in [json!({}), json!({ "limit": 1 }), json!({ "state": "open" }), json!({ "state": "archived" })] {
        assert_eq!(missing(query.clone()).await, found, "{query}");
    }
    assert_eq!(server.get("/readyz").await, (200, json!({ "status": "ready", "missing_sales": 2 })));
    let page = server.http.get(&server.url).send().await.expect("a page").text().await.expect("text");
    assert!(page.contains("2 sales are missing from Redis") && page.contains("stampede recover --all"), "{page}");

    assert!(!page.contains("and 1 more") && !page.contains(" more<"), "all of them are named: {page}");

    for sale in ["a", "c"] {
        server.app.ledger_service.recover("red_packet", sale, DeadLetters::Refuse).await.expect("recovered");
    }
    server.app.missing.look().await.expect("a look");
    assert_eq!((missing(json!({})).await, server.get("/readyz").await.1), (Value::Null, json!({ "status": "ready" })));

    for sale in ["e", "f", "g", "h"] {
        open_packets(&server.app, sale).await;
    }
    server.app.writer("one").catch_up().await.expect("the ledger");
    raw.run::<String>("FLUSHALL", "ASYNC").await;
    server.app.missing.look().await.expect("a look");
    let page = server.http.get(&server.url).send().await.expect("a page").text().await.expect("text");
    for said in ["7 sales are missing from Redis", "To recover all of them", "and 2 more"] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

/// It is ready, as other sales go on; and it says that these do not.
#[tokio::test]
async fn suspended_sales_are_counted_until_they_are_recovered() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for sale in ["a", "b", "c"] {
        open_packets(&server.app, sale).await;
    }
    server.app.writer("one").catch_up().await.expect("the ledger");
    for sale in ["a", "c"] {
        server.app.ledger_service.suspend("red_packet", sale).await.expect("suspended");
    }
    server.app.missing.look().await.expect("a look");
    assert_eq!(server.get("/readyz").await, (200, json!({ "status": "ready", "suspended_sales": 2 })));
    assert_eq!(ask(&server, json!({ "limit": 1 })).await.1["suspended"], 2, "whatever the page has");
    let page = server.http.get(&server.url).send().await.expect("a page").text().await.expect("text");
    assert!(page.contains("2 sales are suspended") && page.contains("stampede recover --all"), "{page}");

    for sale in ["a", "c"] {
        server.app.ledger_service.recover("red_packet", sale, DeadLetters::Refuse).await.expect("recovered");
    }
    server.app.missing.look().await.expect("a look");
    assert_eq!(server.get("/readyz").await, (200, json!({ "status": "ready" })));
}
