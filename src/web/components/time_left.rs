//! The time left until an instant by the server's clock.

use crate::components::server_now;
use leptos::prelude::*;
use leptos_use_document_visibility::use_document_visibility;
use model::Millis;
use std::time::Duration;

const SECOND: Millis = 1_000;

/// Returns the milliseconds left until an instant: at each whole second of them, and 0 from the instant on. `None`
/// without an instant, on the server and in the first render.
///
/// The last second ends with the instant, not with the next tick of a clock, so that what waits for it happens in time.
pub fn use_time_left(at: Memo<Option<Millis>>) -> Signal<Option<Millis>> {
    let left = RwSignal::new(None);
    let looks = RwSignal::new(0_u32);
    let visibility = use_document_visibility();
    Effect::new(move || {
        looks.track();
        // Browsers slow the timers of hidden pages down.
        visibility.track();
        let now_left = at.get().map(|at| (at - server_now()).max(0));
        if left.get_untracked() != now_left {
            left.set(now_left);
        }
        let Some(wait) = now_left.and_then(until_next) else { return };
        let timer = set_timeout_with_handle(move || _ = looks.try_update(|looks| *looks += 1), wait);
        on_cleanup(move || {
            if let Ok(timer) = timer {
                timer.clear();
            }
        });
    });
    left.into()
}

/// Returns the time until one second less is left; `None` if nothing is left.
fn until_next(left: Millis) -> Option<Duration> {
    let part = if left % SECOND == 0 { SECOND } else { left % SECOND };
    (left > 0).then(|| Duration::from_millis(part.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_second_ends_with_the_instant() {
        let waits = [2_500, 2_000, 1, 0].map(|left| until_next(left).map(|wait| wait.as_millis()));
        assert_eq!(waits, [Some(500), Some(1_000), Some(1), None]);
    }
}
