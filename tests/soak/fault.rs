//! What goes wrong in a round.

use super::nodes::faketime;
use rand::{Rng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A server is killed, whichever, and comes back with another clock.
    Server,
    /// The server that writes the ledger is killed.
    Writer,
    /// A server with a Redis of its own is killed and started at once, three times.
    AtOnce,
    /// Redis is killed, and comes back with what it has written.
    Redis,
    /// Redis has no memory left, then it has.
    Full,
    /// The clock of Redis jumps.
    Clock,
    /// The primary is killed; a replica, which may lack the end, takes its place.
    Failover,
    /// Nothing else but that the database is away.
    Ledger,
}

impl Fault {
    const ALL: [Self; 8] =
        [Self::Server, Self::Writer, Self::AtOnce, Self::Redis, Self::Full, Self::Clock, Self::Failover, Self::Ledger];

    /// Those that this machine can do, each once, in any order.
    pub fn shuffled(random: &mut ChaCha8Rng) -> Vec<Self> {
        let mut faults = Self::ALL.to_vec();
        faults.retain(|fault| *fault != Self::Clock || faketime().is_some());
        faults.shuffle(random);
        faults
    }

    /// Whether sales may be about to end by themselves. What ends between the promotion of a replica and the end of its
    /// primary would be lost, too; and what ends in a second does not if the clock goes back.
    pub fn lets_sales_end(self) -> bool {
        !matches!(self, Self::Failover | Self::Clock)
    }

    /// Whether the database is away at the same time. A server needs it to start.
    pub fn is_without_ledger(self, random: &mut ChaCha8Rng) -> bool {
        match self {
            Self::Server | Self::Writer | Self::AtOnce => false,
            Self::Redis | Self::Full | Self::Clock | Self::Failover => random.random_ratio(1, 3),
            Self::Ledger => true,
        }
    }
}
