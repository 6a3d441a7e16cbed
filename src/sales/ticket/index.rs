//! The index of free seats, of a hall as it begins or is recovered: the same answers as `lua/lib/rows.lua` keeps up
//! to date.

use super::hall::Hall;
use serde::Serialize;

/// The largest order, and the largest group that the index can place.
pub const LARGEST_GROUP: usize = 10;
/// Neighbours without leaving one alone, neighbours, seats: one question for each size of group.
const QUESTIONS: usize = 3 * LARGEST_GROUP;

/// Where a category is in the index, as the scripts take it: a list, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CategoryIndex {
    pub first_row: u32,
    pub rows: u32,
    /// First byte in the index, and bytes of one question.
    pub first_byte: u32,
    pub bytes: u32,
    pub cents: i64,
}

/// A place in the index for each category of a hall.
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

/// The index of a hall whose seats stand as this says: a byte for each, `0` for a free one.
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
                // Redis counts bits from the highest of a byte.
                let byte = category.first_byte + question as u32 * category.bytes + row / 8;
                index[byte as usize] |= 0x80 >> (row % 8);
            }
        }
    }
    index
}

/// Lengths of the gaps of a row: free seats side by side.
struct Gaps(Vec<usize>);

impl Gaps {
    fn of(row: &[u8]) -> Self {
        Self(row.split(|seat| *seat != b'0').map(<[u8]>::len).filter(|length| *length > 0).collect())
    }

    /// Whether the row answers a question.
    fn answer(&self, question: usize) -> bool {
        let group = question % LARGEST_GROUP + 1;
        match question / LARGEST_GROUP {
            0 => self.0.iter().any(|gap| *gap == group || *gap >= group + 2),
            1 => self.0.iter().any(|gap| *gap >= group),
            _ => self.0.iter().sum::<usize>() >= group,
        }
    }
}

/// Six bytes for each row: its first seat and how many it has.
pub fn layout(hall: &Hall) -> Vec<u8> {
    hall.rows
        .iter()
        .flat_map(|row| [&row.first_seat.to_le_bytes()[..], &row.seats.to_le_bytes()[..]].concat())
        .collect()
}
