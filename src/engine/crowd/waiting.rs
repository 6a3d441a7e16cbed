//! Users who come before the start of a sale: they click again and again until it opens.

use crate::crowd::{rng::UserRng, run::Run};
use model::Millis;
use std::time::Duration;
use tokio::time::sleep;

/// The longest time for which users wait, in milliseconds. They leave a sale that starts later.
const PATIENCE: Millis = 60_000;
/// The mean time between two clicks of a user.
const BETWEEN_CLICKS: Duration = Duration::from_millis(250);
/// The stream of random numbers that decides how fast a user clicks.
const CLICKS: u32 = u32::MAX - 1;

/// Waits until the user at this position tries again, after an attempt that was made at `now` and refused because the
/// sale starts at `opens_at`: at the latest at the start. Returns false if the user leaves instead.
pub async fn keeps_trying(run: &Run, place: u32, opens_at: Millis, now: Millis) -> bool {
    let left = (opens_at - now).max(0);
    if left > PATIENCE || run.is_stopped() {
        return false;
    }
    // Users do not click in step.
    let pause = BETWEEN_CLICKS.mul_f64(0.5 + UserRng::stream(run.config.seed, place, CLICKS).unit());
    sleep(pause.min(Duration::from_millis(left.unsigned_abs()))).await;
    if run.is_stopped() {
        return false;
    }
    run.one_more();
    true
}
