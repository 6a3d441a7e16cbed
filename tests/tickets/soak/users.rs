//! Users who hold seats, extend their holds, pay, and give them back, all or a part of them.

use super::{
    found,
    judge::{Heard, part_id},
};
use crate::soak::{
    crowd::{Caller, Step, Visitor},
    harness::Harness,
    verdict::{Ends, Loss, Verdict},
};
use engine::ticket::scripts::KIND;
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;

/// Users of a ticket sale.
#[derive(Clone)]
pub struct Buying {
    pub sale: String,
    /// The ids of all seats.
    pub seats: Vec<String>,
}

impl Buying {
    /// An operator blocks a seat, and perhaps unblocks it. Whether that was done, the audit compares with the history.
    async fn operate(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) {
        let seat = self.seats.choose(random);
        let change = |verb: &str| json!({ "sale": self.sale, "seats": [seat], "request_id": format!("{user}-{verb}") });
        caller.tell("/api/ticket/block", &change("block"), random, &mut Step::default()).await;
        if random.random_ratio(2, 3) {
            caller.tell("/api/ticket/unblock", &change("unblock"), random, &mut Step::default()).await;
        }
    }
}

impl Visitor for Buying {
    type Heard = Heard;

    fn sale(&self) -> (&'static str, &str) {
        (KIND, &self.sale)
    }

    /// One user wants the best seats or certain ones, and then extends the hold, pays for them,
    /// gives one of them or all back, does several of these, or nothing.
    async fn visit(&self, caller: &Caller, user: &str, random: &mut ChaCha8Rng) -> Heard {
        let request_id = format!("{user}-r");
        let mut heard = Heard { request_id: request_id.clone(), ..Heard::default() };
        let mut wish = json!({ "sale": self.sale, "user": user, "request_id": request_id });
        let count = random.random_range(1..=3);
        if random.random_ratio(1, 3) {
            let seats: Vec<&String> = self.seats.choose_multiple(random, count).collect();
            wish["seats"] = json!(seats);
        } else {
            let category = if random.random() { "near" } else { "far" };
            wish["pick"] = json!([{ "category": category, "count": count }]);
        }
        let again = random.random_ratio(1, 4);
        let mut held = caller.tell("/api/ticket/reserve", &wish, random, &mut heard.reserve).await;
        if again && held.is_some() {
            held = caller.tell("/api/ticket/reserve", &wish, random, &mut heard.reserve).await.or(held);
        }
        for told in &heard.reserve.answers {
            if let (Some(order), Some(seats)) = (told["order"].as_str(), told["seats"].as_array()) {
                let seats = seats.iter().map(|seat| seat.as_str().expect("a seat").to_owned()).collect();
                heard.orders.insert((order.to_owned(), seats));
            }
        }
        if random.random_ratio(1, 8) {
            self.operate(caller, user, random).await;
        }
        let order = held.as_ref().and_then(|held| held["order"].as_str());
        let Some(order) = order else { return heard };
        if random.random_ratio(1, 5) {
            let extend = json!({ "sale": self.sale, "order": order, "request_id": format!("{user}-e") });
            caller.tell("/api/ticket/extend", &extend, random, &mut heard.extend).await;
        }
        if random.random_ratio(2, 3) {
            let pay = json!({ "sale": self.sale, "order": order, "request_id": format!("{user}-p") });
            caller.tell("/api/ticket/pay", &pay, random, &mut heard.pay).await;
        }
        let seats = held.as_ref().and_then(|held| held["seats"].as_array());
        let seats = seats.map(Vec::as_slice).unwrap_or_default();
        if seats.len() > 1 && random.random_ratio(1, 3) {
            let mut part =
                json!({ "sale": self.sale, "order": order, "seats": [seats[0]], "request_id": part_id(user) });
            if random.random() {
                part["reason"] = format!("{user} cannot come").into();
            }
            caller.tell("/api/ticket/cancel", &part, random, &mut heard.part).await;
        }
        if random.random_ratio(1, 3) {
            let cancel = json!({ "sale": self.sale, "order": order, "request_id": format!("{user}-c") });
            caller.tell("/api/ticket/cancel", &cancel, random, &mut heard.cancel).await;
        }
        heard
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
            Some(loss) => verdict.judge_seats_after(loss, heard, &found),
            None => verdict.judge_seats(heard, &found),
        }
    }
}
