//! Templates of the forms that open sales. The ledger does not interpret them.

use crate::database::{Ledger, on, unreachable};
use model::{
    Millis,
    error::{Error, Result},
    templates::{MAX_TEMPLATES, Template},
};

impl Ledger {
    /// The templates of a kind, by their names.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn templates(&self, kind: &str) -> Result<Vec<Template>> {
        type Columns = (String, String, Millis);
        const OF_KIND: &str = "SELECT name, fields, saved_at FROM templates WHERE kind = $1 ORDER BY name";
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(OF_KIND).bind(kind).fetch_all(pool).await).map_err(unreachable)?;
        let template = |(name, fields, saved_at): Columns| {
            let fields = serde_json::from_str(&fields).map_err(Error::internal)?;
            Ok(Template { kind: kind.to_owned(), name, fields, saved_at })
        };
        rows.into_iter().map(template).collect()
    }

    /// Saves a template, in place of the one with the same name. Returns whether it was saved: not if there are as many
    /// others as there may be.
    ///
    /// # Errors
    /// `ledger_unavailable`: it may have been saved.
    pub async fn save_template(&self, Template { kind, name, fields, saved_at }: &Template) -> Result<bool> {
        const SAVE: &str = "INSERT INTO templates (kind, name, fields, saved_at) SELECT $1, $2, $3, $4
            WHERE (SELECT COUNT(*) FROM templates WHERE kind = $1 AND name <> $2) < $5
            ON CONFLICT (kind, name) DO UPDATE SET fields = excluded.fields, saved_at = excluded.saved_at";
        let fields = serde_json::to_string(fields).map_err(Error::internal)?;
        let saved = on!(beside self, pool => sqlx::query(SAVE).bind(kind).bind(name).bind(&fields).bind(*saved_at)
            .bind(i64::from(MAX_TEMPLATES)).execute(pool).await.map(|done| done.rows_affected()));
        Ok(saved.map_err(unreachable)? == 1)
    }

    /// Deletes a template. Returns whether there was one.
    ///
    /// # Errors
    /// `ledger_unavailable`: it may have been deleted.
    pub async fn delete_template(&self, kind: &str, name: &str) -> Result<bool> {
        const DELETE: &str = "DELETE FROM templates WHERE kind = $1 AND name = $2";
        let deleted = on!(beside self, pool => sqlx::query(DELETE).bind(kind).bind(name).execute(pool).await
            .map(|done| done.rows_affected()));
        Ok(deleted.map_err(unreachable)? == 1)
    }
}
