//! Clients that send or read slowly: none holds a place that others need.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    redis::TestRedis,
    sale::{claim, terms},
    within,
};
use serde_json::json;
use socket2::{Domain, Socket, Type};
use stampede::server::limits::{Limits, MAX_EXPORTS, MAX_IN_LINE, MAX_OPENS};
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

const HOUR: Duration = Duration::from_secs(3_600);

/// A connection to the server that takes little at a time, on which a request has been begun.
fn begin(server: &Server, request: &str) -> TcpStream {
    let address: SocketAddr = server.url.trim_start_matches("http://").parse().expect("an address");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small window");
    socket.connect(&address.into()).expect("a connection");
    let mut stream = TcpStream::from(socket);
    stream.write_all(request.as_bytes()).expect("a request");
    stream
}

/// The head of a request to open a sale, and the beginning of its body.
const OPENING: &str = "POST /api/red-packet/open HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                       content-length: 100\r\n\r\n{";

/// The status line of the answer, without its reason.
fn status(stream: &mut TcpStream) -> String {
    let mut head = [0; 12];
    stream.read_exact(&mut head).expect("an answer");
    String::from_utf8_lossy(&head).into_owned()
}

/// Each byte that arrives does not begin the wait anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_head_has_a_time_to_arrive_in_as_a_whole() {
    let redis = TestRedis::start().await;
    let mut app = TestApp::on(&redis).await;
    app.connections.head = Duration::from_millis(300);
    let server = app.serve().await;
    let mut stream = begin(&server, "GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ");
    stream.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    let dribbled = tokio::task::spawn_blocking(move || {
        loop {
            match stream.read(&mut [0; 64]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                _ => return,
            }
            if stream.write_all(b"x").is_err() {
                return;
            }
        }
    });
    within("the connection ends", dribbled).await.expect("it ends");
}

/// Whoever comes when there is no place left waits no longer than those who send nothing may.
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_send_nothing_leave_their_places() {
    const MOST: usize = 20;
    let redis = TestRedis::start().await;
    let mut app = TestApp::on(&redis).await;
    app.connections.head = Duration::from_millis(300);
    app.connections.most = MOST;
    let server = app.serve().await;
    let silent: Vec<TcpStream> = (0..2 * MOST).map(|_| begin(&server, "")).collect();
    assert_eq!(within("an answer", server.get("/healthz")).await.0, 200);
    for mut stream in silent {
        let ended = tokio::task::spawn_blocking(move || stream.read(&mut [0; 64]));
        // Some are told that the time is over.
        within("the connection ends", ended).await.expect("it ends").ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_holds_no_place() {
    let redis = TestRedis::start().await;
    let mut limits = Limits::default();
    limits.body_within = HOUR;
    let server = TestApp::on(&redis).await.with_limits(limits).serve().await;
    // As many as may be opened at a time, and as many as may wait.
    let slow: Vec<TcpStream> = (0..MAX_OPENS + MAX_IN_LINE).map(|_| begin(&server, OPENING)).collect();
    let sale = json!({ "id": "s", "total_cents": 100, "count": 10, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &sale).await.0, 200);
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_a_time_to_arrive_in_as_a_whole() {
    let redis = TestRedis::start().await;
    let mut limits = Limits::default();
    limits.body_within = Duration::ZERO;
    let server = TestApp::on(&redis).await.with_limits(limits).serve().await;
    assert_eq!(status(&mut begin(&server, OPENING)), "HTTP/1.1 408");
}

/// A server with an export of many megabytes.
async fn exporting(redis: &TestRedis, limits: Limits) -> Server {
    let app = TestApp::on(redis).await.with_limits(limits);
    app.red_packet.open(terms("s", 20_480, 20_480)).await.expect("a sale");
    for batch in 0..80 {
        let users: Vec<String> = (0..256).map(|user| format!("{batch}-{user}-{}", "x".repeat(40))).collect();
        claim(&redis.raw().await, "s", &users.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    app.writer("one").catch_up().await.expect("the ledger");
    app.serve().await
}

const EXPORT: &str = "/api/ledger/export?format=jsonl";

#[tokio::test(flavor = "multi_thread")]
async fn an_export_whose_reader_takes_nothing_makes_room_and_does_not_look_whole() {
    let redis = TestRedis::start().await;
    let server = exporting(&redis, Limits::with_exports(1, Duration::ZERO)).await;
    let mut slow = begin(&server, &format!("GET {EXPORT} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    assert_eq!(status(&mut slow), "HTTP/1.1 200");
    let whole = server.http.get(format!("{}{EXPORT}", server.url)).send().await.expect("an answer");
    assert_eq!(whole.status(), 200);
    let whole = whole.bytes().await.expect("all of it");
    let mut rest = Vec::new();
    // Cut off or ended, but without the mark of the end.
    slow.read_to_end(&mut rest).ok();
    assert!(rest.len() < whole.len() && !rest.ends_with(b"\r\n0\r\n\r\n"), "{} of {}", rest.len(), whole.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_exports_are_made_at_a_time_and_more_are_refused() {
    let redis = TestRedis::start().await;
    let server = exporting(&redis, Limits::default()).await;
    let mut readers = Vec::new();
    for _ in 0..MAX_EXPORTS {
        let mut reader = begin(&server, &format!("GET {EXPORT} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        assert_eq!(status(&mut reader), "HTTP/1.1 200");
        readers.push(reader);
    }
    let (status, answer) = server.get(EXPORT).await;
    // A file is too long to be shown.
    assert_eq!(status, 503);
    assert_eq!(answer["error"]["code"], "busy", "{answer}");
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with(&format!("{MAX_EXPORTS} exports")), "{message}");
    readers.pop();
    eventually("there is room again", async || (server.get(EXPORT).await.0 == 200).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_whose_reader_goes_on_keeps_its_place() {
    let redis = TestRedis::start().await;
    let server = exporting(&redis, Limits::with_exports(1, HOUR)).await;
    let mut reader = begin(&server, &format!("GET {EXPORT} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
    assert_eq!(status(&mut reader), "HTTP/1.1 200");
    assert_eq!(server.get(EXPORT).await.0, 503);
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).expect("all of it");
    assert!(rest.ends_with(b"\r\n0\r\n\r\n"));
}
