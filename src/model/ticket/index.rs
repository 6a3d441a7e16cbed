//! The index of free seats when a hall is opened or recovered. Afterwards `lua/lib/rows.lua` keeps it up to date.

use crate::ticket::hall::Hall;
use serde::Serialize;

/// The largest order, and the largest group that the index can find seats for.
pub const LARGEST_GROUP: usize = 10;
/// Three questions per group size: adjacent seats that leave no single seat, adjacent seats, free seats.
const QUESTIONS: usize = 3 * LARGEST_GROUP;

/// The bytes of a row in the layout: four for its first seat, two for its number of seats.
const BYTES_OF_A_ROW: usize = 6;

/// The location of a category in the index. Scripts get it as a list in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CategoryIndex {
    /// The number of the first row.
    pub first_row: u32,
    /// Number of rows.
    pub rows: u32,
    /// The first byte in the index.
    pub first_byte: u32,
    /// The number of bytes per question.
    pub bytes: u32,
    /// The price of a seat, in cents.
    pub cents: i64,
}

impl CategoryIndex {
    /// The location of a row's answer to a question: its byte, and its bit in the byte.
    fn place_of(&self, question: usize, row: u32) -> (usize, u8) {
        // Redis counts bits from the most significant bit of a byte.
        ((self.first_byte + question as u32 * self.bytes + row / 8) as usize, 0x80 >> (row % 8))
    }
}

/// Assigns each category of a hall its location in the index.
pub fn categories(hall: &Hall, prices: &[i64]) -> Vec<CategoryIndex> {
    let mut first_byte = 0;
    let mut categories = Vec::with_capacity(hall.categories.len());
    for (category, cents) in hall.categories.iter().zip(prices) {
        let rows = category.rows.end - category.rows.start;
        let bytes = rows.div_ceil(8);
        categories.push(CategoryIndex { first_row: category.rows.start, rows, first_byte, bytes, cents: *cents });
        first_byte += bytes * QUESTIONS as u32;
    }
    categories
}

/// The index of a hall with seats in these states: one byte each, `0` for a free seat.
pub fn free(hall: &Hall, categories: &[CategoryIndex], seats: &[u8]) -> Vec<u8> {
    let size =
        categories.iter().map(|category| category.first_byte + category.bytes * QUESTIONS as u32).max().unwrap_or(0);
    let mut index = vec![0_u8; size as usize];
    for category in categories {
        for row in 0..category.rows {
            let place = &hall.rows[(category.first_row + row) as usize];
            let first = place.first_seat as usize;
            let gaps = Gaps::of(seats.get(first..first + usize::from(place.seats)).unwrap_or_default());
            for question in (0..QUESTIONS).filter(|question| gaps.answer(*question)) {
                let (byte, bit) = category.place_of(question, row);
                index[byte] |= bit;
            }
        }
    }
    index
}

/// The lengths of the gaps in a row, which are runs of adjacent free seats.
struct Gaps(Vec<usize>);

impl Gaps {
    fn of(row: &[u8]) -> Self {
        Self(row.split(|seat| *seat != b'0').map(<[u8]>::len).filter(|length| *length > 0).collect())
    }

    /// Whether the row's answer to a question is yes.
    fn answer(&self, question: usize) -> bool {
        let group = question % LARGEST_GROUP + 1;
        match question / LARGEST_GROUP {
            0 => self.0.iter().any(|gap| *gap == group || *gap >= group + 2),
            1 => self.0.iter().any(|gap| *gap >= group),
            _ => self.0.iter().sum::<usize>() >= group,
        }
    }
}

/// The number of rows in which the stored layout and index agree with the hall and the seats. In other rows, seats
/// cannot be reserved or are not found.
pub fn sound_rows(hall: &Hall, categories: &[CategoryIndex], seats: &[u8], found: (&[u8], &[u8])) -> usize {
    let (found_layout, found_free) = found;
    let (layout, free) = (layout(hall), free(hall, categories, seats));
    let is_set = |index: &[u8], (byte, bit): (usize, u8)| index.get(byte).is_some_and(|byte| byte & bit != 0);
    let is_sound = |category: &CategoryIndex, row: u32| {
        let first = BYTES_OF_A_ROW * (category.first_row + row) as usize;
        let place = first..first + BYTES_OF_A_ROW;
        let mut places = (0..QUESTIONS).map(|question| category.place_of(question, row));
        found_layout.get(place.clone()) == layout.get(place)
            && places.all(|place| is_set(found_free, place) == is_set(&free, place))
    };
    categories.iter().map(|category| (0..category.rows).filter(|row| is_sound(category, *row)).count()).sum()
}

/// The stored layout of a hall, six bytes per row: its first seat and its number of seats.
pub fn layout(hall: &Hall) -> Vec<u8> {
    hall.rows
        .iter()
        .flat_map(|row| [&row.first_seat.to_le_bytes()[..], &row.seats.to_le_bytes()[..]].concat())
        .collect()
}
