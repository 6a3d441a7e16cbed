//! Users who claim packets.

use super::{found, judge::Heard};
use crate::soak::{
    crowd::{Caller, TRIES, Told, Visitor},
    harness::Harness,
    verdict::{Ends, Loss, Verdict},
};
use engine::red_packet::scripts::KIND;
use futures::future::join;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;

/// Users of a red packet sale.
#[derive(Clone)]
pub struct Claiming {
    pub sale: String,
}

impl Visitor for Claiming {
    type Heard = Heard;

    fn sale(&self) -> (&'static str, &str) {
        (KIND, &self.sale)
    }

    /// One user clicks once, or twice at the same time.
    async fn visit(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> Heard {
        let first = self.click(caller, user, 1, random.random());
        let second = self.click(caller, user, 2, random.random());
        if random.random_ratio(1, 4) {
            let (first, second) = join(first, second).await;
            first.and(second)
        } else {
            first.await
        }
    }

    async fn judge(
        &self,
        heard: &BTreeMap<String, Heard>,
        harness: &Harness,
        ends: Ends,
        loss: Option<&Loss>,
        verdict: &mut Verdict,
    ) {
        let found = found(harness, &self.sale, ends).await;
        match loss {
            Some(loss) => verdict.judge_after(loss, heard, &found),
            None => verdict.judge(heard, &found),
        }
    }
}

impl Claiming {
    /// One click: a user without an answer may try again, with the same request, at either server.
    async fn click(&self, caller: &Caller, user: &str, number: u32, seed: u64) -> Heard {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let request_id = format!("{user}-r{number}");
        let mut heard = Heard { requests: [request_id.clone()].into(), ..Heard::default() };
        let body = json!({ "sale": self.sale, "user": user, "request_id": request_id });
        for _ in 0..random.random_range(1..=TRIES) {
            match caller.ask("/api/red-packet/claim", &body, &mut random).await {
                Told::Answer(outcome) => {
                    heard.take(&request_id, serde_json::from_value(outcome).expect("an outcome"));
                    break;
                }
                Told::Suspended => break,
                Told::Missing => panic!("packets have no orders"),
                Told::Unknown => heard.unknown += 1,
            }
        }
        heard
    }
}
