//! A condition in the UPDATE: the database checks and writes in one statement, and the number of changed rows says
//! whether it wrote. It holds. But the statement locks the row that every attempt needs, so attempts still run one
//! after the other.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    wire.execute("BEGIN", &[]).await?;
    let insert = "INSERT INTO lab_claims (sale, claimant, got) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING";
    let inserted = wire.execute(insert, &[&sale.tag, user]).await?;
    wire.local("inserted", inserted);
    if inserted == 0 {
        wire.execute("ROLLBACK", &[]).await?;
        return Ok(Told::Already);
    }

    let update = "UPDATE lab_stock SET remaining = remaining - 1 WHERE sale = $1 AND remaining > 0";
    let updated = wire.execute(update, &[&sale.tag]).await?;
    wire.local("updated", updated);
    if updated == 0 {
        wire.execute("ROLLBACK", &[]).await?;
        return Ok(Told::SoldOut);
    }
    wire.execute("COMMIT", &[]).await?;
    Ok(Told::Won)
}
