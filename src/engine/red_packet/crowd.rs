//! A crowd at a red packet sale: every user wants a packet. The answer to each user is kept in four bytes.

use crate::{
    crowd::{
        run::Run,
        scenario::{CrowdKind, Discrepancies, Scenario},
        supply::Supply,
        waiting::keeps_trying,
    },
    red_packet::{history::StoredTerms, service::RedPackets},
};
use futures::future::{BoxFuture, FutureExt, ready};
use ledger::sale::LedgerSale;
use model::{
    Audit, Millis,
    crowd::RunConfig,
    error::{Code, Error, Result},
    red_packet::{Outcome, State, outcome},
};
use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};
use tokio::time::Instant;

/// The users whose packets are looked up at a time when a run is verified.
const VERIFIED_AT_A_TIME: u32 = 500;

/// The reported answer: refused, no answer, or else the packet's number.
const NOTHING: u32 = 0;
const UNKNOWN: u32 = u32::MAX;

/// The names by which answers are counted.
const ANSWERS: [&str; 7] = ["won", "repeat", "sold_out", "expired", "closed", "not_open", "paused"];

mod answer {
    pub const WON: usize = 0;
    pub const REPEAT: usize = 1;
    pub const SOLD_OUT: usize = 2;
    pub const EXPIRED: usize = 3;
    pub const CLOSED: usize = 4;
    pub const NOT_OPEN: usize = 5;
    pub const PAUSED: usize = 6;
}

struct RedPacketScenario {
    red_packets: RedPackets,
    /// The reported answer of each user, by position.
    reported: Box<[AtomicU32]>,
    doubled: AtomicU64,
}

impl CrowdKind for RedPackets {
    fn scenario<'a>(&'a self, config: &'a RunConfig) -> BoxFuture<'a, Result<Arc<dyn Scenario>>> {
        Box::pin(async move {
            // The snapshot fails if there is no such sale, and shows whether the sale is open.
            if self.snapshot(&config.sale).await?.state == State::Opening {
                return Err(Error::new(
                    Code::SaleOpening,
                    "The sale is still being opened; start the crowd when it is.",
                ));
            }
            let reported = (0..config.users).map(|_| AtomicU32::new(NOTHING)).collect();
            let scenario = RedPacketScenario { red_packets: self.clone(), reported, doubled: AtomicU64::new(0) };
            Ok(Arc::new(scenario) as Arc<dyn Scenario>)
        })
    }

    fn given(&self) -> &'static str {
        outcome::WON
    }

    fn supply<'a>(&'a self, sale: &'a LedgerSale, _until: Millis) -> BoxFuture<'a, Result<Supply>> {
        let terms = sale.terms.as_deref().and_then(|json| serde_json::from_str::<StoredTerms>(json).ok());
        let supply = Supply {
            total: terms.map(|terms| terms.count),
            given: self.given(),
            returned: &[],
            is_counted: false,
            place: Box::new(|packet| packet.parse().unwrap_or(u64::MAX)),
        };
        ready(Ok(supply)).boxed()
    }
}

impl RedPacketScenario {
    async fn click(&self, run: &Run, place: u32, nth: u32, begun: Instant) {
        let mut begun = begun;
        loop {
            let start = self.claim(run, place, nth, begun).await;
            match start {
                Some((opens_at, now)) if keeps_trying(run, place, opens_at, now).await => begun = Instant::now(),
                _ => return,
            }
        }
    }

    /// Makes one attempt. Returns the start of the sale and the time of the attempt, if that was before the start.
    async fn claim(&self, run: &Run, place: u32, nth: u32, begun: Instant) -> Option<(Millis, Millis)> {
        let request_id = run.request(place, nth);
        let answer = self.red_packets.claim(&run.config.sale, run.user(place), Some(request_id)).await;
        let start = match answer {
            Ok(Outcome::NotOpen { opens_at, now }) => Some((opens_at, now)),
            _ => None,
        };
        let (name, packet) = match answer {
            Ok(Outcome::Won { packet, .. }) => (Ok(answer::WON), packet),
            Ok(Outcome::Repeat { packet, .. }) => (Ok(answer::REPEAT), packet),
            Ok(Outcome::SoldOut) => (Ok(answer::SOLD_OUT), NOTHING),
            Ok(Outcome::Expired { .. }) => (Ok(answer::EXPIRED), NOTHING),
            Ok(Outcome::Closed { .. }) => (Ok(answer::CLOSED), NOTHING),
            Ok(Outcome::NotOpen { .. }) => (Ok(answer::NOT_OPEN), NOTHING),
            Ok(Outcome::Paused { .. }) => (Ok(answer::PAUSED), NOTHING),
            Err(error) => (Err(error.code), UNKNOWN),
        };
        self.note_reported(place, packet);
        run.note(name, begun.elapsed());
        start
    }

    fn note_reported(&self, place: u32, packet: u32) {
        let reported = &self.reported[place as usize];
        match packet {
            NOTHING => {}
            // A packet that was acknowledged stays acknowledged.
            UNKNOWN => _ = reported.compare_exchange(NOTHING, UNKNOWN, Relaxed, Relaxed),
            packet => {
                let before = reported.swap(packet, Relaxed);
                if before != NOTHING && before != UNKNOWN && before != packet {
                    self.doubled.fetch_add(1, Relaxed);
                }
            }
        }
    }

    async fn visit(&self, run: &Run, place: u32, begun: Instant) {
        if run.clicks_again(place) {
            // This is a double click: the second click does not wait for the first.
            futures::join!(self.click(run, place, 1, begun), self.click(run, place, 2, begun));
        } else {
            self.click(run, place, 1, begun).await;
        }
    }

    async fn compare(&self, run: &Run) -> Result<Discrepancies> {
        let mut found = Discrepancies { doubled: self.doubled.load(Relaxed), ..Discrepancies::default() };
        for first in (0..run.config.users).step_by(VERIFIED_AT_A_TIME as usize) {
            let places = first..run.config.users.min(first + VERIFIED_AT_A_TIME);
            let users: Vec<String> = places.clone().map(|place| run.user(place)).collect();
            let holdings = self.red_packets.holdings(&run.config.sale, &users).await?;
            for (place, holding) in places.zip(holdings) {
                match (self.reported[place as usize].load(Relaxed), holding) {
                    (NOTHING, None) | (UNKNOWN, _) => {}
                    (NOTHING, Some(_)) => found.unexpected += 1,
                    (packet, holding) => found.lost += u64::from(holding.is_none_or(|held| held.packet != packet)),
                }
            }
        }
        Ok(found)
    }
}

impl Scenario for RedPacketScenario {
    fn answers(&self) -> &'static [&'static str] {
        &ANSWERS
    }

    fn visit<'a>(&'a self, run: &'a Arc<Run>, place: u32, begun: Instant) -> BoxFuture<'a, ()> {
        Box::pin(self.visit(run, place, begun))
    }

    fn compare<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Discrepancies>> {
        Box::pin(self.compare(run))
    }

    fn audited(&self, audit: &Audit) -> Discrepancies {
        let found = Discrepancies::of_audit(audit);
        // A user with two packets also counts as doubled.
        Discrepancies { oversold: audit.excess("packets"), doubled: found.doubled + audit.excess("twice"), ..found }
    }
}
