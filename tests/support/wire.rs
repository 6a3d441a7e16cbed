//! A client that opens its own connections, each with TLS and a chosen version of HTTP.

use super::{sse::EventSource, tls::Authority, within};
use futures::{StreamExt, future};
use http::{Method, Request, Response, request::Builder};
use http_body_util::{BodyExt, BodyStream, Full};
use hyper::{
    body::{Bytes, Frame, Incoming},
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc};
use tokio::{net::TcpStream, task::JoinHandle};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// One connection of either version.
pub struct Wire {
    requests: Requests,
    /// The task of the connection, which ends with it.
    pub connection: JoinHandle<()>,
    host: String,
}

enum Requests {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// An encrypted connection on which nothing has been requested yet.
pub async fn encrypted(to: SocketAddr, trusted: &Authority, versions: &[&[u8]]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted.file()).expect("a certificate")).expect("an authority");
    let config = ClientConfig::builder_with_provider(ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().expect("versions");
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = versions.iter().map(|version| version.to_vec()).collect();
    let stream = TcpStream::connect(to).await.expect("a connection");
    let shaken = TlsConnector::from(Arc::new(config)).connect(to.ip().into(), stream);
    within("an encrypted connection", shaken).await.expect("an encrypted connection")
}

impl Wire {
    pub async fn http1(to: SocketAddr, trusted: &Authority) -> Self {
        let stream = encrypted(to, trusted, &[b"http/1.1"]).await;
        let (requests, connection) = http1::handshake(TokioIo::new(stream)).await.expect("a connection");
        let connection = tokio::spawn(async move { connection.await.unwrap_or_default() });
        Self { requests: Requests::One(requests), connection, host: to.to_string() }
    }

    /// Connects by HTTP/2. The client accepts this many bytes of an answer before it reads them.
    pub async fn http2(to: SocketAddr, trusted: &Authority, window: u32) -> Self {
        let stream = encrypted(to, trusted, &[b"h2", b"http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let mut client = http2::Builder::new(TokioExecutor::new());
        client.timer(TokioTimer::new()).initial_stream_window_size(window);
        let (requests, connection) = client.handshake(TokioIo::new(stream)).await.expect("a connection");
        let connection = tokio::spawn(async move { connection.await.unwrap_or_default() });
        Self { requests: Requests::Two(requests), connection, host: to.to_string() }
    }

    /// A request to the host of the connection.
    pub fn request(&self, method: Method, path: &str) -> Builder {
        match self.requests {
            Requests::One(_) => Request::builder().method(method).uri(path).header("host", &self.host),
            Requests::Two(_) => Request::builder().method(method).uri(format!("https://{}{path}", self.host)),
        }
    }

    pub async fn send(&mut self, request: Builder, body: String) -> Response<Incoming> {
        let request = request.body(Full::from(body)).expect("a request");
        let answer = async {
            match &mut self.requests {
                Requests::One(requests) => requests.send_request(request).await,
                Requests::Two(requests) => requests.send_request(request).await,
            }
        };
        within("an answer", answer).await.expect("an answer")
    }

    /// The status and the body of a POST of JSON.
    pub async fn post(&mut self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        let answer = self.send(request, body.to_string()).await;
        read(answer).await
    }

    pub async fn get(&mut self, path: &str) -> Response<Incoming> {
        self.send(self.request(Method::GET, path), String::new()).await
    }

    pub async fn watch(&mut self, path: &str) -> EventSource {
        let answer = self.get(path).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        let frames = BodyStream::new(answer.into_body());
        let data = |frame: hyper::Result<Frame<Bytes>>| Some(frame.ok()?.into_data().ok()?.to_vec());
        EventSource::reading(frames.scan((), move |(), frame| future::ready(data(frame))))
    }

    /// Waits until the server has closed the connection.
    pub async fn closed(&mut self) {
        within("the end of the connection", &mut self.connection).await.expect("no panic");
    }
}

/// The status and the JSON of an answer.
pub async fn read(answer: Response<Incoming>) -> (u16, Value) {
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{error}: {body:?}")))
}
