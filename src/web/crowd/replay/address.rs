//! The address of a replay: the run, a time at which it stands still, and its speed.

use model::{text::shown_parameter, url::parameter};

/// The speeds to choose from: their names in addresses, and how many times as fast as in reality they are.
pub const SPEEDS: [(&str, f64); 5] = [("10", 10.0), ("1", 1.0), ("1/10", 0.1), ("1/100", 0.01), ("1/1000", 0.001)];

/// The query of the address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayQuery {
    /// The id of the run; empty if the address has none.
    pub run: String,
    /// The time at which the replay stands still, in milliseconds after the start of the run.
    pub at_ms: Option<f64>,
    /// The name of the speed; `None` by itself.
    pub speed: Option<String>,
    /// Unreadable parameters, treated as missing: `speed=x`.
    pub ignored: Vec<String>,
}

impl ReplayQuery {
    /// Reads a query. Unreadable parameters are treated as missing.
    pub fn parse(query: &str) -> Self {
        let mut ignored = Vec::new();
        let mut ignore = |name: &str, text: &str| ignored.push(shown_parameter(name, text));
        let at_ms = parameter(query, "at").and_then(|text| {
            let at = text.parse().ok().filter(|at: &f64| at.is_finite() && *at >= 0.0);
            if at.is_none() {
                ignore("at", &text);
            }
            at
        });
        let speed = parameter(query, "speed").filter(|text| {
            let is_known = speed_of(text).is_some();
            if !is_known {
                ignore("speed", text);
            }
            is_known
        });
        Self { run: parameter(query, "run").unwrap_or_default(), at_ms, speed, ignored }
    }
}

/// Returns how many times as fast as in reality a speed of this name is.
pub fn speed_of(name: &str) -> Option<f64> {
    SPEEDS.iter().find(|(known, _)| *known == name).map(|(_, speed)| *speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::crowd::replay::url;

    #[test]
    fn a_replay_is_in_its_link() {
        let url = url("019b-7");
        let query = ReplayQuery::parse(url.split_once('?').expect("a query").1);
        assert_eq!(query, ReplayQuery { run: "019b-7".to_owned(), ..ReplayQuery::default() });
        let query = ReplayQuery::parse("run=r&at=12.5&speed=1%2F100");
        assert_eq!((query.at_ms, query.speed.as_deref(), query.ignored.len()), (Some(12.5), Some("1/100"), 0));
        assert_eq!(speed_of("1/100"), Some(0.01));
    }

    #[test]
    fn what_cannot_be_read_is_as_usual_and_named() {
        let query = ReplayQuery::parse("run=r&at=-1&speed=fast");
        assert_eq!((query.at_ms, query.speed), (None, None));
        assert_eq!(query.ignored, ["at=-1", "speed=fast"]);
        assert_eq!(ReplayQuery::parse("at=inf").ignored, ["at=inf"]);
    }
}
