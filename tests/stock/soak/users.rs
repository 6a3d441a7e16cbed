//! Users who buy several units, give them back, and operators who restock, correct, and let the quantity expire.

use super::{
    found,
    judge::{Adjustment, Deduction, Heard},
};
use crate::soak::{
    crowd::{Caller, Step, Visitor},
    harness::Harness,
    verdict::{Ends, Loss, Verdict},
};
use engine::stock::scripts::KIND;
use futures::future::join;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most units that a user wants.
const MOST_WANTED: u64 = 4;
/// The visit at which the ledger's writer is paused, once for all users, and for how many seconds.
const PAUSING: &str = "0-5";
const PAUSE_S: u64 = 1;

/// Users of a stock sale.
#[derive(Clone)]
pub struct Buying {
    pub sale: String,
}

impl Visitor for Buying {
    type Heard = Heard;

    fn sale(&self) -> (&'static str, &str) {
        (KIND, &self.sale)
    }

    /// One user buys once, or twice at the same time, and gives it back or not. An operator may act before that.
    async fn visit(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> Heard {
        let mut heard = Heard { user: user.to_owned(), ..Heard::default() };
        if user.ends_with(PAUSING) {
            caller.ask("/api/stock/pause", &json!({ "sale": self.sale, "seconds": PAUSE_S }), random).await;
        }
        match random.random_range(0..12) {
            0 => _ = caller.ask("/api/stock/expire", &json!({ "sale": self.sale }), random).await,
            1 => heard.adjustments.push(self.restock(caller, user, random).await),
            2 => heard.adjustments.push(self.correct(caller, user, random).await),
            _ => {}
        }
        let deduct = |nth, seed| self.deduct(caller, user, format!("{user}-d{nth}"), seed);
        let (seed, other_seed) = (random.random(), random.random());
        if random.random_ratio(1, 3) {
            let (first, second) = join(deduct(1, seed), deduct(2, other_seed)).await;
            heard.deductions = vec![first, second];
        } else {
            heard.deductions = vec![deduct(1, seed).await];
        }
        heard
    }

    async fn judge(
        &self,
        heard: &BTreeMap<String, Heard>,
        harness: &Harness,
        _: Ends,
        loss: Option<&Loss>,
        verdict: &mut Verdict,
    ) {
        let found = found(harness, &self.sale).await;
        match loss {
            Some(loss) => verdict.judge_stock_after(loss, heard, &found),
            None => verdict.judge_stock(heard, &found),
        }
    }
}

impl Buying {
    /// Sends some answered requests again.
    async fn tell_twice(caller: &Caller, path: &str, body: &Value, random: &mut ChaCha8Rng, step: &mut Step) {
        if caller.tell(path, body, random, step).await.is_some() && random.random_ratio(1, 4) {
            caller.tell(path, body, random, step).await;
        }
    }

    async fn deduct(&self, caller: &Caller, user: &str, request_id: String, seed: u64) -> Deduction {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let quantity = random.random_range(1..=MOST_WANTED);
        let mut deduction = Deduction { request_id, quantity, ..Deduction::default() };
        let body = json!({ "sale": self.sale, "user": user, "quantity": quantity, "request_id": deduction.request_id });
        Self::tell_twice(caller, "/api/stock/deduct", &body, &mut random, &mut deduction.step).await;
        if deduction.is_told() {
            let give_back = |seed| self.give_back(caller, &deduction.request_id, seed);
            let (seed, other_seed) = (random.random(), random.random());
            deduction.returns = match random.random_range(0..6) {
                0..3 => vec![],
                3..5 => vec![give_back(seed).await],
                _ => {
                    let (first, second) = join(give_back(seed), give_back(other_seed)).await;
                    vec![first, second]
                }
            };
        }
        deduction
    }

    async fn give_back(&self, caller: &Caller, request_id: &str, seed: u64) -> Step {
        let (mut random, mut step) = (ChaCha8Rng::seed_from_u64(seed), Step::default());
        let mut body = json!({ "sale": self.sale, "request_id": request_id });
        if random.random() {
            body["reason"] = "The order failed".into();
        }
        Self::tell_twice(caller, "/api/stock/give-back", &body, &mut random, &mut step).await;
        step
    }

    async fn restock(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> Adjustment {
        let (request_id, change) = (format!("{user}-a"), random.random_range(1..=20));
        let mut restock = Adjustment { request_id, outcome: "restocked", change, ..Adjustment::default() };
        let body = json!({ "sale": self.sale, "quantity": change, "request_id": restock.request_id });
        Self::tell_twice(caller, "/api/stock/restock", &body, random, &mut restock.step).await;
        restock
    }

    /// Corrects as if a few more or fewer were counted than there should have been, whatever is left now.
    async fn correct(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> Adjustment {
        const EXPECTED: i64 = 1_000;
        let (request_id, change) = (format!("{user}-a"), random.random_range(-3..=3));
        let mut correction = Adjustment { request_id, outcome: "corrected", change, ..Adjustment::default() };
        let body = json!({
            "sale": self.sale, "counted": EXPECTED + change, "expected": EXPECTED,
            "request_id": correction.request_id,
        });
        Self::tell_twice(caller, "/api/stock/correct", &body, random, &mut correction.step).await;
        correction
    }
}
