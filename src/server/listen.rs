//! Accepts connections and serves them, each with its limits: axum's own `serve` knows none.

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

/// The most connections at a time; more wait to be accepted.
pub const MAX_CONNECTIONS: usize = 10_000;
/// How long a connection may take to send the head of a request, and stay open without one.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause where no connection can be accepted, as when all file descriptors are in use.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then until the last answer has left.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) {
    let mut server = Builder::new(TokioExecutor::new()).http1_only();
    server.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let open = GracefulShutdown::new();
    loop {
        let (stream, permit) = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = shutdown.cancelled() => break,
        };
        // An answer in two pieces must not wait until the other side has acknowledged the first.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection was gone at once");
            continue;
        }
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
