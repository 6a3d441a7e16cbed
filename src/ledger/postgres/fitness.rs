//! Whether a PostgreSQL can hold a ledger. What it cannot hold would be found out sale by sale, as dead letters.

use crate::postgres::answered;
use anyhow::{Result, bail, ensure};
use sqlx::{FromRow, PgConnection};

const NEEDED: &str = "server 12 or newer, in UTF-8, to which this user may write";

#[derive(FromRow)]
struct Settings {
    version: i32,
    version_name: String,
    encoding: String,
    is_standby: bool,
    is_read_only: bool,
    /// Whether the settings of our connections have arrived.
    is_ours: bool,
    /// The schema of new tables, if there is one.
    schema: Option<String>,
    may_create: bool,
}

const SETTINGS: &str = "SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_version') AS version_name,
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS is_standby,
    current_setting('transaction_read_only')::bool AS is_read_only,
    NOT current_setting('enable_seqscan')::bool AS is_ours,
    current_schema()::text AS schema,
    COALESCE(has_schema_privilege(current_schema()::text, 'CREATE'), false) AS may_create";

/// The tables to which the user may not write.
const LOCKED: &str = "SELECT COALESCE(string_agg(tablename, ', ' ORDER BY tablename), '') FROM pg_tables
    WHERE schemaname = current_schema() AND tablename <> '_sqlx_migrations' AND NOT (
        has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'INSERT')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE')
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'DELETE'))";

/// Checks a database before it gets the schema.
///
/// # Errors
/// One sentence.
pub(super) async fn check(connection: &mut PgConnection, address: &str) -> Result<()> {
    let found: Settings = match answered(sqlx::query_as(SETTINGS).fetch_one(connection)).await {
        Ok(found) => found,
        Err(error) => bail!("The database at {address} does not answer as PostgreSQL does ({error})."),
    };
    ensure!(
        found.version >= 120_000,
        "PostgreSQL at {address} is version {}; the ledger needs a {NEEDED}.",
        found.version_name
    );
    ensure!(
        found.encoding == "UTF8",
        "The database at {address} has the encoding {}, which cannot hold every name; create one with ENCODING 'UTF8' \
         TEMPLATE template0.",
        found.encoding
    );
    ensure!(
        !found.is_standby,
        "PostgreSQL at {address} is a standby, which takes no changes; name the primary with --database."
    );
    ensure!(
        !found.is_read_only,
        "The database at {address} is read-only (default_transaction_read_only); the ledger needs a {NEEDED}."
    );
    ensure!(
        found.is_ours,
        "PostgreSQL at {address} is behind a pooler that does not keep the settings of a connection, as in transaction \
         mode; name PostgreSQL itself with --database, or a pooler in session mode."
    );
    let Some(schema) = found.schema else {
        bail!("The user of --database has no schema at {address}; create one, or correct its search_path.");
    };
    ensure!(
        found.may_create,
        "The user of --database may not create tables in the schema {schema} at {address}; grant it CREATE, or let it \
         own the database."
    );
    Ok(())
}

/// Checks that all tables can be written, once they exist.
///
/// # Errors
/// One sentence.
pub(super) async fn check_rights(connection: &mut PgConnection, address: &str) -> Result<()> {
    let locked: String = answered(sqlx::query_scalar(LOCKED).fetch_one(connection)).await?;
    ensure!(
        locked.is_empty(),
        "The user of --database may not write to these tables at {address}: {locked}; grant it SELECT, INSERT, UPDATE \
         and DELETE."
    );
    Ok(())
}
