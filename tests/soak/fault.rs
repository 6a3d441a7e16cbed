//! What goes wrong in a round.

use super::nodes::faketime;
use rand::{Rng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Either server is killed, and comes back with another clock.
    Server,
    /// The server that writes the ledger is killed.
    Writer,
    /// A server with a Redis of its own is killed and started at once, three times.
    AtOnce,
    /// Redis is killed, and comes back with what it has written to disk.
    Redis,
    /// Redis runs out of memory, and gets it back.
    Full,
    /// The clock of Redis jumps.
    Clock,
    /// The primary is killed; a replica, which may lack the newest data, takes its place.
    Failover,
    /// Only the database is unreachable.
    Ledger,
}

impl Fault {
    const ALL: [Self; 8] =
        [Self::Server, Self::Writer, Self::AtOnce, Self::Redis, Self::Full, Self::Clock, Self::Failover, Self::Ledger];

    /// The faults that this machine can cause, each once, in random order.
    pub fn shuffled(random: &mut ChaCha8Rng) -> Vec<Self> {
        let mut faults = Self::ALL.to_vec();
        faults.retain(|fault| *fault != Self::Clock || faketime().is_some());
        faults.shuffle(random);
        faults
    }

    /// Whether sales may be about to end on their own. An end between the promotion of a replica and the end of its
    /// primary would be lost, too; and a sale that is to end in a second does not if the clock goes back.
    pub fn lets_sales_end(self) -> bool {
        !matches!(self, Self::Failover | Self::Clock)
    }

    /// Whether the database is unreachable at the same time. Not where a server starts, which needs it.
    pub fn is_without_ledger(self, random: &mut ChaCha8Rng) -> bool {
        match self {
            Self::Server | Self::Writer | Self::AtOnce => false,
            Self::Redis | Self::Full | Self::Clock | Self::Failover => random.random_ratio(1, 3),
            Self::Ledger => true,
        }
    }
}
