//! The step that closes a sale in Redis, by the script of its kind.

use super::Closed;
use crate::{
    domain::check_id,
    error::Result,
    ledger::{absence::archived_or_lost, database::Ledger},
    runtime::Clock,
    store::{Store, reply::ReplyCode, script::Script},
};

/// Closes a sale of this kind by `script`, whose only argument is the time.
///
/// # Errors
/// `bad_request`, `unknown_sale`, `sale_archived`, `sale_lost`, `sale_opening`, `sale_suspended`, `unavailable`.
pub async fn close(
    script: &'static Script,
    (kind, sale): (&str, &str),
    store: &Store,
    ledger: &Ledger,
    clock: &dyn Clock,
) -> Result<Closed> {
    check_id("sale", sale)?;
    match store.change(script, (kind, sale), &[clock.script_time()]).await?.code {
        ReplyCode::Done => Ok(Closed::Closed),
        ReplyCode::Repeat => Ok(Closed::Repeat),
        code => archived_or_lost(Err(code.refusal(script, sale)), store, ledger, kind, sale).await,
    }
}
