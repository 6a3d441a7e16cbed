//! A crowd at a red packet: everyone wants one. What each user heard takes four bytes.

use super::{
    game::{Found, Game},
    run::Run,
};
use crate::{
    crowd::Orders,
    error::{Code, Error, Result},
    sales::red_packet::{Outcome, State, service::RedPackets},
};
use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};
use tokio::time::Instant;

/// Users whose packets are looked up at a time when a run is judged.
const JUDGED_AT_A_TIME: u32 = 500;

/// What a user knows of its packet: nothing, not whether it has one, or the packet's number.
const HEARD_NOTHING: u32 = 0;
const HEARD_UNKNOWN: u32 = u32::MAX;

#[derive(Clone)]
pub(super) struct Fight {
    red_packet: RedPackets,
    heard: Arc<[AtomicU32]>,
    doubled: Arc<AtomicU64>,
}

impl Fight {
    /// # Errors
    /// `unknown_sale`, `sale_opening`, `unavailable`.
    pub async fn new(red_packet: RedPackets, orders: &Orders) -> Result<Self> {
        // Says whether there is such a sale, and whether it is open.
        if red_packet.snapshot(&orders.sale).await?.state == State::Opening {
            return Err(Error::new(
                Code::SaleOpening,
                "The sale is still being opened; let the crowd loose when it is.",
            ));
        }
        let heard = (0..orders.users).map(|_| AtomicU32::new(HEARD_NOTHING)).collect();
        Ok(Self { red_packet, heard, doubled: Arc::default() })
    }

    async fn click(&self, crowd: &Run, place: u32, nth: u32, begun: Instant) {
        let request_id = crowd.request(place, nth);
        let answer = self.red_packet.claim(&crowd.orders.sale, crowd.user(place), Some(request_id)).await;
        let (name, packet) = match answer {
            Ok(Outcome::Won { packet, .. }) => (Some(0), packet),
            Ok(Outcome::Repeat { packet, .. }) => (Some(1), packet),
            Ok(Outcome::SoldOut) => (Some(2), HEARD_NOTHING),
            Ok(Outcome::Expired { .. }) => (Some(3), HEARD_NOTHING),
            Err(_) => (None, HEARD_UNKNOWN),
        };
        self.hear(place, packet);
        crowd.note(name, begun.elapsed());
    }

    fn hear(&self, place: u32, packet: u32) {
        let heard = &self.heard[place as usize];
        match packet {
            HEARD_NOTHING => {}
            // A packet that was acknowledged stays acknowledged.
            HEARD_UNKNOWN => _ = heard.compare_exchange(HEARD_NOTHING, HEARD_UNKNOWN, Relaxed, Relaxed),
            packet => {
                let before = heard.swap(packet, Relaxed);
                if before != HEARD_NOTHING && before != HEARD_UNKNOWN && before != packet {
                    self.doubled.fetch_add(1, Relaxed);
                }
            }
        }
    }
}

impl Game for Fight {
    const ANSWERS: &'static [&'static str] = &["won", "repeat", "sold_out", "expired"];

    async fn come(&self, crowd: &Arc<Run>, place: u32, begun: Instant) {
        if crowd.clicks_again(place) {
            // A double click: the second does not wait for the first.
            futures::join!(self.click(crowd, place, 1, begun), self.click(crowd, place, 2, begun));
        } else {
            self.click(crowd, place, 1, begun).await;
        }
    }

    async fn compare(&self, crowd: &Run) -> Result<Found> {
        let mut found = Found { doubled: self.doubled.load(Relaxed), ..Found::default() };
        for first in (0..crowd.orders.users).step_by(JUDGED_AT_A_TIME as usize) {
            let places = first..crowd.orders.users.min(first + JUDGED_AT_A_TIME);
            let users: Vec<String> = places.clone().map(|place| crowd.user(place)).collect();
            let holdings = self.red_packet.holdings(&crowd.orders.sale, &users).await?;
            for (place, holding) in places.zip(holdings) {
                match (self.heard[place as usize].load(Relaxed), holding) {
                    (HEARD_NOTHING, None) | (HEARD_UNKNOWN, _) => {}
                    (HEARD_NOTHING, Some(_)) => found.unexpected += 1,
                    (packet, holding) => found.lost += u64::from(holding.is_none_or(|held| held.packet != packet)),
                }
            }
        }
        Ok(found)
    }
}
