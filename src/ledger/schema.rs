//! The schema of the ledger, in the dialects of both databases.

use sqlx::{
    SqlSafeStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

/// Every migration of the schema, oldest first: its version, its name, and its text for SQLite and for
/// PostgreSQL. They are applied at start.
const MIGRATIONS: [(i64, &str, &str, &str); 10] = [
    (
        1,
        "ledger",
        include_str!("../../migrations/sqlite/0001_ledger.sql"),
        include_str!("../../migrations/postgres/0001_ledger.sql"),
    ),
    (
        2,
        "recorded",
        include_str!("../../migrations/sqlite/0002_recorded.sql"),
        include_str!("../../migrations/postgres/0002_recorded.sql"),
    ),
    (
        3,
        "quantities",
        include_str!("../../migrations/sqlite/0003_quantities.sql"),
        include_str!("../../migrations/postgres/0003_quantities.sql"),
    ),
    (
        4,
        "webhooks",
        include_str!("../../migrations/sqlite/0004_webhooks.sql"),
        include_str!("../../migrations/postgres/0004_webhooks.sql"),
    ),
    (
        5,
        "recoveries",
        include_str!("../../migrations/sqlite/0005_recoveries.sql"),
        include_str!("../../migrations/postgres/0005_recoveries.sql"),
    ),
    (
        6,
        "finding",
        include_str!("../../migrations/sqlite/0006_finding.sql"),
        include_str!("../../migrations/postgres/0006_finding.sql"),
    ),
    (
        7,
        "notes",
        include_str!("../../migrations/sqlite/0007_notes.sql"),
        include_str!("../../migrations/postgres/0007_notes.sql"),
    ),
    (
        8,
        "templates",
        include_str!("../../migrations/sqlite/0008_templates.sql"),
        include_str!("../../migrations/postgres/0008_templates.sql"),
    ),
    (
        9,
        "lists",
        include_str!("../../migrations/sqlite/0009_lists.sql"),
        include_str!("../../migrations/postgres/0009_lists.sql"),
    ),
    (
        10,
        "reasons",
        include_str!("../../migrations/sqlite/0010_reasons.sql"),
        include_str!("../../migrations/postgres/0010_reasons.sql"),
    ),
];

/// The migrations, in the dialect that `sql` picks.
pub(super) fn migrator(sql: fn(&(i64, &'static str, &'static str, &'static str)) -> &'static str) -> Migrator {
    let migrations = MIGRATIONS.iter().map(|migration| {
        let (version, name, ..) = *migration;
        Migration::new(version, name.into(), MigrationType::Simple, sql(migration).into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Checks that a ledger has the schema of this program, by the versions of its migrations.
pub(super) fn ensure_current(versions: &[i64], place: &str) -> anyhow::Result<()> {
    if let Some(&version) = versions.iter().max().filter(|version| **version > newest()) {
        return Err(migration(MigrateError::VersionMissing(version), place));
    }
    anyhow::ensure!(
        MIGRATIONS.iter().all(|(version, ..)| versions.contains(version)),
        "The schema of the ledger {place} is not complete; start a server, which completes it."
    );
    Ok(())
}

/// The version of the schema of this program.
pub fn newest() -> i64 {
    MIGRATIONS[MIGRATIONS.len() - 1].0
}

/// One sentence about a failed migration.
pub(super) fn migration(error: MigrateError, place: &str) -> anyhow::Error {
    let newest = newest();
    match error {
        MigrateError::VersionMissing(version) if version > newest => anyhow::anyhow!(
            "The ledger {place} has schema version {version}, but this program knows only {newest}. Use a newer program, or another ledger."
        ),
        error => anyhow::anyhow!("The ledger {place} cannot be migrated ({error})."),
    }
}
