//! The step that closes a sale in Redis, by the script of its kind.

use super::Closed;
use crate::{
    domain::{Millis, check_id},
    error::Result,
    ledger::{absence::archived_or_lost, database::Ledger},
    store::{Store, reply::ReplyCode, script::Script},
};

/// Closes a sale of this kind by `script`, which takes the time as its only argument.
///
/// # Errors
/// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `sale_opening`, `sale_suspended`, `unavailable`.
pub async fn close(
    script: &'static Script,
    (kind, sale): (&str, &str),
    store: &Store,
    ledger: &Ledger,
    now: Millis,
) -> Result<Closed> {
    check_id("sale", sale)?;
    match store.change(script, (kind, sale), &[now]).await?.code {
        ReplyCode::Done => Ok(Closed::Closed),
        ReplyCode::Repeat => Ok(Closed::Repeat),
        code => archived_or_lost(Err(code.refusal(script, sale)), store, ledger, kind, sale).await,
    }
}
