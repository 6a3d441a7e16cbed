//! Cleans up after runs and plays whose server was killed: keys, rows, the files of plays. The next run deletes
//! everything that is older than any run or play can be.

use super::{database::Database, home::Lab};
use crate::{
    domain::Millis,
    runtime::generated_at,
    store::{command, command_of, keys},
};
use anyhow::Result;

/// Longer than any run or play.
const OLDEST: Millis = 3_600_000;

/// Whether this is the name of something that was started before then: its id says when.
fn is_left(name: &str, before: Millis) -> bool {
    // `{lab:<id>:<strategy>}:<part>`, `{red_packet:<id>}:<part>`, `red_packet:<id>`, `stampede-lab-<id>.sqlite`
    let mut words = name.split(['{', '}', ':', '.']).map(|word| word.trim_start_matches(Database::FILE_PREFIX));
    words.find_map(generated_at).is_some_and(|at| at < before)
}

impl Lab {
    /// Deletes what earlier runs and plays have left behind.
    pub(super) async fn sweep(&self, with_rows: bool) -> Result<()> {
        let (before, mut redis) = (self.now() - OLDEST, self.connection().await?);
        let mut cursor = 0_u64;
        loop {
            let mut scan = command("SCAN");
            scan.arg(cursor).arg("COUNT").arg(1_000);
            let (next, mut found): (u64, Vec<String>) = scan.query_async(&mut redis).await?;
            found.retain(|key| is_left(key, before));
            if !found.is_empty() {
                command_of("DEL", found).query_async::<()>(&mut redis).await?;
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        let sales: Vec<String> = command_of("ZRANGE", (keys::SALES, 0, -1)).query_async(&mut redis).await?;
        for sale in sales.iter().filter(|sale| is_left(sale, before)) {
            command_of("ZREM", (keys::SALES, sale)).query_async::<()>(&mut redis).await?;
        }
        if with_rows {
            let mut session = self.database().session().await?;
            for sale in session.sales().await?.iter().filter(|sale| is_left(sale, before)) {
                session.clean_up(sale).await?;
            }
        }
        for file in std::fs::read_dir(std::env::temp_dir())?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(Database::FILE_PREFIX) && is_left(&name, before) {
                std::fs::remove_file(file.path()).ok();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::is_left;

    #[test]
    fn the_id_in_a_name_says_how_old_it_is() {
        // Generated 1,767,225,600,000 ms after 1970.
        const ID: &str = "019b76da-a800-7000-8000-000000000001";
        for name in ["{lab:ID:script}:stock", "{red_packet:ID}:meta", "red_packet:ID", "stampede-lab-ID.sqlite-wal"] {
            let name = name.replace("ID", ID);
            assert!(is_left(&name, 1_767_225_600_001) && !is_left(&name, 1_767_225_600_000), "{name}");
        }
        assert!(!is_left("stampede:sales", i64::MAX) && !is_left("{lab:x:y}:stock", i64::MAX));
    }
}
