//! A hall: sections, rows and seats from a compact layout, numbered from the best seat on.
//!
//! A seat has an id and a number. People see the id, `A-12-07`: section, row, seat. Scripts and the live view use the
//! number. Adjacent seats in a row have consecutive numbers, and the rows of a category follow each other from best to
//! worst. The state of a whole hall is therefore one string with one byte per seat.

use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, ops::Range};

/// The most seats that a hall may have.
pub const MAX_SEATS: usize = 200_000;
/// The most seats in a row.
pub const MAX_ROW: usize = 200;
/// The most rows in a section.
pub const MAX_ROWS: usize = 200;
/// The most sections in a hall.
pub const MAX_SECTIONS: usize = 2_000;
/// The most categories in a hall.
pub const MAX_CATEGORIES: usize = 32;
/// The longest name of a category, in letters, digits and `_`.
pub const MAX_CATEGORY_LETTERS: usize = 32;
/// The longest id of a section.
pub const MAX_SECTION_LETTERS: usize = 8;
/// The limit of positions, turns and radii, in either direction.
pub const MAX_LENGTH: f64 = 100_000.0;
/// The pattern of section ids and category names.
const WORD: &str = "^[A-Za-z0-9_]+$";

/// The compact description of a hall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Price categories, the best first; letters, digits and `_`, all different.
    #[schemars(length(min = 1, max = MAX_CATEGORIES), inner(length(min = 1, max = MAX_CATEGORY_LETTERS), regex(pattern = WORD)))]
    pub categories: Vec<String>,
    /// The sections, with at most 200,000 seats in all.
    #[schemars(length(min = 1, max = MAX_SECTIONS))]
    pub sections: Vec<Section>,
}

/// A block of rows, straight or curved around a point.
///
/// Lengths are in seats: adjacent seats and adjacent rows are 1 apart. `y` increases away from the stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// The id of the section: letters, digits and `_`. It is the first part of each seat's id.
    #[schemars(length(min = 1, max = MAX_SECTION_LETTERS), regex(pattern = WORD))]
    pub id: String,
    /// The name of the category.
    pub category: String,
    /// The number of seats in each row, starting with the row nearest to the stage.
    #[schemars(length(min = 1, max = MAX_ROWS), inner(range(min = 1, max = MAX_ROW)))]
    pub rows: Vec<u16>,
    /// The number of rows by which its first row is worse than the first row of the best section.
    #[serde(default)]
    pub rank: u16,
    /// The x coordinate of the middle of the first row. In a curved section, it is the x coordinate of the center of
    /// the curve.
    #[serde(default)]
    #[schemars(range(min = -MAX_LENGTH, max = MAX_LENGTH))]
    pub x: f64,
    /// The y coordinate of the same point.
    #[serde(default)]
    #[schemars(range(min = -MAX_LENGTH, max = MAX_LENGTH))]
    pub y: f64,
    /// The rotation about that point, in degrees.
    #[serde(default)]
    #[schemars(range(min = -MAX_LENGTH, max = MAX_LENGTH))]
    pub turn: f64,
    /// The radius of the first row; 0 for straight rows.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = MAX_LENGTH))]
    pub radius: f64,
}

/// A hall with its rows and seat numbers computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Hall {
    /// The layout.
    pub layout: Layout,
    /// The categories, best first.
    pub categories: Vec<Category>,
    /// All rows, in the order of their seat numbers.
    pub rows: Vec<Row>,
    sections: HashMap<String, u16>,
    /// The index in `rows`, by section and row.
    by_place: Vec<Vec<u32>>,
}

/// A price category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// The name of the category.
    pub name: String,
    /// The rows of the category, as indices in [`Hall::rows`].
    pub rows: Range<u32>,
    /// The numbers of the seats.
    pub seats: Range<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The index in `layout.sections`.
    pub section: u16,
    /// The index in the section, from 0.
    pub row: u16,
    /// The index in `categories`.
    pub category: u16,
    /// The number of the first seat.
    pub first_seat: u32,
    /// The number of seats in the row.
    pub seats: u16,
}

/// A seat, by its row and its index in that row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The index in [`Hall::rows`].
    pub row: u32,
    /// The index in the row, from 0.
    pub place: u16,
}

impl Hall {
    /// Checks a layout and numbers its seats.
    ///
    /// # Errors
    /// `bad_request` naming the part of the layout that exceeds a limit.
    pub fn new(layout: Layout) -> Result<Self> {
        check(&layout)?;
        Ok(Self::laid_out(layout))
    }

    /// Numbers the seats of a layout that has already been checked. The browser uses this.
    pub fn laid_out(layout: Layout) -> Self {
        let category = |name: &str| layout.categories.iter().position(|known| known == name).unwrap_or_default();
        let mut places: Vec<(usize, usize, usize, usize)> = Vec::new();
        for (section, spec) in layout.sections.iter().enumerate() {
            for row in 0..spec.rows.len() {
                places.push((category(&spec.category), usize::from(spec.rank) + row, section, row));
            }
        }
        // Rows are sorted by category, then by distance, nearest first. On a tie, the order of sections in the layout
        // counts.
        places.sort_unstable();
        let mut hall = Self {
            categories: Vec::with_capacity(layout.categories.len()),
            rows: Vec::with_capacity(places.len()),
            sections: (0..).zip(&layout.sections).map(|(place, section)| (section.id.clone(), place)).collect(),
            by_place: layout.sections.iter().map(|section| vec![0; section.rows.len()]).collect(),
            layout,
        };
        let mut places = places.into_iter().peekable();
        let mut seat = 0;
        for (number, name) in hall.layout.categories.iter().enumerate() {
            let (first_row, first_seat) = (hall.rows.len() as u32, seat);
            while let Some((_, _, section, row)) = places.next_if(|place| place.0 == number) {
                let seats = hall.layout.sections[section].rows[row];
                let (section, row) = (section as u16, row as u16);
                hall.by_place[usize::from(section)][usize::from(row)] = hall.rows.len() as u32;
                hall.rows.push(Row { section, row, category: number as u16, first_seat: seat, seats });
                seat += u32::from(seats);
            }
            let rows = first_row..hall.rows.len() as u32;
            hall.categories.push(Category { name: name.clone(), rows, seats: first_seat..seat });
        }
        hall
    }

    /// The number of seats.
    pub fn seats(&self) -> u32 {
        self.rows.last().map_or(0, |row| row.first_seat + u32::from(row.seats))
    }

    /// The id of a seat: `A-12-07`.
    pub fn id(&self, seat: Seat) -> String {
        let row = &self.rows[seat.row as usize];
        let section = &self.layout.sections[usize::from(row.section)].id;
        format!("{section}-{:02}-{:02}", row.row + 1, seat.place + 1)
    }

    /// An example of a seat id in this hall, for error messages: the id of the best seat.
    pub fn an_id(&self) -> String {
        self.id(Seat { row: 0, place: 0 })
    }

    /// The seat with this id, if there is one. Each seat has exactly one id, so `A-1-7` is not an id.
    pub fn find(&self, id: &str) -> Option<Seat> {
        let mut parts = id.split('-');
        let (section, row, place) = (parts.next()?, number(parts.next()?)?, number(parts.next()?)?);
        if parts.next().is_some() {
            return None;
        }
        let section = *self.sections.get(section)?;
        let row = self.row(section, row.checked_sub(1)?)?;
        let place = place.checked_sub(1).filter(|place| *place < self.rows[row as usize].seats)?;
        Some(Seat { row, place })
    }

    /// The number of a seat, from 0. Within a category, the best seats come first.
    pub fn number(&self, seat: Seat) -> u32 {
        self.rows[seat.row as usize].first_seat + u32::from(seat.place)
    }

    /// The seat with this number.
    pub fn seat(&self, number: u32) -> Option<Seat> {
        let row = self.rows.partition_point(|row| row.first_seat <= number).checked_sub(1)?;
        let place = number - self.rows[row].first_seat;
        (place < u32::from(self.rows[row].seats)).then_some(Seat { row: row as u32, place: place as u16 })
    }

    /// The category of a seat.
    pub fn category(&self, seat: Seat) -> &Category {
        &self.categories[usize::from(self.rows[seat.row as usize].category)]
    }

    /// The position of a seat, in seats from the layout's origin.
    pub fn position(&self, seat: Seat) -> (f64, f64) {
        let row = &self.rows[seat.row as usize];
        let section = &self.layout.sections[usize::from(row.section)];
        let across = f64::from(seat.place) - (f64::from(row.seats) - 1.0) / 2.0;
        section.point(across, f64::from(row.row))
    }

    /// The seat whose square contains a point, if there is one. `locate` gives the point as
    /// [`Section::from_point`] does.
    pub fn seat_at(&self, locate: impl Fn(&Section) -> (f64, f64)) -> Option<Seat> {
        self.layout.sections.iter().zip(0..).find_map(|(section, number)| {
            let (across, row) = locate(section);
            let row = row.round();
            let &seats = section.rows.get(row as usize).filter(|_| row >= 0.0)?;
            let place = (across + (f64::from(seats) - 1.0) / 2.0).round();
            let is_there = place >= 0.0 && place < f64::from(seats);
            let row = is_there.then(|| self.row(number, row as u16)).flatten()?;
            Some(Seat { row, place: place as u16 })
        })
    }

    /// The index in [`Hall::rows`] of a row, by the index of its section and its own index in the section.
    pub fn row(&self, section: u16, row: u16) -> Option<u32> {
        self.by_place.get(usize::from(section))?.get(usize::from(row)).copied()
    }
}

impl Section {
    /// The number of seats in the section.
    pub fn seats(&self) -> u32 {
        self.rows.iter().map(|seats| u32::from(*seats)).sum()
    }

    /// The point `across` seats to the side of the section's middle. `row` is a row, or a fraction between two rows.
    pub fn point(&self, across: f64, row: f64) -> (f64, f64) {
        let (x, y) = if self.radius > 0.0 {
            let radius = self.radius + row;
            let (sin, cos) = (across / radius).sin_cos();
            (radius * sin, radius * cos)
        } else {
            (across, row)
        };
        let (sin, cos) = self.turn.to_radians().sin_cos();
        (self.x + x * cos - y * sin, self.y + x * sin + y * cos)
    }

    /// The inverse of [`Section::point`].
    pub fn from_point(&self, x: f64, y: f64) -> (f64, f64) {
        let (sin, cos) = self.turn.to_radians().sin_cos();
        let (x, y) = (x - self.x, y - self.y);
        let (x, y) = (x * cos + y * sin, y * cos - x * sin);
        if self.radius > 0.0 {
            let radius = x.hypot(y);
            (x.atan2(y) * radius, radius - self.radius)
        } else {
            (x, y)
        }
    }
}

/// Parses two or three digits as in an id, without a sign or extra leading zeros.
fn number(text: &str) -> Option<u16> {
    let number: u16 = text.parse().ok()?;
    (format!("{number:02}") == text).then_some(number)
}

fn check(layout: &Layout) -> Result<()> {
    let bad = |place: String, why: String| Err(Error::bad(&place, format!("`{place}` {why}.")));
    let Layout { categories, sections } = layout;
    if categories.is_empty() || categories.len() > MAX_CATEGORIES {
        return bad(
            "layout.categories".into(),
            format!("has {}; it must have 1 to {MAX_CATEGORIES}", categories.len()),
        );
    }
    for (number, name) in categories.iter().enumerate() {
        let place = format!("layout.categories[{number}]");
        if !is_word(name, MAX_CATEGORY_LETTERS) {
            return bad(place, format!("is \"{name}\"; a name has 1 to {MAX_CATEGORY_LETTERS} letters, digits or _"));
        }
        if categories[..number].contains(name) {
            return bad(place, format!("is \"{name}\", which is a duplicate"));
        }
    }
    if sections.is_empty() || sections.len() > MAX_SECTIONS {
        return bad("layout.sections".into(), format!("has {}; it must have 1 to {MAX_SECTIONS}", sections.len()));
    }
    let mut ids = HashMap::new();
    let mut seats = 0;
    for (number, section) in sections.iter().enumerate() {
        let place = |field: &str| format!("layout.sections[{number}].{field}");
        if !is_word(&section.id, MAX_SECTION_LETTERS) {
            return bad(
                place("id"),
                format!("is \"{}\"; an id has 1 to {MAX_SECTION_LETTERS} letters or digits", section.id),
            );
        }
        if let Some(first) = ids.insert(&section.id, number) {
            return bad(place("id"), format!("is \"{}\", which section {first} has too", section.id));
        }
        if !categories.contains(&section.category) {
            let known = categories.join(", ");
            return bad(place("category"), format!("is \"{}\"; the layout has {known}", section.category));
        }
        if section.rows.is_empty() || section.rows.len() > MAX_ROWS {
            return bad(place("rows"), format!("has {} rows; it must have 1 to {MAX_ROWS}", section.rows.len()));
        }
        for (row, count) in section.rows.iter().enumerate() {
            if !(1..=MAX_ROW).contains(&usize::from(*count)) {
                return bad(place(&format!("rows[{row}]")), format!("is {count} seats; it must be 1 to {MAX_ROW}"));
            }
            seats += usize::from(*count);
        }
        let lengths = [("x", section.x), ("y", section.y), ("turn", section.turn), ("radius", section.radius)];
        for (field, length) in lengths {
            if !length.is_finite() || length.abs() > MAX_LENGTH {
                return bad(
                    place(field),
                    format!("is {length}; it must be a number from -{MAX_LENGTH} to {MAX_LENGTH}"),
                );
            }
        }
        if section.radius < 0.0 {
            return bad(place("radius"), format!("is {}; it must be 0 (straight rows) or more", section.radius));
        }
        if seats > MAX_SEATS {
            return bad(place("rows"), format!("brings the hall to {seats} seats; at most {MAX_SEATS} are allowed"));
        }
    }
    Ok(())
}

fn is_word(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
