//! The index of free seats, as a hall begins: the same answers as `lua/lib/rows.lua` keeps up to date.

use super::hall::Hall;
use serde::Serialize;

/// The largest order, and the largest group that the index can place.
pub const LARGEST_GROUP: usize = 10;
/// Neighbours without leaving one alone, neighbours, seats: one question for each size of group.
const QUESTIONS: usize = 3 * LARGEST_GROUP;

/// Where a category is in the index, as the scripts take it: a list, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shelf {
    pub first_row: u32,
    pub rows: u32,
    /// First byte in the index, and bytes of one question.
    pub first_byte: u32,
    pub bytes: u32,
    pub cents: i64,
}

/// A place in the index for each category of a hall.
pub fn shelves(hall: &Hall, prices: &[i64]) -> Vec<Shelf> {
    let mut first_byte = 0;
    let mut shelves = Vec::with_capacity(hall.categories.len());
    for (category, cents) in hall.categories.iter().zip(prices) {
        let rows = category.rows.end - category.rows.start;
        let bytes = rows.div_ceil(8);
        shelves.push(Shelf { first_row: category.rows.start, rows, first_byte, bytes, cents: *cents });
        first_byte += bytes * QUESTIONS as u32;
    }
    shelves
}

/// The index of a hall in which every seat is free.
pub fn free(hall: &Hall, shelves: &[Shelf]) -> Vec<u8> {
    let size = shelves.iter().map(|shelf| shelf.first_byte + shelf.bytes * QUESTIONS as u32).max().unwrap_or(0);
    let mut index = vec![0_u8; size as usize];
    for shelf in shelves {
        for row in 0..shelf.rows {
            let seats = usize::from(hall.rows[(shelf.first_row + row) as usize].seats);
            for question in 0..QUESTIONS {
                if answer(seats, question) {
                    // Redis counts bits from the highest of a byte.
                    let byte = shelf.first_byte + question as u32 * shelf.bytes + row / 8;
                    index[byte as usize] |= 0x80 >> (row % 8);
                }
            }
        }
    }
    index
}

/// Whether a row of so many free seats answers a question.
fn answer(seats: usize, question: usize) -> bool {
    let group = question % LARGEST_GROUP + 1;
    match question / LARGEST_GROUP {
        0 => seats == group || seats >= group + 2,
        _ => seats >= group,
    }
}

/// Six bytes for each row: its first seat and how many it has.
pub fn layout(hall: &Hall) -> Vec<u8> {
    hall.rows
        .iter()
        .flat_map(|row| [&row.first_seat.to_le_bytes()[..], &row.seats.to_le_bytes()[..]].concat())
        .collect()
}
