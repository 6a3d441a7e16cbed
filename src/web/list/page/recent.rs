//! The numbers of items left, as the latest loads of the list had them.

/// The number of values of a curve: two minutes.
const RECENT: usize = 60;

/// Adds what is left after another load; the oldest value makes room. Values are at equal distances as long as one is
/// added for each load, even if nothing has changed.
pub fn with_latest(mut recent: Vec<f64>, left: Option<u64>) -> Vec<f64> {
    recent.extend(left.map(|left| left as f64));
    let old = recent.len().saturating_sub(RECENT);
    recent.drain(..old);
    recent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_load_adds_a_value_and_the_oldest_makes_room() {
        assert_eq!(with_latest(vec![9.0], Some(9)), [9.0, 9.0], "also if nothing has changed");
        assert_eq!(with_latest(vec![9.0], None), [9.0]);
        let recent = (0..=60).fold(Vec::new(), |recent, left| with_latest(recent, Some(left)));
        assert_eq!((recent.len(), recent[0]), (60, 1.0));
    }
}
