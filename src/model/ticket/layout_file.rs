//! A layout in a file, JSON or CSV, with its mistakes, each with its line (`docs/layouts.md`).

mod csv;
mod json;

use crate::ticket::{
    MAX_LAYOUT_BYTES,
    hall::{
        Hall, Layout,
        check::{Mistake, mistakes, mistakes_of_new, too_far},
    },
};
use std::collections::{HashMap, HashSet};

/// A layout that was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutFile {
    /// The hall, if it can be drawn: then its only mistakes are sections that overlap, that are too far away, or whose
    /// ids are alike.
    pub hall: Option<Hall>,
    /// The mistakes, in the order of their lines. Some show only once others are mended.
    pub mistakes: Vec<FileMistake>,
}

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMistake {
    /// The number of the line, from 1.
    pub line: usize,
    /// A sentence.
    pub message: String,
}

/// The lines of the parts of a layout, by their paths: `sections[3].rows[0]`.
#[derive(Debug, Default)]
struct Lines(HashMap<String, usize>);

impl Lines {
    /// The line of a part, or of the smallest part around it that has one.
    fn of(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.0.get(path) {
                return *line;
            }
            let Some(end) = path.rfind(['.', '[']) else { return self.0.get("").copied().unwrap_or(1) };
            path = &path[..end];
        }
    }
}

/// What a file says, before it is checked.
struct Parsed {
    /// `None` if the text has none that could be checked.
    layout: Option<Layout>,
    lines: Lines,
    mistakes: Vec<FileMistake>,
}

/// Reads a file: JSON if it begins with a brace, or else CSV.
pub fn read(text: &str) -> LayoutFile {
    if text.len() > MAX_LAYOUT_BYTES {
        return LayoutFile { hall: None, mistakes: vec![too_large(text.len())] };
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_json = text.trim_start().starts_with(['{', '[']);
    let (parsed, subject): (Parsed, fn(&str) -> String) =
        if is_json { (json::parse(text), str::to_owned) } else { (csv::parse(text), csv::column) };
    let Parsed { layout, lines, mistakes: mut found } = parsed;
    let Some(layout) = layout else { return LayoutFile { hall: None, mistakes: found } };
    let of_file = |Mistake { field, message }: Mistake| FileMistake {
        line: lines.of(&field),
        message: sentence(&subject(&field), &message),
    };
    // What follows from a value that could not be read would mislead: on its line, and where its seats are named.
    let unread: HashSet<usize> = found.iter().map(|mistake| mistake.line).collect();
    let names_a_seat = |mistake: &Mistake| mistake.field.starts_with("marks[") && mistake.field.contains(".seats[");
    let further = mistakes(&layout).into_iter().filter(|mistake| unread.is_empty() || !names_a_seat(mistake));
    found.extend(further.map(of_file).filter(|mistake| !unread.contains(&mistake.line)));
    let mut hall = None;
    if found.is_empty() {
        let layout = layout.placed();
        found.extend(too_far(&layout).into_iter().map(of_file));
        let laid_out = Hall::laid_out(layout);
        found.extend(mistakes_of_new(&laid_out).into_iter().map(of_file));
        hall = Some(laid_out);
    }
    found.sort();
    LayoutFile { hall, mistakes: found }
}

/// The mistake of a file of so many bytes, which is not read.
pub fn too_large(bytes: usize) -> FileMistake {
    let (size, most) = (bytes.div_ceil(1024), MAX_LAYOUT_BYTES / 1024);
    FileMistake { line: 1, message: format!("The file has {size} KiB; at most {most} are allowed.") }
}

/// A sentence about a field.
fn sentence(field: &str, message: &str) -> String {
    if field.is_empty() { format!("The file {message}.") } else { format!("`{field}` {message}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes_of(text: &str) -> Vec<(usize, String)> {
        read(text).mistakes.into_iter().map(|FileMistake { line, message }| (line, message)).collect()
    }

    fn hall(text: &str) -> Hall {
        let LayoutFile { hall, mistakes } = read(text);
        assert_eq!(mistakes, []);
        hall.expect("a hall")
    }

    const JSON: &str = r#"{
        "categories": ["near", "far"],
        "sections": [
            { "id": "A", "category": "near", "rows": [
                4,
                { "name": "K", "seats": 6, "from": 1, "step": 2, "gaps": [5], "aisles": [7] }
            ] },
            { "id": "B", "category": "far", "rows": [3] }
        ],
        "marks": [{ "mark": "blocked", "seats": ["A-K-01", "b-01-03"], "note": "Camera" }]
    }"#;

    const CSV: &str = "section,category,row,seats,from,step,gaps,aisles,seat,mark,note\n\
        A,near,,4,,,,,,,\n\
        A,,K,6,1,2,5,7,,,\n\
        B,far,,3,,,,,,,\n\
        A,,K,,,,,,1,blocked,Camera\n\
        B,,01,,,,,,3,blocked,Camera\n";

    #[test]
    fn json_and_csv_describe_the_same_hall() {
        let (json, csv) = (hall(JSON), hall(CSV));
        assert_eq!((&json.rows, &json.categories, &json.marks), (&csv.rows, &csv.categories, &csv.marks));
        assert_eq!(json.seats(), 12);
        let ids: Vec<String> = (0..12).filter_map(|number| csv.seat(number)).map(|seat| csv.id(seat)).collect();
        let first = ["A-01-01", "A-01-02", "A-01-03", "A-01-04", "A-K-01", "A-K-03", "A-K-07"];
        assert_eq!(ids[..4], first[..4]);
        assert!(first.iter().all(|id| ids.iter().any(|other| other == id)), "{ids:?}");
        let mut blocked: Vec<String> =
            csv.blocked().filter_map(|number| csv.seat(number)).map(|seat| csv.id(seat)).collect();
        blocked.sort_unstable();
        assert_eq!(blocked, ["A-K-01", "B-01-03"]);
        assert_eq!(csv.find("A-K-05"), None);
    }

    #[test]
    fn a_body_that_opens_a_sale_has_its_layout() {
        let body = format!("{{ \"id\": \"gala\", \"layout\": {JSON}, \"prices\": {{ \"near\": 1 }} }}");
        assert_eq!(hall(&body), hall(JSON));
    }

    #[test]
    fn rows_may_be_listed_seat_by_seat() {
        let text = "section,row,seat,category\nS,A,9,x\nS,A,7,x\nS,A,3,y\nS,A,1,x\n";
        let hall = hall(text);
        assert_eq!(hall.layout.categories, ["x", "y"]);
        let row = &hall.layout.sections[0].rows[0];
        assert_eq!((row.seats, row.from, row.step, row.gaps.as_slice()), (5, 9, -2, [5].as_slice()));
        assert_eq!(hall.category(hall.find("S-A-03").expect("a seat")).name, "y");
    }

    #[test]
    fn all_mistakes_are_named_with_their_lines() {
        let text = JSON.replace("\"gaps\": [5]", "\"gaps\": [6]").replace("\"far\", \"rows\"", "\"fra\", \"rows\"");
        let found = mistakes_of(&text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 8], "{found:?}");
        assert!(found[0].1.starts_with("`sections[0].rows[1].gaps` names 6"), "{found:?}");
        let text = JSON.replace("4,", "\"four\",").replace("\"id\": \"B\"", "\"name\": \"B\"");
        let found = mistakes_of(&text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 8, 8], "{found:?}");
        assert_eq!(mistakes_of("{\n\n\"categories\": [}").first().map(|(line, _)| *line), Some(3));

        let text = CSV.replace("K,6,1,2", "K,six,1,2").replace("01,,,,,,3", "01,,,,,,x");
        let found = mistakes_of(&text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 6], "{found:?}");
        let text = CSV.replace("K,6,1,2,5", "K,6,1,2,4").replace("01,,,,,,3", "01,,,,,,9");
        let found = mistakes_of(&text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 6], "{found:?}");
        assert!(found[0].1.starts_with("`gaps` names 4"), "{found:?}");
    }

    #[test]
    fn sections_that_overlap_are_drawn_and_named() {
        let text = r#"{ "categories": ["a"], "sections": [
            { "id": "A", "category": "a", "rows": [4, 4] },
            { "id": "B", "category": "a", "rows": [4], "y": 1 }
        ] }"#;
        let LayoutFile { hall, mistakes } = read(text);
        assert!(hall.is_some());
        assert_eq!(mistakes.len(), 1);
        assert_eq!((mistakes[0].line, mistakes[0].message.contains("\"B\", which overlaps \"A\"")), (3, true));
    }

    #[test]
    fn spreadsheets_of_other_countries_and_programs_that_write_null_are_understood() {
        let csv = "\n\nsection;category;row;seats;x;y\nA;near;K;4;1,5;-2\n";
        let section = hall(csv).layout.sections.remove(0);
        assert_eq!((section.x, section.y), (Some(1.5), Some(-2.0)));
        let found = mistakes_of(&csv.replace("1,5", "1,000,5"));
        assert_eq!(found, [(4, "`x` is \"1,000,5\"; it must be a number.".to_owned())]);
        let json = r#"{ "categories": ["a"], "sections": [
            { "id": "A", "category": "a", "x": null, "y": null, "rows": [{ "name": null, "seats": 2 }] }
        ], "marks": [{ "mark": null, "seats": ["A-01-01"], "note": "Pillar", "category": null }] }"#;
        assert_eq!(hall(json).seats(), 2);
        assert_eq!(mistakes_of(&json.replace("\"seats\": 2", "\"seats\": null")).len(), 1);
    }

    #[test]
    fn what_is_far_beyond_the_limits_is_refused_without_much_work() {
        let of = |categories: &str, sections: &[String]| {
            format!("{{ \"categories\": [{categories}], \"sections\": [{}] }}", sections.join(","))
        };
        let section = |id: usize, rest: &str| format!("{{ \"id\": \"A{id}\", \"category\": \"a\", {rest} }}");

        let [step] = &mistakes_of(&of("\"a\"", &[section(0, "\"rows\": [{ \"seats\": 2, \"step\": -32768 }]")]))[..]
        else {
            panic!("one mistake")
        };
        assert!(step.1.contains("`sections[0].rows[0].step` is -32768"), "{}", step.1);

        let empty: Vec<String> = (0..2_000).map(|id| section(id, "\"rows\": []")).collect();
        assert_eq!(mistakes_of(&of("\"a\"", &empty)).len(), 1_000);
        let of_categories = mistakes_of(&of("\"a\", \"a\"", &empty));
        assert_eq!(of_categories.len(), 1, "while these are wrong, nothing else is checked");

        let full = vec!["65535"; 70_000].join(",");
        assert!(!mistakes_of(&of("\"a\"", &[section(0, &format!("\"rows\": [{full}]"))])).is_empty());

        let in_one_place: Vec<String> =
            (0..40).map(|id| section(id, "\"rows\": [200], \"x\": 0, \"y\": 0, \"radius\": 0.001")).collect();
        let found = mistakes_of(&of("\"a\"", &in_one_place));
        assert_eq!(found.len(), 1);
        assert!(found[0].1.contains("too many seats in one place"), "{found:?}");

        let large = " ".repeat(MAX_LAYOUT_BYTES + 1);
        assert_eq!(mistakes_of(&large), [(1, "The file has 1025 KiB; at most 1024 are allowed.".to_owned())]);
    }

    #[test]
    fn what_is_no_layout_is_a_mistake() {
        for text in ["", "[]", "{}", "x", "\"a\"", "section,row\n", "section,seats\nA,1,2,3\n", "{\"sections\": 1}"] {
            let LayoutFile { hall, mistakes } = read(text);
            assert!(hall.is_none() && !mistakes.is_empty(), "{text}");
        }
    }
}
