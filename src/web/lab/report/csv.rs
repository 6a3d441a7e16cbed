//! A run as CSV: a line for each strategy, with the figures under their names in the API. No cell can be taken for a
//! formula: names are the lab's own, and everything else is a number.

use model::lab::run::Run;

/// The file.
pub fn write(run: &Run) -> Result<String, String> {
    let mut file = csv::Writer::from_writer(Vec::new());
    for figures in &run.strategies {
        // Flattened by serde, with the names of its fields in the first line.
        file.serialize(figures).map_err(|error| error.to_string())?;
    }
    if run.strategies.is_empty() {
        file.write_record(["name"]).map_err(|error| error.to_string())?;
    }
    let bytes = file.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::figures;
    use model::{
        Verdict,
        lab::{Figures, Settings, run::Phase},
    };

    #[test]
    fn each_strategy_has_a_line_with_its_figures() {
        let figures = Figures {
            oversold: 1,
            lowest_stock: Some(-1),
            verdict: Verdict::Broken,
            expected: Verdict::Broken,
            ..figures("pipeline")
        };
        let run = Run {
            run: "r".to_owned(),
            settings: Settings::default(),
            database: "SQLite".to_owned(),
            phase: Phase::Done,
            started_at: 0,
            reported_at: 0,
            now: None,
            strategies: vec![figures],
            courses: Vec::new(),
            reason: None,
        };
        assert_eq!(
            write(&run).expect("a file"),
            "name,attempts,cut_short,per_s,p50_ms,p99_ms,round_trips,commands,given,oversold,doubled,lost,retries,\
             lowest_stock,verdict,expected\npipeline,12,false,1000,0.5,2.25,2.0,4.0,3,1,0,0,0,-1,broken,broken\n"
        );
    }
}
