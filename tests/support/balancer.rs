//! The proxies that people have, as processes.

use super::eventually;
use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    process::{self, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};
use tempfile::TempDir;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
};

/// A proxy in front of servers, which ends with this value.
pub struct Proxy {
    pub url: String,
    _folder: TempDir,
    _process: Child,
}

/// A free port that stays free: below those that the kernel gives to connections, and in a block of its own for each
/// process, as tests run beside each other.
pub fn free_port() -> u16 {
    const FIRST: u32 = 10_000;
    const BLOCKS: u32 = 700;
    const PORTS: u32 = 32;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let block = FIRST + process::id() % BLOCKS * PORTS;
    let mut ports = std::iter::from_fn(|| Some(block + NEXT.fetch_add(1, Ordering::Relaxed))).take(PORTS as usize);
    let free = ports.find_map(|port| TcpListener::bind(("127.0.0.1", u16::try_from(port).ok()?)).ok());
    free.and_then(|free| free.local_addr().ok()).expect("a free port").port()
}

/// The configuration of nginx that passes everything on to one of these servers, and to another one if it refuses the
/// connection, or does not have a file of a page.
const BALANCED: &str = "proxy_pass http://servers; proxy_http_version 1.1; proxy_set_header Connection \"\"; \
                        proxy_set_header Host $host; location /pkg/ { proxy_pass http://servers; \
                        proxy_next_upstream error timeout http_404; }";

impl Proxy {
    /// nginx with its defaults: it speaks HTTP/1.0 to the server, and buffers what the server answers.
    pub async fn nginx(server: &str) -> Self {
        Self::nginx_at("/", server).await
    }

    /// Like [`Self::nginx`], for requests below a path, which it passes on with that path.
    pub async fn nginx_at(path: &str, server: &str) -> Self {
        Self::nginx_with("", path, &format!("proxy_pass {server};")).await
    }

    /// nginx in front of servers at these ports. It notices that one has stopped by a connection that is refused.
    pub async fn nginx_before(ports: &[u16]) -> Self {
        let servers: String = ports.iter().map(|port| format!("server 127.0.0.1:{port} fail_timeout=1s; ")).collect();
        Self::nginx_with(&format!("upstream servers {{ {servers} keepalive 32; }}"), "/", BALANCED).await
    }

    async fn nginx_with(upstream: &str, path: &str, location: &str) -> Self {
        let (port, folder) = (free_port(), folder());
        let paths =
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};"));
        let configuration = format!(
            "daemon off; master_process off; pid nginx.pid; error_log stderr; events {{}}
            http {{ access_log off; gzip on; {} {upstream}
            server {{ listen 127.0.0.1:{port}; location {path} {{ {location} }} }} }}",
            paths.concat()
        );
        let file = written(&folder, "nginx.conf", &configuration);
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).arg("-c").arg(file).args(["-e", "stderr"]);
        Self::start(command, port, folder).await
    }

    /// HAProxy with the time limits of its manual's first example.
    pub async fn haproxy(server: &str) -> Self {
        let (port, folder) = (free_port(), folder());
        let address = server.trim_start_matches("http://");
        let configuration = format!(
            "defaults\n mode http\n timeout connect 5000ms\n timeout client 50000ms\n timeout server 50000ms\n\
            listen sales\n bind 127.0.0.1:{port}\n server one {address}\n"
        );
        let file = written(&folder, "haproxy.cfg", &configuration);
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

/// A folder for the files of a proxy.
fn folder() -> TempDir {
    tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder")
}

fn written(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let file = folder.path().join(name);
    fs::write(&file, text).expect("a file");
    file
}
