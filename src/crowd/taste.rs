//! What users want of a hall: seats that they choose, or so many of a category.

use super::{Taste, dice::Dice};
use crate::sales::ticket::{
    Pick, Wish,
    hall::{Hall, Seat},
};

/// Of the rows of the hall, the best so many are what everyone wants: one in so many.
const HOT_ROWS: u32 = 50;

impl Taste {
    /// What this user wants, at this try: who chooses looks elsewhere each time, and in the end lets the
    /// program choose; who lets the program choose wants the same.
    pub fn wish(&self, hall: &Hall, seed: u64, place: u32, nth: u32) -> Wish {
        let mut dice = Dice::aside(seed, place, 1);
        let count = dice.weighted(&self.groups) as u32 + 1;
        let chooses = dice.happens(self.choosers);
        let adjacent = dice.happens(self.adjacent);
        let hot = dice.happens(self.hot);
        // By their seats: a large category is wanted by more.
        let seat = hall.seat(dice.below(hall.seats())).unwrap_or(Seat { row: 0, place: 0 });
        if !chooses || nth >= super::runner::TRIES {
            return Wish {
                pick: vec![Pick { category: hall.category(seat).name.clone(), count, adjacent }],
                ..Wish::default()
            };
        }
        let mut dice = Dice::aside(seed, place, 2 + nth);
        let seat = if hot && nth == 0 {
            let rows = (hall.rows.len() as u32 / HOT_ROWS).max(1);
            Seat { row: dice.below(rows), place: 0 }
        } else if nth == 0 {
            seat
        } else {
            hall.seat(dice.below(hall.seats())).unwrap_or(seat)
        };
        let length = u32::from(hall.rows[seat.row as usize].seats);
        let count = count.min(length);
        let first = dice.below(length - count + 1);
        let seats = (first..first + count).map(|place| hall.id(Seat { row: seat.row, place: place as u16 }));
        Wish { seats: seats.collect(), ..Wish::default() }
    }
}
