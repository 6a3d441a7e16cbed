//! A run as lines of name and value, for its report and for the comparison.

use crate::{
    components::format::{count, micros, money, tenths},
    i18n::FigureWords,
};
use model::{Cents, life::Currency};

/// Lines with a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub title: &'static str,
    pub lines: Vec<Line>,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub term: String,
    /// What the term means; empty if it needs no explanation.
    pub meaning: &'static str,
    pub value: Value,
}

/// A value with its format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Count(u64),
    Micros(u64),
    Money(Cents, Currency),
    /// A share from 0 to 1.
    Share(f64),
}

impl Value {
    /// Returns the value as text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(number) => count(*number),
            Self::Micros(us) => micros(*us),
            Self::Money(cents, currency) => money(*cents, *currency),
            Self::Share(share) => percent(*share),
        }
    }

    /// Returns the difference to the other value, as `+1,200 (+10.5%)`; `None` if the values are not numbers, or equal.
    pub fn change(&self, other: &Self) -> Option<String> {
        let signed = |from: i128, to: i128, write: &dyn Fn(u64) -> String| {
            let sign = if to < from { "−" } else { "+" };
            let by = |number: i128| u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX);
            let thousandths = ((to - from) * 1_000).checked_div(from.abs()).map(by);
            let share = thousandths.map(|thousandths| format!(" ({sign}{}%)", tenths(thousandths)));
            (from != to).then(|| format!("{sign}{}{}", write(by(to - from)), share.unwrap_or_default()))
        };
        match (self, other) {
            (Self::Count(from), Self::Count(to)) => signed((*from).into(), (*to).into(), &count),
            (Self::Micros(from), Self::Micros(to)) => signed((*from).into(), (*to).into(), &micros),
            (Self::Money(from, currency), Self::Money(to, other)) if currency == other => {
                let write = |cents| money(i64::try_from(cents).unwrap_or(i64::MAX), *currency);
                signed((*from).into(), (*to).into(), &write)
            }
            _ => None,
        }
    }
}

/// Makes a line.
pub fn line(term: impl Into<String>, value: Value) -> Line {
    Line { term: term.into(), meaning: "", value }
}

/// Makes a line of a figure that is explained.
pub fn figure_line(FigureWords { label, meaning }: FigureWords, value: Value) -> Line {
    Line { meaning, ..line(label, value) }
}

/// `12.5%`
fn percent(share: f64) -> String {
    let thousandths = (share * 1_000.0).round() as u64;
    if thousandths.is_multiple_of(10) { format!("{}%", thousandths / 10) } else { format!("{}%", tenths(thousandths)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_a_sign_and_a_share() {
        let change = |from, to| Value::Count(from).change(&Value::Count(to));
        assert_eq!(change(2_000, 3_210).as_deref(), Some("+1,210 (+60.5%)"));
        assert_eq!(change(2_000, 1_500).as_deref(), Some("−500 (−25.0%)"));
        assert_eq!(change(0, 5).as_deref(), Some("+5"));
        assert_eq!(change(7, 7), None);
        assert_eq!(Value::Micros(2_000).change(&Value::Micros(1_000)).as_deref(), Some("−1.0 ms (−50.0%)"));
        let yuan = |cents| Value::Money(cents, Currency::CNY);
        assert_eq!(yuan(-5).change(&yuan(10)).as_deref(), Some("+¥0.15 (+300.0%)"));
        assert_eq!(yuan(5).change(&Value::Money(10, Currency::from_code("EUR").expect("a currency"))), None);
        assert_eq!(Value::Text("a".to_owned()).change(&Value::Text("b".to_owned())), None);
    }

    #[test]
    fn shares_are_written_in_percent() {
        assert_eq!([0.0, 0.2, 0.125, 1.0].map(percent), ["0%", "20%", "12.5%", "100%"]);
    }
}
