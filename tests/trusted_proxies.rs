//! A server behind proxies that it trusts, and behind others.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    program::{Home, Running},
    redis::TestRedis,
    within,
};
use reqwest::StatusCode;
use stampede::server::{Access, client::TrustedProxies, guard::AllowedHosts};
use tokio::io::{AsyncBufReadExt, BufReader};

/// A server that answers for `sale.example` and trusts the proxies of this network.
async fn server(redis: &TestRedis, network: &str) -> Server {
    let access = Access {
        hosts: AllowedHosts::new(["sale.example".to_owned()]),
        proxies: TrustedProxies::new([network.parse().expect("a network")]),
        ..Access::default()
    };
    TestApp::on(redis).await.with_access(access).serve().await
}

/// The status and the body of a GET with these headers, as a proxy sends it from loopback.
async fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
    let mut request = server.http.get(format!("{}{path}", server.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    (answer.status(), answer.text().await.expect("text"))
}

#[tokio::test]
async fn the_host_and_the_scheme_are_those_for_which_the_client_asked() {
    let redis = TestRedis::start().await;
    let server = server(&redis, "127.0.0.0/8").await;
    // As nginx sends it by default: the host is the server's address, whatever the client asked for.
    let forwarded = [("x-forwarded-host", "sale.example"), ("x-forwarded-proto", "https")];
    let (status, page) = get(&server, "/api?group=server", &forwarded).await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("curl https://sale.example/api/ping -H"), "{page}");
    let (status, refused) = get(&server, "/", &[("x-forwarded-host", "evil.example")]).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(refused.contains("does not answer for \\\"evil.example\\\""), "{refused}");
    let (status, refused) = get(&server, "/", &[("x-forwarded-host", "a b")]).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
    // A page of the host for which the client asked is the server's own.
    let origin = |origin| [("x-forwarded-host", "127.0.0.1:8443"), ("origin", origin)];
    assert_eq!(get(&server, "/healthz", &origin("https://127.0.0.1:8443")).await.0, StatusCode::OK);
    assert_eq!(get(&server, "/healthz", &origin("https://127.0.0.1:9443")).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn what_others_say_of_themselves_is_ignored() {
    let redis = TestRedis::start().await;
    let server = server(&redis, "10.0.0.0/8").await;
    let forwarded = [("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https")];
    let (status, page) = get(&server, "/api?group=server", &forwarded).await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains(&format!("curl {}/api/ping -H", server.url)), "{page}");
    let (status, refused) = get(&server, "/", &[("host", "evil.example"), ("x-forwarded-host", "sale.example")]).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{refused}");
}

#[tokio::test]
async fn the_log_names_the_client_behind_a_trusted_proxy() {
    for (network, client) in [("127.0.0.1", "203.0.113.7"), ("10.0.0.0/8", "127.0.0.1")] {
        let home = Home::new();
        let mut command = home.serve_with_data();
        command.args(["--trusted-proxy", network, "--log-format", "json"]).env("RUST_LOG", "info,requests=debug");
        let mut running = Running::start(command).await;
        let mut log = BufReader::new(running.child.stderr.take().expect("its log")).lines();
        let asked = reqwest::Client::new()
            .get(format!("{}/nowhere?secret", running.url))
            .header("x-forwarded-for", "6.6.6.6, 203.0.113.7");
        assert_eq!(within("an answer", asked.send()).await.expect("an answer").status(), StatusCode::NOT_FOUND);
        let line = eventually("the request is logged", async || {
            let line = log.next_line().await.expect("text").expect("a line");
            line.contains("/nowhere").then_some(line)
        })
        .await;
        let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!((&line["client"], &line["method"], &line["status"]), (&client.into(), &"GET".into(), &404.into()));
        assert_eq!(line["path"], "/nowhere", "the query may have names");
        running.stop().await;
    }
}

#[tokio::test]
async fn a_network_that_is_none_is_refused_at_the_start() {
    let home = Home::new();
    let mut command = home.serve_with_data();
    command.env("STAMPEDE_TRUSTED_PROXY", "10.0.0.0/8,proxies");
    let output = within("the program ends", command.output()).await.expect("it ran");
    let why = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success() && why.contains("such as 10.0.0.0/8"), "{why}");
}
