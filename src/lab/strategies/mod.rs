//! The strategies of the lab: the source code, the origin and the known failures of each.
//!
//! The failures are established by `tests/lab/matrix.rs`. It plays every interleaving of each strategy's scenes on a
//! real Redis, and finds exactly these anomalies. Each anomaly has a schedule here: one that shows it, or one in which
//! it could happen and does not.

pub mod batched_script;
pub mod conditional_update;
pub mod decr_incr;
pub mod lock_in_process;
pub mod pipeline;
pub mod prelude;
pub mod queue;
pub mod read_check_write;
pub mod script;
pub mod select_for_update;
pub mod setnx_lock;
pub mod setnx_lock_no_owner_check;
pub mod setnx_lock_short_lifetime;
pub mod user_lock;
pub mod user_lock_guard;
pub mod user_lock_guard_unread;
pub mod watch_multi_exec;

use crate::{sale::Sale, wire::Wire};
use futures::future::BoxFuture;
use model::{
    Verdict,
    lab::{
        Anomaly::{self, Doubled, Lost, Oversold, Undersold},
        Settings, Told,
        registry::{KnownFailure, Safe, Scene, StrategyInfo},
        trace::{Failure, Play},
    },
};
use redis::Cmd;

/// The storage of a strategy's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The stock as a number and the users with an item, in Redis.
    Counts,
    /// A list of packets in Redis, as in the article on queues.
    Packets,
    /// Rows in the database.
    Rows,
    /// A sale of the product.
    Product,
}

/// An attempt of a user at a sale.
pub type Claim = for<'a> fn(&'a mut Wire, &'a Sale, &'a str) -> BoxFuture<'a, anyhow::Result<Told>>;
/// A worker that runs beside the attempts until the run is over.
pub type Work = for<'a> fn(&'a mut Wire, &'a Sale) -> BoxFuture<'a, anyhow::Result<()>>;

/// A way to serialize attempts.
pub struct Strategy {
    /// The id, in kebab case.
    pub id: &'static str,
    /// The origin.
    pub source: &'static str,
    /// The path of the file, from the root of the repository.
    pub file: &'static str,
    /// The text of that file.
    pub code: &'static str,
    /// The storage of the records.
    pub storage: Storage,
    /// The number of servers that the attempts are spread over, in turn.
    pub servers: usize,
    /// The number of attempts played against each other to establish the failures: as many as a failure needs to show,
    /// or, without failures, as many as a test can go through. What is undersold takes three in any case.
    pub attempts: usize,
    /// The known failures, each with a schedule that shows it.
    pub failures: &'static [Failure],
    /// The schedule in which two users take turns for one item until both have ended. `None` for mistakes.
    pub turns: Option<&'static str>,
    /// A schedule of [`scene_of`] without a failure, for each of [`Anomaly::ALL`] that never happens.
    pub safe: [Option<&'static str>; 4],
    /// Commands at the beginning of a play, in addition to the stock.
    pub begin: Option<fn(&Sale) -> Vec<Cmd>>,
    /// The code of an attempt.
    pub claim: Claim,
    /// The code of the worker, if the strategy needs one.
    pub work: Option<Work>,
}

impl Strategy {
    /// The expected verdict.
    pub fn expected(&self) -> Verdict {
        if self.failures.is_empty() { Verdict::Holds } else { Verdict::Broken }
    }

    /// The expected verdict of a run. With one user at a time, nothing goes wrong. Where nobody tries twice, nothing
    /// goes wrong that takes a user who does.
    pub fn expected_with(&self, settings: &Settings) -> Verdict {
        let can_happen =
            |failure: &Failure| settings.concurrency > 1 && (settings.repeat_rate > 0.0 || !has_repeats(failure.users));
        if self.failures.iter().any(can_happen) { Verdict::Broken } else { Verdict::Holds }
    }

    /// The description of the strategy for display.
    pub fn info(&self) -> StrategyInfo {
        let failures = self.failures.iter().map(|&Failure { anomaly, stock, users, schedule }| {
            let (strategy, users, schedule) = (self.id.to_owned(), users.to_owned(), schedule.to_owned());
            KnownFailure { anomaly, play: Play { strategy, stock, users, schedule } }
        });
        let turns = self.turns.map(|turns| self.in_turns(turns));
        let safe = Anomaly::ALL.into_iter().zip(self.safe).filter_map(|(anomaly, schedule)| {
            let Scene { stock, users } = scene_of(anomaly);
            let (strategy, schedule) = (self.id.to_owned(), schedule?.to_owned());
            Some(Safe { anomaly, play: Play { strategy, stock, users, schedule } })
        });
        StrategyInfo {
            name: self.id.to_owned(),
            source: self.source.to_owned(),
            file: self.file.to_owned(),
            code: self.code.to_owned(),
            servers: self.servers as u32,
            has_worker: self.work.is_some(),
            expected: self.expected(),
            failures: failures.collect(),
            turns,
            safe: safe.collect(),
            scenes: if self.turns.is_some() { self.scenes() } else { Vec::new() },
            test: self.turns.map(|_| format!("tests/lab/matrix.rs, {}", self.id.replace('-', "_"))),
        }
    }

    /// The scenes for the test of the matrix: different users with too little stock; one user twice, with enough stock
    /// for both attempts and with too little; and one user twice beside another, for two items.
    pub fn scenes(&self) -> Vec<Scene> {
        let scene = |stock, users: &str| Scene { stock, users: users.to_owned() };
        let mut scenes = vec![scene(1, "12"), scene(2, "11"), scene(2, "12"), scene(1, "11"), scene(2, "112")];
        if self.attempts > 2 {
            scenes.extend([scene(2, "123"), scene(3, "122"), scene(1, "122")]);
        }
        scenes
    }

    /// The play of two users for one item, with this schedule.
    pub fn in_turns(&self, schedule: &str) -> Play {
        Play { strategy: self.id.to_owned(), stock: 1, users: "12".to_owned(), schedule: schedule.to_owned() }
    }
}

/// Whether a user has several attempts.
fn has_repeats(users: &str) -> bool {
    users.char_indices().any(|(place, user)| users[..place].contains(user))
}

/// The scene in which an anomaly would happen first, if it could: two users for one item, one user twice with enough
/// stock for both attempts, one user twice for one item, or one user twice for two items and another user for the rest.
pub fn scene_of(anomaly: Anomaly) -> Scene {
    let (stock, users) = match anomaly {
        Oversold => (1, "12"),
        Doubled => (2, "11"),
        Lost | Anomaly::Drained => (1, "11"),
        Undersold => (2, "112"),
    };
    Scene { stock, users: users.to_owned() }
}

/// The schedules of a strategy without a failure, where the same one suits each scene of two attempts.
const fn never(two: &'static str, three: &'static str) -> [Option<&'static str>; 4] {
    [Some(two), Some(two), Some(two), Some(three)]
}

/// A strategy whose source is this file of the folder.
macro_rules! strategy {
    ($id:literal, $module:ident, $source:literal, $storage:ident, $turns:literal $(, $field:ident: $value:expr)* $(,)?) => {
        Strategy {
            $($field: $value,)*
            ..Strategy {
                id: $id,
                source: $source,
                file: concat!("src/lab/strategies/", stringify!($module), ".rs"),
                code: include_str!(concat!(stringify!($module), ".rs")),
                storage: Storage::$storage,
                servers: 1,
                attempts: 3,
                failures: &[],
                turns: Some($turns),
                safe: [None; 4],
                begin: None,
                claim: |wire, sale, user| Box::pin($module::claim(wire, sale, user)),
                work: None,
            }
        }
    };
}

/// Every strategy, in display order.
pub static STRATEGIES: [Strategy; 17] = [
    strategy!("read-check-write", read_check_write, "article 2, “the root of the trouble”", Counts, "12121212", safe: [None, None, None, Some("1111223333")], attempts: 2, failures: &[
        Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "11211222" },
        Failure { anomaly: Doubled, stock: 2, users: "11", schedule: "11122122" },
        Failure { anomaly: Lost, stock: 2, users: "11", schedule: "11122122" },
    ]),
    strategy!("pipeline", pipeline, "article 2, pipeline and Lua", Counts, "12121212", safe: [None, None, Some("111122"), Some("1111223333")], attempts: 2, failures: &[
        Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "11211222" },
        Failure { anomaly: Doubled, stock: 2, users: "11", schedule: "11122122" },
    ]),
    strategy!("lock-in-process", lock_in_process, "article 2, locks in memory, with one server", Counts, "1211211222", safe: never("1211211222", "123112311232233333")),
    strategy!("lock-in-process-two-servers", lock_in_process, "article 2, locks in memory, with two servers", Counts, "1212121212",
        servers: 2,
        safe: [None, None, None, Some("1111122233333")],
        attempts: 2,
        failures: &[
            Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "1112211222" },
            Failure { anomaly: Doubled, stock: 2, users: "11", schedule: "1111222122" },
            Failure { anomaly: Lost, stock: 2, users: "11", schedule: "1111222122" },
        ],
    ),
    strategy!("decr-incr", decr_incr, "common", Counts, "1212", safe: [Some("1212"), Some("12122"), Some("1212"), None], failures: &[
        Failure { anomaly: Undersold, stock: 2, users: "112", schedule: "1122323" },
    ]),
    strategy!("watch-multi-exec", watch_multi_exec, "common", Counts, "121212122222", safe: never("121212122222", "12312312312323232323")),
    strategy!(
        "setnx-lock",
        setnx_lock,
        "articles 2 and 4, a lock for the sale; its release is article 1's",
        Counts,
        "12112112112222", safe: never("12112112112222", "12311231123112322323333333")
    ),
    strategy!(
        "setnx-lock-no-owner-check",
        setnx_lock_no_owner_check,
        "article 2, released by DEL, but with a lifetime shorter than the answer",
        Counts,
        "12112112112222",
        safe: [None, None, None, Some("12311231123112322323333333")],
        failures: &[
            Failure { anomaly: Oversold, stock: 2, users: "123", schedule: "11111t1212233222233333" },
            Failure { anomaly: Doubled, stock: 3, users: "122", schedule: "11111t1212223332223333" },
            Failure { anomaly: Lost, stock: 3, users: "122", schedule: "11111t1212223332223333" },
        ],
    ),
    strategy!("setnx-lock-short-lifetime", setnx_lock_short_lifetime, "article 2, a lifetime that is too short", Counts, "12112112112222",
        safe: [None, None, None, Some("12311231123112322323333333")],
        attempts: 2,
        failures: &[
            Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "111t12211122222" },
            Failure { anomaly: Doubled, stock: 2, users: "11", schedule: "111t11222112222" },
            Failure { anomaly: Lost, stock: 2, users: "11", schedule: "111t11222112222" },
        ],
    ),
    strategy!("user-lock", user_lock, "article 1, as it stands", Counts, "121212121212", safe: [None, Some("12121111"), Some("12121111"), Some("12312313131313")], attempts: 2, failures: &[
        Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "111121122222" },
    ]),
    strategy!("user-lock-guard-unread", user_lock_guard_unread, "article 1, with the guard as it stands", Counts, "121212121212", safe: [None, Some("12121111"), None, Some("12312313131313")],
        attempts: 2,
        failures: &[
            Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "111121122222" },
            Failure { anomaly: Lost, stock: 1, users: "12", schedule: "111121122222" },
        ],
    ),
    strategy!(
        "user-lock-guard",
        user_lock_guard,
        "article 1, with the guard, and its reply read",
        Counts,
        "121212121212", safe: [Some("121212121212"), Some("12121111"), Some("12121111"), Some("12312313131313")]
    ),
    strategy!("select-for-update", select_for_update, "article 2, SELECT … FOR UPDATE", Rows, "1211211212222", safe: never("1211211212222", "123112311231232232333333")),
    strategy!("conditional-update", conditional_update, "article 2, UPDATE … WHERE", Rows, "121211222", safe: [Some("121211222"), Some("12121122"), Some("12121122"), Some("12312311232333")]),
    strategy!("queue", queue, "article 1, the pure queue", Counts, "12w12w12w12w12w12w12w2w2w2w2", safe: never("12w12w12w12w12w12w12w2w2w2w2", "123w123w123w123w123w123w123w23w23w23w23w3w3w3w3w3w3"),
        attempts: 2,
        work: Some(|wire, sale| Box::pin(queue::work(wire, sale))),
    ),
    strategy!("script", script, "articles 0, 2 and 3", Packets, "12", safe: never("12", "123")),
    strategy!("batched-script", batched_script, "Stampede", Product, "12", safe: never("12", "123")),
];

/// The strategy with this id.
pub fn strategy(id: &str) -> Option<&'static Strategy> {
    STRATEGIES.iter().find(|strategy| strategy.id == id)
}

#[cfg(test)]
mod tests {
    use super::STRATEGIES;

    #[test]
    fn every_strategy_fits_on_a_page() {
        for strategy in &STRATEGIES {
            let lines = strategy.code.lines().count();
            assert!(lines <= 60, "{} has {lines} lines", strategy.file);
        }
    }
}
