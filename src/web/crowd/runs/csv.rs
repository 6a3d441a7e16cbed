//! A run as CSV, with one line per figure. All runs thus have the same columns, and a course may have any length.

use csv::Writer;
use model::{crowd::runs::RunReport, iso, text::not_a_formula};
use serde_json::Value;

const NAMES: [&str; 4] = ["section", "name", "at_ms", "value"];

/// Writes the file.
pub fn write(report: &RunReport, file: &mut Writer<Vec<u8>>) -> csv::Result<()> {
    let mut file = Lines(file);
    file.line(NAMES)?;
    let RunReport { record, audit, history, changes } = report;
    let (started_at, ended_at) = (iso(record.started_at), iso(record.ended_at));
    let run = [
        ("run", record.run.as_str()),
        ("kind", &record.kind),
        ("sale", &record.sale),
        ("started_at", &started_at),
        ("ended_at", &ended_at),
    ];
    for (name, value) in run {
        file.line(["run", name, "", value])?;
    }
    file.line(["run", "phase", "", &text(&json(&record.phase)?)])?;
    file.fields("settings", "", &json(&record.settings)?)?;
    file.fields("figures", "", &json(&record.figures)?)?;
    if let Some(verification) = &record.verification {
        file.fields("verification", "", &json(verification)?)?;
    }
    for invariant in audit.iter().flat_map(|audit| &audit.invariants) {
        file.line(["expected", &invariant.name, "", &invariant.expected.to_string()])?;
        file.line(["found", &invariant.name, "", &invariant.found.to_string()])?;
    }
    for point in history {
        let at = point.at_ms.to_string();
        for (name, value) in [("per_s", point.per_s), ("p50_us", point.p50_us), ("p99_us", point.p99_us)] {
            file.line(["history", name, &at, &value.to_string()])?;
        }
        let names = record.figures.outcomes.0.iter().map(|(name, _)| name.as_str()).chain(["unknown"]);
        for (name, answers) in names.zip(&point.answers) {
            file.line(["answers", name, &at, &answers.to_string()])?;
        }
    }
    for change in changes {
        file.line(["changes", "per_s", &change.at_ms.to_string(), &change.per_s.to_string()])?;
    }
    Ok(())
}

fn json(value: &impl serde::Serialize) -> csv::Result<Value> {
    serde_json::to_value(value).map_err(|error| std::io::Error::from(error).into())
}

/// Returns the text of a value's cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

struct Lines<'a>(&'a mut Writer<Vec<u8>>);

impl Lines<'_> {
    fn line(&mut self, fields: [&str; 4]) -> csv::Result<()> {
        let [section, name, at_ms, value] = fields;
        // A number is not a formula, even if it begins with a minus sign.
        let value = if value.parse::<f64>().is_ok_and(f64::is_finite) { value.into() } else { not_a_formula(value) };
        self.0.write_record([section, name, at_ms, &value])
    }

    /// Writes the fields of an object. Nested fields have both names: `arrival.per_s`.
    fn fields(&mut self, section: &str, outer: &str, object: &Value) -> csv::Result<()> {
        for (name, value) in object.as_object().into_iter().flatten() {
            let name = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
            if value.is_object() {
                self.fields(section, &name, value)?;
            } else {
                self.line([section, &name, "", &text(value)])?;
            }
        }
        Ok(())
    }
}
