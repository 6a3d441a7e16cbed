//! The API description: every module describes the input and output of its endpoints, which are the source of the
//! OpenAPI document and the page `/api`.

mod contents;
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
pub mod page;
#[cfg(feature = "ssr")]
mod reference;
#[cfg(feature = "ssr")]
mod server_address;
pub mod words;

#[cfg(feature = "ssr")]
pub use document::{ApiDocument, Nothing, document};
#[cfg(feature = "ssr")]
pub use endpoint::{Endpoint, Group, MakeSchema, given, id_of, new_id, request_fields};
#[cfg(feature = "ssr")]
pub use errors::{OF_A_SALE, OF_THE_STORE};
