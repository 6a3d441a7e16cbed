//! The mistakes of a layout, each with the part that it is in.

use crate::ticket::hall::{
    Hall, Layout, MAX_CATEGORIES, MAX_CATEGORY_LETTERS, MAX_LENGTH, MAX_MARKINGS, MAX_ROW, MAX_ROWS, MAX_SEATS,
    MAX_SECTION_LETTERS, MAX_SECTIONS, Section,
    marks::{MAX_NOTE, Mark},
    place_of,
    rows::{MAX_ROW_LETTERS, MAX_SEAT_NUMBER, MAX_STEP, RowLayout},
    section_numbers,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Seats of two sections that are closer than this overlap. Neighbours are 1 apart, a little less where a row bends.
const CLOSE: f64 = 0.75;

/// Seats: the section and the position of each.
type PlacedSeats = Vec<(u16, f64, f64)>;

/// The pairs of sections that overlap after which no more are looked for.
const MANY_OVERLAPS: usize = 1_000;

/// The number of mistakes after which no more are noted. A person mends some, and looks again.
const MANY_MISTAKES: usize = 1_000;

/// How often two seats are compared at most to find sections that overlap. It takes some tenths of a second; halls of
/// the largest size need a tenth of it, unless sections have very many seats in one place.
const MANY_COMPARISONS: usize = 20_000_000;

/// A mistake of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The part of the layout that it is in: `sections[3].rows[0].from`.
    pub field: String,
    /// The rest of a sentence that begins with the field, without the period.
    pub message: String,
}

/// The mistakes of a layout, but for sections that overlap. While its categories are wrong, nothing else is checked:
/// sections and marks refer to them.
pub fn mistakes(layout: &Layout) -> Vec<Mistake> {
    let mut check = Check::default();
    check.categories(&layout.categories);
    if !check.mistakes.is_empty() {
        return check.mistakes;
    }
    check.sections(layout);
    check.marks(layout);
    check.mistakes
}

/// The sections of a layout without mistakes whose positions are beyond the limits.
pub fn too_far(layout: &Layout) -> Vec<Mistake> {
    let mut check = Check::default();
    for (number, section) in layout.sections.iter().enumerate() {
        check.lengths(number, section);
    }
    check.mistakes
}

/// The mistakes for which only a new sale is refused: section ids that differ in nothing but the case of their letters,
/// and sections that overlap.
pub fn mistakes_of_new(hall: &Hall) -> Vec<Mistake> {
    let mut first = HashMap::new();
    let mut found = Vec::new();
    for (number, Section { id, .. }) in hall.layout.sections.iter().enumerate() {
        let known: &String = first.entry(id.to_ascii_uppercase()).or_insert(id);
        if known != id {
            let message = format!("is \"{id}\"; another section is \"{known}\", and capitals make no difference");
            found.push(Mistake { field: format!("sections[{number}].id"), message });
        }
    }
    found.extend(overlaps(hall));
    found
}

/// The sections that overlap, each with the first one that it overlaps with.
fn overlaps(hall: &Hall) -> Vec<Mistake> {
    let sections = &hall.layout.sections;
    if sections.len() < 2 {
        return Vec::new();
    }
    let mut in_cell: HashMap<(i64, i64), PlacedSeats> = HashMap::with_capacity(hall.seats() as usize);
    let cell = |length: f64| (length / CLOSE).floor() as i64;
    let (mut pairs, mut comparisons) = (BTreeSet::new(), 0);
    for row in &hall.rows {
        // Sections that all stand on each other would take long.
        if pairs.len() > MANY_OVERLAPS {
            break;
        }
        let section = &sections[usize::from(row.section)];
        for place in 0..row.seats {
            let (x, y) = section.point(hall.across(row) + f64::from(place), row.row.into());
            let (column, line) = (cell(x), cell(y));
            for near in
                (column - 1..=column + 1).flat_map(|column| (line - 1..=line + 1).map(move |line| (column, line)))
            {
                let others = in_cell.get(&near).map_or(&[][..], Vec::as_slice);
                comparisons += others.len();
                for (other, other_x, other_y) in others {
                    if *other != row.section && (x - other_x).hypot(y - other_y) < CLOSE {
                        pairs.insert((row.section.max(*other), row.section.min(*other)));
                    }
                }
            }
            in_cell.entry((column, line)).or_default().push((row.section, x, y));
            if comparisons > MANY_COMPARISONS {
                let field = format!("sections[{}]", row.section);
                let message = format!("is \"{}\", which has too many seats in one place; move them apart", section.id);
                return vec![Mistake { field, message }];
            }
        }
    }
    let mut named = HashSet::new();
    let pairs = pairs.into_iter().filter(|(section, _)| named.insert(*section));
    let id = |section: u16| &sections[usize::from(section)].id;
    let mistake = |(section, other)| Mistake {
        field: format!("sections[{section}]"),
        message: format!("is \"{}\", which overlaps \"{}\"; move one of them", id(section), id(other)),
    };
    pairs.map(mistake).collect()
}

#[derive(Default)]
struct Check {
    mistakes: Vec<Mistake>,
}

impl Check {
    fn bad(&mut self, field: impl Into<String>, message: impl Into<String>) {
        if self.mistakes.len() < MANY_MISTAKES {
            self.mistakes.push(Mistake { field: field.into(), message: message.into() });
        }
    }

    fn categories(&mut self, categories: &[String]) {
        if categories.is_empty() || categories.len() > MAX_CATEGORIES {
            self.bad("categories", format!("has {}; it must have 1 to {MAX_CATEGORIES}", categories.len()));
        }
        for (number, name) in categories.iter().enumerate().take(MAX_CATEGORIES) {
            let field = format!("categories[{number}]");
            if !is_word(name, MAX_CATEGORY_LETTERS) {
                self.bad(field, format!("is \"{name}\"; a name has 1 to {MAX_CATEGORY_LETTERS} letters, digits or _"));
            } else if categories[..number].contains(name) {
                self.bad(field, format!("is \"{name}\", which is a duplicate"));
            }
        }
    }

    fn sections(&mut self, layout: &Layout) {
        let Layout { categories, sections, .. } = layout;
        if sections.is_empty() || sections.len() > MAX_SECTIONS {
            self.bad("sections", format!("has {}; it must have 1 to {MAX_SECTIONS}", sections.len()));
        }
        let mut ids = HashMap::new();
        let mut seats = 0;
        for (number, section) in sections.iter().enumerate().take(MAX_SECTIONS) {
            let field = |name: &str| format!("sections[{number}].{name}");
            if !is_word(&section.id, MAX_SECTION_LETTERS) {
                let why = format!("is \"{}\"; an id has 1 to {MAX_SECTION_LETTERS} letters or digits", section.id);
                self.bad(field("id"), why);
            } else if let Some(first) = ids.insert(&section.id, number) {
                self.bad(field("id"), format!("is \"{}\", which section {first} has too", section.id));
            }
            if !categories.contains(&section.category) {
                let known = categories.join(", ");
                self.bad(field("category"), format!("is \"{}\"; the layout has {known}", section.category));
            }
            if section.rows.is_empty() || section.rows.len() > MAX_ROWS {
                let why = format!("has {} rows; it must have 1 to {MAX_ROWS}", section.rows.len());
                self.bad(field("rows"), why);
            }
            self.rows(number, section);
            self.lengths(number, section);
            let before = seats;
            seats += section.seats() as usize;
            if before <= MAX_SEATS && seats > MAX_SEATS {
                let why = format!("brings the hall to {seats} seats; at most {MAX_SEATS} are allowed");
                self.bad(field("rows"), why);
            }
        }
    }

    fn lengths(&mut self, number: usize, section: &Section) {
        let Section { x, y, turn, radius, .. } = *section;
        let lengths = [("x", x.unwrap_or_default()), ("y", y.unwrap_or_default()), ("turn", turn), ("radius", radius)];
        for (name, length) in lengths {
            let field = format!("sections[{number}].{name}");
            if !length.is_finite() || length.abs() > MAX_LENGTH {
                self.bad(field, format!("is {length}; it must be a number from -{MAX_LENGTH} to {MAX_LENGTH}"));
            } else if name == "radius" && length < 0.0 {
                self.bad(field, format!("is {length}; it must be 0 (straight rows) or more"));
            }
        }
    }

    fn rows(&mut self, number: usize, section: &Section) {
        let mut names = HashMap::new();
        for (nth, row) in (0_u16..).zip(section.rows.iter().take(MAX_ROWS)) {
            let field = format!("sections[{number}].rows[{nth}]");
            if let Some(name) = row.name.as_ref().filter(|name| !is_word(name, MAX_ROW_LETTERS)) {
                let why = format!("is \"{name}\"; a name has 1 to {MAX_ROW_LETTERS} letters, digits or _");
                self.bad(format!("{field}.name"), why);
            } else if let Some(first) = names.insert(section.row_name(nth).to_ascii_uppercase(), nth) {
                // A row without a name is named by its number.
                let (at, first) = (if row.name.is_some() { format!("{field}.name") } else { field.clone() }, first + 1);
                self.bad(at, format!("is \"{}\", which the row at place {first} has too", section.row_name(nth)));
            }
            if (1..=MAX_ROW).contains(&usize::from(row.seats)) {
                self.numbers(&field, row);
            } else {
                self.bad(field, format!("is {} seats; it must be 1 to {MAX_ROW}", row.seats));
            }
        }
    }

    /// Checks the numbers of a row with a valid number of seats.
    fn numbers(&mut self, field: &str, row: &RowLayout) {
        if row.step == 0 || row.step.unsigned_abs() > MAX_STEP.unsigned_abs() {
            self.bad(format!("{field}.step"), format!("is {}; it must be 1 to {MAX_STEP}, or negative", row.step));
            return;
        }
        let (first, last) = (row.wide_number(0), row.wide_number(row.seats - 1));
        if [first, last].iter().any(|number| !(0..=i32::from(MAX_SEAT_NUMBER)).contains(number)) {
            let why = format!("makes seats {first} to {last}; their numbers must be 0 to {MAX_SEAT_NUMBER}");
            self.bad(format!("{field}.from"), why);
            return;
        }
        for (list, numbers) in [("gaps", &row.gaps), ("aisles", &row.aisles)] {
            let mut named = HashSet::new();
            for number in numbers {
                if row.place(*number).is_none() {
                    let why = format!("names {number}; the row has the numbers {first} to {last}");
                    self.bad(format!("{field}.{list}"), why);
                } else if !named.insert(number) {
                    self.bad(format!("{field}.{list}"), format!("names {number} twice"));
                }
            }
        }
        if row.gaps.len() >= row.seats.into() {
            self.bad(format!("{field}.gaps"), "leaves no seat in the row");
        }
        if row.aisles.iter().any(|number| row.place(*number) == Some(row.seats - 1)) {
            self.bad(format!("{field}.aisles"), "names the last seat; an aisle is between two seats");
        }
    }

    fn marks(&mut self, layout: &Layout) {
        let Layout { categories, sections, marks } = layout;
        if marks.len() > MAX_MARKINGS {
            self.bad("marks", format!("has {}; it may have at most {MAX_MARKINGS}", marks.len()));
        }
        let numbers = section_numbers(sections);
        let mut marked: HashSet<(Mark, (u16, u16, u16))> = HashSet::new();
        let mut own: HashMap<(u16, u16, u16), &str> = HashMap::new();
        for (nth, marking) in marks.iter().enumerate().take(MAX_MARKINGS) {
            let field = |name: &str| format!("marks[{nth}].{name}");
            let category = marking.category.as_ref().filter(|name| categories.contains(name));
            if let Some(name) = marking.category.as_ref().filter(|_| category.is_none()) {
                let known = categories.join(", ");
                self.bad(field("category"), format!("is \"{name}\"; the layout has {known}"));
            }
            if let Some(note) = &marking.note {
                let length = note.chars().count();
                if !(1..=MAX_NOTE).contains(&length) || note.trim().is_empty() {
                    self.bad(field("note"), format!("has {length} characters; it must have 1 to {MAX_NOTE}"));
                } else if note.chars().any(char::is_control) {
                    self.bad(field("note"), "contains a control character; only printable ones are allowed");
                }
            }
            if marking.mark.is_none() && marking.category.is_none() && marking.note.is_none() {
                self.bad(format!("marks[{nth}]"), "says nothing; give `mark`, `note` or `category`");
            }
            if marking.seats.is_empty() {
                self.bad(field("seats"), "names no seat");
            }
            for (nth, id) in marking.seats.iter().enumerate() {
                let field = field(&format!("seats[{nth}]"));
                let place = place_of(&numbers, sections, id);
                let exists = |(section, row, place): &(u16, u16, u16)| {
                    let row = &sections[usize::from(*section)].rows[usize::from(*row)];
                    // A list of gaps that is too long is a mistake by itself.
                    !row.gaps.iter().take(MAX_ROW).any(|gap| *gap == row.number(*place))
                };
                let Some(place) = place.filter(exists) else {
                    self.bad(field, format!("is \"{id}\", which is no seat of the layout"));
                    continue;
                };
                if let Some(mark) = marking.mark.filter(|mark| !marked.insert((*mark, place))) {
                    self.bad(field, format!("is \"{id}\", which has the mark {} already", mark.name()));
                } else if let Some(category) = category
                    && let Some(first) = own.insert(place, category).filter(|first| first != category)
                {
                    self.bad(field, format!("is \"{id}\", which another mark puts in the category {first}"));
                }
            }
        }
    }
}

fn is_word(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
