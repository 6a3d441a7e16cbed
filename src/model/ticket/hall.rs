//! A hall: sections, rows and seats from a compact layout, numbered from the best seat on.
//!
//! A seat has an id and a number. People see the id, `A-12-07`: section, row, seat. Scripts and the live view use the
//! number. Adjacent seats in a row have consecutive numbers, and the rows of a category follow each other from best to
//! worst. The state of a whole hall is therefore one string with one byte per seat.
//!
//! A row of the layout may have gaps and aisles, and seats of other categories. Each part of it between them is a row of
//! its own here, so that seats beside a gap are no neighbours, and a row has one category.

pub mod check;
pub mod marks;
pub mod rows;

use crate::{
    Checks,
    error::{Error, Result},
    ticket::{
        hall::{
            check::{Mistake, mistakes, mistakes_of_new, too_far},
            marks::{Marking, SeatMarks},
            rows::{RowForm, RowLayout, row_list},
        },
        seats::SeatState,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::HashMap, ops::Range};

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
/// The most markings of a layout.
pub const MAX_MARKINGS: usize = 1_000;
/// The pattern of section ids, names of rows and of categories.
pub(super) const WORD: &str = "^[A-Za-z0-9_]+$";
/// The most mistakes of a layout that a refusal names.
const NAMED_MISTAKES: usize = 100;
/// The distance of sections that are laid out behind one another: a row is left out between them.
const BEHIND: f64 = 2.0;

/// The compact description of a hall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Price categories, the best first; letters, digits and `_`, all different.
    #[schemars(length(min = 1, max = MAX_CATEGORIES), inner(length(min = 1, max = MAX_CATEGORY_LETTERS), regex(pattern = WORD)))]
    pub categories: Vec<String>,
    /// The sections, with at most 200,000 seats in all.
    #[schemars(length(min = 1, max = MAX_SECTIONS))]
    pub sections: Vec<Section>,
    /// Seats that are not for sale at first, or that buyers must know something about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_MARKINGS))]
    pub marks: Vec<Marking>,
}

/// A block of rows, straight or curved around a point.
///
/// Lengths are in seats: adjacent seats and adjacent rows are 1 apart. `y` increases away from the stage. A straight
/// section without a position, which has neither `x` nor `y` nor `turn`, is laid out behind the sections before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// The id of the section: letters, digits and `_`. It is the first part of each seat's id.
    #[schemars(length(min = 1, max = MAX_SECTION_LETTERS), regex(pattern = WORD))]
    pub id: String,
    /// The name of the category.
    pub category: String,
    /// The rows, starting with the row nearest to the stage: of each its number of seats, or an object that says more.
    #[serde(with = "row_list")]
    #[schemars(length(min = 1, max = MAX_ROWS), with = "Vec<RowForm>")]
    pub rows: Vec<RowLayout>,
    /// The number of rows by which its first row is worse than the first row of the best section.
    #[serde(default)]
    pub rank: u16,
    /// The x coordinate of the middle of the first row. In a curved section, it is the x coordinate of the center of
    /// the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = -MAX_LENGTH, max = MAX_LENGTH))]
    pub x: Option<f64>,
    /// The y coordinate of the same point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = -MAX_LENGTH, max = MAX_LENGTH))]
    pub y: Option<f64>,
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
    /// The layout, with a position for each section.
    pub layout: Layout,
    /// The categories, best first.
    pub categories: Vec<Category>,
    /// All rows, in the order of their seat numbers.
    pub rows: Vec<Row>,
    /// The marks of seats, by seat number.
    pub marks: HashMap<u32, SeatMarks>,
    /// The sections by their ids, and by their ids in capitals.
    sections: HashMap<String, u16>,
    /// The indices in `rows`, by section and row of the layout, from left to right.
    by_place: Vec<Vec<Vec<u32>>>,
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
    /// The number of these seats that are blocked when a sale opens.
    pub blocked: u32,
}

impl Category {
    /// The number of seats that are for sale when a sale opens.
    pub fn for_sale(&self) -> u32 {
        self.seats.len() as u32 - self.blocked
    }
}

/// Adjacent seats of one category: a row of the layout, or a part of it.
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
    /// The number of seats.
    pub seats: u16,
    /// The index of the first seat among the places of the layout's row: seats and gaps.
    pub first_place: u16,
    /// The distance of the first seat from the left end of the layout's row, in seats.
    pub offset: u16,
}

/// A seat, by its row and its index in that row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The index in [`Hall::rows`].
    pub row: u32,
    /// The index in the row, from 0.
    pub place: u16,
}

/// A row of a hall before the rows are sorted. The fields are in the order of their weight: by category, then by distance,
/// nearest first. On a tie, the order of sections in the layout counts, and then the nearness to the row's middle.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    category: usize,
    distance: usize,
    section: usize,
    row: usize,
    off_middle: u16,
    first_place: u16,
    offset: u16,
    seats: u16,
}

impl Hall {
    /// Checks a layout and numbers its seats. It may have mistakes for which a sale was not refused before.
    ///
    /// # Errors
    /// `bad_request` naming the parts of the layout that exceed a limit.
    pub fn new(layout: Layout) -> Result<Self> {
        refuse(mistakes(&layout))?;
        // Placing takes a while in a layout beyond the limits, and may lead beyond them.
        let layout = layout.placed();
        refuse(too_far(&layout))?;
        Ok(Self::laid_out(layout))
    }

    /// Like [`Hall::new`], for a new sale.
    ///
    /// # Errors
    /// Also `bad_request` naming sections that overlap, or whose ids are alike.
    pub fn to_open(layout: Layout) -> Result<Self> {
        let hall = Self::new(layout)?;
        refuse(mistakes_of_new(&hall))?;
        Ok(hall)
    }

    /// Numbers the seats of a layout that has already been checked, and whose sections have positions. The browser uses
    /// this.
    pub fn laid_out(layout: Layout) -> Self {
        let mut hall = Self {
            categories: Vec::with_capacity(layout.categories.len()),
            rows: Vec::new(),
            marks: HashMap::new(),
            sections: section_numbers(&layout.sections),
            by_place: layout.sections.iter().map(|section| vec![Vec::new(); section.rows.len()]).collect(),
            layout,
        };
        let mut parts = hall.parts();
        parts.sort_unstable();
        let mut parts = parts.into_iter().peekable();
        let mut seat = 0;
        for (number, name) in hall.layout.categories.iter().enumerate() {
            let (first_row, first_seat) = (hall.rows.len() as u32, seat);
            while let Some(part) = parts.next_if(|part| part.category == number) {
                let Part { section, row, seats, first_place, offset, .. } = part;
                hall.by_place[section][row].push(hall.rows.len() as u32);
                let (section, row, category) = (section as u16, row as u16, number as u16);
                hall.rows.push(Row { section, row, category, first_seat: seat, seats, first_place, offset });
                seat += u32::from(seats);
            }
            let rows = first_row..hall.rows.len() as u32;
            hall.categories.push(Category { name: name.clone(), rows, seats: first_seat..seat, blocked: 0 });
        }
        for parts in hall.by_place.iter_mut().flatten() {
            parts.sort_unstable_by_key(|row| hall.rows[*row as usize].first_place);
        }
        hall.marks = hall.seat_marks();
        let blocked: Vec<u32> = hall.blocked().collect();
        for category in &mut hall.categories {
            category.blocked = blocked.iter().filter(|seat| category.seats.contains(seat)).count() as u32;
        }
        hall
    }

    /// The rows of the hall, without their numbers.
    fn parts(&self) -> Vec<Part> {
        let Layout { categories, sections, .. } = &self.layout;
        let category = |name: &str| categories.iter().position(|known| known == name).unwrap_or_default();
        let mut of_seats = HashMap::new();
        for marking in &self.layout.marks {
            if let Some(name) = &marking.category {
                let places = marking.seats.iter().filter_map(|id| self.place(id));
                of_seats.extend(places.map(|place| (place, category(name))));
            }
        }
        let mut parts = Vec::new();
        for (section, spec) in (0_u16..).zip(sections) {
            let usual = category(&spec.category);
            for (row, spec_of_row) in (0_u16..).zip(&spec.rows) {
                let width = spec_of_row.width();
                for block in spec_of_row.blocks() {
                    let of = |nth: u16| {
                        let place = (section, row, block.first_place + nth);
                        if of_seats.is_empty() { usual } else { of_seats.get(&place).copied().unwrap_or(usual) }
                    };
                    let mut first = 0;
                    while first < block.seats {
                        let category = of(first);
                        let seats = (first..block.seats).take_while(|nth| of(*nth) == category).count() as u16;
                        let offset = block.offset + first;
                        parts.push(Part {
                            category,
                            distance: usize::from(spec.rank) + usize::from(row),
                            section: section.into(),
                            row: row.into(),
                            off_middle: (2 * offset + seats).abs_diff(width),
                            first_place: block.first_place + first,
                            offset,
                            seats,
                        });
                        first += seats;
                    }
                }
            }
        }
        parts
    }

    /// The marks of all seats that have some.
    fn seat_marks(&self) -> HashMap<u32, SeatMarks> {
        let mut marks: HashMap<u32, SeatMarks> = HashMap::new();
        for marking in &self.layout.marks {
            for seat in marking.seats.iter().filter_map(|id| self.find(id)) {
                marks.entry(self.number(seat)).or_default().add(marking);
            }
        }
        marks
    }

    /// The number of seats.
    pub fn seats(&self) -> u32 {
        self.rows.last().map_or(0, |row| row.first_seat + u32::from(row.seats))
    }

    /// The numbers of the seats that are blocked when a sale opens, in no order.
    pub fn blocked(&self) -> impl Iterator<Item = u32> {
        self.marks.iter().filter(|(_, marks)| marks.is_blocked()).map(|(seat, _)| *seat)
    }

    /// The stored states of all seats when a sale opens: free or blocked.
    pub fn opening_states(&self) -> Vec<u8> {
        let mut states = vec![SeatState::Free.byte(); self.seats() as usize];
        for seat in self.blocked() {
            states[seat as usize] = SeatState::Blocked.byte();
        }
        states
    }

    /// The id of a seat: `A-12-07`.
    pub fn id(&self, seat: Seat) -> String {
        let row = &self.rows[seat.row as usize];
        let section = &self.layout.sections[usize::from(row.section)];
        let number = self.seat_number(seat);
        format!("{}-{}-{number:02}", section.id, section.row_name(row.row))
    }

    /// The number of a seat in its row, as in its id.
    pub fn seat_number(&self, seat: Seat) -> u16 {
        let row = &self.rows[seat.row as usize];
        let spec = &self.layout.sections[usize::from(row.section)].rows[usize::from(row.row)];
        spec.number(row.first_place + seat.place)
    }

    /// An example of a seat id in this hall, for error messages: the id of the best seat.
    pub fn an_id(&self) -> String {
        self.id(Seat { row: 0, place: 0 })
    }

    /// The seat with this id, if there is one, whatever the case of its letters. Each seat has exactly one id otherwise,
    /// so `A-1-7` is not an id.
    pub fn find(&self, id: &str) -> Option<Seat> {
        let (section, row, place) = self.place(id)?;
        let row = self.row_at(section, row, |row| (row.first_place..row.first_place + row.seats).contains(&place))?;
        Some(Seat { row, place: place - self.rows[row as usize].first_place })
    }

    /// The section, the row and the place in it that an id names. The place may be a gap.
    pub(super) fn place(&self, id: &str) -> Option<(u16, u16, u16)> {
        place_of(&self.sections, &self.layout.sections, id)
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
        section.point(self.across(row) + f64::from(seat.place), f64::from(row.row))
    }

    /// How far the first seat of a row is to the side of its section's middle.
    pub fn across(&self, row: &Row) -> f64 {
        let section = &self.layout.sections[usize::from(row.section)];
        f64::from(row.offset) - section.half(row.row)
    }

    /// The seat whose square contains a point, if there is one. `locate` gives the point as
    /// [`Section::from_point`] does.
    pub fn seat_at(&self, locate: impl Fn(&Section) -> (f64, f64)) -> Option<Seat> {
        self.layout.sections.iter().zip(0..).find_map(|(section, number)| {
            let (across, row) = locate(section);
            let row = row.round();
            if row < 0.0 || row >= section.rows.len() as f64 {
                return None;
            }
            let row = row as u16;
            let column = (across + section.half(row)).round();
            let from = |row: &Row| f64::from(row.offset);
            let row =
                self.row_at(number, row, |row| (from(row)..from(row) + f64::from(row.seats)).contains(&column))?;
            Some(Seat { row, place: (column - from(&self.rows[row as usize])) as u16 })
        })
    }

    /// The indices in [`Hall::rows`] of the parts of a row, from left to right, by the index of its section and its own
    /// index in the section.
    pub fn rows_of(&self, section: u16, row: u16) -> &[u32] {
        let rows = self.by_place.get(usize::from(section)).and_then(|rows| rows.get(usize::from(row)));
        rows.map_or(&[], Vec::as_slice)
    }

    /// The numbers of the seats of a row, from left to right.
    pub fn seats_of(&self, section: u16, row: u16) -> impl Iterator<Item = u32> {
        let parts = self.rows_of(section, row).iter().filter_map(|row| self.rows.get(*row as usize));
        parts.flat_map(|row| row.first_seat..row.first_seat + u32::from(row.seats))
    }

    /// The part of a row that fits.
    fn row_at(&self, section: u16, row: u16, fits: impl Fn(&Row) -> bool) -> Option<u32> {
        self.rows_of(section, row).iter().copied().find(|row| fits(&self.rows[*row as usize]))
    }
}

impl Layout {
    /// Whether it says no more than a program that knows neither marks nor rows with names, numbers, gaps or aisles.
    pub fn is_plain(&self) -> bool {
        self.marks.is_empty() && self.sections.iter().flat_map(|section| &section.rows).all(RowLayout::is_plain)
    }

    /// The layout with a position for each section. A straight one that has none is laid out behind those before it. The
    /// layout has no mistakes.
    pub fn placed(mut self) -> Self {
        // How far the sections before one reach back is found out only if it has to be.
        let all_have_one = !self.sections.iter().any(Section::is_behind);
        let mut end: Option<f64> = None;
        for section in &mut self.sections {
            let y = if section.is_behind() { end.map_or(0.0, |end| end + BEHIND) } else { 0.0 };
            section.x.get_or_insert(0.0);
            section.y.get_or_insert(y);
            if !all_have_one {
                let reach = section.reach();
                end = Some(end.map_or(reach, |end| end.max(reach)));
            }
        }
        self
    }
}

impl Section {
    /// The number of seats in the section.
    pub fn seats(&self) -> u32 {
        self.rows.iter().map(|row| u32::from(row.count())).fold(0, u32::saturating_add)
    }

    /// The name of a row, as in the ids of its seats: the one that it has in the layout, or else its number.
    pub fn row_name(&self, row: u16) -> Cow<'_, str> {
        match self.rows.get(usize::from(row)).and_then(|row| row.name.as_deref()) {
            Some(name) => name.into(),
            None => format!("{:02}", row + 1).into(),
        }
    }

    /// The row of this name, whatever the case of its letters. In a layout that is not checked yet, rows beyond the limit
    /// do not count.
    fn row_named(&self, name: &str) -> Option<u16> {
        let by_number = number(name).and_then(|number| number.checked_sub(1));
        let rows = &self.rows[..self.rows.len().min(MAX_ROWS)];
        let by_number = by_number.filter(|row| rows.get(usize::from(*row)).is_some_and(|row| row.name.is_none()));
        by_number.or_else(|| {
            let is_it = |row: &RowLayout| row.name.as_ref().is_some_and(|its| its.eq_ignore_ascii_case(name));
            rows.iter().position(is_it).map(|row| row as u16)
        })
    }

    /// Whether the section has no position, and is laid out behind others.
    fn is_behind(&self) -> bool {
        self.x.is_none() && self.y.is_none() && self.turn == 0.0 && self.radius == 0.0
    }

    /// Half the distance between the ends of a row: how far its first place is to the side of the section's middle.
    pub fn half(&self, row: u16) -> f64 {
        let width = self.rows.get(usize::from(row)).map_or(1, RowLayout::width);
        (f64::from(width) - 1.0) / 2.0
    }

    /// The greatest y coordinate of its seats.
    fn reach(&self) -> f64 {
        let ends = (0..self.rows.len() as u16).flat_map(|row| {
            let half = self.half(row);
            let columns = if self.radius > 0.0 { self.rows[usize::from(row)].width() } else { 2 };
            let step = 2.0 * half / f64::from(columns - 1).max(1.0);
            (0..columns).map(move |column| self.point(f64::from(column) * step - half, f64::from(row)).1)
        });
        ends.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The point of the section's position.
    fn origin(&self) -> (f64, f64) {
        (self.x.unwrap_or_default(), self.y.unwrap_or_default())
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
        let (from_x, from_y) = self.origin();
        (from_x + x * cos - y * sin, from_y + x * sin + y * cos)
    }

    /// The inverse of [`Section::point`].
    pub fn from_point(&self, x: f64, y: f64) -> (f64, f64) {
        let (sin, cos) = self.turn.to_radians().sin_cos();
        let (from_x, from_y) = self.origin();
        let (x, y) = (x - from_x, y - from_y);
        let (x, y) = (x * cos + y * sin, y * cos - x * sin);
        if self.radius > 0.0 {
            let radius = x.hypot(y);
            (x.atan2(y) * radius, radius - self.radius)
        } else {
            (x, y)
        }
    }
}

/// The numbers of sections by their ids, and by their ids in capitals where no other section has that id.
pub(super) fn section_numbers(sections: &[Section]) -> HashMap<String, u16> {
    let mut numbers: HashMap<String, u16> =
        (0..).zip(sections).map(|(number, section)| (section.id.clone(), number)).collect();
    for (number, section) in (0..).zip(sections) {
        numbers.entry(section.id.to_ascii_uppercase()).or_insert(number);
    }
    numbers
}

/// The section, the row and the place in it that an id names. The place may be a gap.
pub(super) fn place_of(numbers: &HashMap<String, u16>, sections: &[Section], id: &str) -> Option<(u16, u16, u16)> {
    let mut parts = id.split('-');
    let (section, row, place) = (parts.next()?, parts.next()?, number(parts.next()?)?);
    if parts.next().is_some() {
        return None;
    }
    let section = *numbers.get(section).or_else(|| numbers.get(&section.to_ascii_uppercase()))?;
    let spec = sections.get(usize::from(section))?;
    let row = spec.row_named(row)?;
    Some((section, row, spec.rows[usize::from(row)].place(place)?))
}

/// Parses the digits of an id, at least two, without a sign or extra leading zeros.
fn number(text: &str) -> Option<u16> {
    let number: u16 = text.parse().ok()?;
    (format!("{number:02}") == text).then_some(number)
}

/// The error that names these mistakes, if there are any.
fn refuse(mistakes: Vec<Mistake>) -> Result<()> {
    let mut checks = Checks::default();
    for Mistake { field, message } in mistakes.into_iter().take(NAMED_MISTAKES) {
        let field = format!("layout.{field}");
        checks.note::<()>(Err(Error::bad(&field, format!("`{field}` {message}."))));
    }
    checks.finish(Ok(()))
}
