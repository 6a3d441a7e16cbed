//! Red packets in the list of sales.

use crate::{
    life::fields::{OF_SUMMARIES, split},
    red_packet::{scripts::key, service::RedPackets, snapshot::state},
};
use model::{
    Cents, Millis, SaleState,
    error::Result,
    list::{SaleSummary, fields_of},
    red_packet::{Details, INFO},
};
use redis::{Value, from_redis_value};
use store::{command, failure::damaged};

/// `state`, `total_cents`, `count`, `opened_at` and `expires_at`, as in `meta`.
type Terms = (Option<String>, Option<Cents>, Option<u64>, Option<Millis>, Option<Millis>);

/// The summaries of these sales, except those without packets yet.
///
/// # Errors
/// `unavailable`.
pub(super) async fn summaries(service: &RedPackets, sales: &[String]) -> Result<Vec<SaleSummary>> {
    let now = service.clock.now();
    let mut commands = Vec::with_capacity(3 * sales.len());
    for sale in sales {
        let (mut terms, mut stats, mut pending) = (command("HMGET"), command("HGET"), command("LLEN"));
        terms
            .arg(key(sale, "meta"))
            .arg(&["state", "total_cents", "count", "opened_at", "expires_at"])
            .arg(&OF_SUMMARIES);
        stats.arg(key(sale, "stats")).arg("claimed_cents");
        pending.arg(key(sale, "pending"));
        commands.extend([terms, stats, pending]);
    }
    let values: Vec<Value> = service.store.all(commands).await?;
    let mut summaries = Vec::with_capacity(sales.len());
    for (sale, values) in sales.iter().zip(values.chunks_exact(3)) {
        let (terms, life) = split(&values[0], now)?;
        let (name, total_cents, count, opened_at, expires_at): Terms = from_redis_value(terms).map_err(damaged)?;
        let Some(name) = name else { continue };
        let claimed_cents: Option<Cents> = from_redis_value(values[1].clone()).map_err(damaged)?;
        let pending: u64 = from_redis_value(values[2].clone()).map_err(damaged)?;
        let (count, expires_at) = (count.unwrap_or_default(), expires_at.unwrap_or_default());
        let state = match name.as_str() {
            "archived" => SaleState::Archived,
            name => state(name, life.phase(now)).listed(pending),
        };
        let details = Details {
            count,
            pending,
            total_cents: total_cents.unwrap_or_default(),
            claimed_cents: claimed_cents.unwrap_or_default(),
            expires_at,
        };
        summaries.push(SaleSummary {
            kind: INFO.id.to_owned(),
            sale: sale.clone(),
            state,
            total: Some(count),
            left: Some(pending),
            opened_at: opened_at.unwrap_or_default(),
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
