//! The schema of the ledger, in the dialects of both databases.

use sqlx::{
    SqlSafeStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

/// Every migration of the schema, oldest first. They are applied at start.
const MIGRATIONS: [(i64, &str, &str, &str); 11] = [
    (
        1,
        "ledger",
        include_str!("../../migrations/sqlite/0001_ledger.sql"),
        include_str!("../../migrations/postgres/0001_ledger.sql"),
    ),
    (
        2,
        "orders",
        include_str!("../../migrations/sqlite/0002_orders.sql"),
        include_str!("../../migrations/postgres/0002_orders.sql"),
    ),
    (
        3,
        "archive",
        include_str!("../../migrations/sqlite/0003_archive.sql"),
        include_str!("../../migrations/postgres/0003_archive.sql"),
    ),
    (
        4,
        "generation",
        include_str!("../../migrations/sqlite/0004_generation.sql"),
        include_str!("../../migrations/postgres/0004_generation.sql"),
    ),
    (
        5,
        "runs",
        include_str!("../../migrations/sqlite/0005_runs.sql"),
        include_str!("../../migrations/postgres/0005_runs.sql"),
    ),
    (
        6,
        "searches",
        include_str!("../../migrations/sqlite/0006_searches.sql"),
        include_str!("../../migrations/postgres/0006_searches.sql"),
    ),
    (
        7,
        "wishes",
        include_str!("../../migrations/sqlite/0007_wishes.sql"),
        include_str!("../../migrations/postgres/0007_wishes.sql"),
    ),
    (
        8,
        "quantity",
        include_str!("../../migrations/sqlite/0008_quantity.sql"),
        include_str!("../../migrations/postgres/0008_quantity.sql"),
    ),
    (
        9,
        "lab",
        include_str!("../../migrations/sqlite/0009_lab.sql"),
        include_str!("../../migrations/postgres/0009_lab.sql"),
    ),
    (
        10,
        "feed",
        include_str!("../../migrations/sqlite/0010_feed.sql"),
        include_str!("../../migrations/postgres/0010_feed.sql"),
    ),
    (
        11,
        "missing",
        include_str!("../../migrations/sqlite/0011_missing.sql"),
        include_str!("../../migrations/postgres/0011_missing.sql"),
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
        "The ledger {place} has the schema of an earlier program; start a server of this version, which brings it up to \
         date."
    );
    Ok(())
}

fn newest() -> i64 {
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
