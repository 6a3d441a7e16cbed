//! What a text finds, in the ledger.

use crate::{finding::Column, service::LedgerService};
use model::{
    check_id,
    error::Result,
    ledger::{Found, FoundId, Row},
};

impl LedgerService {
    /// What begins with a text.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn find(&self, text: &str) -> Result<Found> {
        check_id("q", text)?;
        let text = text.trim();
        Ok(Found {
            sales: self.ledger.sales_from(text).await?,
            users: self.ledger.rows_from(Column::User, text).await?.into_iter().filter_map(|row| row.user).collect(),
            orders: self.ids_from(Column::Order, text).await?,
            requests: self.ids_from(Column::Request, text).await?,
            codes: self.codes_from(text).await?,
        })
    }

    async fn ids_from(&self, column: Column, text: &str) -> Result<Vec<FoundId>> {
        let found = self.ledger.rows_from(column, text).await?;
        Ok(found.into_iter().filter_map(|row| found_id(column, row)).collect())
    }

    /// The codes that begin with a text as it is, or else with its capital letters: the ledger has most codes in those.
    async fn codes_from(&self, text: &str) -> Result<Vec<FoundId>> {
        let capitals = text.to_uppercase();
        let mut found = Vec::new();
        for info in self.kinds.iter().map(|kind| kind.info()).filter(|info| info.ownership.has_codes) {
            let column = Column::Code { kind: info.id, outcome: info.win };
            let mut codes = self.ids_from(column, text).await?;
            if codes.is_empty() && capitals != text {
                codes = self.ids_from(column, &capitals).await?;
            }
            found.append(&mut codes);
        }
        Ok(found)
    }
}

fn found_id(column: Column, row: Row) -> Option<FoundId> {
    let id = column.of(&row)?.to_owned();
    let Row { kind, sale, user, .. } = row;
    Some(FoundId { id, kind, sale, user })
}
