//! The script that decides, told to whoever wants to read it.

use crate::{
    domain::ScriptInfo,
    error::Result,
    store::{Store, script::Script},
};

impl ScriptInfo {
    /// # Errors
    /// `unavailable`.
    pub(super) async fn of(store: &Store, script: &Script) -> Result<Self> {
        Ok(Self {
            name: script.name.to_owned(),
            source: script.source.to_owned(),
            sha: script.sha().to_owned(),
            healed: store.healed(script).await?,
        })
    }
}
