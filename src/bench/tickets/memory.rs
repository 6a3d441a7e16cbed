//! The memory that open halls take in this program.

use crate::tickets::{Bed, clean_up, stadium};
use anyhow::{Context, Result};
use model::ticket::{Pick, SeatRequest};
use serde::Serialize;

const STADIUMS: usize = 10;

#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// Resident memory, in megabytes.
    pub server_mb: u64,
}

pub(super) async fn measure(bed: &Bed) -> Result<Figures> {
    let mut sales = Vec::new();
    for _ in 0..STADIUMS {
        let sale = stadium(bed).await?;
        let pick = vec![Pick { category: "cat1".to_owned(), count: 2, adjacent: true, strict: false }];
        bed.tickets.reserve(&sale, "user".to_owned(), None, SeatRequest { pick, ..SeatRequest::default() }).await?;
        bed.tickets.snapshot(&sale).await?;
        sales.push(sale);
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    let resident: u64 = resident.context("The system does not report how much memory this program uses.")?.parse()?;
    for sale in sales {
        clean_up(bed, &sale).await?;
    }
    Ok(Figures { server_mb: resident / 1_000 })
}
