//! Accepts connections and serves them, each with its limits. axum's own `serve` has no limits.

pub mod http2;
mod open_files;

use axum::{
    extract::{ConnectInfo, Request},
    response::Response,
};
use http::uri::Scheme;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
pub use open_files::{raise_limit, room_for_connections};
use socket2::{SockFilter, SockRef};
use std::{
    convert::Infallible,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{Service, ServiceExt};

/// The bytes of an answer that wait in the kernel, beyond those on their way. A client that reads nothing is noticed
/// once this buffer is full, not after megabytes.
const MAX_UNSENT: u32 = 64 * 1024;
/// The bytes of a request or an answer that are kept in memory for a slower client.
const MAX_BUFFERED: usize = 64 * 1024;
/// The time for which sent data may stay unacknowledged. A client whose host vanished never closes its connection.
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);
/// The pause if no connection can be accepted, as when all file descriptors are in use.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// The interval between warnings that all connections are in use.
const WARN_AGAIN: Duration = Duration::from_secs(60);

/// The time after a stop in which connections that have begun are accepted, and requests that are on their way are
/// read. A connection that is idle for longer is closed.
const LINGER: Duration = Duration::from_millis(300);

/// The number of connections of the server, and the time that it waits for each client.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// The most connections at a time, if the process may have that many open. More wait to be accepted.
    pub most: usize,
    /// The time to send the head of a request, and to agree on encryption. It is also the time for which a connection
    /// without a request stays open.
    pub head: Duration,
    /// The time to take any more of an answer that is ready.
    pub stalled: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { most: 10_000, head: Duration::from_secs(30), stalled: Duration::from_secs(20) }
    }
}

/// The service that answers requests. It is cloned for each connection and for each request.
pub trait App:
    Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> App for S where
    S: Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

/// Serves until `shutdown`, and then until the last answer has been sent. With `tls`, every connection is encrypted. Each
/// request has the address of its peer, `ConnectInfo<SocketAddr>`, among its extensions.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    app: impl App,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let most = limits.most.min(open_files::room_for_connections());
    let connections = Arc::new(Semaphore::new(most));
    let mut warned: Option<Instant> = None;
    let serving = Serving { open: TaskTracker::new(), tls, app, limits, shutdown };
    loop {
        if connections.available_permits() == 0 && warned.is_none_or(|warned| warned.elapsed() > WARN_AGAIN) {
            tracing::warn!(most, "all connections are in use; further clients wait until one ends");
            warned = Some(Instant::now());
        }
        tokio::select! {
            (stream, peer, permit) = accept(&listener, &connections) => serving.start(stream, peer, permit),
            () = serving.shutdown.cancelled() => break,
        }
    }
    refuse_handshakes(&listener);
    let closed_at = tokio::time::Instant::now() + LINGER;
    while let Ok((stream, peer, permit)) = tokio::time::timeout_at(closed_at, accept(&listener, &connections)).await {
        serving.start(stream, peer, permit);
    }
    drop(listener);
    serving.open.close();
    serving.open.wait().await;
}

/// The open connections, and all that is needed to serve another one.
struct Serving<A> {
    open: TaskTracker,
    tls: Option<TlsAcceptor>,
    app: A,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
}

impl<A: App> Serving<A> {
    /// Serves a connection, each request of which knows its peer. It holds its permit until its end.
    fn start(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        let stream = match prepare(stream, self.limits.stalled) {
            Ok(stream) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection was gone at once");
                return;
            }
        };
        let (tls, app, limits, shutdown) = (self.tls.clone(), self.app.clone(), self.limits, self.shutdown.clone());
        let app = app.map_request(move |mut request: Request| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request
        });
        self.open.spawn(async move {
            match tls {
                Some(tls) => serve_encrypted(stream, &tls, app, limits, shutdown).await,
                None => serve_http1(stream, app, limits, shutdown).await,
            }
            drop(permit);
        });
    }
}

/// Lets no further connection begin. Those that the kernel has accepted would be reset with the listener, and their
/// requests might have been sent by then. Those that begin now find it closed when they try again: nothing was sent, so
/// a proxy turns to another server.
fn refuse_handshakes(listener: &TcpListener) {
    // As in <linux/filter.h>: a segment is dropped if the byte with its flags has that of a first segment.
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    let (load_byte, if_any_bit, answer) = (0x30, 0x45, 0x06);
    let dropped = [
        SockFilter::new(load_byte, 0, 0, FLAGS),
        SockFilter::new(if_any_bit, 0, 1, SYN),
        SockFilter::new(answer, 0, 0, 0),
        SockFilter::new(answer, 0, 0, u32::MAX),
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&dropped) {
        tracing::debug!(%error, "connections that begin while the server stops may be reset");
    }
}

/// A connection that ends when its client takes nothing for this long.
fn prepare(stream: TcpStream, stalled: Duration) -> io::Result<Pin<Box<TimeoutStream<TcpStream>>>> {
    // An answer in two pieces must not wait until the other side has acknowledged the first.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    socket.set_tcp_notsent_lowat(MAX_UNSENT)?;
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(stalled));
    Ok(Box::pin(stream))
}

async fn accept(listener: &TcpListener, connections: &Arc<Semaphore>) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, permit),
            Err(error) if concerns_one_client(error.kind()) => {
                tracing::debug!(%error, "a client was gone before its connection was accepted");
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Whether the next connection may be accepted at once despite this error.
fn concerns_one_client(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
    )
}

/// Agrees on encryption and on the version of HTTP, and serves.
async fn serve_encrypted(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send,
    tls: &TlsAcceptor,
    app: impl App,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let app = app.map_request(encrypted);
    let agreed = tokio::select! {
        agreed = tokio::time::timeout(limits.head, tls.accept(stream)) => agreed,
        () = stopped(shutdown.clone()) => return,
    };
    match agreed {
        Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(http2::PROTOCOL) => {
            http2::serve(stream, app, limits, shutdown).await;
        }
        Ok(Ok(stream)) => serve_http1(stream, app, limits, shutdown).await,
        Ok(Err(error)) => tracing::debug!(%error, "a client did not agree on encryption"),
        Err(_) => {}
    }
}

async fn serve_http1(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    app: impl App,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let service = TowerToHyperService::new(app.map_request(with_body));
    let mut http1 = http1::Builder::new();
    http1.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_BUFFERED);
    let mut connection = pin!(http1.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        // A failed connection concerns only its client.
        _ = &mut connection => return,
        () = stopped(shutdown) => connection.as_mut().graceful_shutdown(),
    }
    connection.await.ok();
}

/// Waits until the server has stopped for long enough that no request is on its way.
async fn stopped(shutdown: CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(LINGER).await;
}

/// A request that came over TLS. With HTTP/1 it names no scheme.
fn encrypted(mut request: Request) -> Request {
    request.extensions_mut().insert(Scheme::HTTPS);
    request
}

/// A request in the form of axum.
pub fn with_body(request: hyper::Request<Incoming>) -> Request {
    request.map(axum::body::Body::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn accepted_connections_have_nodelay() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (client, accepted) =
            tokio::join!(TcpStream::connect(listener.local_addr().expect("an address")), listener.accept());
        let stream = prepare(accepted.expect("accepted").0, Duration::from_secs(1)).expect("prepared");
        assert!(stream.get_ref().nodelay().expect("an option"));
        drop(client);
    }
}
