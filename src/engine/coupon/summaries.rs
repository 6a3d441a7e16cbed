//! Coupon sales in the list of sales.

use crate::{
    coupon::{
        scripts::key,
        service::Coupons,
        snapshot::{counted, limit_field, limits},
    },
    life::fields::{OF_SUMMARIES, split},
};
use model::{
    SaleState,
    coupon::{Details, INFO, LIMITS, LimitName, Lists, State},
    error::Result,
    list::{SaleSummary, fields_of},
};
use redis::{Value, from_redis_value};
use store::{command, failure::damaged};

/// The summaries of these sales, except those that do not exist.
///
/// # Errors
/// `unavailable`.
pub(super) async fn summaries(service: &Coupons, sales: &[String]) -> Result<Vec<SaleSummary>> {
    let now = service.clock.now();
    let names: Vec<String> = ["state", "opened_at", "lists"]
        .map(str::to_owned)
        .into_iter()
        .chain(LIMITS.map(|limit| limit_field(limit.name)))
        .collect();
    let mut commands = Vec::with_capacity(3 * sales.len());
    for sale in sales {
        let (mut terms, mut stats, mut counts) = (command("HMGET"), command("HMGET"), command("HGET"));
        terms.arg(key(sale, "meta")).arg(&names).arg(&OF_SUMMARIES);
        stats.arg(key(sale, "stats")).arg(&["won", "redeemed"]);
        counts.arg(key(sale, "counts")).arg("sale:");
        commands.extend([terms, stats, counts]);
    }
    let values: Vec<Value> = service.store.all(commands).await?;
    let mut summaries = Vec::with_capacity(sales.len());
    for (sale, values) in sales.iter().zip(values.chunks_exact(3)) {
        let (terms, life) = split(&values[0], now)?;
        let terms: Vec<Option<String>> = from_redis_value(terms).map_err(damaged)?;
        let field = |name: &str| names.iter().zip(&terms).find(|(known, _)| *known == name)?.1.as_deref();
        // A sale that is being recovered has a state, but was not opened yet.
        let (Some(name), Some(opened_at)) = (field("state"), field("opened_at")) else { continue };
        let (won, redeemed): (Option<u64>, Option<u64>) = from_redis_value(values[1].clone()).map_err(damaged)?;
        let of_sale: Option<String> = from_redis_value(values[2].clone()).map_err(damaged)?;
        let limits = limits(field);
        let counted = counted(of_sale.as_deref(), LimitName::Total.name());
        let lists = field("lists").and_then(Lists::from_text).unwrap_or_default();
        let total = lists.most(limits.total);
        let left = total.map(|most| most.saturating_sub(counted));
        let state = match name {
            "archived" => SaleState::Archived,
            name => State::of(name, life.phase(now), lists).listed(left),
        };
        let details =
            Details { limits, counted, claimed: won.unwrap_or_default(), redeemed: redeemed.unwrap_or_default() };
        summaries.push(SaleSummary {
            kind: INFO.id.to_owned(),
            sale: sale.clone(),
            state,
            total,
            left,
            opened_at: opened_at.parse().map_err(damaged)?,
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
