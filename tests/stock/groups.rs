//! Several sales of one group in one attempt: all items or none.

use super::{catch_up, stock, terms};
use crate::support::{
    app::TestApp,
    cluster::TestCluster,
    ledger::Base,
    redis::{Raw, TestRedis},
    sale::{START, clock},
};
use engine::{
    kind::KindService,
    stock::{scripts::PARTS, service::Stock},
};
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::{Code, Error},
    ledger::Search,
    life::{HoldClock, Plan, When},
    list::ListQuery,
    stock::{
        ConfirmAnswer, Confirmed, DeductAnswer, DeductedItem, DeductionState, GivenBack, Item, ItemsConfirmed,
        ItemsReturned, ItemsWon, MAX_ITEMS, Outcome, Return, ReturnAnswer, State, Terms,
    },
};
use store::{keys, slot::slot_of};

const HOLD_S: u64 = 60;
const DUE: i64 = START + 60_000;

fn of_group(sale: &str, quantity: u64) -> Terms {
    Terms { sale: sale.to_owned(), group: Some("g".to_owned()), ..terms(quantity) }
}

fn item(sale: &str, quantity: u64) -> Item {
    Item { sale: sale.to_owned(), quantity }
}

fn sales_of(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The key of a sale of the group "g".
fn key(sale: &str, part: &str) -> String {
    keys::sale_of_group("stock", "g", sale, part)
}

async fn opened(app: &TestApp, all: impl IntoIterator<Item = Terms>) -> Stock {
    let sales = stock(app);
    for terms in all {
        sales.open(terms).await.expect("a sale");
    }
    sales
}

/// A server with the sales "a" (10) and "b" (5), of which users may have two, which are held.
async fn with_group() -> (TestRedis, TestApp, Stock) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let b = Terms { limit_per_user: Some(2), hold_s: Some(HOLD_S), ..of_group("b", 5) };
    let sales = opened(&app, [of_group("a", 10), b]).await;
    (redis, app, sales)
}

async fn try_order(sales: &Stock, user: &str, request: &str, items: &[(&str, u64)]) -> Result<DeductAnswer, Error> {
    let items = items.iter().map(|(sale, quantity)| item(sale, *quantity)).collect();
    sales.deduct_items(items, user.to_owned(), Some(request.to_owned())).await
}

async fn order(sales: &Stock, user: &str, request: &str, items: &[(&str, u64)]) -> DeductAnswer {
    try_order(sales, user, request, items).await.expect("an answer")
}

fn refused(by: &str, outcome: Outcome) -> DeductAnswer {
    DeductAnswer::Refused { refused_by: by.to_owned(), outcome }
}

fn got(sale: &str, quantity: u64, left: u64, state: DeductionState) -> DeductedItem {
    let due = (state == DeductionState::Held).then_some(DUE);
    DeductedItem { sale: sale.to_owned(), quantity, left, state, due }
}

async fn left(sales: &Stock, sale: &str) -> u64 {
    sales.snapshot(sale).await.expect("a snapshot").left
}

async fn assert_holds(sales: &Stock, ids: &[&str]) {
    for id in ids {
        let audit = sales.audit(id).await.expect("an audit");
        assert_eq!(audit.verdict, Verdict::Holds, "{id}: {audit:?}");
    }
}

#[tokio::test]
async fn an_attempt_gets_all_items_or_none() {
    let (_redis, app, sales) = with_group().await;
    let items = || vec![got("a", 3, 7, DeductionState::Deducted), got("b", 1, 4, DeductionState::Held)];
    let first = order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    assert_eq!(first, DeductAnswer::Items { outcome: ItemsWon::Won, items: items() });
    let again = order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    assert_eq!(again, DeductAnswer::Items { outcome: ItemsWon::Repeat, items: items() });
    // The first that lacks, in the order of the request.
    let limit = refused("b", Outcome::LimitReached { left: 1 });
    assert_eq!(order(&sales, "ann", "2", &[("a", 1), ("b", 2)]).await, limit);
    let few = refused("a", Outcome::NotEnough { left: 7 });
    assert_eq!(order(&sales, "ann", "2", &[("a", 8), ("b", 2)]).await, few);
    assert_eq!(order(&sales, "ann", "2", &[("b", 2), ("a", 8)]).await, limit);
    assert_eq!((left(&sales, "a").await, left(&sales, "b").await), (7, 4), "nothing was changed");
    // Each item is a deduction of its own sale.
    let alone = sales.deduct("a", "ann".to_owned(), 3, Some("1".to_owned())).await;
    assert_eq!(alone, Ok(Outcome::Repeat { left: 7, state: DeductionState::Deducted, due: None }));
    let snapshot = sales.snapshot("b").await.expect("a snapshot");
    assert_eq!((snapshot.held, snapshot.outcomes.won, snapshot.outcomes.repeat), (Some(1), 1, 1));
    assert_eq!(snapshot.outcomes.limit_reached, 2);
    assert_holds(&sales, &["a", "b"]).await;
    catch_up(&app).await;
    assert_holds(&sales, &["a", "b"]).await;
    for (sale, quantity) in [("a", "3"), ("b", "1")] {
        let search = Search { sale: Some(sale.to_owned()), request_id: Some("1".to_owned()), ..Search::default() };
        let rows = app.ledger.rows(&search, 20, None).await.expect("the rows");
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((rows[0].outcome.as_str(), rows[0].item.as_deref()), ("won", Some(quantity)));
    }
}

#[tokio::test]
async fn each_sale_has_its_own_life() {
    let (_redis, app, sales) = with_group().await;
    opened(&app, [Terms { plan: Plan { opens: Some(When::At(START + 5)), ..Plan::default() }, ..of_group("c", 5) }])
        .await;
    let not_open = Outcome::NotOpen { opens_at: START + 5, now: START };
    assert_eq!(order(&sales, "ann", "1", &[("a", 1), ("c", 1)]).await, refused("c", not_open));
    app.time.advance(5);
    assert!(matches!(order(&sales, "ann", "1", &[("a", 1), ("c", 1)]).await, DeductAnswer::Items { .. }));
    let life = &app.services.life;
    life.pause("stock", "a", "rain".to_owned(), HoldClock::Runs, None).await.expect("paused");
    let paused = Outcome::Paused { paused_at: START + 5, reason: "rain".to_owned() };
    assert_eq!(order(&sales, "ann", "2", &[("c", 1), ("a", 1)]).await, refused("a", paused));
    sales.close("c").await.expect("closed");
    let closed = Outcome::Closed { closed_at: START + 5 };
    assert_eq!(order(&sales, "ann", "2", &[("c", 1), ("a", 1)]).await, refused("c", closed));
    // It was won before.
    assert!(matches!(
        order(&sales, "ann", "1", &[("a", 1), ("c", 1)]).await,
        DeductAnswer::Items { outcome: ItemsWon::Repeat, .. }
    ));
    assert_holds(&sales, &["a", "b", "c"]).await;
}

#[tokio::test]
async fn a_request_id_is_of_one_attempt() {
    let (_redis, _app, sales) = with_group().await;
    order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    for (user, items) in [("bob", [("a", 3), ("b", 1)]), ("ann", [("a", 2), ("b", 1)]), ("ann", [("a", 3), ("b", 2)])] {
        let error = try_order(&sales, user, "1", &items).await.expect_err("used");
        assert_eq!((error.code, error.field.as_deref()), (Code::RequestReused, Some("request_id")));
    }
    // An item that it has already is not deducted again; one that came back is not completed.
    sales.deduct("a", "ann".to_owned(), 2, Some("2".to_owned())).await.expect("an outcome");
    let items = vec![got("a", 2, 5, DeductionState::Deducted), got("b", 1, 3, DeductionState::Held)];
    let completed = order(&sales, "ann", "2", &[("a", 2), ("b", 1)]).await;
    assert_eq!(completed, DeductAnswer::Items { outcome: ItemsWon::Won, items });
    sales.deduct("a", "cid".to_owned(), 2, Some("3".to_owned())).await.expect("an outcome");
    sales.give_back("a", Return::of_all("3".to_owned())).await.expect("an outcome");
    let error = try_order(&sales, "cid", "3", &[("a", 2), ("b", 1)]).await.expect_err("it came back");
    assert_eq!(error.code, Code::RequestReused);
    assert_holds(&sales, &["a", "b"]).await;
}

#[tokio::test]
async fn reservations_of_an_attempt_are_confirmed_together() {
    let (_redis, app, sales) = with_group().await;
    let confirm = async |request: &str, ids: &[&str]| {
        sales.confirm_items(&sales_of(ids), String::new(), request.to_owned()).await.expect("an answer")
    };
    order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    let items = || vec![item("a", 3), item("b", 1)];
    let confirmed = |outcome| ConfirmAnswer::Items { outcome, user: "ann".to_owned(), items: items() };
    assert_eq!(confirm("1", &["a", "b"]).await, confirmed(ItemsConfirmed::Confirmed));
    assert_eq!(confirm("1", &["a", "b"]).await, confirmed(ItemsConfirmed::Repeat));
    let unknown = ConfirmAnswer::Refused { refused_by: "a".to_owned(), outcome: Confirmed::UnknownRequest };
    assert_eq!(confirm("9", &["a", "b"]).await, unknown);
    // One that is late keeps the others from it.
    opened(&app, [Terms { hold_s: Some(2 * HOLD_S), ..of_group("c", 5) }]).await;
    order(&sales, "bob", "2", &[("c", 1), ("b", 1)]).await;
    app.time.advance(60_000);
    let late = Confirmed::Late { user: "bob".to_owned(), due: DUE };
    let late = ConfirmAnswer::Refused { refused_by: "b".to_owned(), outcome: late };
    assert_eq!(confirm("2", &["c", "b"]).await, late);
    assert_eq!(sales.sweep().await, Ok(1), "that of one sale only");
    assert_eq!(confirm("2", &["c", "b"]).await, late);
    // Whatever is left comes back.
    let back = sales.give_back_items(&sales_of(&["c", "b"]), Return::of_all("2".to_owned())).await;
    let items = vec![item("c", 1), item("b", 0)];
    assert_eq!(back, Ok(ReturnAnswer::Items { outcome: ItemsReturned::Returned, user: "bob".to_owned(), items }));
    let returned = Confirmed::Returned { user: "bob".to_owned() };
    let returned = ConfirmAnswer::Refused { refused_by: "c".to_owned(), outcome: returned };
    assert_eq!(confirm("2", &["c", "b"]).await, returned);
    catch_up(&app).await;
    assert_holds(&sales, &["a", "b", "c"]).await;
}

#[tokio::test]
async fn an_attempt_is_given_back_as_a_whole() {
    let (_redis, app, sales) = with_group().await;
    let back = async |request: &str| {
        sales.give_back_items(&sales_of(&["a", "b"]), Return::of_all(request.to_owned())).await.expect("an answer")
    };
    order(&sales, "ann", "1", &[("a", 3), ("b", 2)]).await;
    sales.deduct("a", "ann".to_owned(), 1, Some("alone".to_owned())).await.expect("an outcome");
    let answer = |outcome, items| ReturnAnswer::Items { outcome, user: "ann".to_owned(), items };
    let unknown = ReturnAnswer::Refused { refused_by: "b".to_owned(), outcome: GivenBack::UnknownRequest };
    assert_eq!(back("alone").await, unknown);
    assert_eq!(left(&sales, "a").await, 6, "nothing was given back");
    assert_eq!(back("1").await, answer(ItemsReturned::Returned, vec![item("a", 3), item("b", 2)]));
    assert_eq!(back("1").await, answer(ItemsReturned::Repeat, vec![item("a", 0), item("b", 0)]));
    assert_eq!((left(&sales, "a").await, left(&sales, "b").await), (9, 5));
    catch_up(&app).await;
    assert_holds(&sales, &["a", "b"]).await;
}

#[tokio::test]
async fn bad_requests_change_nothing() {
    let (_redis, app, sales) = with_group().await;
    let alone = Terms { sale: "alone".to_owned(), ..terms(10) };
    let elsewhere = Terms { group: Some("h".to_owned()), ..of_group("elsewhere", 10) };
    opened(&app, [alone, elsewhere]).await;
    let many: Vec<String> = (0..=MAX_ITEMS).map(|nth| nth.to_string()).collect();
    let many: Vec<(&str, u64)> = many.iter().map(|sale| (sale.as_str(), 1)).collect();
    type Items<'a> = &'a [(&'a str, u64)];
    let cases: [(Items<'_>, Code, Option<&str>); 8] = [
        (&[], Code::BadRequest, Some("items")),
        (&[("alone", 1)], Code::BadRequest, Some("items")),
        (&many, Code::BadRequest, Some("items")),
        (&[("a", 1), ("a", 1)], Code::BadRequest, Some("items[1].sale")),
        (&[("a", 1), ("b", 0)], Code::BadRequest, Some("items[1].quantity")),
        (&[("a", 1), ("alone", 1)], Code::BadRequest, Some("items")),
        (&[("a", 1), ("elsewhere", 1)], Code::BadRequest, Some("items")),
        (&[("a", 1), ("nope", 1)], Code::UnknownSale, None),
    ];
    for (items, code, field) in cases {
        let error = try_order(&sales, "ann", "1", items).await.expect_err("bad");
        assert_eq!(error.code, code, "{}", error.message);
        if field.is_some() {
            assert_eq!(error.field.as_deref(), field, "{}", error.message);
        }
    }
    let part = Return { quantity: Some(1), ..Return::of_all("1".to_owned()) };
    let error = sales.give_back_items(&sales_of(&["a", "b"]), part).await.expect_err("a part");
    assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("quantity")));
    for id in ["a", "b", "alone", "elsewhere"] {
        assert_eq!(sales.snapshot(id).await.expect("a snapshot").units.deducted, 0, "{id}");
    }
}

/// A shop sends each basket in the same way.
#[tokio::test]
async fn an_attempt_may_have_one_item() {
    let (_redis, _app, sales) = with_group().await;
    let DeductAnswer::Items { outcome, items } = order(&sales, "ann", "1", &[("a", 3)]).await else {
        panic!("refused")
    };
    assert_eq!((outcome, items.len(), items[0].left), (ItemsWon::Won, 1, 7));
    assert_eq!(sales.snapshot("a").await.expect("a snapshot").units.deducted, 3);
}

#[tokio::test]
async fn an_id_is_of_one_sale_with_or_without_a_group() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let servers = [stock(&apps[0]), stock(&apps[1])];
    let alone = |sale: &str| Terms { sale: sale.to_owned(), ..terms(10) };
    assert!(!servers[0].open(of_group("a", 10)).await.expect("a sale").existed);
    servers[0].open(alone("b")).await.expect("a sale");
    for sales in &servers {
        assert!(sales.open(of_group("a", 10)).await.expect("the same sale").existed);
        assert!(sales.open(alone("b")).await.expect("the same sale").existed);
        let other = Terms { group: Some("h".to_owned()), ..of_group("a", 10) };
        for taken in [alone("a"), of_group("a", 11), other, of_group("b", 10)] {
            assert_eq!(sales.open(taken).await.map_err(|error| error.code), Err(Code::SaleExists));
        }
    }
    // An opening that is too late takes no id.
    let late = Plan { opens: Some(When::At(START - 1)), ..Plan::default() };
    let error = servers[0].open(Terms { plan: late, ..of_group("c", 10) }).await.expect_err("late");
    assert_eq!(error.field.as_deref(), Some("opens_at"));
    servers[0].open(alone("c")).await.expect("a sale");
    // What has a group has no more keys than it needs, and what has none has the keys of always.
    let raw = redis.raw().await;
    assert_eq!(raw.run::<i64>("HLEN", keys::sale("stock", "a", "meta")).await, 1);
    assert_eq!(raw.run::<i64>("EXISTS", key("a", "events")).await, 1);
    assert_eq!(raw.run::<i64>("EXISTS", keys::sale("stock", "c", "events")).await, 1);
}

#[tokio::test]
async fn every_server_finds_a_sale_by_its_id() {
    let redis = TestRedis::start().await;
    let apps = TestApp::two_on(&redis).await;
    let sales = opened(&apps[0], [of_group("a", 10), of_group("b", 10)]).await;
    order(&sales, "ann", "1", &[("a", 1), ("b", 1)]).await;
    // None of these has seen them before.
    let other = stock(&apps[1]);
    assert_eq!(other.snapshot("a").await.expect("a snapshot").left, 9);
    assert!(matches!(order(&other, "bob", "2", &[("b", 1), ("a", 1)]).await, DeductAnswer::Items { .. }));
    let restarted = TestApp::at(&redis, &redis.url(), clock(), 9).await;
    catch_up(&restarted).await;
    let sales = stock(&restarted);
    assert_holds(&sales, &["a", "b"]).await;
    let group = sales.snapshot("a").await.expect("a snapshot").group.expect("a group");
    assert_eq!((group.id.as_str(), group.others), ("g", sales_of(&["b"])));
    let list = restarted.lists.list(ListQuery::default()).await.expect("the list");
    assert_eq!(list.sales.len(), 2);
    let known = restarted.ledger.sale("stock", "a").await.expect("the ledger").expect("a sale");
    assert_eq!((known.quantity, known.group().as_deref()), (8, Some("g")));
}

/// Everything of a sale of the group.
async fn lose(raw: &Raw, sale: &str) {
    raw.run::<i64>("DEL", keys::sale("stock", sale, "meta")).await;
    raw.run::<i64>("DEL", PARTS.map(|part| key(sale, part)).to_vec()).await;
}

#[tokio::test]
async fn a_lost_sale_comes_back_in_its_group() {
    let (redis, app, sales) = with_group().await;
    order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    catch_up(&app).await;
    lose(&redis.raw().await, "b").await;
    // Of a server that has never seen it.
    let restarted = TestApp::at(&redis, &redis.url(), app.time.clone(), 9).await;
    let sales = stock(&restarted);
    let code = |error: Error| error.code;
    assert_eq!(sales.snapshot("b").await.map_err(code).err(), Some(Code::SaleLost));
    assert_eq!(try_order(&sales, "ann", "2", &[("a", 1), ("b", 1)]).await.map_err(code), Err(Code::SaleLost));
    sales.recover("b", DeadLetters::Refuse).await.expect("recovered");
    assert_holds(&sales, &["a", "b"]).await;
    assert!(matches!(
        order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await,
        DeductAnswer::Items { outcome: ItemsWon::Repeat, .. }
    ));
    assert!(matches!(order(&sales, "ann", "2", &[("a", 1), ("b", 1)]).await, DeductAnswer::Items { .. }));
    catch_up(&restarted).await;
    assert_holds(&sales, &["a", "b"]).await;
}

#[tokio::test]
async fn a_request_of_which_redis_has_lost_an_item_gets_it_again() {
    let (redis, app, sales) = with_group().await;
    let ids = ["a", "b"];
    sales.deduct("b", "bob".to_owned(), 1, Some("0".to_owned())).await.expect("an outcome");
    catch_up(&app).await;
    sales.pause("b", 60).await.expect("paused");
    order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    catch_up(&app).await;
    let raw = redis.raw().await;
    for id in ids {
        lose(&raw, id).await;
    }
    let restarted = TestApp::at(&redis, &redis.url(), app.time.clone(), 9).await;
    let sales = stock(&restarted);
    for id in ids {
        sales.recover(id, DeadLetters::Refuse).await.expect("recovered");
    }
    let answer = order(&sales, "ann", "1", &[("a", 3), ("b", 1)]).await;
    let items = vec![got("a", 3, 7, DeductionState::Deducted), got("b", 1, 3, DeductionState::Held)];
    assert_eq!(answer, DeductAnswer::Items { outcome: ItemsWon::Won, items });
    assert_holds(&sales, &ids).await;
}

#[tokio::test]
async fn a_group_that_was_forgotten_is_known_again() {
    let (redis, app, _sales) = with_group().await;
    catch_up(&app).await;
    redis.raw().await.run::<i64>("DEL", keys::sale("stock", "a", "meta")).await;
    let restarted = TestApp::at(&redis, &redis.url(), clock(), 9).await;
    let sales = stock(&restarted);
    assert_eq!(sales.snapshot("a").await.map_err(|error| error.code).err(), Some(Code::SaleLost));
    // The sale itself is there.
    assert_eq!(sales.recover("a", DeadLetters::Refuse).await.map_err(|error| error.code).err(), Some(Code::SaleExists));
    assert_eq!(sales.snapshot("a").await.expect("a snapshot").state, State::Open);
    assert_holds(&sales, &["a", "b"]).await;
}

#[tokio::test]
async fn only_a_damaged_sale_is_suspended() {
    let (redis, _app, sales) = with_group().await;
    order(&sales, "ann", "1", &[("a", 1), ("b", 1)]).await;
    let raw = redis.raw().await;
    raw.run::<i64>("HSET", (key("b", "meta"), "sum", "many")).await;
    let error = try_order(&sales, "ann", "2", &[("a", 1), ("b", 1)]).await.expect_err("damaged");
    assert_eq!(error.code, Code::SaleSuspended);
    let state = async |sale: &str| raw.run::<String>("HGET", (key(sale, "meta"), "state")).await;
    assert_eq!((state("a").await, state("b").await), ("open".to_owned(), "suspended".to_owned()));
    assert_eq!(left(&sales, "a").await, 9);
    let answer = sales.deduct("a", "ann".to_owned(), 1, None).await;
    assert_eq!(answer, Ok(Outcome::Won { left: 8 }));
}

#[tokio::test]
async fn an_archived_sale_is_gone_from_its_group() {
    let (redis, app, sales) = with_group().await;
    order(&sales, "ann", "1", &[("a", 1), ("b", 1)]).await;
    app.closing.close("stock", "a").await.expect("closed");
    catch_up(&app).await;
    app.closing.archive("stock", "a").await.expect("archived");
    let error = try_order(&sales, "ann", "2", &[("b", 1), ("a", 1)]).await.expect_err("archived");
    assert_eq!(error.code, Code::SaleArchived);
    let raw = redis.raw().await;
    for meta in [keys::sale("stock", "a", "meta"), key("a", "meta")] {
        assert!((1..=3_600).contains(&raw.run::<i64>("TTL", &meta).await), "{meta}");
    }
    assert_eq!(raw.run::<i64>("EXISTS", key("a", "requests")).await, 0);
    let group = sales.snapshot("b").await.expect("a snapshot").group.expect("a group");
    assert_eq!(group.others, [""; 0]);
    for taken in [of_group("a", 10), Terms { sale: "a".to_owned(), ..terms(10) }] {
        assert_eq!(sales.open(taken).await.map_err(|error| error.code), Err(Code::SaleExists));
    }
}

#[tokio::test]
async fn on_a_cluster_the_sales_of_a_group_are_in_one_slot() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = |seed| {
        let (url, base) = (cluster.url(), &base);
        async move { TestApp::with(&url, base.connect().await.expect("a ledger"), clock(), seed, 10_000).await }
    };
    let first = app(1).await;
    let ids: Vec<String> = (0..6).map(|nth| format!("s{nth}")).collect();
    let sales = opened(&first, ids.iter().map(|id| of_group(id, 10))).await;
    let slots: Vec<u16> = ids.iter().map(|id| slot_of(key(id, "meta").as_bytes())).collect();
    assert!(slots.iter().all(|slot| *slot == slots[0]));
    let alone = ids.iter().map(|id| slot_of(keys::sale("stock", id, "meta").as_bytes()));
    assert!(alone.into_iter().any(|slot| slot != slots[0]), "without the group, they would be elsewhere");
    let items: Vec<(&str, u64)> = ids.iter().map(|id| (id.as_str(), 1)).collect();
    assert!(matches!(order(&sales, "ann", "1", &items).await, DeductAnswer::Items { outcome: ItemsWon::Won, .. }));
    // Another server, whose writer finds all of them.
    let second = app(2).await;
    let sales = stock(&second);
    assert!(matches!(order(&sales, "ann", "1", &items).await, DeductAnswer::Items { outcome: ItemsWon::Repeat, .. }));
    catch_up(&second).await;
    for id in &ids {
        let known = second.ledger.sale("stock", id).await.expect("the ledger").expect("a sale");
        assert_eq!(known.quantity, 9);
        assert_holds(&sales, &[id.as_str()]).await;
    }
}
