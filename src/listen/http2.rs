//! HTTP/2: many requests share one connection, as streams that do not wait for each other.
//!
//! A stream whose client takes nothing does not stop the connection. So the limits of an HTTP/1.1 connection must apply
//! to each stream. The answer is handed out in pieces, so that little of it waits in memory. A stream whose piece
//! nobody takes is ended, while the others continue. A connection without streams is closed after a while, and a
//! connection whose client does not answer pings is closed at once.

use crate::{App, ConnectionLimits, with_body};
use axum::{body::Body, response::Response};
use hyper::{
    body::{Body as HttpBody, Bytes, Frame, SizeHint},
    rt::Executor,
    server::conn::http2,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    cell::Cell,
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// The name of the protocol when client and server agree on the version.
pub const PROTOCOL: &[u8] = b"h2";

/// The most requests at a time on one connection, including live views. A client keeps further ones until one has
/// ended.
pub const MAX_STREAMS: u32 = 200;
/// The largest head of a request, in bytes, uncompressed.
pub const MAX_HEAD_BYTES: u32 = 16 * 1024;
/// The bytes of an answer that wait in memory for a slower client. A connection may have [`MAX_STREAMS`] times as many.
const MAX_BUFFERED: usize = 16 * 1024;
/// The bytes of a request's body that a client may send before they are read.
const STREAM_WINDOW: u32 = 64 * 1024;
/// The bytes that the client may send before they are read, for all streams of a connection.
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// The interval of pings to a client.
pub const PING_EVERY: Duration = Duration::from_secs(15);
/// The time in which a client must answer a ping.
pub const PONG_WITHIN: Duration = Duration::from_secs(15);

/// Serves a connection until its client closes it, until `shutdown`, or until there has been no request for a while.
pub async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    app: impl App,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let streams = Streams { open: watch::Sender::new(0), stalled: limits.stalled };
    let mut http2 = http2::Builder::new(streams.clone());
    http2
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD_BYTES)
        .max_send_buf_size(MAX_BUFFERED)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PONG_WITHIN);
    let app = app.map_request(with_body).map_response(|response: Response| response.map(Pieces::of));
    let mut connection = pin!(http2.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
    tokio::select! {
        biased;
        // A failed connection concerns only its client.
        _ = &mut connection => return,
        () = shutdown.cancelled() => {}
        () = streams.idle(limits.head) => {}
    }
    // The client learns that it must send no more requests here. Its earlier requests are answered.
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection => {}
        () = streams.idle(limits.head) => {}
    }
}

/// Runs the streams of a connection, and counts the open ones.
#[derive(Clone)]
struct Streams {
    open: watch::Sender<usize>,
    /// The time for which a piece of an answer may wait to be taken.
    stalled: Duration,
}

impl Streams {
    /// Waits until no stream has been open for this long.
    async fn idle(&self, long: Duration) {
        let mut open = self.open.subscribe();
        loop {
            let none = open.wait_for(|open| *open == 0).await.is_ok();
            if !none || timeout(long, open.changed()).await.is_err() {
                return;
            }
        }
    }

    /// Counts a stream until the result is dropped.
    fn add(&self) -> impl Drop + use<> {
        struct Open(watch::Sender<usize>);
        impl Drop for Open {
            fn drop(&mut self) {
                self.0.send_modify(|open| *open -= 1);
            }
        }
        self.open.send_modify(|open| *open += 1);
        Open(self.open.clone())
    }
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let (open, stalled) = (self.add(), self.stalled);
        tokio::spawn(HANDED_OUT.scope(Cell::new(None), async move {
            let _open = open;
            until_stalled(stream, stalled).await;
        }));
    }
}

tokio::task_local! {
    /// The time since which a piece of the answer on this task's stream waits to be taken.
    static HANDED_OUT: Cell<Option<Instant>>;
}

/// Runs a stream to its end, or until its client has taken nothing for this long. Dropping the stream resets it.
async fn until_stalled(stream: impl Future, stalled: Duration) {
    let (mut stream, mut patience) = (pin!(stream), pin!(sleep(stalled)));
    poll_fn(|cx| {
        if stream.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let Some(since) = HANDED_OUT.with(Cell::get) else { return Poll::Pending };
        patience.as_mut().reset(since + stalled);
        patience.as_mut().poll(cx)
    })
    .await;
}

/// The body of an answer, in pieces. It is asked for the next piece once the client has room for the previous one, or
/// at once if it had room.
struct Pieces {
    body: Body,
    /// The bytes that were read from the body and not handed out yet.
    rest: Bytes,
}

impl Pieces {
    fn of(body: Body) -> Self {
        Self { body, rest: Bytes::new() }
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // While the server itself has nothing to give, the client delays nothing.
        HANDED_OUT.with(|since| since.set(None));
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        HANDED_OUT.with(|since| since.set(Some(Instant::now())));
        let piece = self.rest.len().min(MAX_BUFFERED);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(most) = body.upper() {
            hint.set_upper(most + rest);
        }
        hint
    }
}
