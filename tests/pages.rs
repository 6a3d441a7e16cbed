//! Pages as the server renders them, before any browser takes over.

use crate::{
    KINDS, red_packets,
    support::{
        app::{Server, TestApp},
        redis::TestRedis,
        sale::START,
    },
};
use model::Millis;
use reqwest::{StatusCode, header};
use serde_json::json;
use std::sync::Arc;
use store::runtime::ManualClock;
use web::components::utc;

/// The HTML of a page for a browser with this cookie, and its status.
async fn page(server: &Server, path: &str, cookie: &str) -> (StatusCode, String) {
    let request = server.http.get(format!("{}{path}", server.url)).header(header::COOKIE, cookie);
    let response = request.send().await.expect("an answer");
    (response.status(), response.text().await.expect("HTML"))
}

/// Opens a red packet sale.
async fn open(server: &Server, id: &str) {
    let terms = json!({ "id": id, "total_cents": 100, "count": 1, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &terms).await.0, 200);
}

#[tokio::test]
async fn times_are_in_the_zone_that_the_browser_has_named() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    open(&server, "s").await;
    let (_, list) = server.post("/api/sales", &json!({})).await;
    let opened_at: Millis = list["sales"][0]["opened_at"].as_i64().expect("an instant");
    let ahead = |minutes: Millis| utc(opened_at + minutes * 60_000).trim_end_matches(" UTC").to_owned();

    // Zones without daylight saving time, the last but one by a name that some browsers still use.
    for (zone, minutes) in [("Asia/Tokyo", 540), ("America/Phoenix", -420), ("Asia%2FCalcutta", 330), ("UTC", 0)] {
        let (_, html) = page(&server, "/red-packets/s", &format!("lang=en; time_zone={zone}")).await;
        assert!(html.contains(&format!(">{}<", ahead(minutes))), "{zone}: {html}");
        assert!(!html.contains(&utc(opened_at)), "{zone}");
    }
    let (_, html) = page(&server, "/red-packets/s", "lang=en; time_zone=Asia/Tokyo; times=UTC").await;
    assert!(html.contains(&format!(">{}<", ahead(0))), "the reader chose UTC: {html}");
    for cookie in
        ["theme=dark", "time_zone=", "time_zone=Mars/Olympus", "time_zone=../../etc/localtime", "time_zone=%00"]
    {
        let (status, html) = page(&server, "/red-packets/s", cookie).await;
        assert_eq!(status, StatusCode::OK, "{cookie}");
        assert!(html.contains(&format!(">{}<", utc(opened_at))), "{cookie}: {html}");
    }
}

#[tokio::test]
async fn times_are_in_summer_time_where_it_was_summer() {
    let redis = TestRedis::start().await;
    // 2024-07-03T09:46:40Z, and the November before.
    let summer =
        TestApp::at(&redis, &redis.url(), Arc::new(ManualClock::new(1_720_000_000_000)), 2).await.serve().await;
    open(&summer, "summer").await;
    let server = TestApp::on(&redis).await.serve().await;
    open(&server, "winter").await;
    for (sale, at, minutes) in [("summer", 1_720_000_000_000, 120), ("winter", START, 60)] {
        let (_, html) = page(&server, &format!("/red-packets/{sale}"), "lang=en; time_zone=Europe/Berlin").await;
        let text = utc(at + minutes * 60_000);
        assert!(html.contains(&format!(">{}<", text.trim_end_matches(" UTC"))), "{text}: {html}");
    }
}

#[tokio::test]
async fn the_ledger_calls_an_outcome_as_its_kind_does() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let mut writer = app.writer("one");
    let server = app.serve().await;
    assert_eq!(server.post("/api/stock/open", &json!({ "id": "s", "quantity": 3 })).await.0, 200);
    assert_eq!(server.post("/api/stock/deduct", &json!({ "sale": "s", "user": "Mei", "quantity": 1 })).await.0, 200);
    writer.catch_up().await.expect("the ledger");
    let (_, html) = page(&server, "/ledger?sale=s", "lang=en").await;
    assert!(html.contains(">Deducted<") && !html.contains(">Won<"), "{html}");
    // Of any kind, it has the names of all, each once.
    assert!(html.contains(">Won / Claimed / Deducted<") && html.contains(">Given back<"), "{html}");
}

#[tokio::test]
async fn a_sale_that_this_kind_does_not_have_is_found_where_it_is() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    open(&server, "spring %25").await;
    let other = "href=\"/red-packets/spring%20%2525\"";
    let own = red_packets::kind::KIND.info.pages;
    for pages in KINDS.map(|kind| kind.info.pages).into_iter().filter(|pages| *pages != own) {
        let (status, html) = page(&server, &format!("/{pages}/spring%20%2525"), "lang=en").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{pages}");
        assert!(html.contains("Other kinds of sale with this ID:") && html.contains(other), "{pages}: {html}");
        let (status, html) = page(&server, &format!("/{pages}/nowhere"), "lang=en").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{pages}");
        assert!(!html.contains("Other kinds of sale with this ID:"), "{pages}: {html}");
    }
    let (status, html) = page(&server, "/red-packets/spring%20%2525", "lang=en").await;
    assert_eq!(status, StatusCode::OK);
    assert!(!html.contains("Other kinds of sale with this ID:"));
}
