//! The demonstration sales that a newcomer finds.

use super::AppState;
use crate::{
    error::{Code, Result},
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
    open_first("demo", async |sale| {
        let terms = red_packet::Terms {
            sale,
            total_cents: 888_800,
            count: 1_000,
            splitter: red_packet::Splitter::DoubleMean,
            expires_in_s: red_packet::DEFAULT_EXPIRES_IN_S,
            seed: None,
        };
        let sale = state.red_packet.open(terms).await?.sale;
        let snapshot = state.red_packet.snapshot(&sale).await?;
        Ok((snapshot.state == red_packet::State::Open && snapshot.pending > 0).then_some(sale))
    })
    .await
}

async fn seats(state: &AppState) -> Result<String> {
    let lines = state.tickets.list().await?;
    if let Some(line) = lines.iter().find(|line| line.state == ticket::State::Open && line.remaining > 0) {
        return Ok(line.sale.clone());
    }
    open_first("stadium", async |sale| {
        let terms = ticket::Terms {
            sale,
            hall: ticket::Place::Hall(ticket::halls::HallName::Stadium),
            prices: BTreeMap::new(),
            limit_per_user: ticket::DEFAULT_LIMIT,
            hold_s: ticket::DEFAULT_HOLD_S,
        };
        let sale = state.tickets.open(terms).await?.sale;
        let snapshot = state.tickets.snapshot(&sale).await?;
        let is_open = snapshot.state == ticket::State::Open;
        Ok((is_open && snapshot.remaining.values().any(|seats| *seats > 0)).then_some(sale))
    })
    .await
}

/// Opens the first of `demo`, `demo-2`, … that can be: a name may be another sale's, one that Redis has lost and the
/// ledger has not, or one's of which nothing is left.
async fn open_first(name: &str, open: impl AsyncFn(String) -> Result<Option<String>>) -> Result<String> {
    let mut nth = 0_u32;
    loop {
        nth += 1;
        let id = if nth == 1 { name.to_owned() } else { format!("{name}-{nth}") };
        match open(id).await {
            Ok(Some(sale)) => return Ok(sale),
            Ok(None) => {}
            Err(error) if error.code == Code::SaleExists => {}
            Err(error) => return Err(error),
        }
    }
}
