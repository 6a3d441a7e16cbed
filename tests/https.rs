//! Encrypted connections: the two versions of HTTP on them, what they share, and how they end.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    program::{Home, Running, complaint},
    redis::TestRedis,
    sale::terms,
    tls::{Authority, Identity},
    wire::{Wire, encrypted, read},
    within,
};
use futures::future::join_all;
use http::{Method, Request};
use http_body_util::BodyExt;
use listen::ConnectionLimits;
use serde_json::json;
use stampede::server::{
    limits::{Limits, MAX_LIVE_VIEWS},
    tls::Encryption,
};
use std::{path::Path, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::Command,
};

const HOUR: Duration = Duration::from_secs(3_600);
/// Long enough for a slow machine to agree on encryption.
const SHORT: Duration = Duration::from_secs(1);
const LIVE: &str = "/live/red-packet/s";
/// More than any answer here.
const WINDOW: u32 = 1_000_000;

/// A server with a sale, and who vouches for it.
async fn server(redis: &TestRedis, connections: ConnectionLimits) -> (Server, Authority) {
    let authority = Authority::new();
    let identity = authority.certify("127.0.0.1", redis.folder());
    // No place is given up to make room.
    let mut app = TestApp::on(redis).await.with_limits(Limits::with_live_views(MAX_LIVE_VIEWS, HOUR));
    app.red_packet.open(terms("s", 1_000_000, 20_000)).await.expect("a sale");
    app.connections = connections;
    app.tls = encryption(&identity).acceptor.clone().into();
    (app.serve().await, authority)
}

fn encryption(identity: &Identity) -> Encryption {
    let encryption = Encryption::new(Some(&identity.certificate), Some(&identity.key));
    encryption.expect("a certificate").expect("files")
}

fn patient(head: Duration, stalled: Duration) -> ConnectionLimits {
    ConnectionLimits { head, stalled, ..ConnectionLimits::default() }
}

fn claim(user: &str) -> serde_json::Value {
    json!({ "sale": "s", "user": user })
}

/// A connection whose client has said as much as tells that more of its hello follows.
async fn half_a_handshake(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.expect("a connection");
    stream.write_all(&[0x16, 3, 1, 2, 0, 1, 0]).await.expect("half a hello");
    stream
}

/// Waits until the server has closed a connection. What comes before are words of the protocol.
async fn ended(mut stream: impl AsyncRead + Unpin) {
    within("the end of the connection", stream.read_to_end(&mut Vec::new())).await.ok();
}

#[tokio::test]
async fn each_client_gets_the_best_version_that_it_knows_and_claims_by_it() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, ConnectionLimits::default()).await;
    let (h1, h2): (&[u8], &[u8]) = (b"http/1.1", b"h2");
    for (known, best) in [(&[h2, h1][..], Some(h2)), (&[h1, h2], Some(h2)), (&[h1], Some(h1)), (&[], None)] {
        let stream = encrypted(server.address(), &authority, known).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), best);
    }
    let mut one = Wire::http1(server.address(), &authority).await;
    let mut two = Wire::http2(server.address(), &authority, WINDOW).await;
    for (wire, user) in [(&mut one, "ann"), (&mut two, "ben")] {
        let (status, answer) = wire.post("/api/red-packet/claim", &claim(user)).await;
        assert_eq!((status, &answer["outcome"]), (200, &json!("won")), "{user}");
    }
    // An answer that is longer than a piece comes as it does elsewhere.
    let path = "/api/ticket/script";
    let script = one.post(path, &json!({})).await;
    assert!(script.1.to_string().len() > 2 * 16 * 1024);
    assert_eq!(two.post(path, &json!({})).await, script);
}

#[tokio::test]
async fn the_examples_of_the_api_name_the_scheme_by_either_version() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, ConnectionLimits::default()).await;
    let (one, two) = (Wire::http1(server.address(), &authority), Wire::http2(server.address(), &authority, WINDOW));
    for mut wire in [one.await, two.await] {
        let (_, answer) = wire.post("/api/description", &json!({ "group": "server" })).await;
        let command = format!("curl {}/healthz<", server.url);
        assert!(answer["html"].as_str().is_some_and(|html| html.contains(&command)), "{command}");
    }
}

/// As certificates are renewed every few weeks, and a server runs for months.
#[tokio::test]
async fn a_renewed_certificate_is_used_for_new_connections_and_ends_no_old_one() {
    let redis = TestRedis::start().await;
    let authority = Authority::new();
    let identity = authority.certify("127.0.0.1", redis.folder());
    let mut app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000_000, 20_000)).await.expect("a sale");
    let encryption = encryption(&identity);
    app.tls = Some(encryption.acceptor.clone());
    let server = app.serve().await;
    let shown = async || {
        let stream = encrypted(server.address(), &authority, &[]).await;
        stream.get_ref().1.peer_certificates().expect("a certificate").to_vec()
    };
    let first = shown().await;
    let mut old = Wire::http1(server.address(), &authority).await;
    assert!(!encryption.renew().expect("the same files"), "nothing is new");

    let key = std::fs::read(&identity.key).expect("a key");
    // Another certificate and another key, in the same files.
    authority.certify("127.0.0.1", redis.folder());
    let renewed_key = std::fs::read(&identity.key).expect("a key");
    std::fs::write(&identity.key, key).expect("a file");
    let reported = encryption.renew().expect_err("half of what is to be renewed").to_string();
    assert!(reported.contains("is not the key of the certificate"), "{reported}");
    assert_eq!(shown().await, first);
    std::fs::write(&identity.key, renewed_key).expect("a file");
    assert!(encryption.renew().expect("both files"));
    assert_ne!(shown().await, first);
    let (status, answer) = old.post("/api/red-packet/claim", &claim("ann")).await;
    assert_eq!((status, &answer["outcome"]), (200, &json!("won")));
}

#[tokio::test]
async fn what_is_refused_is_refused_by_either_version() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, ConnectionLimits::default()).await;
    let mut two = Wire::http2(server.address(), &authority, WINDOW).await;
    let own = server.url.as_str();
    for (origin, expected) in [(own, 200), ("https://evil.example", 403), ("https://127.0.0.1", 403), ("null", 403)] {
        let request = two.request(Method::POST, "/api/ping").header("content-type", "application/json");
        let answer = two.send(request.header("origin", origin), "{}".to_owned()).await;
        assert_eq!(answer.status(), expected, "{origin}");
    }
    // What `:authority` says counts, not what a header says beside it.
    let other = Request::builder().uri("https://evil.example/healthz").header("host", "localhost");
    let (status, answer) = read(two.send(other, String::new()).await).await;
    assert_eq!((status, &answer["error"]["code"]), (403, &json!("forbidden")), "{answer}");
    for (path, expected) in [("/healthz", 200), ("/api/ping", 405)] {
        let answer = two.send(two.request(Method::HEAD, path), String::new()).await;
        assert_eq!(answer.status(), expected);
        assert!(answer.into_body().collect().await.expect("a body").to_bytes().is_empty(), "{path}");
    }
    let long = two.request(Method::GET, "/healthz").header("x-long", "x".repeat(20_000));
    assert_eq!(two.send(long, String::new()).await.status(), 431);
    let large = json!({ "sale": "s", "user": "x".repeat(70_000) });
    let (status, answer) = two.post("/api/red-packet/claim", &large).await;
    assert_eq!((status, &answer["error"]["code"]), (413, &json!("bad_request")), "{answer}");
    let tunnel = Request::builder().method(Method::CONNECT).uri("localhost:80");
    let (status, answer) = read(two.send(tunnel, String::new()).await).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("path")), "{answer}");
    assert_eq!(two.get("/healthz").await.status(), 200, "the connection goes on");
}

#[tokio::test]
async fn twenty_live_views_share_a_connection_with_a_claim_that_all_of_them_show() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, ConnectionLimits::default()).await;
    let mut wire = Wire::http2(server.address(), &authority, WINDOW).await;
    let mut views = Vec::new();
    for _ in 0..20 {
        views.push(wire.watch(LIVE).await);
    }
    let (status, answer) = wire.post("/api/red-packet/claim", &claim("ann")).await;
    assert_eq!((status, &answer["outcome"]), (200, &json!("won")));
    join_all(views.iter_mut().map(|view| view.find(|message| message.data.contains("ann")))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_whose_client_takes_nothing_ends_and_its_neighbours_go_on() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, patient(HOUR, SHORT)).await;
    let mut wire = Wire::http2(server.address(), &authority, 1_000).await;
    let mut reader = wire.watch(LIVE).await;
    let reading = tokio::spawn(async move {
        loop {
            reader.next().await;
        }
    });
    let stalled = [wire.watch(LIVE).await, wire.watch(LIVE).await];
    assert_eq!(server.app.limits.free("/live/"), MAX_LIVE_VIEWS - 3);
    let mut user = 0;
    eventually("their places are free", async || {
        user += 1;
        server.app.red_packet.claim("s", format!("user-{user}"), None).await.expect("a packet");
        (server.app.limits.free("/live/") == MAX_LIVE_VIEWS - 1).then_some(())
    })
    .await;
    for view in stalled {
        view.ended().await;
    }
    assert!(!reading.is_finished(), "who reads stays");
    assert_eq!(wire.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn half_a_handshake_holds_nothing_back() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, patient(HOUR, HOUR)).await;
    let silent = TcpStream::connect(server.address()).await.expect("a connection");
    let half = half_a_handshake(&server).await;
    let mut wire = Wire::http2(server.address(), &authority, WINDOW).await;
    assert_eq!(wire.post("/api/red-packet/claim", &claim("ann")).await.0, 200);
    drop((silent, half));
}

#[tokio::test]
async fn connections_on_which_nothing_is_asked_end_and_those_with_a_live_view_stay() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, patient(SHORT, HOUR)).await;
    let mut watching = Wire::http2(server.address(), &authority, WINDOW).await;
    let mut view = watching.watch(LIVE).await;
    let silent = TcpStream::connect(server.address()).await.expect("a connection");
    let half = half_a_handshake(&server).await;
    join_all([silent, half].map(ended)).await;
    // In agreement on the version, and then silence.
    let agreed = [b"h2" as &[u8], b"http/1.1"].map(async |version| {
        ended(encrypted(server.address(), &authority, &[version]).await).await;
    });
    join_all(agreed).await;
    let mut idle = Wire::http2(server.address(), &authority, WINDOW).await;
    assert_eq!(idle.get("/healthz").await.status(), 200);
    idle.closed().await;

    assert_eq!(watching.post("/api/red-packet/claim", &claim("ann")).await.0, 200);
    view.find(|message| message.data.contains("ann")).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_and_half_handshakes() {
    let redis = TestRedis::start().await;
    let (server, authority) = server(&redis, patient(HOUR, HOUR)).await;
    let mut wire = Wire::http2(server.address(), &authority, WINDOW).await;
    let view = wire.watch(LIVE).await;
    let mut idle = Wire::http2(server.address(), &authority, WINDOW).await;
    assert_eq!(idle.get("/healthz").await.status(), 200);
    let half = half_a_handshake(&server).await;
    // Accepted before it stops.
    assert_eq!(wire.get("/healthz").await.status(), 200);
    server.stop().await;
    view.ended().await;
    wire.closed().await;
    idle.closed().await;
    ended(half).await;
}

fn with_certificate(home: &Home, certificate: &Path, key: &Path) -> Command {
    let mut command = home.serve_with_data();
    command.arg("--tls-cert").arg(certificate).arg("--tls-key").arg(key);
    command
}

#[tokio::test]
async fn the_program_is_at_https_with_a_certificate() {
    let (home, authority) = (Home::new(), Authority::new());
    let Identity { certificate, key } = authority.certify("127.0.0.1", home.folder());
    let running = Running::start(with_certificate(&home, &certificate, &key)).await;
    let address = running.url.strip_prefix("https://").expect("an encrypted address").parse().expect("an address");
    for mut wire in [Wire::http1(address, &authority).await, Wire::http2(address, &authority, WINDOW).await] {
        assert_eq!(wire.get("/readyz").await.status(), 200);
    }
    running.stop().await;
}

#[tokio::test]
async fn files_that_are_no_certificate_and_its_key_are_named() {
    let (home, authority) = (Home::new(), Authority::new());
    let own = authority.certify("127.0.0.1", home.folder());
    let other = authority.certify("localhost", home.folder());
    let (nowhere, empty, damaged) = (Path::new("/nowhere.pem"), home.folder().join("empty"), home.folder().join("bad"));
    std::fs::write(&empty, "nothing").expect("a file");
    std::fs::write(&damaged, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").expect("a file");
    let shown = |path: &Path| path.display().to_string();
    let cases = [
        (nowhere, &*own.key, "--tls-cert names /nowhere.pem, which cannot be read".to_owned()),
        (&*own.certificate, nowhere, "--tls-key names /nowhere.pem, which cannot be read".to_owned()),
        (&*empty, &*own.key, format!("--tls-cert names {}, in which there is no certificate", shown(&empty))),
        (&*own.certificate, &*empty, format!("--tls-key names {}, in which there is no private key", shown(&empty))),
        // As it happens where the two are swapped.
        (
            &*own.key,
            &*own.certificate,
            format!("--tls-cert names {}, in which there is no certificate", shown(&own.key)),
        ),
        (
            &*own.certificate,
            &*other.key,
            format!(
                "--tls-key names {}, which is not the key of the certificate in {}.",
                shown(&other.key),
                shown(&own.certificate)
            ),
        ),
        (
            &*damaged,
            &*own.key,
            format!("The certificate in {} with the key in {} cannot be used", shown(&damaged), shown(&own.key)),
        ),
    ];
    for (certificate, key, expected) in cases {
        let why = complaint(with_certificate(&home, certificate, key)).await;
        assert!(why.starts_with(&expected), "{why}\ninstead of\n{expected}");
    }
    for (given, missing) in [("--tls-cert", "--tls-key"), ("--tls-key", "--tls-cert")] {
        let mut command = home.serve_with_data();
        command.arg(given).arg(&own.key);
        let why = complaint(command).await;
        assert!(why.starts_with(&format!("{given} also requires {missing}")), "{why}");
    }
    assert!(!home.data().exists(), "nothing was started");
}
