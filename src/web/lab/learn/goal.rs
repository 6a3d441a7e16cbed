//! Whether a level's goal is reached, and what is said while it is not.

use crate::lab::learn::levels::{Goal, Level};
use model::lab::{Anomaly, orders::Orders};

/// How a level stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Somebody has steps left.
    Open,
    /// Everybody has an answer, and nothing went wrong.
    Nothing,
    /// Something else went wrong than what the level asks for.
    Other(Anomaly),
    /// The goal is reached by the play.
    Reached,
}

/// How a level stands with this outcome of its play.
pub fn standing(level: &Level, outcome: Option<&[Anomaly]>) -> Standing {
    let Some(anomalies) = outcome else { return Standing::Open };
    match (level.goal, anomalies.first()) {
        (Goal::Break(anomaly), _) if anomalies.contains(&anomaly) => Standing::Reached,
        (_, Some(other)) => Standing::Other(*other),
        (_, None) => Standing::Nothing,
    }
}

/// Whether the claim that no order breaks a level is right, once every order has been tried.
pub fn is_safe(orders: &Orders) -> bool {
    orders.is_complete && orders.broken == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::learn::levels::LEVELS;

    #[test]
    fn a_level_is_won_by_its_own_anomaly_alone() {
        let [twice, how_many, ..] = &LEVELS;
        assert_eq!(standing(twice, None), Standing::Open);
        assert_eq!(standing(twice, Some(&[])), Standing::Nothing);
        assert_eq!(standing(twice, Some(&[Anomaly::Oversold])), Standing::Reached);
        assert_eq!(standing(twice, Some(&[Anomaly::Lost])), Standing::Other(Anomaly::Lost));
        assert_eq!(standing(how_many, Some(&[Anomaly::Oversold])), Standing::Other(Anomaly::Oversold));
    }
}
