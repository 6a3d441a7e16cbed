//! Webhooks at a receiver over real HTTP: signed, in order for each sale, until they are accepted, and at last as dead
//! letters.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    postgres::Postgres,
    program::{Home, Running, complaint},
    redis::TestRedis,
    sale::{START, clock},
    within,
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use ledger::{
    database::{Ledger, Place},
    webhooks::StoredWebhook,
};
use model::error::Code;
use serde_json::{Value, json};
use stampede::server::webhooks::{
    delivery::{Deliverer, Pass},
    message::signature,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    process::Output,
    sync::{Arc, Mutex},
};
use store::runtime::locked;
use tokio::task::JoinHandle;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// A receiver of messages, which refuses those about some users.
struct Receiver {
    url: String,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

/// An accepted message.
struct Message {
    headers: HeaderMap,
    body: String,
}

impl Message {
    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("text")
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Whether it was signed with this secret.
    fn is_signed(&self, secret: &str) -> bool {
        let timestamp = self.header("webhook-timestamp").parse().expect("seconds");
        let signed = signature(secret, self.header("webhook-id"), timestamp, &self.body).expect("a signature");
        self.header("webhook-signature") == signed
    }
}

#[derive(Default)]
struct Seen {
    accepted: Mutex<Vec<Message>>,
    /// Users whose messages are refused.
    refused: Mutex<BTreeSet<&'static str>>,
    /// The refused messages.
    refusals: Mutex<Vec<String>>,
}

async fn receive(State(seen): State<Arc<Seen>>, headers: HeaderMap, body: String) -> StatusCode {
    let message = Message { headers, body };
    let json = message.json();
    let user = json["data"]["user"].as_str().unwrap_or_default();
    if locked(&seen.refused).contains(user) {
        locked(&seen.refusals).push(line(&json));
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    locked(&seen.accepted).push(message);
    StatusCode::NO_CONTENT
}

fn line(message: &Value) -> String {
    let data = &message["data"];
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    format!("{} {} {}", data["recorded"], text("sale"), text("user")).trim_end().to_owned()
}

impl Receiver {
    async fn start() -> Self {
        let seen = Arc::new(Seen::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook?token=7", listener.local_addr().expect("an address"));
        let app = Router::new().route("/hook", post(receive)).with_state(seen.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        Self { url, seen, task }
    }

    fn refuse(&self, users: &[&'static str]) {
        *locked(&self.seen.refused) = users.iter().copied().collect();
    }

    /// The accepted messages since the last call, as their places, sales and users.
    fn accepted(&self) -> Vec<String> {
        self.messages().iter().map(|message| line(&message.json())).collect()
    }

    fn messages(&self) -> Vec<Message> {
        std::mem::take(&mut *locked(&self.seen.accepted))
    }

    /// The refused messages since the last call.
    fn refusals(&self) -> Vec<String> {
        std::mem::take(&mut *locked(&self.seen.refusals))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Bench {
    server: Server,
    receiver: Receiver,
    deliverer: Deliverer,
    _redis: TestRedis,
    _postgres: Option<Postgres>,
}

/// Runs each of these functions as a test on SQLite and as one on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Bench::on(None).await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                let postgres = crate::support::postgres::Postgres::start();
                super::$name(super::Bench::on(Some(postgres)).await).await;
            })*
        }
    };
}

on_both!(
    what_is_recorded_is_sent_once_and_signed,
    a_sale_whose_row_is_refused_waits_in_order_and_the_others_go_on,
    what_is_refused_for_a_day_is_a_dead_letter_until_somebody_sends_it_again,
    two_servers_that_deliver_at_once_skip_nothing,
);

impl Bench {
    async fn on(postgres: Option<Postgres>) -> Self {
        let redis = TestRedis::start().await;
        let url = postgres.as_ref().map(|postgres| postgres.url());
        let place = url.as_deref().map_or(Place::Folder(redis.folder()), Place::Url);
        let ledger = Ledger::connect(place).await.expect("a ledger");
        let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
        let deliverer = Deliverer::new(&app).expect("a client");
        Self {
            server: app.serve().await,
            receiver: Receiver::start().await,
            deliverer,
            _redis: redis,
            _postgres: postgres,
        }
    }

    async fn ok(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.server.post(path, &body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    async fn open(&self, sale: &str) {
        self.ok("/api/stock/open", json!({ "id": sale, "quantity": 100 })).await;
        self.record().await;
    }

    async fn sell(&self, sale: &str, user: &str) {
        self.ok("/api/stock/deduct", json!({ "sale": sale, "user": user, "quantity": 1 })).await;
        self.record().await;
    }

    async fn record(&self) {
        let mut writer = self.server.app.writer("one");
        writer.catch_up().await.expect("the ledger is written");
        writer.give_up().await;
    }

    async fn add(&self, id: &str, kinds: &[&str], outcomes: &[&str]) {
        let list = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        let webhook = StoredWebhook {
            id: id.to_owned(),
            url: self.receiver.url.clone(),
            secret: SECRET.to_owned(),
            kinds: list(kinds),
            outcomes: list(outcomes),
            created_at: START,
            sent: 0,
            version: 0,
        };
        self.server.app.ledger.add_webhook(&webhook).await.expect("a webhook");
    }

    /// Delivers until there is nothing to do.
    async fn deliver(&self, id: &str) -> Pass {
        loop {
            let pass = self.deliverer.pass(id).await.expect("a ledger").expect("a webhook");
            if !pass.has_moved {
                return pass;
            }
        }
    }

    async fn progress(&self) -> Value {
        self.ok("/api/webhooks", json!({})).await[0].clone()
    }
}

async fn what_is_recorded_is_sent_once_and_signed(bench: Bench) {
    bench.open("s").await;
    bench.sell("s", "ann").await;
    bench.add("all", &[], &[]).await;
    assert_eq!(bench.deliver("all").await, Pass { has_moved: false, sent: 2 });
    let messages = bench.receiver.messages();
    assert_eq!(messages.iter().map(|message| line(&message.json())).collect::<Vec<_>>(), ["1 s", "2 s ann"]);
    let message = &messages[1];
    assert!(messages.iter().all(|message| message.is_signed(SECRET)));
    let rows = bench.ok("/api/ledger/search", json!({ "user": "ann" })).await;
    let (row, at) = (&rows["rows"][0], "2023-11-14T22:13:20.000Z");
    assert_eq!(message.json(), json!({ "type": "stock.won", "timestamp": at, "data": row }));
    assert_eq!(Some(message.header("webhook-id")), row["id"].as_str(), "the same whenever it is sent");
    assert_eq!(message.header("webhook-timestamp"), (START / 1_000).to_string());
    assert_eq!(message.header("content-type"), "application/json");
    bench.deliver("all").await;
    assert_eq!(bench.receiver.accepted(), [""; 0], "each once");

    bench.add("opened", &["stock", "coupon"], &["opened"]).await;
    bench.add("none", &["ticket"], &[]).await;
    bench.open("t").await;
    bench.sell("t", "bob").await;
    for id in ["opened", "none", "all"] {
        assert_eq!(bench.deliver(id).await, Pass { has_moved: false, sent: 4 });
    }
    // Sales do not wait for each other.
    let mut accepted = bench.receiver.accepted();
    accepted.sort_unstable();
    assert_eq!(accepted, ["1 s", "3 t", "3 t", "4 t bob"]);
    let listed = bench.ok("/api/webhooks", json!({})).await;
    let url = bench.receiver.url.split_once("/hook").expect("an address").0;
    assert_eq!(
        listed[1],
        json!({
            "id": "none", "url": url, "kinds": ["ticket"], "outcomes": [], "created_at": START, "behind": 0,
            "stalled_sales": 0, "reason": null, "dead_letters": 0,
        })
    );
    bench.server.app.ledger.remove_webhook("all").await.expect("it is removed");
    let refused = bench.server.app.ledger.remove_webhook("all").await.expect_err("it is gone");
    assert_eq!((refused.code, refused.field.as_deref()), (Code::BadRequest, Some("webhook")));
    assert_eq!(bench.deliverer.pass("all").await, Ok(None));
}

async fn a_sale_whose_row_is_refused_waits_in_order_and_the_others_go_on(bench: Bench) {
    bench.add("w", &[], &["won"]).await;
    for sale in ["s", "t"] {
        bench.open(sale).await;
    }
    bench.receiver.refuse(&["bad"]);
    for (sale, user) in [("s", "ann"), ("s", "bad"), ("t", "bob"), ("s", "cid"), ("t", "dan")] {
        bench.sell(sale, user).await;
    }
    bench.deliver("w").await;
    let mut accepted = bench.receiver.accepted();
    accepted.sort_unstable();
    assert_eq!(
        (accepted, bench.receiver.refusals()),
        (vec!["3 s ann".into(), "5 t bob".into(), "7 t dan".into()], vec!["4 s bad".into()])
    );
    let progress = bench.progress().await;
    assert_eq!((&progress["stalled_sales"], &progress["behind"]), (&json!(1), &json!(0)));
    assert_eq!(progress["reason"], "The receiver answered 503 Service Unavailable.");

    // What comes later waits behind it, and nothing is tried before its time.
    bench.sell("s", "eve").await;
    bench.deliver("w").await;
    assert_eq!((bench.receiver.accepted(), bench.receiver.refusals()), (vec![], vec![]));
    for pause in [2_000, 4_000, 8_000] {
        bench.server.app.time.advance(pause);
        bench.deliver("w").await;
        assert_eq!((bench.receiver.accepted(), bench.receiver.refusals()), (vec![], vec!["4 s bad".into()]));
    }
    bench.server.app.time.advance(30 * 60 * 1_000);
    bench.receiver.refuse(&["eve"]);
    bench.deliver("w").await;
    assert_eq!(
        (bench.receiver.accepted(), bench.receiver.refusals()),
        (vec!["4 s bad".into(), "6 s cid".into()], vec!["8 s eve".into()])
    );
    bench.receiver.refuse(&[]);
    bench.server.app.time.advance(30 * 60 * 1_000);
    bench.deliver("w").await;
    bench.sell("s", "fay").await;
    bench.deliver("w").await;
    assert_eq!(bench.receiver.accepted(), ["8 s eve", "9 s fay"]);
    assert_eq!(bench.progress().await["stalled_sales"], 0);
}

async fn what_is_refused_for_a_day_is_a_dead_letter_until_somebody_sends_it_again(bench: Bench) {
    bench.add("w", &[], &["won"]).await;
    bench.open("s").await;
    bench.receiver.refuse(&["bad", "worse"]);
    for user in ["bad", "worse", "cid"] {
        bench.sell("s", user).await;
    }
    bench.deliver("w").await;
    bench.server.app.time.advance(DAY - 1);
    bench.deliver("w").await;
    assert_eq!(bench.ok("/api/webhooks/dead-letters", json!({})).await, json!([]));
    bench.server.app.time.advance(DAY);
    bench.deliver("w").await;
    assert_eq!(bench.receiver.accepted(), ["4 s cid"]);
    let letters = bench.ok("/api/webhooks/dead-letters", json!({ "webhook": "w" })).await;
    let letter = |recorded, tries, is_due, at| {
        json!({
            "webhook": "w", "recorded": recorded, "kind": "stock", "sale": "s", "outcome": "won",
            "reason": "The receiver answered 503 Service Unavailable.", "at": at, "tries": tries, "is_due": is_due,
        })
    };
    let at = START + 2 * DAY - 1;
    assert_eq!(letters, json!([letter(2, 3, false, at), letter(3, 1, false, at)]));
    assert_eq!(bench.progress().await["dead_letters"], 2);
    let matters = json!([{ "reason": "undelivered", "subject": { "webhook": "w" }, "number": 2 }]);
    assert_eq!(bench.ok("/api/health", json!({})).await["matters"], matters, "somebody is needed");

    bench.receiver.refuse(&["worse"]);
    bench.deliver("w").await;
    assert_eq!(bench.receiver.accepted(), [""; 0], "only if somebody asks for it");
    assert_eq!(bench.ok("/api/webhooks/retry", json!({ "webhook": "w" })).await, json!({ "requeued": 2 }));
    assert_eq!(bench.ok("/api/webhooks/dead-letters", json!({})).await[1]["is_due"], true);
    bench.deliver("w").await;
    assert_eq!(bench.receiver.accepted(), ["2 s bad"]);
    assert_eq!(bench.ok("/api/webhooks/dead-letters", json!({})).await, json!([letter(3, 2, false, at)]));

    let (status, answer) = bench.server.post("/api/webhooks/retry", &json!({ "webhook": "x" })).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("webhook")), "{answer}");
}

/// The lease may be lost while a server delivers. Then rows are sent twice, and none is left out.
async fn two_servers_that_deliver_at_once_skip_nothing(bench: Bench) {
    const USERS: [&str; 6] = ["u0", "u1", "u2", "u3", "u4", "u5"];
    bench.add("w", &[], &["won"]).await;
    for sale in ["s", "t"] {
        bench.open(sale).await;
    }
    let other = Deliverer::new(&bench.server.app).expect("a client");
    for round in 0..12 {
        bench.receiver.refuse(&[USERS[round % USERS.len()]]);
        for user in [USERS[round % 6], USERS[(round + 1) % 6], USERS[(round + 3) % 6]] {
            for sale in ["s", "t"] {
                bench.sell(sale, user).await;
            }
        }
        let (one, two) = tokio::join!(bench.deliverer.pass("w"), other.pass("w"));
        assert!(matches!((one, two), (Ok(Some(_)), Ok(Some(_)))));
        bench.server.app.time.advance(1_000 * (round as i64 % 3));
    }
    bench.receiver.refuse(&[]);
    bench.server.app.time.advance(30 * 60 * 1_000);
    bench.deliver("w").await;
    let mut first: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for message in bench.receiver.messages() {
        let message = message.json();
        let sale = message["data"]["sale"].as_str().expect("a sale").to_owned();
        let (places, place) = (first.entry(sale).or_default(), message["data"]["recorded"].as_u64().expect("a place"));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let sent: usize = first.values().map(Vec::len).sum();
    assert_eq!(sent, 12 * 3 * 2, "{first:?}");
    assert!(first.values().all(|places| places.is_sorted()), "in order for each sale: {first:?}");
}

async fn webhook(home: &Home, args: &[&str]) -> Output {
    let mut command = home.command("webhook");
    command.args(args).arg("--data-dir").arg(home.data());
    within("the program ends", command.output()).await.expect("it ran")
}

async fn printed(home: &Home, args: &[&str]) -> String {
    let Output { status, stdout, stderr } = webhook(home, args).await;
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

#[tokio::test]
async fn the_command_adds_lists_and_removes_webhooks_and_a_running_server_delivers() {
    let (home, receiver) = (Home::new(), Receiver::start().await);
    let running = Running::start(home.serve_with_data()).await;
    let open = json!({ "id": "program", "quantity": 10 });
    assert_eq!(running.post("/api/stock/open", &open).await.0, 200);
    let added = printed(&home, &["add", &receiver.url, "--kinds", "stock,ticket", "--outcomes", "won", "--json"]).await;
    let added: Value = serde_json::from_str(&added).expect("JSON");
    let (id, secret) = (added["id"].as_str().expect("an id"), added["secret"].as_str().expect("a secret"));
    assert!(secret.starts_with("whsec_"), "{added}");
    let deduct = json!({ "sale": "program", "user": "ann", "quantity": 1 });
    assert_eq!(running.post("/api/stock/deduct", &deduct).await.0, 200);
    let messages = eventually("the message comes", async || {
        let messages = receiver.messages();
        (!messages.is_empty()).then_some(messages)
    })
    .await;
    assert_eq!((line(&messages[0].json()).as_str(), messages[0].is_signed(secret)), ("2 program ann", true));

    let listed = printed(&home, &["list"]).await;
    assert!(listed.contains(&receiver.url) && listed.contains("stock, ticket; won"), "{listed}");
    assert!(!listed.contains("whsec_"), "the secret is shown once: {listed}");
    assert_eq!(printed(&home, &["retry"]).await, "0 dead letters will be sent again by the server.\n");
    printed(&home, &["remove", id]).await;
    assert_eq!(printed(&home, &["list"]).await, "There is no webhook.\n");
    running.stop().await;

    for (args, why) in [
        (&["add", "shop.example"][..], "\"shop.example\" is no address"),
        (&["add", "ftp://shop.example"], "\"ftp://shop.example\" is no address"),
        (&["add", "https://me:secret@shop.example"], "The address has a user name or a password."),
        (&["add", "https://shop.example", "--kinds", "raffle"], "There is no kind \"raffle\"; the kinds are: "),
        (&["add", "https://shop.example", "--outcomes", "Won"], "There is no outcome \"Won\" of these kinds; "),
        (&["add", "https://shop.example", "--after", "99"], "--after is 99, but the ledger has recorded only "),
        (&["remove", "nothing"], "There is no webhook \"nothing\"; "),
        (&["retry", "nothing"], "There is no webhook \"nothing\"; "),
    ] {
        let mut command = home.command("webhook");
        command.args(args).arg("--data-dir").arg(home.data());
        let sentence = complaint(command).await;
        assert!(sentence.starts_with(why), "{sentence}");
    }
}
