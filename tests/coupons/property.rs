//! What every limit has left, after whatever steps; a failure is reduced to the fewest that show it.

use super::{coupons, limits, terms};
use crate::support::{
    app::TestApp,
    property::{holds_async, runtime},
    redis::TestRedis,
};
use engine::coupon::service::Coupons;
use model::{
    Millis, Verdict,
    coupon::{ByLimit, End, LIMITS, Outcome, Terms},
};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use std::cell::Cell;
use store::runtime::Clock;

const HOUR: Millis = 3_600_000;
const USERS: [&str; 3] = ["ann", "bob", "cid"];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// By the user at this place.
    Claim(usize),
    /// The coupon at this place among all is redeemed, or given back; or there is none.
    End(usize, bool),
    SetLimits(ByLimit),
    /// Hours go by.
    Wait(Millis),
    /// The ledger's writer comes by.
    Record,
}

fn any_limits() -> impl Strategy<Value = ByLimit> {
    (0..12_u64, 0..5_u64, 0..3_u64).prop_map(|(total, per_user, per_day)| limits(total, per_user, per_day))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..USERS.len()).prop_map(Step::Claim),
        4 => (0..8_usize, any::<bool>()).prop_map(|(nth, redeems)| Step::End(nth, redeems)),
        1 => any_limits().prop_map(Step::SetLimits),
        1 => (1..30_i64).prop_map(Step::Wait),
        1 => Just(Step::Record),
    ]
}

/// A coupon, and whether it counts towards the limits.
struct Given {
    user: &'static str,
    day: Millis,
    code: String,
    is_over: bool,
    counts: bool,
}

/// What each limit must have left for a user, counted coupon by coupon. Days are those of UTC.
fn left(limits: ByLimit, given: &[Given], user: &str, now: Millis) -> ByLimit {
    let counted = |is_of: &dyn Fn(&Given) -> bool| given.iter().filter(|one| one.counts && is_of(one)).count() as u64;
    let left = |most: Option<u64>, counted: u64| most.map(|most| most.saturating_sub(counted));
    let day = now / (24 * HOUR);
    ByLimit {
        total: left(limits.total, counted(&|_| true)),
        per_user: left(limits.per_user, counted(&|one| one.user == user)),
        per_user_per_day: left(limits.per_user_per_day, counted(&|one| one.user == user && one.day == day)),
    }
}

/// Plays the steps at a sale of its own.
async fn adds_up(app: &TestApp, sales: &Coupons, terms: Terms, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (sale, given_back_counts) = (terms.sale.clone(), terms.given_back_counts);
    let sale = sale.as_str();
    let (mut limits, mut given) = (terms.limits, Vec::<Given>::new());
    sales.open(terms).await.expect("a sale");
    for step in steps {
        let now = app.time.now();
        match step {
            Step::Claim(nth) => {
                let (user, left) = (USERS[nth], left(limits, &given, USERS[nth], now));
                let outcome = sales.claim(sale, user.to_owned(), None).await.expect("an outcome");
                match LIMITS.into_iter().find(|limit| left.get(limit.name) == Some(0)) {
                    Some(limit) => prop_assert_eq!(outcome, Outcome::Refused { limit: limit.name, left }),
                    None => {
                        let Outcome::Won { code } = outcome else { panic!("{outcome:?} though {left:?} is left") };
                        given.push(Given { user, day: now / (24 * HOUR), code, is_over: false, counts: true });
                    }
                }
            }
            Step::End(nth, redeems) => {
                let Some(coupon) = given.get_mut(nth) else { continue };
                let end = match redeems {
                    true => sales.redeem(sale, &coupon.code, None).await,
                    false => sales.give_back(sale, &coupon.code, String::new(), None).await,
                };
                let is_new = matches!(end.expect("an outcome"), End::Redeemed(_) | End::Returned(_));
                prop_assert_eq!(is_new, !coupon.is_over);
                coupon.counts &= redeems || coupon.is_over || given_back_counts;
                coupon.is_over = true;
            }
            Step::SetLimits(new) => {
                let names = LIMITS.map(|limit| limit.name);
                let unlimited: Vec<_> = names.into_iter().filter(|name| new.get(*name).is_none()).collect();
                sales.set_limits(sale, new, &unlimited, None).await.expect("an outcome");
                limits = new;
            }
            Step::Wait(hours) => app.time.advance(hours * HOUR),
            Step::Record => app.writer("one").catch_up().await.expect("the ledger"),
        }
        for user in USERS {
            let held = sales.user(sale, user.to_owned()).await.expect("a user");
            prop_assert_eq!(held.left, left(limits, &given, user, app.time.now()));
        }
    }
    prop_assert_eq!(sales.audit(sale).await.expect("an audit").verdict, Verdict::Holds);
    Ok(())
}

#[test]
fn what_a_limit_has_left_is_its_maximum_less_what_counts() {
    let runtime = runtime();
    let (_redis, app) = runtime.block_on(async {
        let redis = TestRedis::start().await;
        let app = TestApp::on(&redis).await;
        (redis, app)
    });
    let (sales, nth) = (coupons(&app), Cell::new(0));
    let values = (any_limits(), any::<bool>(), vec(step(), 1..30));
    holds_async(48, values, &runtime, async |(of, given_back_counts, steps): (ByLimit, bool, Vec<Step>)| {
        nth.set(nth.get() + 1);
        let terms = Terms { sale: format!("s{}", nth.get()), given_back_counts, ..terms(of) };
        adds_up(&app, &sales, terms, steps).await
    });
}
