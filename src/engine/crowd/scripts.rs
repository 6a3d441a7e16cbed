//! The scripts of crowds: bindings and replies.

use model::error::Result;
use store::{
    Store,
    reply::ReplyCode,
    script::{Script, script},
};

/// Its key is the status of a run, [`keys::run`](store::keys::run), or a request to a run.
pub static KEEP: Script = script!("crowd/keep.lua");
/// Publishes the status of the crowd at a sale.
pub static PUBLISH: Script = script!("crowd/publish.lua");

/// Every script of the crowds, for the store to load.
pub static SCRIPTS: [&Script; 2] = [&KEEP, &PUBLISH];

/// The time for which the status of a run, or a request to it, is kept: a day.
const KEPT_S: &str = "86400";

/// Keeps a text for a day.
///
/// # Errors
/// `unavailable`.
pub async fn keep(store: &Store, key: String, text: &str) -> Result<()> {
    match store.eval_on(&KEEP, &[key], &[text, KEPT_S]).await?.code {
        ReplyCode::Done => Ok(()),
        code => Err(code.unexpected(&KEEP)),
    }
}

/// Publishes the status of a run at its sale, unless the sale has another run. The sale itself does not change, so a
/// server that may not change sales may still call this.
///
/// # Errors
/// `unavailable`.
pub async fn publish(store: &Store, (kind, sale): (&str, &str), run: &str, status: &str) -> Result<()> {
    match store.eval_on(&PUBLISH, &store.sale_keys(kind, sale, PUBLISH.parts()), &[run, status, KEPT_S]).await?.code {
        ReplyCode::Done | ReplyCode::Taken => Ok(()),
        code => Err(code.unexpected(&PUBLISH)),
    }
}
