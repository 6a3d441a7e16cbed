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
    let can_be_claimed_from = |line: &&_| {
        let crate::sales::SaleLine { state, pending, .. } = line;
        *state == red_packet::State::Open && *pending > 0
    };
    if let Some(line) = lines.iter().find(can_be_claimed_from) {
        return Ok(line.sale.clone());
    }
    let taken = |id: &str| lines.iter().any(|line| line.sale == id);
    let sale = (1..).map(|nth| id("demo", nth)).find(|id| !taken(id)).unwrap_or_default();
    let terms = red_packet::Terms {
        sale,
        total_cents: 888_800,
        count: 1_000,
        splitter: red_packet::Splitter::DoubleMean,
        expires_in_s: red_packet::DEFAULT_EXPIRES_IN_S,
        seed: None,
    };
    Ok(state.red_packet.open(terms).await?.sale)
}

async fn seats(state: &AppState) -> Result<String> {
    let mut nth = 0;
    loop {
        nth += 1;
        let terms = ticket::Terms {
            sale: id("stadium", nth),
            hall: ticket::Place::Hall(ticket::halls::HallName::Stadium),
            prices: BTreeMap::new(),
            limit_per_user: ticket::DEFAULT_LIMIT,
            hold_s: ticket::DEFAULT_HOLD_S,
        };
        // On the same terms it is opened once.
        match state.tickets.open(terms).await {
            Ok(opened) => {
                let snapshot = state.tickets.snapshot(&opened.sale).await?;
                if snapshot.remaining.values().any(|seats| *seats > 0) {
                    return Ok(opened.sale);
                }
            }
            Err(error) if error.code == Code::SaleExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// `demo`, `demo-2`, …
fn id(name: &str, nth: u32) -> String {
    if nth == 1 { name.to_owned() } else { format!("{name}-{nth}") }
}
