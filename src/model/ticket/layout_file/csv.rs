//! A layout in CSV: one line for each row, or for each seat.
//!
//! A line with `seats` is a row. A line with `seat` is a seat: of a row that has a line, it says more about that seat; the
//! other rows have the seats of their lines, from left to right.

use super::{FileMistake, Lines, Parsed, sentence};
use crate::ticket::hall::{
    Layout, MAX_ROW, Section,
    marks::{Mark, Marking},
    rows::{MAX_STEP, RowLayout},
};
use std::{
    collections::{HashMap, HashSet},
    str::FromStr,
};

const COLUMNS: [&str; 16] = [
    "section", "category", "row", "seats", "from", "step", "gaps", "aisles", "seat", "mark", "note", "rank", "x", "y",
    "turn", "radius",
];

/// The column that a part of a layout comes from.
pub fn column(path: &str) -> String {
    let (path, last) = path.rsplit_once('.').unwrap_or(("", path));
    let name = last.split('[').next().unwrap_or(last);
    let column = match (name, path.is_empty()) {
        ("id", _) | ("sections", true) => "section",
        ("name", _) => "row",
        ("rows", _) => "seats",
        ("categories", _) => "category",
        ("seats", _) if path.starts_with("marks") => "seat",
        ("marks", _) => "mark",
        (name, _) => name,
    };
    column.to_owned()
}

pub fn parse(text: &str) -> Parsed {
    let mut reader = Reader::default();
    let mut records = records(text).into_iter().filter(|(_, fields)| fields.iter().any(|field| !field.is_empty()));
    let Some((line, header)) = records.next() else {
        reader.bad(1, "", "is empty");
        return reader.finish();
    };
    let header: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
    for name in header.iter().filter(|name| !COLUMNS.contains(&name.as_str())) {
        reader.bad(line, name, &format!("is no column; the columns are {}", COLUMNS.join(", ")));
    }
    if !header.iter().any(|name| name == "section") || !header.iter().any(|name| name == "seats" || name == "seat") {
        reader.bad(line, "", "needs the columns `section`, and `seats` or `seat`, in its first line");
        return reader.finish();
    }
    let records: Vec<Record<'_>> = records.map(|(line, fields)| Record { line, header: &header, fields }).collect();
    for record in &records {
        if record.fields.len() > header.len() {
            let why = format!("has {} fields in this line, and {} in the first", record.fields.len(), header.len());
            reader.bad(record.line, "", &why);
        }
        reader.record(record);
    }
    reader.finish()
}

/// A line of the file.
struct Record<'a> {
    line: usize,
    header: &'a [String],
    fields: Vec<String>,
}

impl Record<'_> {
    /// What a column has; empty if it has nothing.
    fn text(&self, column: &str) -> &str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.fields.get(at)).map_or("", |field| field.trim())
    }
}

/// A row whose seats are listed.
struct Listed {
    section: usize,
    row: usize,
    line: usize,
    numbers: Vec<u16>,
}

#[derive(Default)]
struct Reader {
    layout: Layout,
    lines: Lines,
    mistakes: Vec<FileMistake>,
    /// The categories of the layout.
    categories: HashSet<String>,
    /// Where sections and rows are, by section, and by section and row, all in capitals.
    sections: HashMap<String, usize>,
    rows: HashMap<(usize, String), usize>,
    /// The rows without a line, in `listed`, by section and row.
    of_listed: HashMap<(usize, usize), usize>,
    listed: Vec<Listed>,
    /// What is said about seats alike, by the text of it.
    alike: HashMap<[String; 3], usize>,
}

impl Reader {
    fn bad(&mut self, line: usize, column: &str, message: &str) {
        self.mistakes.push(FileMistake { line, message: sentence(column, message) });
    }

    /// A number in a column; `None` if there is none.
    fn number<N: FromStr>(&mut self, record: &Record<'_>, column: &str, what: &str) -> Option<N> {
        let text = record.text(column);
        if text.is_empty() {
            return None;
        }
        // Spreadsheets of some countries write fractions with a comma.
        let number = text.parse().or_else(|_| text.replacen(',', ".", 1).parse()).ok();
        if number.is_none() {
            self.bad(record.line, column, &format!("is \"{text}\"; it must be {what}"));
        }
        number
    }

    fn whole<N: FromStr>(&mut self, record: &Record<'_>, column: &str) -> Option<N> {
        self.number(record, column, "a whole number")
    }

    fn length(&mut self, record: &Record<'_>, column: &str) -> Option<f64> {
        self.number(record, column, "a number")
    }

    /// Numbers with blanks between them.
    fn numbers(&mut self, record: &Record<'_>, column: &str) -> Vec<u16> {
        let mut numbers = Vec::new();
        for word in record.text(column).split_whitespace() {
            match word.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let why = format!("has \"{word}\"; give numbers of seats with blanks between them");
                    self.bad(record.line, column, &why);
                }
            }
        }
        numbers
    }

    fn record(&mut self, record: &Record<'_>) {
        if record.text("section").is_empty() {
            return self.bad(record.line, "section", "is empty");
        }
        match (record.text("seats").is_empty(), record.text("seat").is_empty()) {
            (false, true) => self.row(record),
            (true, false) => self.seat(record),
            (true, true) => self.bad(record.line, "seats", "is empty; give either `seats` or `seat`"),
            (false, false) => self.bad(record.line, "seat", "is given beside `seats`; give one of them"),
        }
    }

    /// The section of a line, which is new if no line before has named it.
    fn section(&mut self, record: &Record<'_>) -> usize {
        let id = record.text("section");
        let at = match self.sections.get(&id.to_uppercase()) {
            Some(at) => *at,
            None => {
                let at = self.layout.sections.len();
                self.sections.insert(id.to_uppercase(), at);
                self.layout.sections.push(Section { id: id.to_owned(), ..Section::default() });
                self.lines.0.insert(format!("sections[{at}]"), record.line);
                at
            }
        };
        let (x, y) = (self.length(record, "x"), self.length(record, "y"));
        let (turn, radius) = (self.length(record, "turn"), self.length(record, "radius"));
        let rank = self.whole(record, "rank");
        let section = &mut self.layout.sections[at];
        (section.x, section.y) = (x.or(section.x), y.or(section.y));
        (section.turn, section.radius) = (turn.unwrap_or(section.turn), radius.unwrap_or(section.radius));
        section.rank = rank.unwrap_or(section.rank);
        let places = ["rank", "x", "y", "turn", "radius"].into_iter().filter(|name| !record.text(name).is_empty());
        for name in places {
            self.lines.0.insert(format!("sections[{at}].{name}"), record.line);
        }
        at
    }

    /// Notes the category of a line among those of the layout.
    fn category(&mut self, record: &Record<'_>) -> String {
        let category = record.text("category");
        let categories = &mut self.layout.categories;
        if !category.is_empty() && self.categories.insert(category.to_owned()) {
            self.lines.0.insert(format!("categories[{}]", categories.len()), record.line);
            categories.push(category.to_owned());
        }
        category.to_owned()
    }

    /// Adds a row to a section. Returns its index.
    fn add_row(&mut self, record: &Record<'_>, section: usize, row: RowLayout) -> usize {
        let at = self.layout.sections[section].rows.len();
        let name = row.name.clone().unwrap_or_else(|| format!("{:02}", at + 1));
        self.lines.0.insert(format!("sections[{section}].rows[{at}]"), record.line);
        self.rows.entry((section, name.to_uppercase())).or_insert(at);
        self.layout.sections[section].rows.push(row);
        at
    }

    fn row(&mut self, record: &Record<'_>) {
        let (section, category) = (self.section(record), self.category(record));
        let its = &mut self.layout.sections[section].category;
        if its.is_empty() {
            its.clone_from(&category);
        } else if !category.is_empty() && *its != category {
            let why =
                format!("is \"{category}\", but the section has \"{its}\"; name seats of another category by `seat`");
            self.bad(record.line, "category", &why);
        }
        for name in ["mark", "note"] {
            if !record.text(name).is_empty() {
                self.bad(record.line, name, "is of a seat; give it in a line with `seat`");
            }
        }
        let plain = RowLayout::from(1_u16);
        let row = RowLayout {
            name: Some(record.text("row").to_owned()).filter(|name| !name.is_empty()),
            seats: self.whole(record, "seats").unwrap_or(plain.seats),
            from: self.whole(record, "from").unwrap_or(plain.from),
            step: self.whole(record, "step").unwrap_or(plain.step),
            gaps: self.numbers(record, "gaps"),
            aisles: self.numbers(record, "aisles"),
        };
        self.add_row(record, section, row);
    }

    fn seat(&mut self, record: &Record<'_>) {
        let (section, category) = (self.section(record), self.category(record));
        let name = record.text("row");
        if name.is_empty() {
            return self.bad(record.line, "row", "is empty; a seat is in a row");
        }
        let Some(number) = self.whole::<u16>(record, "seat") else { return };
        for column in ["from", "step", "gaps", "aisles"] {
            if !record.text(column).is_empty() {
                self.bad(record.line, column, "is of a row; give it in a line with `seats`");
            }
        }
        let row = match self.rows.get(&(section, name.to_uppercase())) {
            Some(row) => *row,
            None => {
                let row = self.add_row(record, section, RowLayout { name: Some(name.to_owned()), ..1_u16.into() });
                self.of_listed.insert((section, row), self.listed.len());
                self.listed.push(Listed { section, row, line: record.line, numbers: Vec::new() });
                row
            }
        };
        let its = &mut self.layout.sections[section].category;
        if let Some(listed) = self.of_listed.get(&(section, row)) {
            self.listed[*listed].numbers.push(number);
            if its.is_empty() {
                its.clone_from(&category);
            }
        }
        let own = if *its == category { String::new() } else { category };
        let id = {
            let section = &self.layout.sections[section];
            format!("{}-{}-{number:02}", section.id, section.row_name(row as u16))
        };
        self.marks(record, &id, own);
    }

    /// What a line says about a seat, which has this category if it is not that of its section.
    fn marks(&mut self, record: &Record<'_>, id: &str, category: String) {
        let note = record.text("note");
        let mut marks: Vec<Option<Mark>> = Vec::new();
        for word in record.text("mark").split_whitespace() {
            match Mark::from_name(word) {
                Some(mark) => marks.push(Some(mark)),
                None => {
                    let known = Mark::ALL.map(Mark::name).join(", ");
                    self.bad(record.line, "mark", &format!("has \"{word}\"; a mark is one of {known}"));
                }
            }
        }
        if marks.is_empty() && !(note.is_empty() && category.is_empty()) {
            marks.push(None);
        }
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        for (nth, mark) in marks.into_iter().enumerate() {
            // Note and category are said once.
            let (note, category) = if nth == 0 { (note, category.as_str()) } else { ("", "") };
            let key = [mark.map_or("", Mark::name).to_owned(), note.to_owned(), category.to_owned()];
            let at = *self.alike.entry(key).or_insert_with(|| {
                let (note, category) = (given(note), given(category));
                self.layout.marks.push(Marking { mark, seats: Vec::new(), note, category });
                self.layout.marks.len() - 1
            });
            let seats = &mut self.layout.marks[at].seats;
            let path = format!("marks[{at}]");
            self.lines.0.entry(path.clone()).or_insert(record.line);
            self.lines.0.insert(format!("{path}.seats[{}]", seats.len()), record.line);
            seats.push(id.to_owned());
        }
    }

    fn finish(mut self) -> Parsed {
        for Listed { section, row, line, numbers } in std::mem::take(&mut self.listed) {
            let row = &mut self.layout.sections[section].rows[row];
            match numbered(&numbers) {
                Some(numbered) => *row = RowLayout { name: row.name.take(), ..numbered },
                None => {
                    let why = "names seats that do not count up or down by steps of the same size, or one twice";
                    self.bad(line, "seat", why);
                }
            }
        }
        Parsed { layout: Some(self.layout), lines: self.lines, mistakes: self.mistakes }
    }
}

/// The row with these numbers from left to right: they count up or down, and those that are left out are gaps.
fn numbered(numbers: &[u16]) -> Option<RowLayout> {
    let (first, last) = (i32::from(*numbers.first()?), i32::from(*numbers.last()?));
    let steps = || numbers.windows(2).map(|pair| i32::from(pair[1]) - i32::from(pair[0]));
    let step = steps().min_by_key(|step| step.abs()).unwrap_or(1);
    let is_regular = step != 0 && step.abs() <= i32::from(MAX_STEP);
    if !is_regular || steps().any(|other| other % step != 0 || other.signum() != step.signum()) {
        return None;
    }
    let seats = u16::try_from((last - first) / step + 1).ok()?;
    if usize::from(seats) > MAX_ROW {
        // That is the mistake, whatever its numbers are.
        return Some(seats.into());
    }
    let mut row = RowLayout { from: numbers[0], step: step as i16, ..seats.into() };
    let places = 0..seats;
    row.gaps = places.map(|place| row.number(place)).filter(|number| !numbers.contains(number)).collect();
    Some(row)
}

/// The lines of a file with their numbers and fields. Fields may have quotes, and then also line feeds.
fn records(text: &str) -> Vec<(usize, Vec<String>)> {
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // Spreadsheets write semicolons where commas are in numbers.
    let count = |sign: char| header.chars().filter(|other| *other == sign).count();
    let comma = [',', ';', '\t'].into_iter().max_by_key(|sign| (count(*sign), *sign == ',')).unwrap_or(',');
    let mut records = Vec::new();
    let (mut line, mut from) = (1, 1);
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        line += usize::from(sign == '\n');
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => field.extend(signs.next()),
            '"' if is_quoted || field.is_empty() => is_quoted = !is_quoted,
            sign if is_quoted => field.push(sign),
            '\r' => {}
            '\n' => {
                fields.push(std::mem::take(&mut field));
                records.push((from, std::mem::take(&mut fields)));
                from = line;
            }
            sign if sign == comma => fields.push(std::mem::take(&mut field)),
            sign => field.push(sign),
        }
    }
    if !field.is_empty() || !fields.is_empty() {
        fields.push(field);
        records.push((from, fields));
    }
    records
}
