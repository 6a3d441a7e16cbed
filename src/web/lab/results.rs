//! The results of a run's strategies, as a table and as charts: on the page and in the report.

mod chart;
mod conclusion;
mod log_axis;
mod ramp;
mod table;
pub mod words;

pub use chart::ResultCharts;
pub use conclusion::Conclusion;
pub use ramp::{RampSlider, RampTable, at_stop, stops};
pub use table::{Column, ResultTable};

use crate::{
    components::format::{count, in_percent},
    i18n,
    lab::words::{SettingFigures, words as lab_words},
};
use model::lab::{Figures, Settings};

/// Returns the settings of a run in a line.
pub fn settings_line(settings: &Settings) -> String {
    (lab_words().settings)(SettingFigures {
        users: settings.users.into(),
        stock: settings.stock.into(),
        concurrency: concurrency_text(settings),
        repeat_rate: format!("{}%", in_percent(settings.repeat_rate)),
        delay_ms: settings.delay_ms,
        seed: settings.seed,
    })
}

/// Returns how many users wait at a time: `64`, `1 to 512`
pub fn concurrency_text(settings: &Settings) -> String {
    match settings.stops().as_slice() {
        [first, .., last] => (words::words().from_to)(*first, *last),
        _ => settings.concurrency.to_string(),
    }
}

/// `0.42`, `12.3`, `1,234`: at least three digits.
pub fn millis(ms: f64) -> String {
    match ms {
        ..10.0 => format!("{ms:.2}"),
        10.0..100.0 => format!("{ms:.1}"),
        _ => count(ms.round() as u64),
    }
}

/// Returns the name of a strategy's verdict. A strategy that was cut short held only so far, as the rest of the crowd
/// never came.
pub fn verdict_name(figures: &Figures) -> &'static str {
    if figures.holds_so_far() { lab_words().holds_so_far } else { (i18n::words().verdict)(figures.verdict) }
}

/// Returns the reason why the batched script is slower on a slow network, if it is.
fn why_batches_are_slow(settings: &Settings, figures: &[Figures]) -> Option<&'static str> {
    let per_s = |id: &str| figures.iter().find(|figures| figures.name == id).map(|figures| figures.per_s);
    let is_slower = settings.delay_ms > 0 && per_s("batched-script")? < per_s("script")?;
    is_slower.then_some(lab_words().batches_wait)
}

#[cfg(test)]
mod tests {
    use super::{millis, why_batches_are_slow};
    use crate::lab::tests::figures;
    use model::lab::{Figures, Settings};

    #[test]
    fn slow_batches_are_explained_where_there_are_any() {
        let is_explained = |delay_ms, script, batched| {
            let of = |name, per_s| Figures { per_s, ..figures(name) };
            let figures = [of("script", script), of("batched-script", batched)];
            why_batches_are_slow(&Settings { delay_ms, ..Settings::default() }, &figures).is_some()
        };
        assert_eq!([is_explained(5, 2, 1), is_explained(5, 1, 2), is_explained(0, 2, 1)], [true, false, false]);
        let delayed = Settings { delay_ms: 5, ..Settings::default() };
        assert_eq!(why_batches_are_slow(&delayed, &[figures("batched-script")]), None);
    }

    #[test]
    fn a_latency_has_three_digits() {
        assert_eq!([0.416, 9.5, 12.34, 1_234.4].map(millis), ["0.42", "9.50", "12.3", "1,234"]);
    }
}
