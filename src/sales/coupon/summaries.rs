//! Coupon sales on the list of sales.

use super::{
    ByLimit, INFO, LimitName,
    scripts::key,
    service::Coupons,
    snapshot::{counted, state},
};
use crate::{
    domain::{Millis, SaleState},
    error::Result,
    sales::list::{SaleSummary, fields_of},
    store::{command, failure::damaged},
};
use redis::{Pipeline, Value, from_redis_value};
use schemars::JsonSchema;
use serde::Serialize;

/// What a sale has on the list, beside what all kinds have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CouponSummary")]
pub(super) struct Details {
    /// The limits in force.
    limits: ByLimit,
    /// Coupons that count against the limit for the sale.
    counted: u64,
    /// Coupons that were claimed.
    claimed: u64,
    /// Coupons that were redeemed.
    redeemed: u64,
}

/// `state`, `opened_at` and the limits, as in `meta`.
type Terms = (Option<String>, Option<Millis>, Option<String>, Option<String>, Option<String>);

/// Summaries of these sales, except those that do not exist.
///
/// # Errors
/// `unavailable`.
pub(super) async fn summaries(service: &Coupons, sales: &[String]) -> Result<Vec<SaleSummary>> {
    let mut pipeline = Pipeline::with_capacity(3 * sales.len());
    for sale in sales {
        let (mut terms, mut stats, mut counts) = (command("HMGET"), command("HMGET"), command("HGET"));
        let fields = ["state", "opened_at", "limit:total", "limit:per_user", "limit:per_user_per_day"];
        terms.arg(key(sale, "meta")).arg(&fields);
        stats.arg(key(sale, "stats")).arg(&["won", "redeemed"]);
        counts.arg(key(sale, "counts")).arg("sale:");
        pipeline.add_command(terms).add_command(stats).add_command(counts);
    }
    let values: Vec<Value> = service.store.pipeline(&pipeline).await?;
    let mut summaries = Vec::with_capacity(sales.len());
    for (sale, values) in sales.iter().zip(values.chunks_exact(3)) {
        let (name, opened_at, total, per_user, per_user_per_day): Terms =
            from_redis_value(values[0].clone()).map_err(damaged)?;
        // A sale that is being recovered has a state, but was not opened yet.
        let (Some(name), Some(opened_at)) = (name, opened_at) else { continue };
        let (won, redeemed): (Option<u64>, Option<u64>) = from_redis_value(values[1].clone()).map_err(damaged)?;
        let of_sale: Option<String> = from_redis_value(values[2].clone()).map_err(damaged)?;
        let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
        let limits =
            ByLimit { total: number(total), per_user: number(per_user), per_user_per_day: number(per_user_per_day) };
        let counted = counted(of_sale.as_deref(), LimitName::Total.name());
        let left = limits.total.map(|most| most.saturating_sub(counted));
        let state = match name.as_str() {
            "archived" => SaleState::Archived,
            name => state(name).listed(left),
        };
        let details =
            Details { limits, counted, claimed: won.unwrap_or_default(), redeemed: redeemed.unwrap_or_default() };
        summaries.push(SaleSummary {
            kind: INFO.id.to_owned(),
            sale: sale.clone(),
            state,
            total: limits.total,
            left,
            opened_at,
            crowd: false,
            lag_events: None,
            details: fields_of(&details)?,
        });
    }
    Ok(summaries)
}
