//! The life of a sale in its `meta`.

use model::{
    Millis,
    error::Result,
    life::{Currency, HoldClock, Life, Pause, Texts},
};
use redis::{Value, from_redis_value};
use store::{failure::damaged, fields::Fields};

/// The fields of `meta` that a summary has. The others are only on the sale's page.
pub const OF_SUMMARIES: [&str; 7] =
    ["opens_at", "ends_at", "expires_at", "paused_at", "title_en", "title_zh", "currency"];

/// The fields of `meta` that a snapshot has. (Red packets have `expires_at` among their terms.)
pub const OF_SNAPSHOTS: [&str; 10] = [
    "opens_at",
    "ends_at",
    "paused_at",
    "pause_reason",
    "hold_clock",
    "title_en",
    "title_zh",
    "description_en",
    "description_zh",
    "currency",
];

/// The life in these fields of `meta`, read at this time. The end of red packets is `expires_at`.
pub fn life(meta: &Fields, now: Millis) -> Life {
    let number = |name| meta.get(name).and_then(|number| number.parse().ok());
    let texts = |en, zh| Texts { en: meta.get(en).map(str::to_owned), zh: meta.get(zh).map(str::to_owned) };
    Life {
        now,
        opens_at: number("opens_at"),
        ends_at: number("ends_at").or(number("expires_at")),
        // A red packet sale that was paused when it ended keeps the fields of the pause.
        pause: number("paused_at").filter(|_| meta.get("state").is_none_or(|state| state == "paused")).map(|at| {
            Pause {
                at,
                reason: meta.text("pause_reason").to_owned(),
                hold_clock: HoldClock::from_name(meta.text("hold_clock")).unwrap_or_default(),
            }
        }),
        title: texts("title_en", "title_zh"),
        description: texts("description_en", "description_zh"),
        currency: meta.get("currency").and_then(Currency::from_code).unwrap_or_default(),
    }
}

/// Splits the reply of an HMGET that names [`OF_SUMMARIES`] last: the values of the other fields, and the life.
///
/// # Errors
/// `internal` if it is no such reply.
pub fn split(reply: &Value, now: Millis) -> Result<(Value, Life)> {
    let mut others: Vec<Value> = from_redis_value(reply.clone()).map_err(damaged)?;
    let values = others.split_off(others.len().saturating_sub(OF_SUMMARIES.len()));
    let values: Vec<Option<Vec<u8>>> = from_redis_value(Value::Array(values)).map_err(damaged)?;
    let named = OF_SUMMARIES.iter().zip(values).filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
    Ok((Value::Array(others), life(&named.collect(), now)))
}
