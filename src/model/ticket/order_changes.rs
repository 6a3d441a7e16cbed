//! What is done with an order beside its payment: it is cancelled, as a whole or in part, or its hold is extended.

use super::{Order, check_named_once, index::LARGEST_GROUP};
use crate::{
    Cents,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to a cancellation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "TicketCancelled")]
pub enum Cancelled {
    /// The seats came back before payment.
    Cancelled(Cancellation),
    /// The seats were paid. Their price is refunded.
    Refunded(Cancellation),
    /// These seats had come back, or the order had ended. Nothing changed.
    Repeat(Cancellation),
}

impl Cancelled {
    /// The order after the cancellation.
    pub fn order(self) -> Order {
        match self {
            Self::Cancelled(cancellation) | Self::Refunded(cancellation) | Self::Repeat(cancellation) => {
                cancellation.order
            }
        }
    }
}

/// An order after a cancellation, and what came back by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketCancellation")]
pub struct Cancellation {
    /// The order. After a part of it came back, it has the other seats, and their price.
    #[serde(flatten)]
    pub order: Order,
    /// The ids of the seats that came back by this cancellation; none if the order had ended otherwise.
    pub cancelled_seats: Vec<String>,
    /// The price of these seats, in cents: the amount that is refunded if they were paid.
    pub cancelled_cents: Cents,
}

/// The answer to an attempt to extend the hold of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "TicketExtended")]
pub enum Extended {
    /// The order is held until `held_until`: longer by the hold time of the sale.
    Extended(Order),
    /// This request extended it before. Nothing changed.
    Repeat(Order),
    /// Another request extended it before. A hold is extended once; nothing changed.
    AlreadyExtended(Order),
    /// The sale does not allow holds to be extended. Nothing changed.
    NotExtendable(Order),
    /// The order is paid or has ended, or its deadline has passed. Nothing changed.
    Late(Order),
}

impl Extended {
    /// The order after the attempt.
    pub fn order(self) -> Order {
        match self {
            Self::Extended(order)
            | Self::Repeat(order)
            | Self::AlreadyExtended(order)
            | Self::NotExtendable(order)
            | Self::Late(order) => order,
        }
    }
}

/// Checks the seats of a part that is to come back. Whether the order has them is decided with the cancellation.
///
/// # Errors
/// `bad_request` naming the field `seats`.
pub fn check_part(seats: &[String]) -> Result<()> {
    let bad = |why: String| Err(Error::bad("seats", why));
    if seats.is_empty() {
        return bad("`seats` is empty; name seats of the order, or leave it out to cancel all of them.".to_owned());
    }
    if seats.len() > LARGEST_GROUP {
        return bad(format!("`seats` names {} seats; an order has at most {LARGEST_GROUP}.", seats.len()));
    }
    check_named_once(seats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_some_seats_each_named_once() {
        let checked = |seats: &[&str]| {
            let seats: Vec<String> = seats.iter().map(|seat| (*seat).to_owned()).collect();
            check_part(&seats).map_err(|error| (error.field, error.message))
        };
        assert_eq!(checked(&["A-01-01", "A-01-02"]), Ok(()));
        let eleven: Vec<String> = (0..11).map(|number| number.to_string()).collect();
        let eleven: Vec<&str> = eleven.iter().map(String::as_str).collect();
        for (seats, why) in [
            (&[][..], "`seats` is empty; name seats of the order, or leave it out to cancel all of them."),
            (&["A-01-01", "A-01-02", "A-01-01"], "`seats` names A-01-01 twice."),
            (&eleven, "`seats` names 11 seats; an order has at most 10."),
        ] {
            assert_eq!(checked(seats), Err((Some("seats".to_owned()), why.to_owned())));
        }
    }
}
