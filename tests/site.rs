//! The files of the browser side over HTTP: how they are compressed, and how long a browser may keep them.

use crate::support::{
    app::{Server, TestApp},
    balancer::Proxy,
    redis::TestRedis,
    sale::terms,
    sse::EventSource,
    within,
};
use futures::poll;
use reqwest::{Response, StatusCode, header::*};
use serde_json::{Value, json};
use stampede::server::{limits::Limits, site};
use std::{fs, pin::pin, sync::Arc};
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// The files of a build, with hashes in their names.
const HASHED: [(&str, &str); 7] = [
    ("hash.txt", "js: aa\nwasm: bb\ncss: cc\n"),
    ("favicon.svg", "<svg/>"),
    ("pkg/stampede.aa.js", "script"),
    ("pkg/stampede.aa.js.br", "script by Brotli"),
    ("pkg/stampede.aa.js.gz", "script by gzip"),
    ("pkg/stampede.bb.wasm", "module"),
    ("pkg/stampede.cc.css", "sheet"),
];

/// A folder with the files of a site.
fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("pkg")).expect("a folder");
    for (path, content) in files {
        fs::write(folder.path().join(path), content).expect("a file");
    }
    folder
}

/// A site as the build leaves it, its files with or without hashes in their names.
struct Site {
    folder: TempDir,
    server: Server,
    _redis: TestRedis,
}

impl Site {
    async fn hashed() -> Self {
        Self::of(&HASHED).await
    }

    async fn of(files: &[(&str, &str)]) -> Self {
        let folder = folder_with(files);
        let redis = TestRedis::start().await;
        let server = TestApp::on(&redis).await.with_site(folder.path()).serve().await;
        Self { folder, server, _redis: redis }
    }

    async fn get(&self, path: &str, headers: &[(HeaderName, &str)]) -> Response {
        let request = self.server.http.get(format!("{}{path}", self.server.url));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
        request.send().await.expect("an answer")
    }

    /// The page's HTML as it is without compression.
    async fn page(&self, path: &str) -> String {
        self.get(path, &[]).await.text().await.expect("HTML")
    }
}

fn header(response: &Response, name: HeaderName) -> Option<&str> {
    response.headers().get(name).map(|value| value.to_str().expect("text"))
}

#[tokio::test]
async fn pages_ask_for_files_by_the_hash_of_their_content_and_those_are_kept_for_ever() {
    let site = Site::hashed().await;
    let page = site.page("/").await;
    for (file, kind) in [("aa.js", "text/javascript"), ("bb.wasm", "application/wasm"), ("cc.css", "text/css")] {
        let path = format!("/pkg/stampede.{file}");
        assert!(page.contains(&path), "{path} is not in {page}");
        let response = site.get(&path, &[]).await;
        assert_eq!((response.status(), header(&response, CONTENT_TYPE)), (StatusCode::OK, Some(kind)));
        assert_eq!(header(&response, CACHE_CONTROL), Some("public, max-age=31536000, immutable"), "{path}");
    }
}

#[tokio::test]
async fn a_file_goes_out_as_small_as_the_browser_can_take_it() {
    let site = Site::hashed().await;
    for (accepted, encoding, content) in [
        ("gzip, deflate, br, zstd", Some("br"), "script by Brotli"),
        ("gzip", Some("gzip"), "script by gzip"),
        ("br;q=0, gzip", Some("gzip"), "script by gzip"),
        ("identity", None, "script"),
    ] {
        let response = site.get("/pkg/stampede.aa.js", &[(ACCEPT_ENCODING, accepted)]).await;
        assert_eq!(header(&response, CONTENT_ENCODING), encoding, "{accepted}");
        assert_eq!(header(&response, CONTENT_TYPE), Some("text/javascript"), "{accepted}");
        assert_eq!(header(&response, VARY), Some("accept-encoding"), "{accepted}");
        assert_eq!(response.text().await.expect("a body"), content, "{accepted}");
    }
    // One without twins goes out as it is.
    let response = site.get("/pkg/stampede.bb.wasm", &[(ACCEPT_ENCODING, "br, gzip")]).await;
    assert_eq!(header(&response, CONTENT_ENCODING), None);
    assert_eq!(response.text().await.expect("a body"), "module");
}

/// Where no more pages can be made, files are sent all the same.
#[tokio::test]
async fn files_do_not_wait_behind_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("pkg")).expect("a folder");
    fs::write(folder.path().join("favicon.svg"), "<svg/>").expect("a file");
    let redis = TestRedis::start().await;
    let mut limits = Limits::default();
    limits.pages = Arc::new(Semaphore::new(0));
    let server = TestApp::on(&redis).await.with_site(folder.path()).with_limits(limits).serve().await;
    let get = |path: &str| server.http.get(format!("{}{path}", server.url)).send();
    let mut page = pin!(get("/"));
    assert!(poll!(&mut page).is_pending());
    for path in ["/favicon.svg", "/healthz"] {
        let answer = within("an answer", get(path)).await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    }
    assert!(poll!(&mut page).is_pending());
}

#[tokio::test]
async fn a_file_whose_name_stays_is_asked_about_and_not_sent_twice() {
    let site = Site::hashed().await;
    let first = site.get("/favicon.svg", &[]).await;
    assert_eq!((first.status(), header(&first, CACHE_CONTROL)), (StatusCode::OK, Some("no-cache")));
    let since = header(&first, LAST_MODIFIED).expect("a time");
    let second = site.get("/favicon.svg", &[(IF_MODIFIED_SINCE, since)]).await;
    assert_eq!((second.status(), header(&second, CACHE_CONTROL)), (StatusCode::NOT_MODIFIED, Some("no-cache")));
}

#[tokio::test]
async fn a_file_is_sent_whole_whatever_part_of_it_a_client_asks_for() {
    let site = Site::hashed().await;
    for headers in [
        &[(RANGE, "bytes=0-1")][..],
        &[(RANGE, "bytes=0-1"), (IF_RANGE, "\"another version\"")],
        &[(RANGE, "bytes=0-0,2-3")],
        &[(RANGE, "lines=0-1")],
    ] {
        let file = site.get("/favicon.svg", headers).await;
        assert_eq!((file.status(), header(&file, ACCEPT_RANGES)), (StatusCode::OK, None), "{headers:?}");
        assert_eq!(file.text().await.expect("text"), "<svg/>", "{headers:?}");
    }
}

#[tokio::test]
async fn a_font_is_kept_for_ever_by_the_version_in_its_name() {
    let site = Site::of(&[("inter-1.0.0.woff2", "font"), ("pkg/stampede.js", "script")]).await;
    let response = site.get("/inter-1.0.0.woff2", &[]).await;
    assert_eq!(header(&response, CONTENT_TYPE), Some("font/woff2"));
    assert_eq!(header(&response, CACHE_CONTROL), Some("public, max-age=31536000, immutable"));
}

#[tokio::test]
async fn a_site_without_hashes_is_asked_about_too() {
    let site = Site::of(&[("pkg/stampede.js", "script"), ("pkg/stampede_bg.wasm", "module")]).await;
    assert!(site.page("/").await.contains("/pkg/stampede_bg.wasm"));
    let response = site.get("/pkg/stampede.js", &[]).await;
    assert_eq!((response.status(), header(&response, CACHE_CONTROL)), (StatusCode::OK, Some("no-cache")));
}

#[tokio::test]
async fn what_is_not_there_is_a_page_that_says_so_and_is_not_kept() {
    let site = Site::hashed().await;
    for path in ["/nowhere", "/pkg", "/pkg/", "/pkg/stampede.old.js", "/pkg/..%2f..%2fetc%2fpasswd"] {
        let response = site.get(path, &[]).await;
        assert_eq!(
            (response.status(), header(&response, CACHE_CONTROL)),
            (StatusCode::NOT_FOUND, Some("no-store")),
            "{path}"
        );
        assert!(response.text().await.expect("HTML").contains("<title>"), "{path}");
    }
    let post =
        site.server.http.post(format!("{}/pkg/stampede.aa.js", site.server.url)).send().await.expect("an answer");
    assert_eq!(post.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_address_with_a_slash_at_the_end_leads_to_the_page_without() {
    let site = Site::hashed().await;
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let asked = async |path: &str| {
        let response = http.get(format!("{}{path}", site.server.url)).send().await.expect("an answer");
        (response.status(), header(&response, LOCATION).map(str::to_owned))
    };
    for (path, page) in
        [("/red-packets/s/", "/red-packets/s"), ("/ledger/?sale=s&user=a", "/ledger?sale=s&user=a"), ("/api/", "/api")]
    {
        assert_eq!(asked(path).await, (StatusCode::PERMANENT_REDIRECT, Some(page.to_owned())), "{path}");
    }
    // Another host, or an endpoint that there is not.
    for path in ["//example.com/", "/api/sales/"] {
        assert_eq!(asked(path).await, (StatusCode::NOT_FOUND, None), "{path}");
    }
}

/// What a reader sees first is asked for first: the font and the style sheet, and then the program.
#[tokio::test]
async fn a_page_names_its_files_in_the_order_in_which_they_are_needed() {
    let page = Site::hashed().await.page("/").await;
    let head = &page[..page.find("</head>").expect("a head")];
    let files = ["/inter-latin-", "/pkg/stampede.cc.css", "/pkg/stampede.aa.js", "/pkg/stampede.bb.wasm"];
    let places = files.map(|file| head.find(file).unwrap_or_else(|| panic!("{file} is not in {head}")));
    assert!(places.is_sorted(), "{places:?} in {head}");
    // Each is asked for at once, and used as what it was asked for.
    let tags = places.map(|place| {
        let tag = &head[head[..place].rfind('<').expect("a tag")..];
        &tag[..tag.find('>').expect("its end")]
    });
    let wanted = [
        &["rel=\"preload\"", "as=\"font\""][..],
        &["rel=\"stylesheet\""],
        &["rel=\"modulepreload\""],
        &["rel=\"preload\"", "as=\"fetch\""],
    ];
    for (tag, wanted) in tags.iter().zip(wanted) {
        for part in wanted {
            assert!(tag.contains(part), "{part} is not in {tag}");
        }
    }
}

#[tokio::test]
async fn pages_are_compressed_and_short_answers_are_not() {
    let site = Site::hashed().await;
    let page = site.get("/", &[(ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!(header(&page, CONTENT_ENCODING), Some("gzip"));
    let varies: Vec<_> = page.headers().get_all(VARY).iter().collect();
    assert_eq!(varies, ["cookie, accept-language", "accept-encoding"]);
    let compressed = page.bytes().await.expect("a body").len();
    assert!(compressed * 2 < site.page("/").await.len(), "{compressed} bytes");
    let short = site.get("/healthz", &[(ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!(header(&short, CONTENT_ENCODING), None);
}

#[tokio::test]
async fn a_live_view_is_never_compressed_so_no_event_waits_for_the_next() {
    let site = Site::hashed().await;
    site.server.app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let response = site.get("/live/red-packet/s", &[(ACCEPT_ENCODING, "br, gzip")]).await;
    assert_eq!((response.status(), header(&response, CONTENT_ENCODING)), (StatusCode::OK, None));
    let mut browser = EventSource::connect(&format!("{}/live/red-packet/s", site.server.url), None).await;
    browser.find(|message| message.event == "message").await;
}

#[tokio::test]
async fn a_site_that_is_built_anew_is_served_at_once() {
    let site = Site::hashed().await;
    site.page("/").await;
    fs::write(site.folder.path().join("pkg/stampede.dd.css"), "new sheet").expect("a file");
    fs::write(site.folder.path().join("hash.txt"), "js: aa\nwasm: bb\ncss: dd\n").expect("a file");
    assert!(site.page("/").await.contains("/pkg/stampede.dd.css"));
    assert_eq!(site.page("/pkg/stampede.dd.css").await, "new sheet");
}

#[test]
fn a_folder_without_a_site_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = site::options(folder.path()).expect_err("nothing is there").to_string();
    assert!(error.contains("cargo xtask build"), "{error}");
}

/// Found by the fuzz test.
#[tokio::test]
async fn a_name_that_no_file_can_have_is_not_there_whoever_asks() {
    let site = Site::hashed().await;
    for path in ["/a%00b", &format!("/{}", "a".repeat(300)), "/pkg/%00", "/%61%e4%b8%ad%00/b"] {
        for method in [reqwest::Method::GET, reqwest::Method::HEAD] {
            let request = site.server.http.request(method.clone(), format!("{}{path}", site.server.url));
            let status = request.send().await.expect("an answer").status();
            assert_eq!(status, StatusCode::NOT_FOUND, "{method} {path}");
        }
    }
    let head = site.server.http.head(format!("{}/favicon.svg", site.server.url)).send().await.expect("an answer");
    assert_eq!((head.status(), header(&head, CONTENT_LENGTH)), (StatusCode::OK, Some("6")));
    assert_eq!(head.text().await.expect("no body"), "");
}

/// The arguments of the script that starts the browser side: its script, its WebAssembly, the address at which a
/// server answers, whether the page may be loaded anew, and what is shown otherwise.
fn start_of(page: &str) -> Value {
    let (_, arguments) = page.split_once("})(...").expect("the script that starts the browser side");
    let (arguments, _) = arguments.split_once(")</script>").expect("its end");
    serde_json::from_str(arguments).expect("JSON")
}

#[tokio::test]
async fn a_page_starts_its_own_files_or_says_that_it_could_not() {
    let site = Site::hashed().await;
    for (language, sentence) in [("en", "This page could not be started:"), ("zh", "此页未能启动：")] {
        let page = site.get("/", &[(ACCEPT_LANGUAGE, language)]).await.text().await.expect("HTML");
        let start = start_of(&page);
        let begins = json!(["/pkg/stampede.aa.js", "/pkg/stampede.bb.wasm", "/healthz", true]);
        assert_eq!(start.as_array().map(|start| &start[..4]), begins.as_array().map(Vec::as_slice));
        assert!(start[4].as_str().is_some_and(|notice| notice.contains(sentence)), "{start}");
        // The policy admits the script by its nonce.
        let (_, nonce) = page.split_once("<script type=\"module\" nonce=\"").expect("a script with a nonce");
        let (nonce, _) = nonce.split_once('"').expect("its end");
        assert!(page.contains(&format!("script-src 'self' 'wasm-unsafe-eval' 'nonce-{nonce}'")), "{nonce}: {page}");
    }
    let site = Site::of(&[("pkg/stampede.js", "script"), ("pkg/stampede_bg.wasm", "module")]).await;
    let start = start_of(&site.page("/").await);
    assert_eq!((&start[0], &start[1]), (&json!("/pkg/stampede.js"), &json!("/pkg/stampede_bg.wasm")));
}

/// It has the outcome of an attempt, which another visit would not show.
#[tokio::test]
async fn a_page_that_answers_a_form_is_not_loaded_anew() {
    let site = Site::hashed().await;
    site.server.app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let form = site.server.http.post(format!("{}/red-packets/s", site.server.url)).form(&[("user", "ann")]);
    let page = form.send().await.expect("an answer").text().await.expect("HTML");
    assert_eq!(start_of(&page)[3], json!(false));
    assert_eq!(start_of(&site.page("/red-packets/s").await)[3], json!(true));
}

#[tokio::test]
async fn a_page_its_live_view_and_the_probe_tell_the_build_that_the_site_has_now() {
    let site = Site::hashed().await;
    site.server.app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    for build in ["bb", "ee"] {
        fs::write(site.folder.path().join("hash.txt"), format!("js: aa\nwasm: {build}\ncss: cc\n")).expect("a file");
        assert!(site.page("/").await.contains(&format!("data-build=\"{build}\"")), "{build}");
        assert_eq!(site.server.get("/readyz").await, (200, json!({ "status": "ready", "build": build })));
        // Before all frames.
        let mut browser = EventSource::connect(&format!("{}/live/red-packet/s", site.server.url), None).await;
        let first = browser.next().await;
        assert_eq!((first.event.as_str(), first.data.as_str(), first.id), ("build", build, None));
    }
}

/// While servers are upgraded one after the other, a page comes from one, and its files from another.
#[tokio::test]
async fn behind_nginx_a_page_of_either_build_gets_its_files() {
    let redis = TestRedis::start().await;
    let [old, new] = TestApp::two_on(&redis).await;
    let old_site = folder_with(&HASHED);
    let new_site = folder_with(&[
        ("hash.txt", "js: dd\nwasm: ee\ncss: ff\n"),
        ("pkg/stampede.dd.js", "new script"),
        ("pkg/stampede.ee.wasm", "new module"),
        ("pkg/stampede.ff.css", "new sheet"),
    ]);
    let old = old.with_site(old_site.path()).serve().await;
    let new = new.with_site(new_site.path()).serve().await;
    let proxy = Proxy::nginx_before(&[old.address().port(), new.address().port()]).await;
    let get = async |file: &str| reqwest::get(format!("{}/pkg/stampede.{file}", proxy.url)).await.expect("an answer");
    for file in ["aa.js", "bb.wasm", "cc.css", "dd.js", "ee.wasm", "ff.css"] {
        // Each server is asked first in turn.
        for _ in 0..4 {
            assert_eq!(get(file).await.status(), StatusCode::OK, "{file}");
        }
    }
    // What neither of them has.
    let missing = get("gg.js").await;
    assert_eq!((missing.status(), header(&missing, CACHE_CONTROL)), (StatusCode::NOT_FOUND, Some("no-store")));
}
