//! What a user has, an order's page, and finding, over real HTTP and with the ledger in either database.

use crate::support::{
    app::{Server, TestApp},
    kinds::samples,
    ledger::Base,
    redis::{Raw, TestRedis},
    sale::clock,
};
use serde_json::{Value, json};

/// Runs each of these functions as a test on SQLite and as one on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Bench::on(super::Base::sqlite()).await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Bench::on(super::Base::postgres()).await).await;
            })*
        }
    };
}

on_both!(
    a_user_has_what_was_won_and_not_given_back_at_sales_of_every_kind,
    the_seats_of_an_order_are_the_users_until_it_ends,
    units_are_added_up_and_given_back,
    a_user_of_many_sales_is_read_page_by_page,
    what_begins_with_a_text_is_found,
);

struct Bench {
    server: Server,
    redis: Raw,
    _base: Base,
    _redis: TestRedis,
}

impl Bench {
    async fn on(base: Base) -> Self {
        let redis = TestRedis::start().await;
        let ledger = base.connect().await.expect("a ledger");
        let server = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await.serve().await;
        Self { server, redis: redis.raw().await, _base: base, _redis: redis }
    }

    async fn ok(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.server.post(path, &body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    async fn record(&self) {
        self.server.app.writer("one").catch_up().await.expect("the ledger is written");
        self.redis.run::<i64>("DEL", "stampede:writer").await;
    }

    /// What a user has, once all is recorded.
    async fn has(&self, user: &str) -> Value {
        self.record().await;
        self.ok("/api/user", json!({ "user": user })).await
    }

    async fn page(&self, path: &str) -> (u16, String) {
        let request = self.server.http.get(format!("{}{path}", self.server.url)).header("accept-language", "en");
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("a page"))
    }

    /// Opens a sale of the seats of the theatre, and holds these for ann.
    async fn hold(&self, sale: &str, seats: &[&str]) -> String {
        self.ok("/api/ticket/open", json!({ "id": sale, "hall": "theatre" })).await;
        let holders: Vec<String> = seats.iter().map(|seat| format!("guest of {seat}")).collect();
        let request = json!({ "sale": sale, "user": "ann", "request_id": "r-1", "seats": seats, "holders": holders });
        let order = self.ok("/api/ticket/reserve", request).await["order"].as_str().expect("an order").to_owned();
        self.record().await;
        order
    }
}

async fn a_user_has_what_was_won_and_not_given_back_at_sales_of_every_kind(bench: Bench) {
    let nothing = json!({ "user": "ann", "sales": [], "next": null, "is_partial": false });
    assert_eq!(bench.has("ann").await, nothing);
    let mut answers = Vec::new();
    for (nth, sample) in samples().into_iter().enumerate() {
        let sale = format!("s{nth}");
        let (path, terms) = sample.open_request(&sale);
        bench.ok(&path, terms).await;
        for user in ["ann", "bob"] {
            let (path, attempt) = sample.attempt_request(&sale, user);
            let answer = bench.ok(&path, attempt).await;
            if user == "ann" {
                answers.push((sample.of, sale.clone(), answer));
            }
        }
    }
    let has = bench.has("ann").await;
    let mut kinds: Vec<&str> =
        has["sales"].as_array().expect("sales").iter().map(|sale| sale["kind"].as_str().expect("a kind")).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["coupon", "red_packet", "stock", "ticket"]);
    for sale in has["sales"].as_array().expect("sales") {
        assert_eq!((&sale["count"], &sale["items"][0]["request_id"]), (&json!(1), &json!("r-ann")), "{sale}");
    }
    // An order is paid and refunded, a coupon redeemed, and units are given back.
    for (kind, sale, answer) in answers {
        for (path, change) in kind.sample().change_requests(&sale, &answer) {
            bench.ok(&path, change).await;
        }
    }
    let has = bench.has("ann").await;
    let left: Vec<(&str, &str)> = has["sales"]
        .as_array()
        .expect("sales")
        .iter()
        .map(|sale| (sale["kind"].as_str().expect("a kind"), sale["items"][0]["outcome"].as_str().expect("an outcome")))
        .collect();
    assert_eq!(left, [("coupon", "voided"), ("red_packet", "won")], "the latest change first");
    assert_eq!(bench.has("an").await["sales"], json!([]), "a name matches exactly");
    let (status, refused) = bench.server.post("/api/user", &json!({ "user": "" })).await;
    assert_eq!((status, &refused["error"]["field"]), (400, &json!("user")));
}

async fn the_seats_of_an_order_are_the_users_until_it_ends(bench: Bench) {
    let order = bench.hold("s", &["S-01-01", "S-01-02"]).await;
    let item = |outcome: &str, seat: &str| {
        json!({
            "outcome": outcome, "item": seat, "quantity": null, "cents": 8_800, "request_id": "r-1", "order": order,
            "changed_by": if outcome == "paid" { "p-1" } else { "r-1" }, "holder": format!("guest of {seat}"),
        })
    };
    let items = async |user: &str| -> Value {
        let mut items = bench.has(user).await["sales"][0]["items"].take();
        for item in items.as_array_mut().into_iter().flatten() {
            item.as_object_mut().expect("an item").remove("at");
        }
        items
    };
    assert_eq!(items("ann").await, json!([item("held", "S-01-01"), item("held", "S-01-02")]));
    bench.ok("/api/ticket/pay", json!({ "sale": "s", "order": order, "request_id": "p-1" })).await;
    // It is refunded at once.
    bench.ok("/api/ticket/pay", json!({ "sale": "s", "order": order, "request_id": "p-2" })).await;
    assert_eq!(items("ann").await, json!([item("paid", "S-01-01"), item("paid", "S-01-02")]));
    let (status, html) = bench.page("/users/ann").await;
    assert_eq!(status, 200);
    for text in ["guest of S-01-01", &order, "Paid too late", "¥176.00"] {
        assert!(html.contains(text), "{text}: {html}");
    }

    let (status, html) = bench.page(&format!("/orders/{order}")).await;
    assert_eq!(status, 200);
    for text in ["S-01-02", "guest of S-01-02", "href=\"/users/ann\"", "href=\"/tickets/s\"", "Refund order", "p-2"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    bench.ok("/api/ticket/cancel", json!({ "sale": "s", "order": order })).await;
    assert_eq!(bench.has("ann").await["sales"], json!([]));
    let (_, html) = bench.page(&format!("/orders/{order}")).await;
    assert!(html.contains("Refunded") && !html.contains("Refund order"), "{html}");
    let (status, html) = bench.page("/orders/nothing").await;
    assert!(status == 404 && html.contains("Order not found"), "{html}");
    let (status, html) = bench.page("/orders/nothing?sale=s").await;
    assert!(status == 404 && html.contains("Order not found"), "{html}");
    let (status, html) = bench.page("/users/nobody").await;
    assert!(status == 200 && html.contains("Nothing recorded for this user"), "{html}");
}

async fn units_are_added_up_and_given_back(bench: Bench) {
    bench.ok("/api/stock/open", json!({ "id": "s", "quantity": 100 })).await;
    for (nth, quantity) in [3, 4, 5].into_iter().enumerate() {
        let request = json!({ "sale": "s", "user": "ann", "request_id": format!("r{nth}"), "quantity": quantity });
        bench.ok("/api/stock/deduct", request).await;
    }
    assert_eq!(bench.has("ann").await["sales"][0]["quantity"], 12);
    bench.ok("/api/stock/give-back", json!({ "sale": "s", "request_id": "r1" })).await;
    let mut sale = bench.has("ann").await["sales"][0].take();
    assert_eq!((&sale["quantity"], &sale["count"]), (&json!(8), &json!(2)));
    let requests: Vec<Value> =
        sale["items"].as_array_mut().expect("items").iter_mut().map(|item| item["request_id"].take()).collect();
    assert_eq!(requests, ["r2", "r0"], "the latest first");
}

async fn a_user_of_many_sales_is_read_page_by_page(bench: Bench) {
    for nth in 0..21 {
        let sale = format!("s{nth:02}");
        bench.ok("/api/stock/open", json!({ "id": sale, "quantity": 9 })).await;
        bench.ok("/api/stock/deduct", json!({ "sale": sale, "user": "ann", "quantity": 1 })).await;
    }
    let first = bench.has("ann").await;
    let ids = |page: &Value| -> Vec<String> {
        let sales = page["sales"].as_array().expect("sales").iter();
        sales.map(|sale| sale["sale"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&first).len(), 20);
    let rest = bench.ok("/api/user", json!({ "user": "ann", "after": first["next"] })).await;
    assert_eq!((ids(&rest).len(), &rest["next"]), (1, &Value::Null));
    let mut all = [ids(&first), ids(&rest)].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 21, "none is missing, and none is there twice");
    let (status, html) = bench.page("/users/ann").await;
    assert!(status == 200 && html.contains("sales_after="), "{html}");
}

async fn what_begins_with_a_text_is_found(bench: Bench) {
    let order = bench.hold("spring", &["S-01-01"]).await;
    bench.ok("/api/coupon/open", json!({ "id": "spring-coupons", "total": 5 })).await;
    let claim = json!({ "sale": "spring-coupons", "user": "Ann", "request_id": "r-2" });
    let code = bench.ok("/api/coupon/claim", claim).await["code"].as_str().expect("a code").to_owned();
    bench.record().await;
    let find = async |text: &str| bench.ok("/api/find", json!({ "q": text })).await;
    let sales = json!([
        { "kind": "ticket", "sale": "spring" },
        { "kind": "coupon", "sale": "spring-coupons" },
    ]);
    let nothing = json!({ "sales": [], "users": [], "orders": [], "requests": [], "codes": [] });
    let with = |field: &str, found: Value| {
        let mut all = nothing.clone();
        all[field] = found;
        all
    };
    assert_eq!(find("spring").await, with("sales", sales.clone()));
    assert_eq!(find(" spring ").await, with("sales", sales), "blanks around it do not count");
    assert_eq!(find("an").await, with("users", json!(["ann"])));
    let id =
        |id: &str, kind: &str, sale: &str, user: &str| json!([{ "id": id, "kind": kind, "sale": sale, "user": user }]);
    assert_eq!(find(&order).await, with("orders", id(&order, "ticket", "spring", "ann")));
    assert_eq!(find("r-2").await, with("requests", id("r-2", "coupon", "spring-coupons", "Ann")));
    let found = id(&code, "coupon", "spring-coupons", "Ann");
    assert_eq!(find(&code).await["codes"], found);
    assert_eq!(find(&code[..9].to_lowercase()).await["codes"], found, "as it is read aloud");
    assert_eq!(find("nothing").await, nothing);
    for refused in ["", " ", &"W".repeat(65)] {
        let (status, answer) = bench.server.post("/api/find", &json!({ "q": refused })).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!("q")), "{answer}");
    }
}

/// The pages show what Redis has before the ledger has it, and what the ledger has once Redis has nothing.
#[tokio::test]
async fn an_order_is_shown_by_what_has_it() {
    let bench = Bench::on(Base::sqlite()).await;
    let order = bench.hold("s", &["S-01-01"]).await;
    let request = json!({ "sale": "s", "user": "bob", "seats": ["S-01-05"] });
    let newer = bench.ok("/api/ticket/reserve", request).await["order"].as_str().expect("an order").to_owned();
    assert_eq!(bench.page(&format!("/orders/{newer}")).await.0, 404, "the ledger does not have it, nor its sale");
    let (status, html) = bench.page(&format!("/orders/{newer}?sale=s")).await;
    assert!(status == 200 && html.contains("S-01-05") && html.contains("has not recorded this order yet"), "{html}");

    for (path, body) in [
        ("/api/ticket/pay", json!({ "sale": "s", "order": order })),
        ("/api/ticket/cancel", json!({ "sale": "s", "order": newer })),
        ("/api/sales/close", json!({ "kind": "ticket", "sale": "s" })),
    ] {
        bench.ok(path, body).await;
    }
    bench.record().await;
    bench.ok("/api/sales/archive", json!({ "kind": "ticket", "sale": "s" })).await;
    let (status, html) = bench.page(&format!("/orders/{order}")).await;
    assert_eq!(status, 200);
    for text in ["S-01-01", "guest of S-01-01", "This sale was archived.", "Paid"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("Refund order"), "nothing can be done any more");
}
