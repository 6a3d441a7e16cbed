//! Cleans up after runs and plays that could not do so themselves: keys, rows, the files of plays. If Redis was away,
//! the keys of a run are deleted as soon as it is back; those of a play with the next run of this server; rows with its
//! next run of a strategy that has rows. The leftovers of a killed server are deleted by the next run on any server,
//! once they are older than any run or play can be.
//!
//! The keys have no lifetime instead: each strategy creates its own keys in the middle of its attempts, as its source
//! does, and a lifetime distinguishes a lock from the records.

use crate::{contender::Contender, database::Database, home::Lab, strategies::Storage};
use anyhow::{Result, ensure};
use model::Millis;
use std::collections::BTreeSet;
use store::{command, command_of, keys, lab_redis::ID_PREFIX, runtime::generated_at};

/// The age of leftovers of any process, in ms: longer than any run or play.
const OLDEST: Millis = 3_600_000;

/// Whether a name belongs to one of these ids, or to a run or play that started before `before`, by
/// the time in its id. Names of other programs never match.
fn is_left(name: &str, left: &BTreeSet<String>, before: Millis) -> bool {
    id_of(name).is_some_and(|id| left.contains(id) || generated_at(id).is_some_and(|at| at < before))
}

/// The id in `{lab:<id>:<strategy>}:<part>`, `{<kind>:lab-<id>}:<part>`, `<kind>:lab-<id>`, `lab:<id>:<strategy>`,
/// `stampede-lab-<id>.sqlite` and `stampede-lab-<id>.sock`.
fn id_of(name: &str) -> Option<&str> {
    if let Some(file) = name.strip_prefix(Database::FILE_PREFIX) {
        return file.split('.').next();
    }
    let mut words = name.trim_start_matches('{').split(['}', ':']);
    match (words.next()?, words.next()?) {
        ("lab", id) => Some(id),
        (_, sale) => sale.strip_prefix(ID_PREFIX),
    }
}

impl Lab {
    /// Fails for a run that began so long ago that another server may have swept its records, for example on a machine
    /// that slept. Its findings from the records are void.
    pub(super) fn ensure_unswept(&self, run: &str) -> Result<()> {
        let is_old = generated_at(run).is_some_and(|at| at < self.now() - OLDEST);
        ensure!(
            !is_old,
            "The run began over an hour ago, so its records may have been swept; nothing can be said of it."
        );
        Ok(())
    }

    /// Deletes the leftovers of earlier runs and plays. Rows are deleted only if one of these strategies has rows:
    /// otherwise the database may have no tables.
    pub(super) async fn sweep(&self, strategies: &[Contender]) -> Result<()> {
        let (before, left) = (self.now() - OLDEST, self.left());
        let is_left = |name: &str| is_left(name, &left, before);
        let mut redis = self.connection().await?;
        let mut cursor = 0_u64;
        loop {
            let mut scan = command("SCAN");
            scan.arg(cursor).arg("COUNT").arg(1_000);
            let (next, mut found): (u64, Vec<String>) = scan.query_async(&mut redis).await?;
            found.retain(|key| is_left(key));
            if !found.is_empty() {
                command_of("DEL", found).query_async::<()>(&mut redis).await?;
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        let sales: Vec<String> = command_of("ZRANGE", (keys::SALES.one, 0, -1)).query_async(&mut redis).await?;
        for sale in sales.iter().filter(|sale| is_left(sale)) {
            command_of("ZREM", (keys::SALES.one, sale)).query_async::<()>(&mut redis).await?;
        }
        let with_rows = strategies.iter().any(|contender| contender.strategy.storage == Storage::Rows);
        if with_rows {
            let mut session = self.database().session().await?;
            for sale in session.sales().await?.iter().filter(|sale| is_left(sale)) {
                session.clean_up(sale).await?;
            }
        }
        for file in std::fs::read_dir(std::env::temp_dir())?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(Database::FILE_PREFIX) && is_left(&name) {
                std::fs::remove_file(file.path()).ok();
            }
        }
        self.swept(&left, with_rows);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, is_left};

    #[test]
    fn the_id_in_a_name_says_how_old_it_is() {
        // Generated 1,767,225,600,000 ms after 1970.
        const ID: &str = "019b76da-a800-7000-8000-000000000001";
        let ours = [
            "{lab:ID:script}:stock",
            "lab:ID:script",
            "{red_packet:lab-ID}:meta",
            "red_packet:lab-ID",
            "stampede-lab-ID.sqlite-wal",
            "stampede-lab-ID.sock",
        ];
        let (none, this) = (BTreeSet::new(), BTreeSet::from([ID.to_owned()]));
        for name in ours.map(|name| name.replace("ID", ID)) {
            assert!(is_left(&name, &none, 1_767_225_600_001) && !is_left(&name, &none, 1_767_225_600_000), "{name}");
            assert!(is_left(&name, &this, 0), "{name} is known to be left");
        }
        for name in ["{red_packet:ID}:meta", "red_packet:ID", "session:ID", "ID"].map(|name| name.replace("ID", ID)) {
            assert!(!is_left(&name, &this, i64::MAX), "{name} is somebody else's");
        }
        assert!(!is_left("stampede:sales", &none, i64::MAX) && !is_left("{lab:x:y}:stock", &none, i64::MAX));
    }
}
