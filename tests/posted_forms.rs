//! The forms that browsers send by themselves, to the pages of sales.

use crate::{
    KINDS,
    support::{
        app::{Server, TestApp},
        kinds::{Form, samples},
        redis::TestRedis,
    },
};
use reqwest::header;
use serde_json::json;

const FORM: &str = "application/x-www-form-urlencoded";

/// The status and the HTML of the page that answers a form, in English.
async fn send(server: &Server, path: &str, form: &str) -> (u16, String) {
    send_with(server, path, form, &[("content-type", FORM)]).await
}

async fn send_with(server: &Server, path: &str, form: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let mut request = server.http.post(format!("{}{path}", server.url)).header(header::COOKIE, "lang=en");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.body(form.to_owned()).send().await.expect("an answer");
    // Without the marks between texts, by which a browser takes the page over.
    (response.status().as_u16(), response.text().await.expect("text").replace("<!>", ""))
}

/// What a field of the page's form has.
fn value(html: &str, name: &str) -> String {
    let mut inputs = html.split("<input ").skip(1).filter_map(|rest| rest.split_once('>')).map(|(input, _)| input);
    let input = inputs.find(|input| input.contains(&format!("name=\"{name}\""))).expect("the field");
    let (_, value) = input.split_once("value=\"").expect("a value");
    value.split_once('"').expect("its end").0.to_owned()
}

/// A server with a sale `s` of each kind.
async fn with_sales() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for sample in samples() {
        let (path, terms) = sample.open_request("s");
        let (status, answer) = server.post(&path, &terms).await;
        assert_eq!(status, 200, "{answer}");
    }
    (redis, server)
}

#[tokio::test]
async fn an_attempt_is_made_and_the_page_says_what_came_of_it() {
    let (_redis, server) = with_sales().await;
    let (status, html) = send(&server, "/red-packets/s", "request_id=1&user=Mei").await;
    assert!(status == 200 && html.contains("<b>¥1.00</b>") && html.contains("is yours: packet #"), "{status} {html}");
    assert_eq!(value(&html, "user"), "Mei");

    let (status, html) = send(&server, "/coupons/s?tab=audit", "request_id=1&user=Mei").await;
    assert!(status == 200 && html.contains("<span>is yours.</span>"), "{status} {html}");

    let (status, html) = send(&server, "/stock/s", "request_id=1&user=Mei&quantity=4").await;
    assert!(status == 200 && html.contains("Deducted. 6 left."), "{status} {html}");
    assert_eq!(value(&html, "quantity"), "4", "what was typed stays");
    let (_, stock) = server.post("/api/stock/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(stock["cached"], 6);

    let pick = "user=Mei&pick-count=2&pick-category=circle&pick-seating=adjacent";
    let (status, html) = send(&server, "/tickets/s", &format!("request_id=1&{pick}")).await;
    assert!(status == 200 && html.contains("class=\"order held\""), "{status} {html}");
    assert!(html.contains("<option value=2 selected") || html.contains("<option value=\"2\" selected"), "{html}");
    // Four is what a user may have.
    assert_eq!(send(&server, "/tickets/s", &format!("request_id=2&{pick}")).await.0, 200);
    let (status, html) = send(&server, "/tickets/s", &format!("request_id=3&{pick}")).await;
    assert!(status == 200 && !html.contains("class=\"order held\""), "{status} {html}");
    assert!(html.contains("<p class=\"answer\">"), "why it was refused: {html}");
}

/// It would read like a success.
#[tokio::test]
async fn a_form_that_is_sent_again_says_that_what_it_got_was_given_back() {
    let (_redis, server) = with_sales().await;
    let coupon = json!({ "sale": "s", "user": "Mei", "request_id": "1" });
    let (_, won) = server.post("/api/coupon/claim", &coupon).await;
    let code = won["code"].as_str().expect("a code");
    let give_back = json!({ "sale": "s", "code": code });
    assert_eq!(server.post("/api/coupon/give-back", &give_back).await.1["outcome"], "returned");
    let unit = json!({ "sale": "s", "user": "Mei", "quantity": 4, "request_id": "1" });
    assert_eq!(server.post("/api/stock/deduct", &unit).await.1["outcome"], "won");
    let give_back = json!({ "sale": "s", "request_id": "1" });
    assert_eq!(server.post("/api/stock/give-back", &give_back).await.1["outcome"], "returned");
    for (path, fields) in [("/coupons/s", ""), ("/stock/s", "&quantity=4")] {
        for (lang, given_back) in [("en", "was given back"), ("zh", "已退回")] {
            let cookie = format!("lang={lang}");
            let headers = [("content-type", FORM), ("cookie", cookie.as_str())];
            let form = format!("request_id=1&user=Mei{fields}");
            let mut request = server.http.post(format!("{}{path}", server.url)).body(form);
            for (name, value) in headers {
                request = request.header(name, value);
            }
            let html = request.send().await.expect("an answer").text().await.expect("HTML");
            let (_, answer) = html.split_once("<div class=\"answer").expect("an answer");
            let (answer, _) = answer.split_once("</div>").expect("its end");
            assert!(answer.contains(given_back), "{path} {lang}: {answer}");
            assert!(!html.contains(">Give it back<") && !answer.contains("already"), "{path} {lang}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_form_sent_twice_is_one_attempt() {
    let (_redis, server) = with_sales().await;
    for kind in KINDS {
        let path = &format!("/{}/s", kind.info.pages);
        let Form { fields, done, repeated, figure } = kind.form;
        let get = server.http.get(format!("{}{path}", server.url)).send().await.expect("a page");
        let id = value(&get.text().await.expect("HTML"), "request_id");
        let form = format!("request_id={id}&user=Mei&{fields}");
        let ((_, one), (_, other)) = tokio::join!(send(&server, path, &form), send(&server, path, &form));
        let is_answered =
            one.contains(done) && other.contains(repeated) || one.contains(repeated) && other.contains(done);
        assert!(is_answered, "{path}: {one}\n{other}");
        for html in [one, other] {
            assert_ne!(value(&html, "request_id"), id, "the next attempt is another one");
        }
        let (_, snapshot) = server.post(&kind.sample().path("snapshot"), &json!({ "sale": "s" })).await;
        assert_eq!(snapshot.pointer(figure.0), Some(&json!(figure.1)), "{snapshot}");
    }
}

#[tokio::test]
async fn the_name_is_remembered() {
    let (_redis, server) = with_sales().await;
    let cookies = async |request: reqwest::RequestBuilder| {
        let response = request.send().await.expect("an answer");
        let cookies = response.headers().get_all(header::SET_COOKIE).iter();
        let mut names =
            cookies.filter_map(|cookie| cookie.to_str().ok()?.strip_prefix("stampede_user=")?.split(';').next());
        names.next_back().map(str::to_owned)
    };
    let form = |user: &str| {
        let request = server.http.post(format!("{}/red-packets/s", server.url)).header(header::CONTENT_TYPE, FORM);
        request.body(format!("request_id=1&user={user}"))
    };
    assert_eq!(cookies(form("%E6%A2%85")).await.as_deref(), Some("%E6%A2%85"));
    let known = form("Mei").header(header::COOKIE, "stampede_user=Lan");
    assert_eq!(cookies(known).await.as_deref(), Some("Mei"), "in place of another");
    assert_eq!(cookies(form("a%0Ab").header(header::COOKIE, "stampede_user=Lan")).await, Some("Lan".to_owned()));
    let get = server.http.get(format!("{}/red-packets/s", server.url));
    let suggested = cookies(get.try_clone().expect("a request")).await.expect("a name");
    assert!(suggested.starts_with("me-"), "{suggested}");
    let shown = async |cookie: &str| {
        let get = get.try_clone().expect("a request").header(header::COOKIE, format!("stampede_user={cookie}"));
        let page = get.send().await.expect("a page");
        value(&page.text().await.expect("HTML"), "user")
    };
    assert_eq!(shown(&suggested).await, suggested);
    for none in ["", "a%0Ab", "%00", &"a".repeat(65)] {
        assert!(shown(none).await.starts_with("me-"), "{none}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_form_is_said_beside_it() {
    let (_redis, server) = with_sales().await;
    for kind in KINDS {
        let path = &format!("/{}/s", kind.info.pages);
        let (status, html) = send(&server, path, &format!("user=&{}", kind.form.fields)).await;
        assert!(status == 400 && html.contains("class=\"wrong\""), "{path}: {status} {html}");
        assert_eq!(value(&html, "user"), "", "{path}");
    }
    for quantity in ["", "x", "-1", "0", "1000001", "99999999999999999999"] {
        let (status, html) = send(&server, "/stock/s", &format!("user=Mei&quantity={quantity}")).await;
        assert!(status == 400 && html.contains("class=\"wrong\""), "{quantity}: {status} {html}");
        assert_eq!(value(&html, "quantity"), quantity);
    }
    let pick = "user=Mei&pick-count=1&pick-category=nowhere&pick-seating=anywhere";
    let (status, html) = send(&server, "/tickets/s", pick).await;
    assert!(status == 400 && html.contains("class=\"notice bad\""), "{status} {html}");
    let (_, stock) = server.post("/api/stock/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(stock["calls"], 0, "no script was called");
}

#[tokio::test]
async fn nothing_but_a_form_of_this_server_is_taken() {
    let (_redis, server) = with_sales().await;
    let form = "request_id=1&user=Mei";
    let other_site = [("content-type", FORM), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
    assert_eq!(send_with(&server, "/red-packets/s", form, &other_site).await.0, 403);
    let origin = [("content-type", FORM), ("origin", "https://evil.example")];
    assert_eq!(send_with(&server, "/red-packets/s", form, &origin).await.0, 403);
    for other in ["application/json", "text/plain", "multipart/form-data; boundary=x"] {
        assert_eq!(send_with(&server, "/red-packets/s", form, &[("content-type", other)]).await.0, 415, "{other}");
    }
    assert_eq!(send_with(&server, "/red-packets/s", form, &[]).await.0, 415);
    let (_, packets) = server.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(packets["claimed"], 0);

    assert_eq!(send(&server, "/red-packets/s/", form).await.0, 200, "it is led to the page, and sent there");
    let (_, packets) = server.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
    assert_eq!(packets["claimed"], 1);
    assert_eq!(send(&server, "/red-packets/nowhere", form).await.0, 404);
    assert_eq!(send(&server, "/elsewhere/s", form).await.0, 404);
    assert_eq!(send(&server, "/ledger", form).await.0, 405);
    assert_eq!(send(&server, "/stock/s", &"a".repeat(70_000)).await.0, 413);
    let charset = [("content-type", "application/x-www-form-urlencoded; charset=utf-8")];
    assert_eq!(send_with(&server, "/red-packets/s", form, &charset).await.0, 200);
}

#[tokio::test]
async fn an_attempt_whose_outcome_is_unknown_keeps_its_id() {
    let (redis, server) = with_sales().await;
    drop(redis);
    let (status, html) = send(&server, "/stock/s", "request_id=mine&user=Mei&quantity=1").await;
    assert_eq!(status, 503);
    // The browser loads the sale as soon as it can, and has this form then.
    assert!(html.contains("\\\"request_id\\\":\\\"mine\\\"") || html.contains("\"request_id\":\"mine\""), "{html}");
}
