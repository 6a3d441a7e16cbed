//! The demonstration on the first page: packets, the claimed ones of which are open.

use crate::{
    kind::{Miniature, MiniatureSale},
    red_packet::words::words,
};
use leptos::prelude::*;

/// The demonstration of red packets.
pub const MINIATURE: Miniature =
    Miniature { sentence: || words().demonstration, picture: |sale| view! { <Packets sale /> }.into_any() };

/// The number of packets in the picture; each stands for as many of the sale.
const PACKETS: u64 = 24;

#[component]
fn Packets(
    /// The sale of the picture.
    sale: MiniatureSale,
) -> impl IntoView {
    // The first is open as soon as anything is claimed, and the last only when all are.
    let open = Memo::new(move |_| opened(sale.given(), sale.total()));
    let packet = |place: u64| view! { <i class:opened=move || place < open.get()></i> };
    view! { <div class="mini-packets">{(0..PACKETS).map(packet).collect_view()}</div> }
}

/// Returns how many packets of the picture are open.
fn opened(claimed: u64, all: u64) -> u64 {
    match claimed {
        0 => 0,
        some => (some * PACKETS).checked_div(all).unwrap_or(0).clamp(1, PACKETS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_packet_is_open_when_all_are() {
        assert_eq!([0, 1, 500, 999, 1_000].map(|claimed| opened(claimed, 1_000)), [0, 1, 12, 23, 24]);
    }
}
