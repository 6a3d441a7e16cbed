//! The live view and a page through the proxies that people have, each with a minimal configuration.

use crate::support::{app::TestApp, eventually, redis::TestRedis, sale::terms, sse::EventSource};
use reqwest::header::{CACHE_CONTROL, VARY};
use serde_json::json;
use std::{fs, net::TcpListener, process::Stdio};
use tempfile::TempDir;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
};

/// A proxy in front of a server, which ends with this value.
struct Proxy {
    url: String,
    _folder: TempDir,
    _process: Child,
}

/// A free port, and a folder for the files of a proxy.
fn room() -> (u16, TempDir) {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    (port, tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder"))
}

impl Proxy {
    /// nginx with its defaults: it speaks HTTP/1.0 to the server, and buffers what the server answers.
    async fn nginx(server: &str) -> Self {
        let (port, folder) = room();
        let paths =
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};"));
        let configuration = format!(
            "daemon off; master_process off; pid nginx.pid; error_log stderr; events {{}}
            http {{ access_log off; gzip on; {} server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {server}; }} }} }}",
            paths.concat()
        );
        fs::write(folder.path().join("nginx.conf"), configuration).expect("a file");
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).args(["-c", "nginx.conf", "-e", "stderr"]);
        Self::start(command, port, folder).await
    }

    /// HAProxy with the time limits of its manual's first example.
    async fn haproxy(server: &str) -> Self {
        let (port, folder) = room();
        let address = server.trim_start_matches("http://");
        let configuration = format!(
            "defaults\n mode http\n timeout connect 5000ms\n timeout client 50000ms\n timeout server 50000ms\n\
            listen sales\n bind 127.0.0.1:{port}\n server one {address}\n"
        );
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, configuration).expect("a file");
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-f").arg(file);
        Self::start(command, port, folder).await
    }

    async fn start(mut command: Command, port: u16, folder: TempDir) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
        let process = command.spawn().expect("`cargo xtask test` installs the proxies");
        eventually("the proxy listens", async || TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Self { url: format!("http://127.0.0.1:{port}"), _folder: folder, _process: process }
    }
}

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
