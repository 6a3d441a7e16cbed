//! The index of free seats for a hall that is opened or recovered; `lua/lib/rows.lua` keeps it up to date afterwards.

use super::hall::Hall;
use serde::Serialize;

/// The largest order, and the largest group that the index can place.
pub const LARGEST_GROUP: usize = 10;
/// Three questions per group size: adjacent seats that leave no single one, adjacent seats, free seats.
const QUESTIONS: usize = 3 * LARGEST_GROUP;

/// The location of a category in the index; passed to the scripts as a list in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CategoryIndex {
    /// The number of its first row.
    pub first_row: u32,
    /// Number of rows.
    pub rows: u32,
    /// Its first byte in the index.
    pub first_byte: u32,
    /// Bytes per question.
    pub bytes: u32,
    /// The price of a seat, in cents.
    pub cents: i64,
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

/// The index of a hall whose seats are in these states: one byte each, `0` for a free seat.
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
                // Redis counts bits from the most significant bit of a byte.
                let byte = category.first_byte + question as u32 * category.bytes + row / 8;
                index[byte as usize] |= 0x80 >> (row % 8);
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

    /// Whether the answer of the row to a question is yes.
    fn answer(&self, question: usize) -> bool {
        let group = question % LARGEST_GROUP + 1;
        match question / LARGEST_GROUP {
            0 => self.0.iter().any(|gap| *gap == group || *gap >= group + 2),
            1 => self.0.iter().any(|gap| *gap >= group),
            _ => self.0.iter().sum::<usize>() >= group,
        }
    }
}

/// Six bytes per row: its first seat and its number of seats.
pub fn layout(hall: &Hall) -> Vec<u8> {
    hall.rows
        .iter()
        .flat_map(|row| [&row.first_seat.to_le_bytes()[..], &row.seats.to_le_bytes()[..]].concat())
        .collect()
}
