//! The part of a browser's EventSource that the tests need.

use futures::{Stream, StreamExt, future};
use serde_json::Value;
use std::pin::Pin;

/// A message of the live view.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The name of the event; `message` if none is given, as in a browser.
    pub event: String,
    pub id: Option<String>,
    pub data: String,
}

impl Message {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }
}

/// The bytes of a live view. The stream also ends if the connection is broken.
type Bytes = Pin<Box<dyn Stream<Item = Vec<u8>> + Send>>;

pub struct EventSource {
    bytes: Bytes,
    buffer: Vec<u8>,
}

impl EventSource {
    /// Connects. The URL must answer with an event stream.
    pub async fn connect(url: &str, last_event_id: Option<&str>) -> Self {
        let mut request = reqwest::Client::new().get(url).header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self::reading(response.bytes_stream().scan((), |(), bytes| future::ready(bytes.ok().map(Vec::from))))
    }

    /// Reads the bytes of a live view.
    pub fn reading(bytes: impl Stream<Item = Vec<u8>> + Send + 'static) -> Self {
        Self { bytes: Box::pin(bytes), buffer: Vec::new() }
    }

    /// The next message that is not named `alive`: those come at any time.
    pub async fn next(&mut self) -> Message {
        loop {
            let message = self.any().await;
            if message.event != "alive" {
                return message;
            }
        }
    }

    /// The next message, whatever its name. Comments and empty fields are skipped.
    pub async fn any(&mut self) -> Message {
        super::within("a message of the live view", async {
            loop {
                if let Some(message) = self.parse() {
                    return message;
                }
                let bytes = self.bytes.next().await.expect("the stream goes on");
                self.buffer.extend(bytes);
            }
        })
        .await
    }

    /// The next message for which `wanted` is true.
    pub async fn find(&mut self, wanted: impl Fn(&Message) -> bool) -> Message {
        loop {
            let message = self.next().await;
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Waits until the server ends the stream.
    pub async fn ended(mut self) {
        super::within("the end of the live view", async { while self.bytes.next().await.is_some() {} }).await;
    }

    fn parse(&mut self) -> Option<Message> {
        loop {
            let end = self.buffer.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            let block = String::from_utf8(block).expect("text");
            let field = |name: &str| {
                block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::to_owned)
            };
            if let Some(data) = field("data") {
                let event = field("event").unwrap_or_else(|| "message".to_owned());
                return Some(Message { event, id: field("id"), data });
            }
        }
    }
}
