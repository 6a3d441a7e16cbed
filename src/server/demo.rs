//! The demonstration sales that a newcomer finds.

use super::AppState;
use crate::{
    error::Result,
    sales::{red_packet, ticket},
};
use std::collections::BTreeMap;

/// Opens a sale of 1,000 packets and one of a stadium's seats, unless there is one of each to get something from.
/// Says what they are called.
///
/// # Errors
/// `unavailable`.
pub async fn ensure(state: &AppState) -> Result<[String; 2]> {
    Ok([packets(state).await?, seats(state).await?])
}

async fn packets(state: &AppState) -> Result<String> {
    let lines = state.red_packet.list().await?;
    if let Some(line) = lines.iter().find(|line| line.state == red_packet::State::Open && line.pending > 0) {
        return Ok(line.sale.clone());
    }
    let terms = red_packet::Terms {
        sale: free_id("demo", |id| lines.iter().any(|line| line.sale == id)),
        total_cents: 888_800,
        count: 1_000,
        splitter: red_packet::Splitter::DoubleMean,
        expires_in_s: red_packet::DEFAULT_EXPIRES_IN_S,
        seed: None,
    };
    Ok(state.red_packet.open(terms).await?.sale)
}

async fn seats(state: &AppState) -> Result<String> {
    let lines = state.tickets.list().await?;
    if let Some(line) = lines.iter().find(|line| line.state == ticket::State::Open && line.remaining > 0) {
        return Ok(line.sale.clone());
    }
    let terms = ticket::Terms {
        sale: free_id("stadium", |id| lines.iter().any(|line| line.sale == id)),
        hall: ticket::Place::Hall(ticket::halls::HallName::Stadium),
        prices: BTreeMap::new(),
        limit_per_user: ticket::DEFAULT_LIMIT,
        hold_s: ticket::DEFAULT_HOLD_S,
    };
    Ok(state.tickets.open(terms).await?.sale)
}

/// The first of `demo`, `demo-2`, … that no sale has.
fn free_id(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let id = |nth: u32| if nth == 1 { name.to_owned() } else { format!("{name}-{nth}") };
    (1..).map(id).find(|id| !is_taken(id)).unwrap_or_default()
}
