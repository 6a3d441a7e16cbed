//! The currencies of rows: those of their sales, which never change.

use crate::database::{Ledger, on, unreachable};
use model::{error::Result, ledger::Row, life::Currency};
use serde::Deserialize;
use std::collections::BTreeSet;
use store::runtime::locked;

impl Ledger {
    /// Sets the currencies of these rows' amounts.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub(super) async fn set_currencies(&self, rows: &mut [Row]) -> Result<()> {
        const TERMS: &str = "SELECT terms FROM sales WHERE no = $1";
        let of_amounts = rows.iter().filter(|row| row.cents != 0).map(|row| row.id.sale_no);
        let unknown: BTreeSet<i64> =
            of_amounts.filter(|number| !locked(&self.currencies).contains_key(number)).collect();
        for number in unknown {
            let terms: Option<Option<String>> =
                on!(read self, pool => sqlx::query_scalar(TERMS).bind(number).fetch_optional(pool).await)
                    .map_err(unreachable)?;
            // A sale has them from its first row on.
            if let Some(terms) = terms.flatten() {
                locked(&self.currencies).insert(number, currency_of(&terms));
            }
        }
        let known = locked(&self.currencies);
        for row in rows {
            row.currency = known.get(&row.id.sale_no).copied().unwrap_or_default();
        }
        Ok(())
    }
}

/// The currency in the terms of a sale, of whatever kind.
fn currency_of(terms: &str) -> Currency {
    #[derive(Deserialize)]
    struct Terms {
        /// Names and values, alternating.
        #[serde(default)]
        plan: Vec<String>,
    }
    let plan = serde_json::from_str(terms).map_or_else(|_| Vec::new(), |Terms { plan }| plan);
    let code = plan.chunks_exact(2).find(|pair| pair[0] == "currency").map(|pair| pair[1].as_str());
    code.and_then(Currency::from_code).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_any_kind_have_a_currency() {
        for (terms, code) in [
            (r#"{"quantity":5,"plan":["opens_at","7","currency","JPY"]}"#, "JPY"),
            (r#"{"quantity":5,"plan":["title_en","currency","title_zh","JPY"]}"#, "CNY"),
            (r#"{"quantity":5,"plan":[]}"#, "CNY"),
            (r#"{"quantity":5}"#, "CNY"),
            ("nonsense", "CNY"),
        ] {
            assert_eq!(currency_of(terms).code(), code, "{terms}");
        }
    }
}
