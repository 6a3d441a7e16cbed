//! A server under a path: everything that it sends leads to addresses below it, and nothing is beside it.

use crate::support::{
    app::TestApp,
    balancer::Proxy,
    program::{Home, Running},
    redis::TestRedis,
    sse::EventSource,
};
use reqwest::{Client, StatusCode, header, redirect::Policy};
use serde_json::{Value, json};
use std::fs;

const PAGES: [&str; 15] = [
    "/",
    "/?kind=red_packet",
    "/red-packets/s",
    "/red-packets/s?tab=audit",
    "/ledger?sale=s",
    "/audit",
    "/users/ann",
    "/lab",
    "/lab/step",
    "/lab/faults",
    "/learn",
    "/learn/write",
    "/api",
    "/api?group=red-packets",
    "/nowhere",
];

/// A server below `/sale` with the sale `s`, and the folder of its data.
async fn server() -> (Home, Running) {
    let home = Home::new();
    for (file, text) in [("pkg/stampede.js", "script"), ("favicon.svg", "<svg/>")] {
        fs::write(home.folder().join("site").join(file), text).expect("a file");
    }
    let mut command = home.serve_with_data();
    command.args(["--base-path", "/sale"]);
    let server = Running::start(command).await;
    assert!(server.url.ends_with("/sale"), "{}", server.url);
    let terms = json!({ "id": "s", "total_cents": 100, "count": 10, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &terms).await.0, 200);
    (home, server)
}

/// What the attributes of a document lead to on this server.
fn addresses(html: &str) -> Vec<&str> {
    let values = ["href=\"", "src=\"", "action=\""].map(|attribute| html.split(attribute).skip(1));
    let values = values.into_iter().flatten().filter_map(|rest| rest.split('"').next());
    values.filter(|value| value.starts_with('/')).collect()
}

async fn text(url: &str) -> (StatusCode, String) {
    let answer = reqwest::get(url).await.expect("an answer");
    (answer.status(), answer.text().await.expect("text"))
}

/// The status of a GET, and where it leads.
async fn location(url: &str) -> (StatusCode, Option<String>) {
    let http = Client::builder().redirect(Policy::none()).build().expect("a client");
    let answer = http.get(url).send().await.expect("an answer");
    let location = answer.headers().get(header::LOCATION);
    (answer.status(), location.map(|location| location.to_str().expect("text").to_owned()))
}

#[tokio::test]
async fn every_page_links_below_the_path_only() {
    let (_home, server) = server().await;
    for page in PAGES {
        let (status, html) = text(&format!("{}{page}", server.url)).await;
        let expected = if page == "/nowhere" { StatusCode::NOT_FOUND } else { StatusCode::OK };
        assert_eq!(status, expected, "{page}");
        let addresses = addresses(&html);
        assert!(addresses.len() > 10, "{page}: {addresses:?}");
        let beside: Vec<_> = addresses.iter().filter(|address| !address.starts_with("/sale/")).collect();
        assert!(beside.is_empty(), "{page}: {beside:?}");
        // The script that starts the program names its files.
        assert!(html.contains("/sale/pkg/stampede") && !html.contains("'/pkg/") && !html.contains("\"/pkg/"), "{page}");
        assert!(html.contains("data-base=\"/sale\""), "{page}");
    }
    // A link to each page is there, and leads to it.
    let (_, html) = text(&format!("{}/", server.url)).await;
    let root = server.url.trim_end_matches("/sale");
    for address in addresses(&html) {
        let status = text(&format!("{root}{address}")).await.0;
        // The harness has built no browser side.
        assert!(status == StatusCode::OK || address.contains("/sale/pkg/") || address.ends_with(".woff2"), "{address}");
    }
}

#[tokio::test]
async fn files_the_api_and_the_live_view_are_below_the_path() {
    let (_home, server) = server().await;
    for (file, content) in [("/pkg/stampede.js", "script"), ("/favicon.svg", "<svg/>")] {
        assert_eq!(text(&format!("{}{file}", server.url)).await, (StatusCode::OK, content.to_owned()));
    }
    assert_eq!((server.get("/healthz").await, server.get("/readyz").await), (200, 200));
    let mut live = EventSource::connect(&format!("{}/live/red-packet/s", server.url), None).await;
    live.find(|message| message.event == "message").await;
    let claim = json!({ "sale": "s", "user": "ann" });
    assert_eq!(server.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
    live.find(|message| message.data.contains("ann")).await;
    let (_, rows) = text(&format!("{}/api/ledger/export?format=csv", server.url)).await;
    assert!(rows.lines().next().is_some_and(|head| head.contains("outcome")), "{rows}");

    let (_, document) = text(&format!("{}/api/openapi.json", server.url)).await;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["servers"], json!([{ "url": "/sale" }]));
    assert!(document["paths"].get("/api/red-packet/claim").is_some());
    let (_, page) = text(&format!("{}/api?group=server", server.url)).await;
    assert!(page.contains(&format!("curl {}/api/ping -H", server.url)), "{page}");

    // What is refused is refused by the same rules, and by the address that was asked for.
    let form = Client::new().post(format!("{}/api/red-packet/claim", server.url)).body("sale=s");
    assert_eq!(form.send().await.expect("an answer").status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let (status, answer) = server.post("/api/nothing", &json!({})).await;
    assert_eq!(status, 404);
    let why = answer["error"]["message"].as_str().expect("a sentence");
    assert!(why.contains("POST /sale/api/nothing; the page /sale/api lists"), "{why}");
}

#[tokio::test]
async fn a_form_that_a_browser_sends_by_itself_is_answered_below_the_path() {
    let (_home, server) = server().await;
    let http = Client::builder().redirect(Policy::none()).build().expect("a client");
    let send = async |path: &str| {
        let form = http.post(format!("{}{path}", server.url)).body("request_id=1&user=Mei");
        let form = form.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        form.header(header::COOKIE, "lang=en").send().await.expect("an answer")
    };
    let redirect = send("/red-packets/s/").await;
    assert_eq!(redirect.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(redirect.headers()[header::LOCATION], "/sale/red-packets/s");
    let page = send("/red-packets/s").await;
    assert_eq!(page.status(), StatusCode::OK);
    let cookies = page.headers().get_all(header::SET_COOKIE).iter();
    let cookies: Vec<_> = cookies.map(|cookie| cookie.to_str().expect("text").to_owned()).collect();
    let is_of_path = |cookie: &String| cookie.split("; ").any(|part| part == "Path=/sale");
    assert!(!cookies.is_empty() && cookies.iter().all(is_of_path), "{cookies:?}");
    let html = page.text().await.expect("HTML").replace("<!>", "");
    assert!(html.contains("is yours: packet #"), "{html}");
}

#[tokio::test]
async fn nothing_is_beside_the_path() {
    let (_home, server) = server().await;
    let root = server.url.trim_end_matches("/sale");
    let moved = |to: &str| (StatusCode::PERMANENT_REDIRECT, Some(to.to_owned()));
    assert_eq!(location(&format!("{root}/sale")).await, moved("/sale/"));
    assert_eq!(location(&format!("{root}/sale?kind=ticket")).await, moved("/sale/?kind=ticket"));
    assert_eq!(location(&format!("{root}/sale/ledger/?sale=s")).await, moved("/sale/ledger?sale=s"));
    for path in ["", "/", "/ledger", "/sales", "/sales/ledger", "/healthz", "/pkg/stampede.js", "/SALE/"] {
        let (status, answer) = text(&format!("{root}{path}")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.contains("everything of this server is below /sale/."), "{path}: {answer}");
    }
    let post = Client::new().post(format!("{root}/api/ping")).json(&json!({}));
    assert_eq!(post.send().await.expect("an answer").status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_proxy_passes_the_path_on() {
    let (_home, server) = server().await;
    let proxy = Proxy::nginx_at("/sale/", server.url.trim_end_matches("/sale")).await;
    let (status, html) = text(&format!("{}/sale", proxy.url)).await;
    assert_eq!((status, html.contains("data-base=\"/sale\"")), (StatusCode::OK, true));
    let claim = Client::new().post(format!("{}/sale/api/red-packet/claim", proxy.url));
    let claim = claim.json(&json!({ "sale": "s", "user": "Mei" })).send().await.expect("an answer");
    assert_eq!(claim.json::<Value>().await.expect("JSON")["outcome"], "won");
}

#[tokio::test]
async fn without_a_path_pages_say_nothing_of_one() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (_, html) = text(&format!("{}/", server.url)).await;
    assert!(!html.contains("data-base"), "{html}");
    assert!(addresses(&html).contains(&"/ledger"), "{html}");
}
