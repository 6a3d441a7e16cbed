//! A page of the API description, and the table of contents on each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A page of the description of the API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Description {
    /// All groups of endpoints.
    pub groups: Vec<GroupEntry>,
    /// The text of the page, as HTML.
    pub html: String,
}

/// A group in the table of contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupEntry {
    /// The last segment of the address of its page.
    pub id: String,
    /// The heading.
    pub name: String,
    /// Its endpoints.
    pub endpoints: Vec<EndpointEntry>,
}

/// An endpoint in the table of contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointEntry {
    /// The fragment of its address on the page of its group.
    pub id: String,
    /// Its path.
    pub path: String,
    /// What it does, in a sentence.
    pub summary: String,
}
