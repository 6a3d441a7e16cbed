//! Stock sales in the list of sales.

use crate::{
    life::fields::{OF_SUMMARIES, split},
    stock::{scripts::KIND, service::Stock},
};
use model::{
    Millis, SaleState,
    error::Result,
    list::{SaleSummary, fields_of},
    stock::{Details, INFO, State},
};
use redis::{Value, from_redis_value};
use store::{command, failure::damaged, keys};

/// `state`, `opened_at`, `quantity`, `sum`, `low_mark`, `hold_ms` and `held`, as in `meta`.
type Terms = (Option<String>, Option<Millis>, Option<u64>, Option<i64>, Option<String>, Option<String>, Option<u64>);
/// `deducted`, `returned`, `restocked` and `corrected`, as in `stats`.
type Counts = (Option<u64>, Option<u64>, Option<u64>, Option<i64>);

/// The summaries of these sales, except those that do not exist.
///
/// # Errors
/// `unavailable`.
pub(super) async fn summaries(service: &Stock, sales: &[String]) -> Result<Vec<SaleSummary>> {
    service.store.find_groups(sales.iter().map(|sale| keys::name(KIND, sale))).await?;
    let now = service.clock.now();
    let mut commands = Vec::with_capacity(2 * sales.len());
    let key = |sale: &str, part: &str| service.store.sale_key(KIND, sale, part);
    for sale in sales {
        let (mut terms, mut stats) = (command("HMGET"), command("HMGET"));
        terms
            .arg(key(sale, "meta"))
            .arg(&["state", "opened_at", "quantity", "sum", "low_mark", "hold_ms", "held"])
            .arg(&OF_SUMMARIES);
        stats.arg(key(sale, "stats")).arg(&["deducted", "returned", "restocked", "corrected"]);
        commands.extend([terms, stats]);
    }
    let values: Vec<Value> = service.store.all(commands).await?;
    let mut summaries = Vec::with_capacity(sales.len());
    for (sale, values) in sales.iter().zip(values.chunks_exact(2)) {
        let (terms, life) = split(&values[0], now)?;
        let (name, opened_at, quantity, sum, low_mark, hold_ms, held): Terms =
            from_redis_value(terms).map_err(damaged)?;
        // A sale that is being recovered has a state, but was not opened yet.
        let (Some(name), Some(opened_at), Some(quantity)) = (name, opened_at, quantity) else { continue };
        let (deducted, returned, restocked, corrected): Counts =
            from_redis_value(values[1].clone()).map_err(damaged)?;
        let left = u64::try_from(sum.unwrap_or_default()).unwrap_or(0);
        let state = match name.as_str() {
            "archived" => SaleState::Archived,
            name => State::of(name, life.phase(now)).listed(left),
        };
        let low_mark: Option<u64> = low_mark.and_then(|mark| mark.parse().ok());
        let total = (quantity + restocked.unwrap_or_default()).saturating_add_signed(corrected.unwrap_or_default());
        let details = Details {
            deducted: deducted.unwrap_or_default(),
            returned: returned.unwrap_or_default(),
            low: low_mark.is_some_and(|mark| left <= mark),
            held: hold_ms.map(|_| held.unwrap_or_default()),
        };
        summaries.push(SaleSummary {
            kind: INFO.id.to_owned(),
            sale: sale.clone(),
            state,
            total: Some(total),
            left: Some(left),
            opened_at,
            now: life.now,
            opens_at: life.opens_at,
            ends_at: life.ends_at,
            title: life.title,
            currency: life.currency,
            crowd: false,
            lag_events: None,
            details: fields_of(&details)?,
        });
    }
    Ok(summaries)
}
