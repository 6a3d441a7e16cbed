//! Accepts connections and serves them, each with its limits: axum's own `serve` knows none.

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use socket2::SockRef;
use std::{io, pin::Pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

/// The most connections at a time; more wait to be accepted.
pub const MAX_CONNECTIONS: usize = 10_000;
/// How much of an answer waits in the kernel beyond what is on its way, in bytes: a client that reads nothing is noticed
/// once this is full, and not after megabytes.
const MAX_UNSENT: u32 = 64 * 1024;
/// How much of a request or an answer is kept in memory for a client that is slower, in bytes.
const MAX_BUFFERED: usize = 64 * 1024;
/// How long what was sent may stay unacknowledged: a client whose host vanished never closes its connection.
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);
/// The pause where no connection can be accepted, as when all file descriptors are in use.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// How long a client is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To send the head of a request; also how long a connection stays open without one.
    pub head: Duration,
    /// To take any more of an answer that is ready for it.
    pub stalled: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_secs(30), stalled: Duration::from_secs(20) }
    }
}

/// Serves until `shutdown`, then until the last answer has left.
pub async fn serve(listener: TcpListener, router: Router, patience: Patience, shutdown: CancellationToken) {
    let mut server = Builder::new(TokioExecutor::new()).http1_only();
    server.http1().timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(MAX_BUFFERED);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let open = GracefulShutdown::new();
    loop {
        let (stream, permit) = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = shutdown.cancelled() => break,
        };
        let stream = match prepare(stream, patience.stalled) {
            Ok(stream) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection was gone at once");
                continue;
            }
        };
        let connection = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = open.watch(connection.into_owned());
        tokio::spawn(async move {
            // What goes wrong with a connection is its client's business.
            connection.await.ok();
            drop(permit);
        });
    }
    drop(listener);
    open.shutdown().await;
}

/// A connection that ends when its client takes nothing for so long.
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

async fn accept(listener: &TcpListener, connections: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}
