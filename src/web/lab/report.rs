//! A run as a file. In CSV, each strategy has a line, with the figures under their names in the API. No cell can be
//! interpreted as a formula: names are the lab's own, and everything else is a number.

use crate::{
    components::{Definition, utc},
    lab::{
        results::{self, Conclusion, RampTable, ResultCharts, ResultTable, at_stop, settings_line, stops},
        words::words,
    },
    runs::report::{Reported, page},
    services::Services,
};
use leptos::prelude::*;
use model::{error::Result, lab::run::Run, text::file_name};

impl Reported for Run {
    fn file_name(&self) -> String {
        file_name(&["lab"], self.started_at)
    }

    async fn find(services: &Services, run: &str) -> Result<Self> {
        services.lab.find(run).await
    }

    fn write_csv(&self, file: &mut csv::Writer<Vec<u8>>) -> csv::Result<()> {
        if self.strategies.is_empty() {
            file.write_record(["name"])?;
        }
        // Serde flattens the figures, and the first line has the names of their fields.
        self.strategies.iter().try_for_each(|figures| file.serialize(figures))
    }

    fn html(self) -> String {
        let words = words();
        let (figures, settings) = (Signal::stored(self.strategies), Signal::stored(self.settings));
        let section = move |stop: u32| {
            let figures = Signal::stored(figures.with(|figures| at_stop(figures, stop)));
            view! {
                <section>
                    <h2>{(results::words::words().people_at_a_time)(stop)}</h2>
                    <Conclusion figures />
                    <ResultTable figures settings />
                </section>
            }
        };
        let shown = if settings.with(|settings| settings.ramp) {
            view! {
                <section>
                    <h2>{words.results}</h2>
                    <RampTable figures stop=Signal::stored(None) />
                </section>
                {figures.with(|figures| stops(figures)).into_iter().map(section).collect_view()}
            }
            .into_any()
        } else {
            view! {
                <section>
                    <h2>{words.results}</h2>
                    <Conclusion figures />
                    <ResultTable figures settings />
                </section>
                <ResultCharts figures />
            }
            .into_any()
        };
        let report = view! {
            <header>
                <h1>{words.title}</h1>
                <p>{settings.with(settings_line)}</p>
                <dl class="terms">
                    <Definition term=words.started>{utc(self.started_at)}</Definition>
                    <Definition term=(words.phase)(self.phase)>
                        <code>{self.run}</code>
                    </Definition>
                </dl>
                {self.reason.map(|reason| view! { <p>{reason}</p> })}
            </header>
            {shown}
        };
        page(words.title.to_owned(), include_str!("../../../style/lab.css"), report)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        lab::tests::{figures, run},
        runs::report::csv,
    };
    use model::{Verdict, lab::Figures};

    #[test]
    fn each_strategy_has_a_line_with_its_figures() {
        let figures = Figures {
            oversold: 1,
            lowest_stock: Some(-1),
            verdict: Verdict::Broken,
            expected: Verdict::Broken,
            ..figures("pipeline")
        };
        assert_eq!(
            csv(&run(vec![figures], Vec::new())).expect("a file"),
            "\u{feff}name,concurrency,attempts,cut_short,per_s,p50_ms,p99_ms,round_trips,commands,given,oversold,doubled,\
             lost,undersold,retries,lowest_stock,verdict,expected\n\
             pipeline,64,12,false,1000,0.5,2.25,2.0,4.0,3,1,0,0,0,0,-1,broken,broken\n"
        );
    }
}
