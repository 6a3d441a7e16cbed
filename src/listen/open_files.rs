//! The limit on open files of this process. Each connection is one, and so is each file that is sent.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number that the connections of a server need, including the benchmarks' clients in the same process.
const WANTED: u64 = 65_536;
/// The number kept for everything but connections of clients: Redis, the ledger, the listener, and files that are sent.
/// It is at most half of the limit.
const OTHERS: u64 = 256;

/// Raises the limit on open files, which shells usually set to 1,024, as far as the system allows.
pub fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if current.is_some_and(|current| current < allowed)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum })
    {
        // Logging has not started yet.
        eprintln!("stampede: the limit on open files stays as it is: {error}");
    }
}

/// The number of client connections for which the limit leaves room.
pub fn room_for_connections() -> usize {
    room_of(getrlimit(Resource::Nofile).current)
}

/// The number of client connections under a limit; `None` is no limit.
fn room_of(limit: Option<u64>) -> usize {
    let room = limit.map(|limit| limit - OTHERS.min(limit / 2));
    room.map_or(usize::MAX, |room| usize::try_from(room).unwrap_or(usize::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::room_of;

    #[test]
    fn something_is_left_for_everything_else() {
        for (limit, room) in [(None, usize::MAX), (Some(0), 1), (Some(64), 32), (Some(512), 256), (Some(1_024), 768)] {
            assert_eq!(room_of(limit), room, "{limit:?}");
        }
    }
}
