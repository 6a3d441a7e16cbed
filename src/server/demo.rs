//! The demonstration sale that a newcomer finds.

use super::AppState;
use crate::{
    error::Result,
    sales::red_packet::{DEFAULT_EXPIRES_IN_S, Splitter, State, Terms},
};

/// Opens a sale of 1,000 packets, unless there is one to claim from.
///
/// # Errors
/// `unavailable`.
pub async fn ensure(state: &AppState) -> Result<String> {
    let lines = state.red_packet.list().await?;
    if let Some(line) = lines.iter().find(|line| line.state == State::Open && line.pending > 0) {
        return Ok(line.sale.clone());
    }
    let taken = |id: &str| lines.iter().any(|line| line.sale == id);
    let mut id = "demo".to_owned();
    let mut nth = 1;
    while taken(&id) {
        nth += 1;
        id = format!("demo-{nth}");
    }
    let terms = Terms {
        sale: id,
        total_cents: 888_800,
        count: 1_000,
        splitter: Splitter::DoubleMean,
        expires_in_s: DEFAULT_EXPIRES_IN_S,
        seed: None,
    };
    Ok(state.red_packet.open(terms).await?.sale)
}
