//! The sign of an order's state.

use crate::components::Tone;
use model::ticket::OrderState;

/// Returns the meaning of the colour, and the icon, of the badge of an order in this state.
pub fn order_sign(state: OrderState) -> (Tone, icondata_core::Icon) {
    match state {
        OrderState::Held => (Tone::Warning, icondata_lu::LuClock),
        OrderState::Paid => (Tone::Good, icondata_lu::LuCheck),
        OrderState::Cancelled => (Tone::Neutral, icondata_lu::LuX),
        OrderState::Expired => (Tone::Neutral, icondata_lu::LuClock),
        OrderState::Refunded => (Tone::Neutral, icondata_lu::LuRotateCcw),
    }
}
