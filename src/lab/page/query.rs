//! What the address of the page says: the settings of a run, the run itself, two runs to compare.

use crate::{
    components::{
        format::in_percent,
        url::{parameter, with_query},
    },
    lab::Settings,
};

/// What the address says.
#[derive(Clone, Debug, PartialEq)]
pub struct LabQuery {
    /// The settings; those that it does not name have their defaults.
    pub settings: Settings,
    /// The run.
    pub run: Option<String>,
    /// The two runs to compare.
    pub compared: Option<[String; 2]>,
}

impl LabQuery {
    /// Reads a query. What cannot be read counts as left out.
    pub fn parse(query: &str) -> Self {
        let number = |name: &str| parameter(query, name).and_then(|text| text.parse::<u32>().ok());
        let defaults = Settings::default();
        // Either one value with commas, or one value each, as a form sends them.
        let list = |wanted: &str| -> Vec<String> {
            let texts = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
            let parts =
                texts.flat_map(|(_, text)| text.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
            parts.filter(|part| !part.is_empty()).collect()
        };
        let mut compared = list("compare").into_iter();
        Self {
            settings: Settings {
                stock: number("stock").unwrap_or(defaults.stock),
                users: number("users").unwrap_or(defaults.users),
                concurrency: number("concurrency").unwrap_or(defaults.concurrency),
                repeat_rate: number("repeat").map_or(defaults.repeat_rate, |percent| f64::from(percent) / 100.0),
                delay_ms: number("delay_ms").unwrap_or(defaults.delay_ms),
                seed: parameter(query, "seed").and_then(|text| text.parse().ok()).unwrap_or(defaults.seed),
                strategies: list("strategies"),
            },
            run: parameter(query, "run"),
            compared: compared.next().zip(compared.next()).map(|(first, second)| [first, second]),
        }
    }

    /// The address that says the same.
    pub fn url(&self) -> String {
        let defaults = Settings::default();
        let Settings { stock, users, concurrency, repeat_rate, delay_ms, seed, strategies } = &self.settings;
        let number = |value: u64, usual: u64| (value != usual).then(|| value.to_string());
        with_query(
            "/lab",
            [
                ("stock", number((*stock).into(), defaults.stock.into())),
                ("users", number((*users).into(), defaults.users.into())),
                ("concurrency", number((*concurrency).into(), defaults.concurrency.into())),
                ("repeat", (*repeat_rate != defaults.repeat_rate).then(|| in_percent(*repeat_rate))),
                ("delay_ms", number((*delay_ms).into(), defaults.delay_ms.into())),
                ("seed", number(*seed, defaults.seed)),
                ("strategies", (!strategies.is_empty()).then(|| strategies.join(","))),
                ("run", self.run.clone()),
                ("compare", self.compared.as_ref().map(|runs| runs.join(","))),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_their_link() {
        let usual = LabQuery { settings: Settings::default(), run: None, compared: None };
        assert_eq!((usual.url().as_str(), LabQuery::parse("")), ("/lab", usual.clone()));
        let settings = Settings {
            stock: 7,
            users: 70,
            concurrency: 3,
            repeat_rate: 0.25,
            delay_ms: 5,
            seed: u64::MAX,
            strategies: vec!["script".to_owned(), "queue".to_owned()],
        };
        let query = LabQuery { settings, run: Some("r".to_owned()), compared: Some(["a".to_owned(), "b".to_owned()]) };
        let url = query.url();
        assert_eq!(LabQuery::parse(url.strip_prefix("/lab?").expect("a query")), query);
    }

    #[test]
    fn two_boxes_of_a_form_are_two_runs() {
        let compared = |query| LabQuery::parse(query).compared;
        assert_eq!(compared("compare=a&compare=b&compare=c"), Some(["a".to_owned(), "b".to_owned()]));
        assert_eq!(compared("compare=a"), None);
    }

    #[test]
    fn what_cannot_be_read_is_as_usual() {
        assert_eq!(LabQuery::parse("stock=x&users=-1&compare=a&seed=").settings, Settings::default());
    }
}
