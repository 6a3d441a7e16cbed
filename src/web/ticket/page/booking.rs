//! The reader's attempts to get seats.

use crate::{
    components::{FormErrors, LatestOutcome, UserName, format::count, use_user_name},
    life,
    ticket::{
        api::ReserveRequest,
        page::{Sale, map::Handle, sale::Attempt},
        words::words,
    },
};
use leptos::prelude::*;
use model::{
    Millis,
    ticket::{LargestGroup, Left, Outcome, Pick},
};

/// A refusal in words.
#[derive(Clone, PartialEq)]
pub struct Refusal {
    /// The number of the answer. It changes, so that the same sentence is announced again.
    pub number: usize,
    pub sentence: String,
    /// The time at which seats may be free again.
    pub retry_at: Option<Millis>,
}

/// The reader's attempts to get seats, one at a time.
#[derive(Clone, Copy)]
pub struct Booking {
    /// The sale on the page.
    pub sale: Sale,
    /// Shows the reserved seats on the map.
    pub map: Handle,
    /// The field for the reader's name.
    pub user_name: UserName,
    /// The errors of the latest attempt.
    pub errors: FormErrors,
    /// The reason why no attempt can succeed.
    pub refused: Memo<Option<String>>,
    /// The answer to the latest attempt, if it was refused.
    pub refusal: RwSignal<Option<Refusal>>,
    /// The pending attempt, or the last answered one, left the choice of seats to the server.
    pub is_pick: RwSignal<bool>,
}

impl Booking {
    pub fn new(sale: Sale, map: Handle, refused: Signal<Option<String>>) -> Self {
        // The answer to a form that the browser sent by itself is on the page from the beginning.
        let first = sale.attempts.answer.get_untracked();
        let booking = Self {
            sale,
            map,
            user_name: use_user_name(),
            errors: sale.attempts.errors,
            refused: sale.attempts.refused(refused),
            is_pick: RwSignal::new(first.is_some()),
            refusal: RwSignal::new(first.and_then(|answer| refusal(sale, &answer))),
        };
        Effect::new(move || {
            let answer = sale.attempts.answer.get();
            untrack(|| booking.take(answer));
        });
        booking
    }

    /// Tries to reserve the seats that the reader chose.
    pub fn reserve_selection(self) {
        let name = |seat: &u32| self.sale.seat_name(*seat);
        let seats = self.sale.selection.with_untracked(|selection| selection.iter().map(name).collect());
        self.reserve(seats, None);
    }

    /// Tries to reserve the best seats of a category.
    pub fn reserve_best(self, pick: Pick) {
        self.reserve(Vec::new(), Some(pick));
    }

    fn reserve(self, seats: Vec<String>, pick: Option<Pick>) {
        let sale = self.sale;
        let attempt = Attempt { user: self.user_name.read(), seats, pick };
        let request_id = Some(sale.attempts.begin(attempt.clone()));
        self.is_pick.set(attempt.pick.is_some());
        let Attempt { user, seats, pick } = attempt;
        let seats = (!seats.is_empty()).then_some(seats);
        let pick = pick.map(|pick| vec![pick]);
        sale.reserve.dispatch(ReserveRequest { sale: sale.id(), user, request_id, seats, pick, holders: None });
    }

    /// Processes the answer to the pending attempt; `None` if it was an error.
    fn take(self, answer: Option<LatestOutcome<Outcome>>) {
        match answer {
            Some(answer) => self.show(answer),
            None => self.refusal.set(None),
        }
        self.sale.deselect_taken();
    }

    /// Shows the outcome of an attempt.
    fn show(self, answer: LatestOutcome<Outcome>) {
        let sale = self.sale;
        self.refusal.set(refusal(sale, &answer));
        match answer.outcome {
            Outcome::Held(order) | Outcome::Repeat(order) => {
                sale.announce((words().you_hold)(order.seats.join(", ")));
                sale.selection
                    .update(|selection| selection.retain(|seat| !order.seats.contains(&sale.seat_name(*seat))));
                if self.is_pick.get_untracked() {
                    // The reader did not choose these seats, and wants to see their position.
                    self.map.frame(order.seats.iter().filter_map(|name| sale.seat_number(name)).collect());
                }
                sale.my_orders.put(order);
                return;
            }
            Outcome::SeatTaken { seats, .. } => {
                let taken: Vec<u32> = seats.iter().filter_map(|name| sale.seat_number(name)).collect();
                sale.selection.update(|selection| selection.retain(|seat| !taken.contains(seat)));
            }
            Outcome::NotEnoughSeats { .. }
            | Outcome::NotTogether { .. }
            | Outcome::LimitReached { .. }
            | Outcome::Closed { .. }
            | Outcome::NotOpen { .. }
            | Outcome::Paused { .. }
            | Outcome::Ended { .. } => {}
        }
        // Beside a refusal, "selected" would no longer be true.
        sale.announce(String::new());
    }
}

/// Words the answer, if it is a refusal.
fn refusal(sale: Sale, answer: &LatestOutcome<Outcome>) -> Option<Refusal> {
    let words = words();
    let (sentence, retry_at) = match &answer.outcome {
        Outcome::Held(_) | Outcome::Repeat(_) => return None,
        Outcome::SeatTaken { seats, held } => {
            let retry_at = held.iter().map(|held| held.held_until).min();
            ((words.seat_taken)(seats.join(", "), seats.len() as u64), retry_at)
        }
        Outcome::NotEnoughSeats { left } => {
            let left_in =
                |Left { category, left }: &Left| (words.left_in)(count((*left).into()), sale.category_name(category));
            let left: Vec<String> = left.iter().map(left_in).collect();
            ((words.not_enough)(left.join(", ")), None)
        }
        Outcome::NotTogether { groups } => {
            let group_in = |LargestGroup { category, largest }: &LargestGroup| {
                (words.group_in)(sale.category_name(category), (*largest).into())
            };
            let groups: Vec<String> = groups.iter().map(group_in).collect();
            ((words.not_together)(groups.join("; ")), None)
        }
        Outcome::LimitReached { left } => ((words.limit_reached)((*left).into()), None),
        Outcome::Closed { .. } => (words.sale_closed.to_owned(), None),
        Outcome::NotOpen { .. } => (life::words().sale_not_open.to_owned(), None),
        Outcome::Paused { reason, .. } => ((life::words().sale_paused)(reason), None),
        Outcome::Ended { .. } => (life::words().sale_ended.to_owned(), None),
    };
    Some(Refusal { number: answer.attempt, sentence, retry_at })
}
