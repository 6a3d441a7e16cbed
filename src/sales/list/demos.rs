//! The demonstration sales that a server keeps open.

use super::service::SaleLists;
use crate::error::Result;
use std::collections::HashMap;

/// The sale of each kind that is open, or why there is none.
#[derive(Default)]
pub struct Demos(HashMap<&'static str, Result<String>>);

impl Demos {
    /// Opens those of which nothing is left anew, and logs what has changed. They are only a demonstration, so an error is
    /// logged and nothing else.
    pub async fn open(&mut self, lists: &SaleLists) {
        for (kind, demo) in lists.open_demos(&self.0).await {
            if self.0.get(kind.id) == Some(&demo) {
                continue;
            }
            match &demo {
                Ok(sale) => tracing::info!(kind = kind.id, sale, "a demonstration sale is open"),
                Err(error) => tracing::warn!(kind = kind.id, %error, "a demonstration sale could not be opened"),
            }
            self.0.insert(kind.id, demo);
        }
    }
}
