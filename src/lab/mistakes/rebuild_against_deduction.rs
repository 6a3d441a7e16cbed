//! A cached quantity that is loaded again during a deduction: a caller that finds none in Redis reads the database, and
//! writes that value. Meanwhile another caller has also loaded it, and deducted. The later write overwrites the
//! deduction with an older quantity, and the same item is sold again.

use crate::mistakes::prelude::*;

const LIFETIME_S: u32 = 300;
// Nothing keeps a user from a second one.
const CLAIM: &str = "INSERT INTO lab_claims (sale, claimant, got) VALUES ($1, $2, 1) \
                     ON CONFLICT (sale, claimant) DO UPDATE SET got = lab_claims.got + 1";

pub async fn act(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let cached: Option<i64> = wire.call("GET", &sale.stock).await?;
    wire.local("cached", cached);
    if cached.is_none() {
        let read = "SELECT remaining FROM lab_stock WHERE sale = $1";
        let remaining = wire.select(read, &[&sale.tag]).await?.unwrap_or(0);
        wire.local("remaining", remaining);
        wire.run("SET", (&sale.stock, remaining, "EX", LIFETIME_S)).await?;
    }

    let left: i64 = wire.call("DECR", &sale.stock).await?;
    wire.saw_stock(left);
    if left < 0 {
        wire.run("INCR", &sale.stock).await?;
        return Ok(Told::SoldOut);
    }
    wire.execute("UPDATE lab_stock SET remaining = remaining - 1 WHERE sale = $1", &[&sale.tag]).await?;
    wire.execute(CLAIM, &[&sale.tag, user]).await?;
    Ok(Told::Won)
}
