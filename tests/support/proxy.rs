//! A wire between server and Redis that can be cut: a proxy on a TCP port before Redis's unix socket.

use std::{path::PathBuf, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream, tcp::OwnedWriteHalf, unix::OwnedReadHalf},
    sync::watch,
    task::JoinHandle,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Whole,
    /// After so many more answers, the next is swallowed and the wire cut: Redis did it, and nobody hears of it.
    CutAfter(u32),
    Cut,
}

#[derive(Debug)]
struct Wire {
    mode: Mode,
    /// How often it was cut: a connection from before the latest cut is dead, also when it was healed since.
    cuts: u32,
}

impl Wire {
    fn cut(&mut self) {
        self.mode = Mode::Cut;
        self.cuts += 1;
    }
}

pub struct FaultProxy {
    pub url: String,
    wire: Arc<watch::Sender<Wire>>,
    task: JoinHandle<()>,
}

impl FaultProxy {
    pub async fn before(redis: &super::redis::TestRedis) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("redis://{}", listener.local_addr().expect("an address"));
        let wire = Arc::new(watch::Sender::new(Wire { mode: Mode::Whole, cuts: 0 }));
        let task = tokio::spawn(accept(listener, redis.socket(), wire.clone()));
        Self { url, wire, task }
    }

    /// Drops every connection, whatever is on its way, and every new one too.
    pub fn cut(&self) {
        self.wire.send_modify(Wire::cut);
    }

    /// Lets the next request through and cuts the wire before its answer.
    pub fn cut_before_the_next_answer(&self) {
        self.cut_after(0);
    }

    /// Lets so many answers through, and cuts the wire before the one after them.
    pub fn cut_after(&self, answers: u32) {
        self.wire.send_modify(|wire| wire.mode = Mode::CutAfter(answers));
    }

    pub fn heal(&self) {
        self.wire.send_modify(|wire| wire.mode = Mode::Whole);
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.cut();
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, socket: PathBuf, wire: Arc<watch::Sender<Wire>>) {
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        let Wire { mode, cuts } = *wire.borrow();
        if mode == Mode::Cut {
            continue;
        }
        // A Redis that is away is a connection that ends at once.
        let Ok(server) = UnixStream::connect(&socket).await else { continue };
        client.set_nodelay(true).ok();
        tokio::spawn(connection(client, server, wire.clone(), cuts));
    }
}

async fn connection(client: TcpStream, server: UnixStream, wire: Arc<watch::Sender<Wire>>, cuts: u32) {
    let mut cut = wire.subscribe();
    let (mut from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    tokio::select! {
        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
        () = answers(from_server, to_client, &wire) => {}
        _ = cut.wait_for(|wire| wire.cuts != cuts) => {}
    }
}

async fn answers(mut from_server: OwnedReadHalf, mut to_client: OwnedWriteHalf, wire: &watch::Sender<Wire>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(bytes @ 1..) = from_server.read(&mut buffer).await {
        let cut = wire.send_if_modified(|wire| match wire.mode {
            Mode::CutAfter(0) => {
                wire.cut();
                true
            }
            Mode::CutAfter(answers) => {
                wire.mode = Mode::CutAfter(answers - 1);
                false
            }
            Mode::Whole | Mode::Cut => false,
        });
        if cut || to_client.write_all(&buffer[..bytes]).await.is_err() {
            return;
        }
    }
}
