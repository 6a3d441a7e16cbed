//! The schedule of automatic archiving: the sales that are over, by the time at which they were closed, and those with
//! an end, by that. Losing an entry costs only that a sale is archived by an operator.

use model::{Millis, error::Result};
use store::{
    Store, keys,
    listing::{field_of, state_of},
    reply::ReplyCode,
    script::{Script, script},
};

/// Its key is [`keys::CLOSED`], which belongs to no sale.
pub static SCHEDULE: Script = script!("sale/schedule.lua");

/// Which entries of the schedule are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// In any case.
    Set,
    /// Only of a sale that has none.
    IfMissing,
    /// Only of a sale that has one.
    IfThere,
    /// Of a sale that has none, or a later one.
    IfEarlier,
}

/// Schedules the archiving of a sale as if it was closed at this time. Returns whether it was not scheduled before.
///
/// # Errors
/// `unavailable`.
pub(super) async fn schedule(store: &Store, name: &str, closed_at: Millis, mode: Mode) -> Result<bool> {
    let mode = match mode {
        Mode::Set => "",
        Mode::IfMissing => "NX",
        Mode::IfThere => "XX",
        Mode::IfEarlier => "LT",
    };
    let args = [name, &closed_at.to_string(), mode];
    match store.eval_on(&SCHEDULE, &[store.key(keys::CLOSED).to_owned()], &args).await?.code {
        ReplyCode::Done => Ok(true),
        ReplyCode::Repeat => Ok(false),
        code => Err(code.unexpected(&SCHEDULE)),
    }
}

/// Schedules the archiving of a running sale that has an end by that end, or later if what was given is good for longer
/// (`validity` in its record).
///
/// # Errors
/// `unavailable`.
pub async fn schedule_end(store: &Store, kind: &str, sale: &str) -> Result<()> {
    let is_running = matches!(state_of(store, kind, sale).await?.as_deref(), Some("open" | "paused"));
    let ends_at = field_of(store, kind, sale, "ends_at").await?.and_then(|at| at.parse().ok());
    if let Some(ends_at) = ends_at.filter(|_| is_running) {
        let validity = field_of(store, kind, sale, "validity").await?;
        let good_until: Option<Millis> = validity.and_then(|validity| validity.rsplit(' ').next()?.parse().ok());
        let over_at = good_until.map_or(ends_at, |until| until.max(ends_at));
        schedule(store, &keys::name(kind, sale), over_at, Mode::Set).await?;
    }
    Ok(())
}

/// Cancels the automatic archiving of a sale, unless the sale is over or has an end.
///
/// # Errors
/// `unavailable`.
pub(super) async fn cancel(store: &Store, name: &str, now: Millis) -> Result<()> {
    store.query::<i64>("ZREM", (store.key(keys::CLOSED), name)).await?;
    // The sale may have been closed or sealed since this process looked at it, which may have been long ago.
    let Some((kind, sale)) = keys::split_name(name) else { return Ok(()) };
    let state = state_of(store, kind, sale).await?;
    if matches!(state.as_deref(), Some("closed" | "refunded" | "archived")) {
        schedule(store, name, now, Mode::IfMissing).await?;
        return Ok(());
    }
    schedule_end(store, kind, sale).await
}
