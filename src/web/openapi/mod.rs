//! The API described: every room says what its endpoints take and give, and from that come the OpenAPI document, the page
//! `/api` and `docs/api.md`.

#[cfg(feature = "ssr")]
mod document;
#[cfg(feature = "ssr")]
mod endpoint;
#[cfg(feature = "ssr")]
mod errors;
#[cfg(feature = "ssr")]
mod example_text;
#[cfg(feature = "ssr")]
mod html;
#[cfg(feature = "ssr")]
mod markdown;
pub mod page;
#[cfg(feature = "ssr")]
pub mod reference;
pub mod words;

#[cfg(feature = "ssr")]
pub use document::{ApiDocument, Nothing, document};
#[cfg(feature = "ssr")]
pub use endpoint::{Endpoint, Group, MakeSchema, request_fields};
#[cfg(feature = "ssr")]
pub use errors::{OF_A_SALE, OF_THE_STORE};
#[cfg(feature = "ssr")]
pub use markdown::markdown;
#[cfg(feature = "ssr")]
pub use reference::Reference;
