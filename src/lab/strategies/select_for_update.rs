//! A row lock in the database: the read locks the row of the stock until the commit. The next attempt waits before it
//! reads. It holds. But every attempt waits for all attempts before it, even one that gets nothing.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    // SQLite has no row locks. It takes its only lock at the beginning of the transaction.
    let (begin, read) = match wire.dialect()? {
        Dialect::Sqlite => ("BEGIN IMMEDIATE", "SELECT remaining FROM lab_stock WHERE sale = $1"),
        Dialect::Postgres => ("BEGIN", "SELECT remaining FROM lab_stock WHERE sale = $1 FOR UPDATE"),
    };
    wire.execute(begin, &[]).await?;
    let left = wire.select(read, &[&sale.tag]).await?.unwrap_or(0);
    wire.saw_stock(left);
    let got = wire.select("SELECT got FROM lab_claims WHERE sale = $1 AND claimant = $2", &[&sale.tag, user]).await?;
    wire.local("got", got);
    if got.is_some() || left <= 0 {
        wire.execute("ROLLBACK", &[]).await?;
        return Ok(if got.is_some() { Told::Already } else { Told::SoldOut });
    }

    wire.execute("UPDATE lab_stock SET remaining = remaining - 1 WHERE sale = $1", &[&sale.tag]).await?;
    wire.execute("INSERT INTO lab_claims (sale, claimant, got) VALUES ($1, $2, 1)", &[&sale.tag, user]).await?;
    wire.execute("COMMIT", &[]).await?;
    Ok(Told::Won)
}
