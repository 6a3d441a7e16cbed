//! The live view and a page through the proxies that people have, each with a minimal configuration.

use crate::support::{app::TestApp, balancer::Proxy, redis::TestRedis, sale::terms, sse::EventSource};
use reqwest::header::{CACHE_CONTROL, VARY};
use serde_json::json;

#[tokio::test]
async fn every_event_comes_through_a_proxy_at_once() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    for proxy in [Proxy::nginx(&server.url).await, Proxy::haproxy(&server.url).await] {
        let mut live = EventSource::connect(&format!("{}/live/red-packet/s", proxy.url), None).await;
        live.find(|message| message.event == "message").await;
        let user = proxy.url.replace([':', '/'], "");
        let claim = json!({ "sale": "s", "user": user });
        let claimed =
            reqwest::Client::new().post(format!("{}/api/red-packet/claim", proxy.url)).json(&claim).send().await;
        assert_eq!(claimed.expect("an answer").status(), 200);
        live.find(|message| message.data.contains(&user)).await;
    }
}

/// A page has the name and the language of its reader.
#[tokio::test]
async fn no_proxy_keeps_a_page_and_none_changes_a_live_view() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let headers =
        async |path: &str| reqwest::get(format!("{}{path}", server.url)).await.expect("an answer").headers().clone();
    for path in ["/", "/red-packets/s", "/no/such/page", "/healthz", "/readyz", "/api/ledger/export"] {
        assert_eq!(headers(path).await[CACHE_CONTROL], "no-store", "{path}");
    }
    let varies: Vec<_> =
        headers("/").await.get_all(VARY).iter().map(|varies| varies.to_str().expect("text").to_owned()).collect();
    assert!(varies.iter().any(|by| by == "cookie, accept-language"), "{varies:?}");
    let live = headers("/live/red-packet/s").await;
    assert_eq!(
        (&live[CACHE_CONTROL], &live["x-accel-buffering"]),
        (&"no-store, no-transform".parse().expect("text"), &"no".parse().expect("text"))
    );
}
