//! The query of the page's address: the settings of a run, and the run itself.

use crate::components::format::in_percent;
use model::{
    lab::{Settings, program::Program},
    text::shown_parameter,
    url::{parameter, with_query},
};
use std::str::FromStr;

/// The most unusable parameters that are repeated.
const MOST_NAMED: usize = 5;

/// The query of the address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabQuery {
    /// The settings, with defaults for missing ones.
    pub settings: Settings,
    /// The id of the run.
    pub run: Option<String>,
    /// Unreadable parameters, treated as missing: `stock=x`.
    pub ignored: Vec<String>,
}

impl LabQuery {
    /// Reads a query. Unreadable parameters are treated as missing.
    pub fn parse(query: &str) -> Self {
        let mut ignored = Vec::new();
        let defaults = Settings::default();
        // Either one value with commas, or one value each.
        let values = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "strategies");
        let names = values.flat_map(|(_, text)| text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>());
        let mut strategies = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            if !strategies.contains(&name) {
                strategies.push(name);
            } else {
                let twice = shown_parameter("strategies", &format!("{name},{name}"));
                if !ignored.contains(&twice) {
                    ignored.push(twice);
                }
            }
        }
        let mut numbers = Numbers { query, ignored };
        let settings = Settings {
            stock: numbers.read("stock").unwrap_or(defaults.stock),
            users: numbers.read("users").unwrap_or(defaults.users),
            concurrency: numbers.read("concurrency").unwrap_or(defaults.concurrency),
            ramp: numbers.read("ramp").unwrap_or(defaults.ramp),
            repeat_rate: numbers.read("repeat").map_or(defaults.repeat_rate, |Percent(percent)| percent / 100.0),
            delay_ms: numbers.read("delay_ms").unwrap_or(defaults.delay_ms),
            seed: numbers.read("seed").unwrap_or(defaults.seed),
            strategies,
        };
        Self { settings, run: parameter(query, "run"), ignored: numbers.ignored }
    }

    /// Returns the unusable parts of the address, if these are all strategies: `stock=x`, `strategies=unknown`. Long
    /// parts are shortened, and only the first few are named.
    pub fn not_understood(&self, strategies: &[String]) -> Vec<String> {
        let is_program = |name: &str| matches!(Program::of_id(name), Some(Ok(_)));
        let unknown = self.settings.strategies.iter().filter(|name| !strategies.contains(name) && !is_program(name));
        let ignored = self.ignored.iter().cloned().chain(unknown.map(|name| shown_parameter("strategies", name)));
        ignored.take(MOST_NAMED).collect()
    }

    /// Returns the address with this query.
    pub fn url(&self) -> String {
        let defaults = Settings::default();
        let Settings { stock, users, concurrency, ramp, repeat_rate, delay_ms, seed, strategies } = &self.settings;
        let number = |value: u64, usual: u64| (value != usual).then(|| value.to_string());
        with_query(
            "/lab",
            [
                ("stock", number((*stock).into(), defaults.stock.into())),
                ("users", number((*users).into(), defaults.users.into())),
                ("concurrency", number((*concurrency).into(), defaults.concurrency.into())),
                ("ramp", ramp.then(|| true.to_string())),
                ("repeat", (*repeat_rate != defaults.repeat_rate).then(|| in_percent(*repeat_rate))),
                ("delay_ms", number((*delay_ms).into(), defaults.delay_ms.into())),
                ("seed", number(*seed, defaults.seed)),
                ("strategies", (!strategies.is_empty()).then(|| strategies.join(","))),
                ("run", self.run.clone()),
            ],
        )
    }
}

/// A percentage, as addresses have it. `NaN` and `inf` are not accepted: no run has them, and JSON has no such numbers.
struct Percent(f64);

impl FromStr for Percent {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().ok().filter(|percent: &f64| percent.is_finite()).map(Self).ok_or(())
    }
}

/// Reads numbers and the like, and records values that are none.
struct Numbers<'a> {
    query: &'a str,
    ignored: Vec<String>,
}

impl Numbers<'_> {
    fn read<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let text = parameter(self.query, name)?;
        let number = text.parse().ok();
        self.ignored.extend(number.is_none().then(|| shown_parameter(name, &text)));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_their_link() {
        let usual = LabQuery::default();
        assert_eq!((usual.url().as_str(), LabQuery::parse("")), ("/lab", usual.clone()));
        let settings = Settings {
            stock: 7,
            users: 70,
            concurrency: 3,
            ramp: true,
            repeat_rate: 0.25,
            delay_ms: 5,
            seed: u64::MAX,
            strategies: vec!["script".to_owned(), "queue".to_owned()],
        };
        let query = LabQuery { settings, run: Some("r".to_owned()), ..LabQuery::default() };
        let read = |url: &str| LabQuery::parse(url.strip_prefix("/lab?").expect("a query"));
        assert_eq!(read(&query.url()), query);
        for (repeat_rate, url) in [(0.125, "/lab?repeat=12.5"), (0.07, "/lab?repeat=7"), (0.0, "/lab?repeat=0")] {
            let settings = Settings { repeat_rate, ..Settings::default() };
            let query = LabQuery { settings, ..LabQuery::default() };
            assert_eq!((query.url().as_str(), read(url)), (url, query));
        }
    }

    #[test]
    fn what_cannot_be_read_is_as_usual_and_named() {
        let query = LabQuery::parse("stock=x&users=-1&ramp=maybe&repeat=NaN&seed=&strategies=script,raffle&delay_ms=5");
        let strategies = vec!["script".to_owned(), "raffle".to_owned()];
        assert_eq!(query.settings, Settings { delay_ms: 5, strategies, ..Settings::default() });
        let known = ["script".to_owned()];
        assert_eq!(
            query.not_understood(&known),
            ["stock=x", "users=-1", "ramp=maybe", "repeat=NaN", "strategies=raffle"]
        );
        let twice = LabQuery::parse("strategies=script,script");
        assert_eq!(twice.settings.strategies, known);
        assert_eq!(twice.not_understood(&known), ["strategies=script,script"]);
        let long = LabQuery::parse(&format!("users={}", "9".repeat(3_000))).not_understood(&known);
        assert_eq!(long, [format!("users={}…", "9".repeat(34))]);
        assert_eq!(LabQuery::parse("users=10&strategies=script&run=a").not_understood(&known), [""; 0]);
    }
}
