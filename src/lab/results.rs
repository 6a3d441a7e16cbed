//! What the strategies of a run did, as a table and as charts: on the page and in the report.

mod chart;
mod table;

pub use chart::ResultCharts;
pub use table::{Column, ResultTable};

use super::{
    Settings,
    words::{SettingFigures, words},
};
use crate::components::format::{count, in_percent};

/// The settings of a run in a line.
pub fn settings_line(settings: &Settings) -> String {
    (words().settings)(SettingFigures {
        users: count(settings.users.into()),
        stock: count(settings.stock.into()),
        concurrency: settings.concurrency.to_string(),
        repeat_rate: format!("{} %", in_percent(settings.repeat_rate)),
        delay_ms: settings.delay_ms,
        seed: settings.seed,
    })
}

/// `0.42`, `12.3`, `1,234`: three digits at least.
pub fn millis(ms: f64) -> String {
    match ms {
        ..10.0 => format!("{ms:.2}"),
        10.0..100.0 => format!("{ms:.1}"),
        _ => count(ms.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn a_latency_has_three_digits() {
        assert_eq!([0.416, 9.5, 12.34, 1_234.4].map(millis), ["0.42", "9.50", "12.3", "1,234"]);
    }
}
