//! Ids and seeds come from here: from a seeded generator, so that a run can be repeated.

use super::clock::Clock;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes ids (UUIDv7) and seeds.
pub struct Ids {
    clock: Arc<dyn Clock>,
    random: Mutex<ChaCha8Rng>,
}

impl Ids {
    /// Seeded by the operating system.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, random: Mutex::new(ChaCha8Rng::from_os_rng()) }
    }

    /// Seeded by hand: the same ids in the same order.
    pub fn seeded(clock: Arc<dyn Clock>, seed: u64) -> Self {
        Self { clock, random: Mutex::new(ChaCha8Rng::seed_from_u64(seed)) }
    }

    /// A new UUIDv7.
    pub fn id(&self) -> String {
        let mut random = [0; 10];
        self.random.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut random);
        let millis = u64::try_from(self.clock.now()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
    }

    /// A seed short enough to be read out and typed in again.
    pub fn seed(&self) -> u64 {
        u64::from(self.random.lock().unwrap_or_else(PoisonError::into_inner).next_u32())
    }
}
