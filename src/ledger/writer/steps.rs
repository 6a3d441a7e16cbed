//! The steps of the followers of a process, for those who wait for what is being recorded.

use std::sync::{Arc, Mutex, Weak};
use store::runtime::locked;
use tokio::sync;

/// Held by a follower during each of its steps.
pub type Step = Arc<sync::Mutex<()>>;

/// The followers of a process. Cheap to clone.
#[derive(Clone, Default)]
pub struct Steps(Arc<Mutex<Vec<Weak<sync::Mutex<()>>>>>);

impl Steps {
    /// Adds a follower.
    pub fn add(&self) -> Step {
        let (step, mut all) = (Step::default(), locked(&self.0));
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&step));
        step
    }

    /// Waits for the ends of all steps that have begun. What was read in them is recorded then, or never will be.
    pub async fn ended(&self) {
        let begun: Vec<Step> = locked(&self.0).iter().filter_map(Weak::upgrade).collect();
        for step in begun {
            // The lock is fair: a follower takes only its next step after this.
            drop(step.lock().await);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn only_steps_that_have_begun_are_waited_for() {
        let steps = Steps::default();
        let [one, _other] = [steps.add(), steps.add()];
        let step = one.try_lock().expect("free");
        assert!(steps.ended().now_or_never().is_none());
        drop(step);
        assert!(steps.ended().now_or_never().is_some());
        let step = one.clone().try_lock_owned().expect("free");
        drop(one);
        assert!(steps.ended().now_or_never().is_none(), "its follower ends after the step");
        drop(step);
        assert!(steps.ended().now_or_never().is_some());
    }
}
