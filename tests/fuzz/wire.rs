//! Sends the very bytes of a request, and reads one answer.

use super::requests::Request;
use serde_json::Value;
use std::io;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The heading of an error page, in both languages.
const BUSY: [&str; 2] = ["Server is busy", "服务器繁忙"];

/// An answer, as far as it is judged.
pub struct Answer {
    pub status: u16,
    body: Vec<u8>,
    /// Compressed, so that nobody here can read it.
    pub is_encoded: bool,
    pub json: Option<Value>,
}

impl Answer {
    /// The code of an error of the API.
    pub fn code(&self) -> Option<&str> {
        let error = self.json.as_ref()?.get("error")?;
        error["message"].as_str()?;
        error["code"].as_str()
    }

    pub fn name(&self) -> String {
        match self.code() {
            Some(code) => format!("{} {code}", self.status),
            None => self.status.to_string(),
        }
    }

    /// Whether it says that the server is busy, not broken: by its code, or a page in its words.
    pub fn is_busy(&self) -> bool {
        let is_said = || BUSY.iter().any(|words| String::from_utf8_lossy(&self.body).contains(words));
        self.status == 503 && self.code().map_or_else(is_said, |code| code == "busy")
    }

    /// The beginning of what a reader sees of it.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let shown = text.find("<main").map_or(&*text, |main| &text[main..]);
        shown.chars().take(300).collect()
    }
}

/// The answer, or none where the connection ended before one.
///
/// # Errors
/// Nobody listens, or the answer ends in the middle.
pub async fn send(address: &str, request: &Request) -> io::Result<Option<Answer>> {
    let mut stream = TcpStream::connect(address).await?;
    let is_written = stream.write_all(&request.to_bytes()).await.is_ok();
    if !request.is_framed() && is_written {
        // The server may wait for bytes that will not come.
        stream.shutdown().await.ok();
    }
    let mut reader = Reader { stream, buffer: Vec::new() };
    match reader.answer(&request.method).await {
        Err(_) if !request.is_framed() => Ok(None),
        // A server that has answered before it has read all may close at once, and what it said be lost.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(None),
        answer => answer,
    }
}

struct Reader {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Reader {
    async fn more(&mut self) -> io::Result<bool> {
        Ok(self.stream.read_buf(&mut self.buffer).await? > 0)
    }

    /// Everything up to and with `end`.
    async fn until(&mut self, end: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            if let Some(place) = self.buffer.windows(end.len()).position(|window| window == end) {
                return Ok(self.buffer.drain(..place + end.len()).collect());
            }
            if !self.more().await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    async fn exactly(&mut self, bytes: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < bytes {
            if !self.more().await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.buffer.drain(..bytes).collect())
    }

    async fn answer(&mut self, method: &str) -> io::Result<Option<Answer>> {
        let mut head = String::new();
        let mut status = 0;
        // An answer that only says to go on comes before the other.
        while status < 200 {
            let bytes = match self.until(b"\r\n\r\n").await {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && self.buffer.is_empty() => {
                    return Ok(None);
                }
                bytes => bytes?,
            };
            head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
            let word = head.split(' ').nth(1).and_then(|word| word.parse().ok());
            status = word.ok_or_else(|| io::Error::other(format!("no status: {head:?}")))?;
        }
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let has_body = method != "HEAD" && ![204, 304].contains(&status);
        // A stream has no end.
        let is_stream = field("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut body = Vec::new();
        if has_body && !is_stream {
            match (field("content-length"), field("transfer-encoding")) {
                (Some(length), _) => body = self.exactly(length.parse().map_err(io::Error::other)?).await?,
                (None, Some(_)) => loop {
                    let size = String::from_utf8_lossy(&self.until(b"\r\n").await?).trim().to_owned();
                    let size = usize::from_str_radix(&size, 16).map_err(io::Error::other)?;
                    body.extend(self.exactly(size).await?);
                    self.until(b"\r\n").await?;
                    if size == 0 {
                        break;
                    }
                },
                (None, None) => while self.more().await? {},
            }
        }
        let json = serde_json::from_slice(&body).ok();
        Ok(Some(Answer { status, is_encoded: field("content-encoding").is_some(), json, body }))
    }
}
