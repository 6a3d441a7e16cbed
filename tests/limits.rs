//! How much is served at a time: what is beyond that waits for its turn, and what is beyond those that may wait is
//! refused.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    proxy::{FaultProxy, Hold},
    redis::{Raw, TestRedis},
    sale::{clock, terms},
    within,
};
use futures::{StreamExt, poll, stream::FuturesUnordered};
use serde_json::{Value, json};
use stampede::server::limits::{MAX_AUDITS, MAX_IN_LINE, MAX_OPENS};
use std::pin::pin;
use store::keys;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Asks on a connection that stays open.
async fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("a request");
}

async fn answered(stream: &mut TcpStream) {
    let mut answer = Vec::new();
    while !answer.ends_with(br#"{"status":"ok"}"#) {
        let bytes = within("an answer", stream.read_buf(&mut answer)).await.expect("an answer");
        assert_ne!(bytes, 0, "{}", String::from_utf8_lossy(&answer));
    }
}

#[tokio::test]
async fn a_connection_beyond_the_most_is_served_once_another_closes() {
    let redis = TestRedis::start().await;
    let mut app = TestApp::on(&redis).await;
    app.connections.most = 3;
    let server = app.serve().await;
    let connect = async || TcpStream::connect(server.address()).await.expect("a connection");
    let mut served = Vec::new();
    for _ in 0..3 {
        let mut stream = connect().await;
        ask(&mut stream).await;
        answered(&mut stream).await;
        served.push(stream);
    }
    let mut beyond = connect().await;
    ask(&mut beyond).await;
    let mut answer = pin!(answered(&mut beyond));
    // Whoever asks later, on a connection that is served, is answered; it is not.
    for stream in &mut served {
        ask(stream).await;
        answered(stream).await;
        assert!(poll!(&mut answer).is_pending());
    }
    drop(served.pop());
    answer.await;
}

/// A server whose Redis logs every command.
struct Bench {
    _redis: TestRedis,
    raw: Raw,
    proxy: FaultProxy,
    server: Server,
}

impl Bench {
    async fn start() -> Self {
        let redis = TestRedis::start().await;
        let (raw, proxy) = (redis.raw().await, FaultProxy::before(&redis).await);
        let server = TestApp::at(&redis, &proxy.url, clock(), 1).await.serve().await;
        // The first answer that is checked takes a while, and the server waits three seconds for Redis.
        assert_eq!(server.post("/api/ping", &json!({})).await.0, 200);
        for (setting, value) in [("slowlog-log-slower-than", 0), ("slowlog-max-len", 10_000)] {
            raw.run::<()>("CONFIG", ("SET", setting, value)).await;
        }
        Self { _redis: redis, raw, proxy, server }
    }

    /// The commands that Redis has executed, each as one text.
    async fn log(&self) -> Vec<String> {
        type Noted = (i64, i64, u64, Vec<Vec<u8>>, String, String);
        let log: Vec<Noted> = self.raw.run("SLOWLOG", ("GET", -1)).await;
        log.iter().rev().map(|call| String::from_utf8_lossy(&call.3.join(&b' ')).into_owned()).collect()
    }

    /// As many requests as are served at a time and wait, and one more, each for a sale of its own, while Redis keeps its
    /// answers on the connection on which all of them begin, from the first command with the text `held` in it: the last
    /// one is refused untried, the others are served in turn. `begins` finds in a log where requests begin; each ends with
    /// its last command.
    async fn served_in_turn(
        &self,
        most: usize,
        held: &str,
        begins: impl Fn(&[String]) -> Vec<usize>,
        request: impl AsyncFn(usize) -> (u16, Value),
    ) {
        self.raw.run::<()>("SLOWLOG", "RESET").await;
        self.proxy.hold(Hold::Answer, held);
        let numbered = async |number| (number, request(number).await);
        let mut answers: FuturesUnordered<_> = (0..=most + MAX_IN_LINE).map(numbered).collect();
        let (refused, (status, answer)) = within("a refusal", answers.next()).await.expect("an answer");
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("busy")), "{answer}");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("{} ", most + MAX_IN_LINE)), "{message}");
        let all_begin = async || (begins(&self.log().await).len() >= most).then_some(());
        eventually("as many as are served at a time have begun", all_begin).await;
        self.proxy.heal();
        let mut served = Vec::new();
        while let Some((number, (status, answer))) = within("an answer", answers.next()).await {
            assert_eq!(status, 200, "{answer}");
            served.push(number);
        }
        let log = self.log().await;
        assert!(!log.iter().any(|command| command.contains(&id(refused))), "it was tried");
        let ends: Vec<usize> = served.iter().filter_map(|&number| last(&log, number)).collect();
        assert_eq!(ends.len(), most + MAX_IN_LINE);
        assert_eq!(most_at_a_time(&begins(&log), &ends), most);
        assert_eq!(request(refused).await.0, 200, "there is room again");
    }
}

fn id(number: usize) -> String {
    format!("sale-{number:02}")
}

/// Where a log has the first command about a sale.
fn first(log: &[String], number: usize) -> Option<usize> {
    log.iter().position(|command| command.contains(&id(number)))
}

fn last(log: &[String], number: usize) -> Option<usize> {
    log.iter().rposition(|command| command.contains(&id(number)))
}

/// How many had begun and not ended, where that were most.
fn most_at_a_time(begins: &[usize], ends: &[usize]) -> usize {
    let before = |places: &[usize], end: usize| places.iter().filter(|&&place| place < end).count();
    ends.iter().map(|&end| before(begins, end) - before(ends, end)).max().unwrap_or(0)
}

#[tokio::test]
async fn a_few_audits_run_at_a_time_some_wait_and_more_are_refused_untried() {
    let bench = Bench::start().await;
    let all = MAX_AUDITS + MAX_IN_LINE + 1;
    for number in 0..all {
        bench.server.app.red_packet.open(terms(&id(number), 100, 10)).await.expect("a sale");
    }
    let begins = |log: &[String]| (0..all).filter_map(|number| first(log, number)).collect();
    // However an audit is asked for, there is one line.
    let audit = async |number| {
        let (status, answer) = match number % 2 {
            0 => bench.server.post("/api/red-packet/audit", &json!({ "sale": id(number) })).await,
            _ => bench.server.post("/api/audit/now", &json!({ "kind": "red_packet", "sale": id(number) })).await,
        };
        assert!(status != 200 || answer["verdict"] == "holds", "{answer}");
        (status, answer)
    };
    bench.served_in_turn(MAX_AUDITS, "TYPE", begins, audit).await;
}

/// Opening a sale may take a while and much memory.
#[tokio::test]
async fn a_few_sales_are_opened_at_a_time_some_wait_and_more_are_refused_untried() {
    let bench = Bench::start().await;
    // Each looks first whether it understands what Redis has.
    let begins = |log: &[String]| (0..log.len()).filter(|&place| log[place].contains(keys::FORMAT.one)).collect();
    let layout = json!({ "categories": ["a"], "sections": [{ "id": "A", "category": "a", "rows": [1] }] });
    let open = async |number| match number % 2 {
        0 => {
            let terms = json!({ "id": id(number), "total_cents": 100, "count": 10, "splitter": "equal" });
            bench.server.post("/api/red-packet/open", &terms).await
        }
        _ => {
            let terms = json!({ "id": id(number), "layout": layout, "prices": { "a": 1 } });
            bench.server.post("/api/ticket/open", &terms).await
        }
    };
    bench.served_in_turn(MAX_OPENS, keys::FORMAT.one, begins, open).await;
}
