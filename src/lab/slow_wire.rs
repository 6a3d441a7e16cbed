//! A slow network: a socket in front of Redis, on which whatever is sent to Redis arrives later. The batched script is the
//! product's own service on connections of its own, which no [`Wire`](super::wire::Wire) sees; so it is slowed down on its
//! way, and the product knows nothing of it. Replies pass at once, so a round trip takes that much longer, as it does for
//! the other strategies, and however many batches are on their way at a time.

use super::database::Database;
use crate::error::{Code, Error};
use anyhow::{Context, Result, bail};
use redis::{Client, ConnectionAddr};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy, split},
    net::{TcpStream, UnixListener, UnixStream},
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

/// What is read at a time.
const CHUNK: usize = 64 * 1024;

/// The socket, until it is dropped.
pub(super) struct SlowWire {
    socket: PathBuf,
    /// Dropped, every connection is closed.
    _connections: JoinSet<()>,
}

impl SlowWire {
    /// Makes the socket, with this name, and a client that goes through it.
    ///
    /// # Errors
    /// One sentence: Redis is reached by TLS, or the socket cannot be made.
    pub fn before(client: &Client, name: &str, delay: Duration) -> Result<(Self, Client)> {
        let info = client.get_connection_info().clone();
        let redis = info.addr().clone();
        if !matches!(redis, ConnectionAddr::Tcp(..) | ConnectionAddr::Unix(_)) {
            bail!(Error::new(
                Code::StoreRefused,
                "The batched script cannot be slowed down on its way to a Redis with TLS; run it without a delay, or use \
                 redis:// for the lab.",
            ));
        }
        // Nobody else may write to it, as it leads past the rights of Redis' own socket.
        let socket = std::env::temp_dir().join(format!("{}{name}.sock", Database::FILE_PREFIX));
        let listener = private(&socket).context("The lab's slow wire to Redis cannot be made")?;
        let client = Client::open(info.set_addr(ConnectionAddr::Unix(socket.clone())))?;
        let mut connections = JoinSet::new();
        connections.spawn(accept(listener, redis, delay));
        Ok((Self { socket, _connections: connections }, client))
    }
}

impl Drop for SlowWire {
    fn drop(&mut self) {
        std::fs::remove_file(&self.socket).ok();
    }
}

/// A socket to which only its owner may connect.
fn private(socket: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::PermissionsExt;
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

async fn accept(listener: UnixListener, redis: ConnectionAddr, delay: Duration) {
    let mut connections = JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        let redis = redis.clone();
        // Whatever ends it, its client sees that it has ended.
        connections.spawn(async move { connect(near, &redis, delay).await.ok() });
    }
}

async fn connect(near: UnixStream, redis: &ConnectionAddr, delay: Duration) -> io::Result<()> {
    match redis {
        ConnectionAddr::Tcp(host, port) => {
            let far = TcpStream::connect((host.as_str(), *port)).await?;
            far.set_nodelay(true)?;
            relay(near, far, delay).await
        }
        ConnectionAddr::Unix(path) => relay(near, UnixStream::connect(path).await?, delay).await,
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

async fn relay(near: UnixStream, far: impl AsyncRead + AsyncWrite, delay: Duration) -> io::Result<()> {
    let ((requests, mut to_near), (mut replies, to_far)) = (near.into_split(), split(far));
    tokio::select! {
        sent = send_late(requests, to_far, delay) => sent,
        copied = copy(&mut replies, &mut to_near) => copied.map(drop),
    }
}

/// Passes on what is read, each chunk so much later. Any number of them may be on their way.
async fn send_late(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    delay: Duration,
) -> io::Result<()> {
    let (sender, mut on_the_way) = mpsc::unbounded_channel();
    let read = async move {
        loop {
            let mut chunk = vec![0; CHUNK];
            let length = from.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            chunk.truncate(length);
            sender.send((Instant::now() + delay, chunk)).ok();
        }
    };
    let write = async {
        while let Some((at, chunk)) = on_the_way.recv().await {
            sleep_until(at).await;
            to.write_all(&chunk).await?;
        }
        Ok(())
    };
    tokio::try_join!(read, write).map(|_: ((), ())| ())
}
