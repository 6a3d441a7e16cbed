//! Single free seats that a selection would leave: hardly anybody buys a seat between two groups.

use crate::ticket::page::Sale;
use leptos::prelude::*;
use model::ticket::{
    hall::{Hall, Seat},
    seats::SeatState,
};

impl Sale {
    /// Returns the names of the seats that the selection would leave single.
    pub fn single_seats(self) -> Vec<String> {
        let selection = self.selection.get();
        if selection.is_empty() {
            return Vec::new();
        }
        self.seats_version.track();
        let single = self.hall.with_value(|hall| self.seats.with_value(|seats| single_seats(hall, seats, &selection)));
        single.into_iter().map(|seat| self.seat_name(seat)).collect()
    }
}

/// Returns the free seats beside selected ones that would have no free neighbour any more, in order.
fn single_seats(hall: &Hall, states: &[SeatState], selection: &[u32]) -> Vec<u32> {
    let row_of = |seat: u32| hall.seat(seat).and_then(|Seat { row, .. }| hall.rows.get(row as usize));
    let mut single = Vec::new();
    for selected in selection {
        let Some(row) = row_of(*selected) else { continue };
        let seats = row.first_seat..row.first_seat + u32::from(row.seats);
        let is_free = |seat: &u32| {
            seats.contains(seat) && states.get(*seat as usize) == Some(&SeatState::Free) && !selection.contains(seat)
        };
        let is_single = |seat: &u32| is_free(seat) && !beside(*seat).iter().any(is_free);
        single.extend(beside(*selected).into_iter().filter(is_single));
    }
    single.sort_unstable();
    single.dedup();
    single
}

/// Returns the numbers of the seats beside a seat, if they are in its row.
fn beside(seat: u32) -> [u32; 2] {
    [seat.wrapping_sub(1), seat.wrapping_add(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ticket::halls::HallName;

    /// Returns the places of the single seats in the first row of the theatre, which has 18 seats.
    fn single(taken: &[u32], selection: &[u32]) -> Vec<u32> {
        let hall = Hall::new(HallName::Theatre.layout()).unwrap();
        let mut states = vec![SeatState::Free; hall.seats() as usize];
        for (nth, seat) in taken.iter().enumerate() {
            states[*seat as usize] = if nth % 2 == 0 { SeatState::Held } else { SeatState::Sold };
        }
        single_seats(&hall, &states, selection)
    }

    #[test]
    fn a_seat_between_the_selection_and_a_taken_one_is_single() {
        assert_eq!(single(&[4, 10], &[6]), [5]);
        assert_eq!(single(&[4, 10], &[8, 7]), [9]);
        assert_eq!(single(&[4, 10], &[6, 8]), [5, 7, 9]);
    }

    #[test]
    fn a_seat_at_the_aisle_is_single_and_one_in_the_next_row_is_none() {
        assert_eq!(single(&[], &[1]), [0]);
        assert_eq!(single(&[], &[16]), [17]);
        // The first seat of the second row, beside the last of the first.
        assert_eq!(single(&[19], &[17]), [0; 0]);
    }

    #[test]
    fn two_free_seats_are_not_single_and_single_seats_of_others_are_not_told() {
        assert_eq!(single(&[4], &[7]), [0; 0]);
        assert_eq!(single(&[4, 6], &[9]), [0; 0]);
        assert_eq!(single(&[], &[0, 1]), [0; 0]);
        assert_eq!(single(&[], &[]), [0; 0]);
    }
}
