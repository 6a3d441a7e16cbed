//! JSON on the wire between browser and server. The server reads and writes it with serde_json. The
//! browser lets `JSON.parse` read, which it has anyway, and takes values out of the result: serde_json's
//! reader, with a sentence for everything that could be wrong, is too heavy for what a browser loads.

#[cfg(feature = "hydrate")]
mod browser;
#[cfg(not(feature = "hydrate"))]
mod server;

#[cfg(feature = "hydrate")]
pub use browser::read;
#[cfg(feature = "hydrate")]
use browser::unreadable;
#[cfg(not(feature = "hydrate"))]
pub use server::read;
#[cfg(not(feature = "hydrate"))]
use server::unreadable;

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};

/// What server functions take and answer: JSON in the body of a POST.
pub type Json = Post<JsonText>;

/// JSON as an encoding of server functions.
pub struct JsonText;

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = Unreadable;

    fn encode(value: &T) -> Result<Bytes, Self::Error> {
        serde_json::to_vec(value).map(Bytes::from).map_err(unreadable)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = Unreadable;

    fn decode(bytes: Bytes) -> Result<T, Self::Error> {
        read(&bytes)
    }
}

/// Why a text is not the JSON that was expected, or cannot be written. Known on the server; the
/// browser, which hears from nobody but our own server, does not keep it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);
