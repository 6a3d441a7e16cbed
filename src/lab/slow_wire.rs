//! A slow or broken network: a socket in front of Redis that delays everything sent to Redis, and that can be cut.
//!
//! The batched script is the product's own service with its own connections, and no [`Wire`](crate::wire::Wire) sees
//! it. So its requests are delayed on the way, and the product does not notice. Replies pass at once, so a round trip
//! takes longer by the delay, as for the other strategies, however many batches are in flight. With `--faults`, the
//! server's own connections also pass through such a socket.

use anyhow::{Context, Result};
use redis::{Client, ConnectionAddr};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy, split},
    net::{TcpStream, UnixListener, UnixStream},
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

/// The number of bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// The socket. It is removed when this is dropped.
pub struct SlowWire {
    socket: PathBuf,
    state: Arc<watch::Sender<WireState>>,
    /// Dropping it closes every connection.
    _connections: JoinSet<()>,
}

/// The current state of the network.
#[derive(Clone, Copy, Default)]
struct WireState {
    delay: Duration,
    is_cut: bool,
}

/// A disturbance of the network. When it is dropped, the network is fast and whole again.
pub struct Disturbed {
    state: Arc<watch::Sender<WireState>>,
    mend: fn(&mut WireState),
}

impl SlowWire {
    /// Whether such a socket can stand in front of this Redis. With TLS it cannot, because it is not the host that
    /// clients expect.
    pub fn can_lead_to(client: &Client) -> bool {
        matches!(client.get_connection_info().addr(), ConnectionAddr::Tcp(..) | ConnectionAddr::Unix(_))
    }

    /// Creates the socket, and a client that connects through it.
    ///
    /// # Errors
    /// One sentence if the socket cannot be created.
    pub fn before(client: &Client, socket: PathBuf, delay: Duration) -> Result<(Self, Client)> {
        let info = client.get_connection_info().clone();
        let redis = info.addr().clone();
        // Nobody else may write to the socket: it bypasses the rights of Redis' own socket.
        let listener = private(&socket).context("The lab's slow wire to Redis cannot be made")?;
        let client = Client::open(info.set_addr(ConnectionAddr::Unix(socket.clone())))?;
        let state = Arc::new(watch::Sender::new(WireState { delay, is_cut: false }));
        let mut connections = JoinSet::new();
        connections.spawn(accept(listener, redis, state.clone()));
        Ok((Self { socket, state, _connections: connections }, client))
    }

    /// Delays everything sent to Redis from now on.
    pub fn slow_down(&self, delay: Duration) -> Disturbed {
        self.disturb(|state| state.delay = delay, |state| state.delay = Duration::ZERO)
    }

    /// Closes every connection, with everything in flight, and every new connection.
    pub fn cut(&self) -> Disturbed {
        self.disturb(|state| state.is_cut = true, |state| state.is_cut = false)
    }

    fn disturb(&self, change: impl FnOnce(&mut WireState), mend: fn(&mut WireState)) -> Disturbed {
        self.state.send_modify(change);
        Disturbed { state: self.state.clone(), mend }
    }
}

impl Drop for SlowWire {
    fn drop(&mut self) {
        std::fs::remove_file(&self.socket).ok();
    }
}

impl Drop for Disturbed {
    fn drop(&mut self) {
        self.state.send_modify(self.mend);
    }
}

/// A socket that only its owner may connect to.
fn private(socket: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::PermissionsExt;
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

async fn accept(listener: UnixListener, redis: ConnectionAddr, state: Arc<watch::Sender<WireState>>) {
    let mut connections = JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        // Removes finished connections.
        while connections.try_join_next().is_some() {}
        let (redis, state) = (redis.clone(), state.subscribe());
        // Whatever ends the connection, its client notices it.
        connections.spawn(async move { connect(near, &redis, state).await.ok() });
    }
}

async fn connect(near: UnixStream, redis: &ConnectionAddr, state: watch::Receiver<WireState>) -> io::Result<()> {
    let mut cut = state.clone();
    let connected = async {
        match redis {
            ConnectionAddr::Tcp(host, port) => {
                let far = TcpStream::connect((host.as_str(), *port)).await?;
                far.set_nodelay(true)?;
                relay(near, far, &state).await
            }
            ConnectionAddr::Unix(path) => relay(near, UnixStream::connect(path).await?, &state).await,
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    };
    tokio::select! {
        // Checked first: while the wire is cut, no connection may come about.
        biased;
        _ = cut.wait_for(|state| state.is_cut) => Err(io::ErrorKind::ConnectionReset.into()),
        ended = connected => ended,
    }
}

async fn relay(
    near: UnixStream,
    far: impl AsyncRead + AsyncWrite,
    state: &watch::Receiver<WireState>,
) -> io::Result<()> {
    let ((requests, mut to_near), (mut replies, to_far)) = (near.into_split(), split(far));
    tokio::select! {
        sent = send_late(requests, to_far, state) => sent,
        copied = copy(&mut replies, &mut to_near) => copied.map(drop),
    }
}

/// Passes everything on, each chunk with the delay. Any number of chunks may be in flight.
async fn send_late(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    state: &watch::Receiver<WireState>,
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
            let delay = state.borrow().delay;
            sender.send((Instant::now() + delay, chunk)).ok();
        }
    };
    let write = async {
        while let Some((at, chunk)) = on_the_way.recv().await {
            // Timers count in milliseconds: a chunk already due would wait for the next one.
            if at > Instant::now() {
                sleep_until(at).await;
            }
            to.write_all(&chunk).await?;
        }
        Ok(())
    };
    tokio::try_join!(read, write).map(|_: ((), ())| ())
}
