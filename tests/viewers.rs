//! Viewers who read nothing: none holds its place for long.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    redis::TestRedis,
    sale::terms,
    sse::EventSource,
};
use listen::ConnectionLimits;
use serde_json::Value;
use socket2::{Domain, Socket, Type};
use stampede::server::limits::Limits;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

const HOUR: Duration = Duration::from_secs(3_600);

async fn server(redis: &TestRedis, limits: Limits, connections: ConnectionLimits) -> Server {
    let mut app = TestApp::on(redis).await.with_limits(limits);
    app.red_packet.open(terms("s", 1_000_000, 20_000)).await.expect("a sale");
    app.connections = connections;
    app.serve().await
}

fn live(server: &Server) -> String {
    format!("{}/live/red-packet/s", server.url)
}

/// A viewer that has asked, heard that it may watch, and reads no more.
fn stall(server: &Server) -> TcpStream {
    let address: SocketAddr = server.url.trim_start_matches("http://").parse().expect("an address");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small window");
    socket.connect(&address.into()).expect("a connection");
    let mut stream = TcpStream::from(socket);
    stream.write_all(b"GET /live/red-packet/s HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("a request");
    let mut head = [0; 12];
    stream.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
    stream
}

async fn status(server: &Server) -> u16 {
    server.http.get(live(server)).send().await.expect("an answer").status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_whose_socket_takes_nothing_loses_its_place_and_one_who_reads_stays() {
    let redis = TestRedis::start().await;
    let connections = ConnectionLimits { stalled: Duration::from_millis(200), ..ConnectionLimits::default() };
    // No place is given up to make room.
    let server = server(&redis, Limits::with_live_views(3, HOUR), connections).await;
    let mut reader = EventSource::connect(&live(&server), None).await;
    let reading = tokio::spawn(async move {
        loop {
            reader.next().await;
        }
    });
    let stalled = [stall(&server), stall(&server)];
    assert_eq!(status(&server).await, 503, "all places are taken");
    // What happens at the sale fills the sockets of those who read nothing.
    let mut user = 0;
    eventually("there is a place again", async || {
        for _ in 0..50 {
            user += 1;
            server.app.red_packet.claim("s", format!("user-{user}-{}", "x".repeat(40)), None).await.expect("a packet");
        }
        (status(&server).await == 200).then_some(())
    })
    .await;
    assert!(!reading.is_finished(), "who reads stays");
    drop(stalled);
}

#[tokio::test]
async fn where_all_places_are_taken_the_oldest_view_makes_room() {
    let redis = TestRedis::start().await;
    let server = server(&redis, Limits::with_live_views(2, Duration::ZERO), ConnectionLimits::default()).await;
    let mut views = Vec::new();
    for _ in 0..2 {
        views.push(EventSource::connect(&live(&server), None).await);
    }
    for _ in 0..3 {
        views.push(EventSource::connect(&live(&server), None).await);
        // The oldest has ended, as when the server stops: a browser comes back.
        views.remove(0).ended().await;
    }
    // Those that end make room by themselves: the next takes nobody's place.
    drop(views.remove(0));
    eventually("its place is free", async || (server.app.limits.free("/live/") == 1).then_some(())).await;
    let _third = EventSource::connect(&live(&server), None).await;
    views[0].next().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_views_that_read_nothing_keep_nobody_out() {
    let redis = TestRedis::start().await;
    let most = Limits::default().free("/live/");
    let server = server(&redis, Limits::with_live_views(most, Duration::ZERO), ConnectionLimits::default()).await;
    let stalled: Vec<TcpStream> = (0..most).map(|_| stall(&server)).collect();
    assert_eq!(server.app.limits.free("/live/"), 0);
    let mut viewer = EventSource::connect(&live(&server), None).await;
    viewer.next().await;
    drop(stalled);
}

#[tokio::test]
async fn views_that_opened_just_now_are_left_alone() {
    let redis = TestRedis::start().await;
    let server = server(&redis, Limits::with_live_views(1, HOUR), ConnectionLimits::default()).await;
    let mut viewer = EventSource::connect(&live(&server), None).await;
    let refused = server.http.get(live(&server)).send().await.expect("an answer");
    assert_eq!(refused.status(), 503);
    let answer: Value = refused.json().await.expect("JSON");
    assert_eq!(answer["error"]["code"], "busy", "{answer}");
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with("1 live views"), "{message}");
    viewer.next().await;
}
