//! Users who claim coupons, redeem them, and give them back, and operators who edit a limit.

use super::{
    found,
    judge::{Claim, Edit, End, Heard, Limits, Verb},
};
use crate::soak::{
    crowd::{Caller, Visitor},
    harness::Harness,
    kinds::Days,
    verdict::{Ends, Loss, Verdict},
};
use engine::coupon::scripts::KIND;
use futures::future::join;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;

/// How often one user comes. The limits allow fewer coupons than that, and a user may come before and after a day ends.
const VISITS: usize = 10;

/// Users of a coupon sale.
#[derive(Clone)]
pub struct Collecting {
    pub sale: String,
    pub limits: Limits,
    pub days: Days,
}

impl Visitor for Collecting {
    type Heard = Heard;

    fn sale(&self) -> (&'static str, &str) {
        (KIND, &self.sale)
    }

    /// One user claims a coupon, or two at the same moment, and ends them or not. An operator may act before that.
    async fn visit(&self, caller: &Caller, visit: &str, random: &mut ChaCha8Rng) -> Heard {
        let (place, number) = visit.rsplit_once('-').expect("a place and a number");
        let user = format!("{place}-{}", number.parse::<usize>().expect("a number") / VISITS);
        let edits = if random.random_ratio(1, 12) { vec![self.edit(caller, visit, random).await] } else { vec![] };
        let claim = |nth, seed| self.claim(caller, &user, format!("{visit}-r{nth}"), seed);
        let (seed, other_seed) = (random.random(), random.random());
        let claims = if random.random_ratio(1, 3) {
            let (first, second) = join(claim(1, seed), claim(2, other_seed)).await;
            vec![first, second]
        } else {
            vec![claim(1, seed).await]
        };
        Heard { user, claims, edits }
    }

    async fn judge(
        &self,
        heard: &BTreeMap<String, Heard>,
        harness: &Harness,
        _: Ends,
        loss: Option<&Loss>,
        verdict: &mut Verdict,
    ) {
        let found = found(harness, &self.sale, self.limits, self.days).await;
        match loss {
            Some(loss) => verdict.judge_coupons_after(loss, heard, &found),
            None => verdict.judge_coupons(heard, &found),
        }
    }
}

impl Collecting {
    /// Sets the limit for each user, perhaps to what it is already; of those who have an answer, some ask again.
    async fn edit(&self, caller: &Caller, visit: &str, random: &mut ChaCha8Rng) -> Edit {
        let mut edit = Edit { request_id: format!("{visit}-l"), ..Edit::default() };
        let per_user = random.random_range(self.limits.least_per_user..=self.limits.per_user);
        let body = json!({ "sale": self.sale, "per_user": per_user, "request_id": edit.request_id });
        let told = caller.tell("/api/coupon/limits", &body, random, &mut edit.step).await;
        if told.is_some() && random.random_ratio(1, 4) {
            caller.tell("/api/coupon/limits", &body, random, &mut edit.step).await;
        }
        edit
    }

    async fn claim(&self, caller: &Caller, user: &str, request_id: String, seed: u64) -> Claim {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut claim = Claim { request_id, ..Claim::default() };
        let body = json!({ "sale": self.sale, "user": user, "request_id": claim.request_id });
        let told = caller.tell("/api/coupon/claim", &body, &mut random, &mut claim.step).await;
        let Some(code) = told.as_ref().and_then(|told| told["code"].as_str()) else { return claim };
        if random.random_ratio(1, 4) {
            caller.tell("/api/coupon/claim", &body, &mut random, &mut claim.step).await;
        }
        let verbs = [Verb::Redeem, Verb::GiveBack];
        let one = verbs[usize::from(random.random_ratio(1, 3))];
        let other = verbs[usize::from(random.random::<bool>())];
        let end = |verb, nth| End { verb, request_id: format!("{}-e{nth}", claim.request_id), ..End::default() };
        let (first, second) = (end(one, 1), end(other, 2));
        let (seed, other_seed) = (random.random(), random.random());
        claim.ends = match random.random_range(0..6) {
            0 => vec![],
            1..4 => vec![self.end(caller, code, first, seed).await],
            4 => vec![self.end(caller, code, first, seed).await, self.end(caller, code, second, other_seed).await],
            _ => {
                let both = join(self.end(caller, code, first, seed), self.end(caller, code, second, other_seed));
                let (first, second) = both.await;
                vec![first, second]
            }
        };
        claim
    }

    /// Redeems a coupon or gives it back; of those who have an answer, some ask again.
    async fn end(&self, caller: &Caller, code: &str, mut end: End, seed: u64) -> End {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let path = match end.verb {
            Verb::Redeem => "/api/coupon/redeem",
            Verb::GiveBack => "/api/coupon/give-back",
        };
        let mut body = json!({ "sale": self.sale, "code": code, "request_id": end.request_id });
        if matches!(end.verb, Verb::GiveBack) && random.random() {
            body["reason"] = "The order failed".into();
        }
        let told = caller.tell(path, &body, &mut random, &mut end.step).await;
        if told.is_some() && random.random_ratio(1, 4) {
            caller.tell(path, &body, &mut random, &mut end.step).await;
        }
        end
    }
}
