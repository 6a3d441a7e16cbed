//! The rows of a layout: their names, the numbers of their seats, gaps and aisles.

use crate::ticket::hall::{MAX_ROW, WORD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest name of a row.
pub const MAX_ROW_LETTERS: usize = 8;
/// The highest number of a seat.
pub const MAX_SEAT_NUMBER: u16 = 9_999;
/// The limit of the difference between the numbers of neighbours, in either direction.
pub const MAX_STEP: i16 = 100;

/// A row of a section. Its seats stand from left to right, as seen from the seats behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketRow")]
pub struct RowLayout {
    /// The name of the row, as in the ids of its seats: letters, digits and `_`. Without one, it is the number of the
    /// row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ROW_LETTERS), regex(pattern = WORD))]
    pub name: Option<String>,
    /// The number of places for seats, those in `gaps` included.
    #[schemars(range(min = 1, max = MAX_ROW))]
    pub seats: u16,
    /// The number of the first seat; 1 by default.
    #[serde(default = "first", skip_serializing_if = "is_one")]
    #[schemars(range(min = 0, max = MAX_SEAT_NUMBER))]
    pub from: u16,
    /// The difference between the numbers of neighbours; 1 by default. With 2, the numbers are all odd or all even; with
    /// a negative one, they count down.
    #[serde(default = "one_apart", skip_serializing_if = "is_one")]
    #[schemars(range(min = -MAX_STEP, max = MAX_STEP))]
    pub step: i16,
    /// The numbers of the seats that do not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_ROW))]
    pub gaps: Vec<u16>,
    /// The numbers of the seats that an aisle follows, which is as wide as a seat. It takes no number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_ROW))]
    pub aisles: Vec<u16>,
}

fn first() -> u16 {
    1
}

fn one_apart() -> i16 {
    1
}

fn is_one<N: From<u8> + PartialEq>(number: &N) -> bool {
    *number == N::from(1)
}

/// A row as in JSON: its number of seats, or an object that says more.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "TicketRowForm")]
#[allow(dead_code, reason = "it is only described; `row_list` reads and writes it")]
pub enum RowForm {
    /// The number of seats.
    Seats(#[schemars(range(min = 1, max = MAX_ROW))] u16),
    /// The row.
    Row(RowLayout),
}

/// Adjacent seats of a row, with no gap and no aisle between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The index of the first seat among the places of the row.
    pub first_place: u16,
    /// The number of seats.
    pub seats: u16,
    /// The distance of the first seat from the left end of the row.
    pub offset: u16,
}

impl From<u16> for RowLayout {
    /// A row of so many seats, numbered from 1.
    fn from(seats: u16) -> Self {
        Self { name: None, seats, from: 1, step: 1, gaps: Vec::new(), aisles: Vec::new() }
    }
}

impl RowLayout {
    /// Whether its number of seats says everything.
    pub(super) fn is_plain(&self) -> bool {
        let Self { name, from, step, gaps, aisles, .. } = self;
        name.is_none() && *from == 1 && *step == 1 && gaps.is_empty() && aisles.is_empty()
    }

    /// The number of seats that exist.
    pub fn count(&self) -> u16 {
        self.seats.saturating_sub(self.gaps.len() as u16)
    }

    /// The distance of its ends: one for each place and each aisle.
    pub fn width(&self) -> u16 {
        self.seats.saturating_add(self.aisles.len() as u16)
    }

    /// The number of the seat at a place.
    pub fn number(&self, place: u16) -> u16 {
        self.wide_number(place).clamp(0, MAX_SEAT_NUMBER.into()) as u16
    }

    /// The number of the last place, which may be out of range in a layout that is not checked.
    pub(super) fn wide_number(&self, place: u16) -> i32 {
        i32::from(self.from) + i32::from(self.step) * i32::from(place)
    }

    /// The place with this number, if there is one. It may be a gap.
    pub fn place(&self, number: u16) -> Option<u16> {
        let (distance, step) = (i32::from(number) - i32::from(self.from), i32::from(self.step));
        if step == 0 || distance % step != 0 {
            return None;
        }
        u16::try_from(distance / step).ok().filter(|place| *place < self.seats)
    }

    /// The blocks of the row, from left to right.
    pub fn blocks(&self) -> Vec<Block> {
        if self.is_plain() {
            return vec![Block { first_place: 0, seats: self.seats, offset: 0 }];
        }
        let mut blocks: Vec<Block> = Vec::new();
        let (mut offset, mut is_adjacent) = (0, false);
        for place in 0..self.seats {
            let number = self.number(place);
            if self.gaps.contains(&number) {
                is_adjacent = false;
            } else {
                match blocks.last_mut().filter(|_| is_adjacent) {
                    Some(block) => block.seats += 1,
                    None => blocks.push(Block { first_place: place, seats: 1, offset }),
                }
                is_adjacent = true;
            }
            offset += 1;
            if self.aisles.contains(&number) {
                (offset, is_adjacent) = (offset + 1, false);
            }
        }
        blocks
    }
}

/// Reads and writes the rows of a section in the shortest form.
pub(super) mod row_list {
    use super::RowLayout;
    use serde::{
        Deserialize, Deserializer, Serialize, Serializer,
        de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
    };
    use std::fmt;

    pub fn serialize<S: Serializer>(rows: &[RowLayout], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(Written))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RowLayout>, D::Error> {
        let rows: Vec<Read> = Vec::deserialize(deserializer)?;
        Ok(rows.into_iter().map(|Read(row)| row).collect())
    }

    struct Written<'a>(&'a RowLayout);

    impl Serialize for Written<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.0.is_plain() { serializer.serialize_u16(self.0.seats) } else { self.0.serialize(serializer) }
        }
    }

    struct Read(RowLayout);

    impl<'de> Deserialize<'de> for Read {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(RowVisitor).map(Self)
        }
    }

    struct RowVisitor;

    impl<'de> Visitor<'de> for RowVisitor {
        type Value = RowLayout;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the number of seats, or an object")
        }

        fn visit_u64<E: Error>(self, seats: u64) -> Result<RowLayout, E> {
            let seats = u16::try_from(seats).map_err(|_| E::invalid_value(Unexpected::Unsigned(seats), &self))?;
            Ok(seats.into())
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RowLayout, A::Error> {
            RowLayout::deserialize(MapAccessDeserializer::new(map))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seats: u16) -> RowLayout {
        seats.into()
    }

    #[test]
    fn a_row_is_a_number_or_an_object() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Rows(#[serde(with = "row_list")] Vec<RowLayout>);
        let text = r#"[20,{"name":"AA","seats":10,"from":101,"step":-2,"gaps":[99],"aisles":[95]}]"#;
        let rows: Rows = serde_json::from_str(text).expect("rows");
        let second =
            RowLayout { name: Some("AA".into()), from: 101, step: -2, gaps: vec![99], aisles: vec![95], ..row(10) };
        assert_eq!(rows.0, [row(20), second]);
        assert_eq!(serde_json::to_string(&rows).expect("JSON"), text);
        let plain: Rows = serde_json::from_str(r#"[{"seats":20}]"#).expect("rows");
        assert_eq!(serde_json::to_string(&plain).expect("JSON"), "[20]");
    }

    #[test]
    fn seats_are_numbered_from_a_number_by_a_step() {
        let odd = RowLayout { step: 2, ..row(5) };
        assert_eq!((0..5).map(|place| odd.number(place)).collect::<Vec<_>>(), [1, 3, 5, 7, 9]);
        assert_eq!((odd.place(5), odd.place(4), odd.place(11)), (Some(2), None, None));
        let down = RowLayout { from: 10, step: -2, ..row(3) };
        assert_eq!((0..3).map(|place| down.number(place)).collect::<Vec<_>>(), [10, 8, 6]);
        assert_eq!((down.place(6), down.place(4), down.place(12)), (Some(2), None, None));
    }

    #[test]
    fn gaps_and_aisles_divide_a_row_and_only_aisles_make_it_wider() {
        let block = |first_place, seats, offset| Block { first_place, seats, offset };
        assert_eq!(row(4).blocks(), [block(0, 4, 0)]);
        let divided = RowLayout { gaps: vec![1, 4], aisles: vec![6], ..row(8) };
        assert_eq!(divided.blocks(), [block(1, 2, 1), block(4, 2, 4), block(6, 2, 7)]);
        assert_eq!((divided.count(), divided.width()), (6, 9));
    }
}
