//! The order of arrival. The same seed gives the same order.

use model::lab::Settings;
use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// The user number of each attempt, from 0, in the order of arrival. If users try twice, the two attempts of a user
/// follow each other.
pub fn arrivals(settings: &Settings) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let mut users: Vec<u32> = (0..settings.users).collect();
    users.shuffle(&mut random);
    let mut attempts = Vec::with_capacity(users.len());
    for user in users {
        attempts.push(user);
        if random.random_bool(settings.repeat_rate) {
            attempts.push(user);
        }
    }
    attempts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seed: u64, repeat_rate: f64) -> Vec<u32> {
        arrivals(&Settings { users: 1_000, seed, repeat_rate, ..Settings::default() })
    }

    #[test]
    fn a_seed_gives_the_same_attempts_in_the_same_order_and_another_seed_others() {
        assert_eq!(of(7, 0.1), of(7, 0.1));
        assert_ne!(of(7, 0.1), of(8, 0.1));
    }

    /// Links and reports name a seed, so the seed must always give the same crowd.
    #[test]
    fn the_first_of_the_default_run_are_always_the_same() {
        assert_eq!(arrivals(&Settings::default())[..10], [1151, 293, 1256, 463, 1596, 475, 1099, 211, 467, 1634]);
    }

    #[test]
    fn everybody_comes_and_that_share_comes_twice_at_once() {
        let attempts = of(7, 0.1);
        let twice = attempts.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert_eq!(attempts.len(), 1_000 + twice);
        assert!((70..130).contains(&twice), "{twice}");
        assert_eq!((of(7, 0.0).len(), of(7, 1.0).len()), (1_000, 2_000));
    }
}
