//! A whole server on a test's Redis, with a clock that stands still, and over HTTP if a test needs it.

use super::{api, redis::TestRedis, sale};
use engine::{kind::Resources, red_packet::service::RedPackets, ticket::service::Tickets};
use lab::faults::handles::{Handles, WriterSwitch};
use ledger::{
    database::{Ledger, Place},
    writer::Writer,
};
use leptos::prelude::LeptosOptions;
use listen::ConnectionLimits;
use serde_json::Value;
use stampede::server::{Access, AppState, limits::Limits, routes, site};
use std::{net::SocketAddr, ops::Deref, path::Path, sync::Arc};
use store::{
    Store,
    lab_redis::LabRedis,
    runtime::{Ids, ManualClock},
    servers::Servers,
};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use web::components::StoreFlags;

/// A server process, as Redis sees it.
pub struct TestApp {
    state: AppState,
    pub red_packet: RedPackets,
    pub tickets: Tickets,
    pub time: Arc<ManualClock>,
    /// The limits of its connections over HTTP.
    pub connections: ConnectionLimits,
    /// The encryption of its connections.
    pub tls: Option<TlsAcceptor>,
}

impl Deref for TestApp {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.state
    }
}

impl TestApp {
    pub async fn on(redis: &TestRedis) -> Self {
        Self::at(redis, &redis.url(), sale::clock(), 1).await
    }

    /// Two servers with one clock.
    pub async fn two_on(redis: &TestRedis) -> [Self; 2] {
        let (url, time) = (redis.url(), sale::clock());
        [Self::at(redis, &url, time.clone(), 1).await, Self::at(redis, &url, time, 2).await]
    }

    /// Several servers may share a clock. Each needs a seed of its own for its ids. All servers on one Redis have one
    /// ledger, in its folder; `url` may lead through a proxy.
    pub async fn at(redis: &TestRedis, url: &str, time: Arc<ManualClock>, seed: u64) -> Self {
        let ledger = Ledger::connect(Place::Folder(redis.folder())).await.expect("a ledger");
        Self::with(url, ledger, time, seed, 10_000).await
    }

    /// A server with any ledger, and an alarm if more than `stream_alarm` events wait for it.
    pub async fn with(url: &str, ledger: Ledger, time: Arc<ManualClock>, seed: u64, stream_alarm: u64) -> Self {
        let store = Store::connect(url, stampede::server::scripts()).await.expect("a store");
        Self::made(store, ledger, time, seed, stream_alarm, None).await
    }

    /// A server that acknowledges attempts only when so many replicas have them.
    pub async fn with_replicas(url: &str, ledger: Ledger, replicas: usize) -> Self {
        let servers = Servers::of(url, None).expect("servers").with_replicas(replicas);
        let store = Store::with(servers, stampede::server::scripts()).await.expect("a store");
        Self::made(store, ledger, sale::clock(), 1, 10_000, None).await
    }

    /// A server with faults that can be injected, but without a Redis of its own, and without a wire.
    pub async fn with_faults(redis: &TestRedis) -> Self {
        let ledger = Ledger::connect(Place::Folder(redis.folder())).await.expect("a ledger");
        let faults = Handles { redis: None, wire: None, writer: WriterSwitch::default() };
        Self::made(redis.store().await, ledger, sale::clock(), 1, 10_000, Some(faults)).await
    }

    async fn made(
        store: Store,
        ledger: Ledger,
        time: Arc<ManualClock>,
        seed: u64,
        stream_alarm: u64,
        faults: Option<Handles>,
    ) -> Self {
        let ids = Arc::new(Ids::seeded(time.clone(), seed));
        let leptos = LeptosOptions::builder().output_name("stampede").site_root("nowhere").site_pkg_dir("pkg").build();
        let resources = Resources { store, ledger, clock: time.clone(), ids };
        let (flags, access, lab) = (StoreFlags::default(), Access::default(), LabRedis::default());
        let state = AppState::new(resources, leptos, flags, access, stream_alarm, lab, faults);
        let red_packet = state.kinds.get::<RedPackets>().expect("red packets").clone();
        let tickets = state.kinds.get::<Tickets>().expect("tickets").clone();
        Self { state, red_packet, tickets, time, connections: ConnectionLimits::default(), tls: None }
    }

    /// The server with the files of a site.
    pub fn with_site(mut self, folder: &Path) -> Self {
        let services = Arc::get_mut(&mut self.state.0).expect("a server that does not serve yet");
        services.leptos = site::options(folder).expect("a site");
        self
    }

    /// The server as it is reached behind a proxy, or by other names.
    pub fn with_access(mut self, access: Access) -> Self {
        Arc::get_mut(&mut self.state.0).expect("a server that does not serve yet").access = access;
        self
    }

    /// The server with other limits of costly requests.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        Arc::get_mut(&mut self.state.0).expect("a server that does not serve yet").limits = limits;
        self
    }

    /// A writer of the ledger with this name, to be stepped by hand.
    pub fn writer(&self, process: &str) -> Writer {
        self.ledger_service.writer(process.to_owned())
    }

    pub async fn serve(self) -> Server {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        let app = routes::app(self.state.clone());
        let task =
            tokio::spawn(listen::serve(listener, self.tls.clone(), app, self.connections, self.state.shutdown.clone()));
        Server { app: self, url, http: reqwest::Client::new(), task }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.state.shutdown.cancel();
    }
}

/// A server that answers over HTTP.
pub struct Server {
    pub app: TestApp,
    pub url: String,
    pub http: reqwest::Client,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// The address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.url.rsplit('/').next().and_then(|address| address.parse().ok()).expect("an address")
    }

    /// Asks the server to stop, and waits until its last connection has ended.
    pub async fn stop(mut self) {
        self.app.shutdown.cancel();
        super::within("the server stops", &mut self.task).await.expect("no panic");
    }

    /// The status and the body of a POST of JSON. Both bodies must match the description of the API.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.post_raw(path, body.to_string()).await;
        api::check(path, body, status, &answer);
        (status, answer)
    }

    /// The status and the body of a POST of anything, declared as JSON. A body that is not JSON is returned as text.
    pub async fn post_raw(&self, path: &str, body: impl Into<reqwest::Body>) -> (u16, Value) {
        let request = self.http.post(format!("{}{path}", self.url)).header("content-type", "application/json");
        read(request.body(body).send().await.expect("an answer")).await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        read(self.http.get(format!("{}{path}", self.url)).send().await.expect("an answer")).await
    }
}

/// Takes the request id out of the answer to an attempt that was sent without one, and checks that the server has made up
/// one.
pub fn made_up_id(answer: &mut Value) -> String {
    let id = answer.as_object_mut().and_then(|fields| fields.remove("request_id"));
    let id = id.as_ref().and_then(Value::as_str).expect("a request id").to_owned();
    assert!(id.len() == 36 && id.as_bytes()[14] == b'7', "a UUIDv7: {id}");
    id
}

async fn read(response: reqwest::Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
