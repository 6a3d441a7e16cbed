//! Crowd presets: named settings that demonstrate something, scaled to a sale.

use crate::crowd::{
    api::{self, StartRequest},
    words::words,
};
use model::{
    crowd::{Arrival, ArrivalKind, Behavior, MAX_CONCURRENCY, RunConfig},
    error::Result,
    runs::Started,
};

/// The duration of a ramp, in seconds: long enough to follow it, and short enough to wait for its verdict.
const RAMP_S: u32 = 10;
/// The minimum and maximum number of a preset's users.
const USERS: std::ops::RangeInclusive<u32> = 200..=60_000;
/// Attempts in flight.
const CONCURRENCY: u32 = 500;
/// The time until a sale opens for which users wait, in seconds: the last of them come two seconds before.
const START_S: u64 = RAMP_S as u64 + 2;

/// The settings of a crowd, except the sale and the seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// As in [`RunConfig`].
    pub users: u32,
    /// As in [`RunConfig`].
    pub concurrency: u32,
    /// As in [`RunConfig`].
    pub repeat_rate: f64,
    /// As in [`RunConfig`].
    pub arrival: Arrival,
    /// The behavior of users; empty for the defaults of the kind.
    pub behavior: Behavior,
}

impl Settings {
    /// Returns a ramp: this many users arrive at an evenly growing rate, and a fifth of them click twice.
    fn ramp(users: u32, behavior: Behavior) -> Self {
        let users = users.clamp(*USERS.start(), *USERS.end());
        Self { users, concurrency: CONCURRENCY, repeat_rate: 0.2, arrival: ramp_of(users), behavior }
    }

    /// Returns a burst: this many users arrive at once, and a fifth of them click twice.
    pub fn burst(users: u32, behavior: Behavior) -> Self {
        Self { arrival: Arrival::BURST, ..Self::ramp(users, behavior) }
    }

    /// Returns the same settings for at least this many users, so that most of them get nothing and are seen to.
    pub fn at_least(self, users: u32) -> Self {
        let users = self.users.max(users);
        self.for_users(users)
    }

    /// Returns the same settings for this many users, who arrive in the same time.
    fn for_users(self, users: u32) -> Self {
        let arrival = if self.arrival.kind == ArrivalKind::Ramp { ramp_of(users) } else { self.arrival };
        Self { users, arrival, ..self }
    }

    /// Returns the request that starts such a crowd.
    pub fn request(self, kind: &str, sale: String, seed: Option<u64>) -> StartRequest {
        let Self { users, concurrency, repeat_rate, arrival, behavior } = self;
        StartRequest { sale, users, concurrency, repeat_rate, arrival, seed, kind: Some(kind.to_owned()), behavior }
    }

    /// Starts such a crowd.
    ///
    /// # Errors
    /// Those of [`api::start`].
    pub async fn start(self, kind: &str, sale: String, seed: Option<u64>) -> Result<Started> {
        let StartRequest { sale, users, concurrency, repeat_rate, arrival, seed, kind, behavior } =
            self.request(kind, sale, seed);
        api::start(sale, users, concurrency, repeat_rate, arrival, seed, kind, behavior).await
    }
}

/// Returns the arrival of this many users on a ramp.
fn ramp_of(users: u32) -> Arrival {
    // A ramp brings half of the users that the full rate would.
    let per_s = users.saturating_mul(2).div_ceil(RAMP_S);
    Arrival { kind: ArrivalKind::Ramp, per_s, over_s: RAMP_S }
}

impl From<RunConfig> for Settings {
    fn from(config: RunConfig) -> Self {
        let RunConfig { users, concurrency, repeat_rate, arrival, behavior, .. } = config;
        Self { users, concurrency, repeat_rate, arrival, behavior: behavior.unwrap_or_default() }
    }
}

/// Settings with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name on screen.
    pub name: &'static str,
    /// The point that it demonstrates, in a sentence.
    pub hint: &'static str,
    /// The settings of its crowd.
    pub settings: Settings,
    /// Its crowd waits for the start of a sale: in this many seconds, if a fresh one has to be opened for it.
    pub opens_in_s: Option<u64>,
}

impl Preset {
    /// Returns whether these settings are the preset's, apart from the number of users, which depends on the sale.
    pub fn has(&self, settings: &Settings) -> bool {
        self.settings.clone().for_users(settings.users) == *settings
    }

    /// Returns the presets of every kind of sale, the gentle one first, for this many users with this behavior.
    pub fn common(users: u32, behavior: &Behavior) -> Vec<Self> {
        let words = &words().presets;
        let ramp = Settings::ramp(users, behavior.clone());
        let burst = Settings::burst(users, behavior.clone());
        let doubled = Settings { repeat_rate: 1.0, ..burst.clone() };
        // Whoever waits for the start keeps others from coming, unless all of them can wait at a time.
        let waiting = Settings::ramp(users.min(MAX_CONCURRENCY), behavior.clone());
        let waiting = Settings { concurrency: MAX_CONCURRENCY, repeat_rate: 0.0, ..waiting };
        let preset = |name, hint, settings| Self { name, hint, settings, opens_in_s: None };
        vec![
            preset(words.ramp, words.ramp_hint, ramp),
            preset(words.burst, words.burst_hint, burst),
            preset(words.double, words.double_hint, doubled),
            Self { opens_in_s: Some(START_S), ..preset(words.sharp, words.sharp_hint, waiting) },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_a_preset_are_known_whatever_the_size_of_the_sale() {
        let here = Preset::common(200, &Behavior::new());
        for (place, preset) in Preset::common(30_000, &Behavior::new()).into_iter().enumerate() {
            let found = here.iter().position(|known| known.has(&preset.settings));
            assert_eq!(found, Some(place), "{}", preset.name);
            let changed = Settings { concurrency: 1, ..preset.settings };
            assert!(!here.iter().any(|known| known.has(&changed)));
        }
    }

    #[test]
    fn the_users_of_a_ramp_arrive_within_its_time() {
        for users in [1, 200, 1_200, 30_000, 4_000_000] {
            let Settings { users, arrival, .. } = Settings::ramp(users, Behavior::new());
            assert!(USERS.contains(&users));
            let last = arrival.due_us(users - 1);
            assert!((8_500_000..=10_000_000).contains(&last), "{users} users: the last arrives after {last} µs");
        }
    }
}
