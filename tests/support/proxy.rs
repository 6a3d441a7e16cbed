//! A proxy on a TCP port in front of a unix socket, between server and Redis or PostgreSQL. The connection can be cut,
//! paused or led to another server, or the other side can vanish on it.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream, UnixStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
        unix,
    },
    sync::watch,
    task::JoinHandle,
};

/// The part of a command that is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The command is held: Redis never receives it.
    Command,
    /// The answer is held: Redis executes the command, but the answer does not arrive.
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Whole,
    /// After this many more answers, the next answer is dropped and the connection is cut. Redis has executed the
    /// command, but its answer is lost.
    CutAfter(u32),
    Cut,
    /// New connections are accepted, and are connected once the wire is healed.
    Waiting,
    /// New connections are accepted, and nothing is ever sent on them.
    Vanished,
}

#[derive(Debug)]
struct Wire {
    mode: Mode,
    /// The number of cuts. A connection from before the latest cut is dead, even if the wire was healed since.
    cuts: u32,
    /// The number of times the other side vanished. On a connection from before, everything is swallowed for ever.
    vanishings: u32,
    /// The held part of the next command that contains this text. Everything after it on the same connection waits,
    /// too.
    hold: Option<(Hold, String)>,
    /// Whether something is being held.
    holds: bool,
    /// The number of times that what was held was released.
    releases: u32,
}

impl Wire {
    fn cut(&mut self) {
        self.mode = Mode::Cut;
        self.cuts += 1;
    }

    fn release(&mut self) {
        (self.hold, self.holds) = (None, false);
        self.releases += 1;
    }
}

pub struct FaultProxy {
    pub address: SocketAddr,
    /// The address as a URL of Redis.
    pub url: String,
    wire: Arc<watch::Sender<Wire>>,
    /// The target of new connections.
    socket: Arc<Mutex<PathBuf>>,
    task: JoinHandle<()>,
}

impl FaultProxy {
    pub async fn before(redis: &super::redis::TestRedis) -> Self {
        Self::to(redis.socket()).await
    }

    /// A proxy in front of this socket.
    pub async fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let wire = Wire { mode: Mode::Whole, cuts: 0, vanishings: 0, hold: None, holds: false, releases: 0 };
        let wire = Arc::new(watch::Sender::new(wire));
        let socket = Arc::new(Mutex::new(socket));
        let task = tokio::spawn(accept(listener, socket.clone(), wire.clone()));
        Self { address, url: format!("redis://{address}"), wire, socket, task }
    }

    /// Leads new connections to another server.
    pub fn lead_to(&self, socket: &Path) {
        *self.socket.lock().expect("a socket") = socket.to_owned();
    }

    /// From now on, nothing is returned and nothing is closed, on existing connections and on new ones until the wire
    /// is healed.
    pub fn vanish(&self) {
        self.wire.send_modify(|wire| {
            wire.mode = Mode::Vanished;
            wire.vanishings += 1;
            wire.release();
        });
    }

    /// Drops every connection with everything in flight, and every new one.
    pub fn cut(&self) {
        self.wire.send_modify(Wire::cut);
    }

    /// Lets the next request through and cuts the wire before its answer.
    pub fn cut_before_the_next_answer(&self) {
        self.cut_after(0);
    }

    /// Lets this many answers through, and cuts the connection before the next one.
    pub fn cut_after(&self, answers: u32) {
        self.wire.send_modify(|wire| wire.mode = Mode::CutAfter(answers));
    }

    /// Holds the next command that contains this text, or its answer, until the wire is healed.
    pub fn hold(&self, what: Hold, text: &str) {
        self.wire.send_modify(|wire| wire.hold = Some((what, text.to_owned())));
    }

    /// Lets new connections wait until the wire is healed. They are led to the target at that time.
    pub fn hold_connections(&self) {
        self.wire.send_modify(|wire| wire.mode = Mode::Waiting);
    }

    /// Waits until something is being held.
    pub async fn holds(&self) {
        let mut wire = self.wire.subscribe();
        super::within("a command that is held", wire.wait_for(|wire| wire.holds)).await.expect("a wire");
    }

    /// Makes new connections whole again, and releases what was held.
    pub fn heal(&self) {
        self.wire.send_modify(|wire| {
            wire.mode = Mode::Whole;
            wire.release();
        });
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.cut();
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, socket: Arc<Mutex<PathBuf>>, wire: Arc<watch::Sender<Wire>>) {
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        let (mode, releases, born) = {
            let wire = wire.borrow();
            (wire.mode, wire.releases, Born { cuts: wire.cuts, vanishings: wire.vanishings })
        };
        match mode {
            Mode::Cut => continue,
            Mode::Vanished => {
                tokio::spawn(silence(client, wire.clone(), born.cuts));
                continue;
            }
            Mode::Waiting => held(&wire, releases).await,
            Mode::Whole | Mode::CutAfter(_) => {}
        }
        // If Redis is down, the connection ends at once.
        let socket = socket.lock().expect("a socket").clone();
        let Ok(server) = UnixStream::connect(&socket).await else { continue };
        client.set_nodelay(true).ok();
        tokio::spawn(connection(client, server, wire.clone(), born));
    }
}

/// The numbers of cuts and vanishings when a connection was made.
#[derive(Clone, Copy)]
struct Born {
    cuts: u32,
    vanishings: u32,
}

/// Keeps a connection open, and sends nothing.
async fn silence(client: TcpStream, wire: Arc<watch::Sender<Wire>>, cuts: u32) {
    wire.subscribe().wait_for(|wire| wire.cuts != cuts).await.ok();
    drop(client);
}

async fn connection(client: TcpStream, server: UnixStream, wire: Arc<watch::Sender<Wire>>, born: Born) {
    let mut cut = wire.subscribe();
    let held_at = Mutex::default();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = requests(from_client, to_server, &wire, &held_at, born.vanishings) => {}
        () = answers(from_server, to_client, &wire, &held_at, born.vanishings) => {}
        _ = cut.wait_for(|wire| wire.cuts != born.cuts) => {}
    }
}

/// Holds what was met after this many releases until the next one, which may have come already.
async fn held(wire: &watch::Sender<Wire>, releases: u32) {
    wire.send_if_modified(|wire| {
        let is_held = wire.releases == releases;
        wire.holds |= is_held;
        is_held
    });
    wire.subscribe().wait_for(|wire| wire.releases != releases).await.ok();
}

/// The number of releases when a command came whose answer is to be held.
type HeldAt = Mutex<Option<u32>>;

async fn requests(
    mut from_client: OwnedReadHalf,
    mut to_server: unix::OwnedWriteHalf,
    wire: &watch::Sender<Wire>,
    held_at: &HeldAt,
    vanishings: u32,
) {
    let mut buffer = vec![0; 64 * 1024];
    // The end of the previous piece is kept, as a text may come in two pieces.
    let mut before = Vec::new();
    while let Ok(bytes @ 1..) = from_client.read(&mut buffer).await {
        let mut held_part = None;
        wire.send_if_modified(|wire| {
            let Some((what, text)) = &wire.hold else { return false };
            before.extend_from_slice(&buffer[..bytes]);
            if before.windows(text.len()).any(|window| window == text.as_bytes()) {
                held_part = Some((*what, wire.releases));
                // What is held next must not match this one once more.
                before.clear();
                wire.hold = None;
            } else {
                before.drain(..before.len().saturating_sub(text.len()));
            }
            held_part.is_some()
        });
        match held_part {
            Some((Hold::Command, releases)) => held(wire, releases).await,
            Some((Hold::Answer, releases)) => *held_at.lock().expect("a number") = Some(releases),
            None => {}
        }
        if wire.borrow().vanishings != vanishings {
            continue;
        }
        if to_server.write_all(&buffer[..bytes]).await.is_err() {
            return;
        }
    }
}

async fn answers(
    mut from_server: unix::OwnedReadHalf,
    mut to_client: OwnedWriteHalf,
    wire: &watch::Sender<Wire>,
    held_at: &HeldAt,
    vanishings: u32,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(bytes @ 1..) = from_server.read(&mut buffer).await {
        let met_at = held_at.lock().expect("a number").take();
        if let Some(releases) = met_at {
            held(wire, releases).await;
        }
        if wire.borrow().vanishings != vanishings {
            continue;
        }
        let cut = wire.send_if_modified(|wire| match wire.mode {
            Mode::CutAfter(0) => {
                wire.cut();
                true
            }
            Mode::CutAfter(answers) => {
                wire.mode = Mode::CutAfter(answers - 1);
                false
            }
            Mode::Whole | Mode::Waiting | Mode::Cut | Mode::Vanished => false,
        });
        if cut || to_client.write_all(&buffer[..bytes]).await.is_err() {
            return;
        }
    }
}
