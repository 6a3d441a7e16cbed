//! A layout in JSON: the object itself, or a request that opens a sale with it.

use super::{FileMistake, Lines, Parsed, sentence};
use crate::ticket::hall::{
    Layout, Section,
    marks::{Mark, Marking},
    rows::RowLayout,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The field of a request that has the layout.
const LAYOUT: &str = "layout";

pub fn parse(text: &str) -> Parsed {
    let (lines, twice) = scan(text);
    let mut reader = Reader { lines, prefix: "", mistakes: Vec::new() };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("The file is no JSON: {error}.");
            let mistakes = vec![FileMistake { line: error.line().max(1), message }];
            return Parsed { layout: None, lines: Lines::default(), mistakes };
        }
    };
    for path in twice {
        reader.bad(&path, "is given twice");
    }
    let value = match value.get(LAYOUT) {
        Some(layout) => {
            reader.prefix = "layout.";
            layout
        }
        None => &value,
    };
    let layout = reader.layout(value);
    let prefix = reader.prefix;
    let of_layout = |(path, line): (String, usize)| match path.as_str() == prefix.trim_end_matches('.') {
        true => Some((String::new(), line)),
        false => Some((path.strip_prefix(prefix)?.to_owned(), line)),
    };
    let lines = Lines(reader.lines.0.into_iter().filter_map(of_layout).collect());
    Parsed { layout: Some(layout), lines, mistakes: reader.mistakes }
}

/// Reads what can be read, and notes what cannot.
struct Reader {
    lines: Lines,
    /// What precedes the paths of the layout in the file.
    prefix: &'static str,
    mistakes: Vec<FileMistake>,
}

impl Reader {
    fn bad(&mut self, path: &str, message: &str) {
        let line = self.lines.of(&format!("{}{path}", self.prefix));
        self.mistakes.push(FileMistake { line, message: sentence(path, message) });
    }

    /// An object with these fields and no other ones.
    fn object<'a>(&mut self, value: &'a Value, path: &str, fields: &[&str]) -> Option<&'a Map<String, Value>> {
        let Some(object) = value.as_object() else {
            self.bad(path, &format!("is {}; it must be an object", shown(value)));
            return None;
        };
        for name in object.keys().filter(|name| !fields.contains(&name.as_str())) {
            self.bad(&inner(path, name), &format!("is no field; the fields are {}", fields.join(", ")));
        }
        Some(object)
    }

    /// A field that may be missing. One of an `Option` may also be null.
    fn field<T: DeserializeOwned>(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        (name, what): (&str, &str),
    ) -> Option<T> {
        let value = object.get(name)?;
        let read = T::deserialize(value).ok();
        if read.is_none() {
            self.bad(&inner(path, name), &format!("is {}; it must be {what}", shown(value)));
        }
        read
    }

    /// A field that must be there.
    fn required<T: DeserializeOwned + Default>(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        (name, what): (&str, &str),
    ) -> T {
        if !object.contains_key(name) {
            self.bad(path, &format!("lacks the field `{name}`"));
        }
        self.field(object, path, (name, what)).unwrap_or_default()
    }

    /// The items of a list, each with its path.
    fn items<'a>(&mut self, object: &'a Map<String, Value>, path: &str, name: &str) -> Vec<(String, &'a Value)> {
        let Some(value) = object.get(name) else { return Vec::new() };
        let path = inner(path, name);
        let Some(items) = value.as_array() else {
            self.bad(&path, &format!("is {}; it must be a list", shown(value)));
            return Vec::new();
        };
        items.iter().enumerate().map(|(at, item)| (format!("{path}[{at}]"), item)).collect()
    }

    fn texts(&mut self, object: &Map<String, Value>, path: &str, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (path, item) in self.items(object, path, name) {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.bad(&path, &format!("is {}; it must be a text", shown(item))),
            }
        }
        texts
    }

    fn layout(&mut self, value: &Value) -> Layout {
        let Some(object) = self.object(value, "", &["categories", "sections", "marks"]) else {
            return Layout::default();
        };
        for name in ["categories", "sections"].into_iter().filter(|name| !object.contains_key(*name)) {
            self.bad("", &format!("lacks the field `{name}`"));
        }
        let categories = self.texts(object, "", "categories");
        let sections = self.items(object, "", "sections");
        let sections = sections.into_iter().map(|(path, value)| self.section(&path, value)).collect();
        let marks = self.items(object, "", "marks");
        let marks = marks.into_iter().map(|(path, value)| self.marking(&path, value)).collect();
        Layout { categories, sections, marks }
    }

    fn section(&mut self, path: &str, value: &Value) -> Section {
        const FIELDS: [&str; 8] = ["id", "category", "rows", "rank", "x", "y", "turn", "radius"];
        const NUMBER: &str = "a number";
        let Some(object) = self.object(value, path, &FIELDS) else { return Section::default() };
        if !object.contains_key("rows") {
            self.bad(path, "lacks the field `rows`");
        }
        let rows = self.items(object, path, "rows");
        Section {
            id: self.required(object, path, ("id", "a text")),
            category: self.required(object, path, ("category", "a text")),
            rows: rows.into_iter().map(|(path, value)| self.row(&path, value)).collect(),
            rank: self.field(object, path, ("rank", "a whole number, 0 or more")).unwrap_or_default(),
            x: self.field(object, path, ("x", NUMBER)).flatten(),
            y: self.field(object, path, ("y", NUMBER)).flatten(),
            turn: self.field(object, path, ("turn", NUMBER)).unwrap_or_default(),
            radius: self.field(object, path, ("radius", NUMBER)).unwrap_or_default(),
        }
    }

    fn row(&mut self, path: &str, value: &Value) -> RowLayout {
        const WHOLE: &str = "a whole number, 0 or more";
        const NUMBERS: &str = "a list of the numbers of seats";
        if !value.is_object() {
            let seats = value.as_u64().and_then(|seats| u16::try_from(seats).ok());
            if seats.is_none() {
                self.bad(path, &format!("is {}; it must be the number of seats, or an object", shown(value)));
            }
            return seats.unwrap_or(1).into();
        }
        let plain = RowLayout::from(1_u16);
        let Some(object) = self.object(value, path, &["name", "seats", "from", "step", "gaps", "aisles"]) else {
            return plain;
        };
        RowLayout {
            name: self.field(object, path, ("name", "a text")).flatten(),
            seats: self.required(object, path, ("seats", WHOLE)),
            from: self.field(object, path, ("from", WHOLE)).unwrap_or(plain.from),
            step: self.field(object, path, ("step", "a whole number")).unwrap_or(plain.step),
            gaps: self.field(object, path, ("gaps", NUMBERS)).unwrap_or_default(),
            aisles: self.field(object, path, ("aisles", NUMBERS)).unwrap_or_default(),
        }
    }

    fn marking(&mut self, path: &str, value: &Value) -> Marking {
        let object = self.object(value, path, &["mark", "seats", "note", "category"]);
        let Some(object) = object else {
            return Marking { mark: None, seats: Vec::new(), note: None, category: None };
        };
        let marks = Mark::ALL.map(Mark::name).join(", ");
        Marking {
            mark: self.field(object, path, ("mark", &format!("one of {marks}"))).flatten(),
            seats: self.texts(object, path, "seats"),
            note: self.field(object, path, ("note", "a text")).flatten(),
            category: self.field(object, path, ("category", "a text")).flatten(),
        }
    }
}

fn inner(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// A value as in a sentence, not longer than that.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        value => {
            let text = value.to_string();
            if text.chars().count() > 40 { "too long".to_owned() } else { text }
        }
    }
}

/// The lines of all values by their paths, and the paths that are there twice. Of what is no JSON, something.
fn scan(text: &str) -> (Lines, Vec<String>) {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0, line: 1, lines: Lines::default(), twice: Vec::new() };
    scanner.value("", 0);
    (scanner.lines, scanner.twice)
}

/// The depth to which values are followed. No layout is deeper.
const DEEPEST: usize = 16;

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    lines: Lines,
    twice: Vec<String>,
}

impl Scanner<'_> {
    /// The next sign that is no blank.
    fn peek(&mut self) -> Option<u8> {
        while let Some(sign) = self.text.get(self.at).filter(|sign| sign.is_ascii_whitespace()) {
            self.line += usize::from(*sign == b'\n');
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Passes a sign, if it is the next one.
    fn pass(&mut self, sign: u8) -> bool {
        let is_next = self.peek() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes a string. Returns it as it stands, with its quotes.
    fn string(&mut self) -> &str {
        let from = self.at;
        self.at += 1;
        while let Some(sign) = self.text.get(self.at) {
            match sign {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = (self.at + 1).min(self.text.len());
        std::str::from_utf8(&self.text[from..self.at]).unwrap_or_default()
    }

    fn value(&mut self, path: &str, depth: usize) {
        let first = self.peek();
        if self.lines.0.insert(path.to_owned(), self.line).is_some() {
            self.twice.push(path.to_owned());
        }
        match first {
            Some(_) if depth == DEEPEST => self.at = self.text.len(),
            Some(b'{') => {
                self.at += 1;
                while self.peek() == Some(b'"') {
                    let name: String = serde_json::from_str(self.string()).unwrap_or_default();
                    self.pass(b':');
                    self.value(&inner(path, &name), depth + 1);
                    self.pass(b',');
                }
                self.pass(b'}');
            }
            Some(b'[') => {
                self.at += 1;
                let mut nth = 0;
                while self.peek().is_some_and(|sign| sign != b']') {
                    let before = self.at;
                    self.value(&format!("{path}[{nth}]"), depth + 1);
                    self.pass(b',');
                    if self.at == before {
                        return;
                    }
                    nth += 1;
                }
                self.pass(b']');
            }
            Some(b'"') => _ = self.string(),
            _ => {
                let is_part = |sign: &&u8| !sign.is_ascii_whitespace() && !b",]}:".contains(sign);
                self.at += self.text[self.at..].iter().take_while(is_part).count();
            }
        }
    }
}
