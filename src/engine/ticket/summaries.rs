//! Ticket sales in the list of sales.

use crate::{
    life::fields::{OF_SUMMARIES, split},
    ticket::{scripts::key, service::Tickets},
};
use model::{
    Millis, SaleState,
    error::Result,
    list::{SaleSummary, fields_of},
    ticket::{Details, INFO, State, halls::HallName},
};
use redis::{Value, from_redis_value};
use std::collections::HashMap;
use store::{command, failure::damaged};

/// `state`, `opened_at` and `hall_name`, as in `meta`.
type Terms = (Option<String>, Option<Millis>, Option<String>);

/// The summaries of these sales, except those that are not open yet.
///
/// # Errors
/// `unavailable`.
pub(super) async fn summaries(service: &Tickets, sales: &[String]) -> Result<Vec<SaleSummary>> {
    let now = service.clock.now();
    let mut commands = Vec::with_capacity(2 * sales.len());
    for sale in sales {
        let (mut terms, mut counts) = (command("HMGET"), command("HGETALL"));
        terms.arg(key(sale, "meta")).arg(&["state", "opened_at", "hall_name"]).arg(&OF_SUMMARIES);
        counts.arg(key(sale, "counts"));
        commands.extend([terms, counts]);
    }
    let values: Vec<Value> = service.store.all(commands).await?;
    let mut summaries = Vec::with_capacity(sales.len());
    for (sale, values) in sales.iter().zip(values.chunks_exact(2)) {
        let (terms, life) = split(&values[0], now)?;
        let (name, opened_at, hall): Terms = from_redis_value(terms).map_err(damaged)?;
        let Some(name) = name else { continue };
        let counts: HashMap<String, u64> = from_redis_value(values[1].clone()).map_err(damaged)?;
        // Seats are counted by state and category: `held:2`.
        let count = |state: &str| -> u64 {
            counts.iter().filter(|(name, _)| name.split(':').next() == Some(state)).map(|(_, count)| count).sum()
        };
        let (remaining, held, sold) = (count("free"), count("held"), count("sold"));
        let seats = remaining + held + sold;
        let hall = hall.as_deref().and_then(HallName::from_name);
        summaries.push(SaleSummary {
            kind: INFO.id.to_owned(),
            sale: sale.clone(),
            state: match name.as_str() {
                "archived" => SaleState::Archived,
                name => State::of(name, life.phase(now)).listed(remaining, held),
            },
            total: Some(seats),
            left: Some(remaining),
            opened_at: opened_at.unwrap_or_default(),
            now: life.now,
            opens_at: life.opens_at,
            ends_at: life.ends_at,
            title: life.title,
            currency: life.currency,
            crowd: false,
            lag_events: None,
            details: fields_of(&Details { hall, seats, remaining, held, sold })?,
        });
    }
    Ok(summaries)
}
