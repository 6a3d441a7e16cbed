//! Coupons: limits, days, codes.

mod audit;
mod cases;
mod crowd;
mod days;
mod fuzz;
pub mod kind;
mod lists;
mod mistakes;
mod model;
mod property;
mod reasons;
mod recovery;
mod scripts;
mod service;
mod soak;

use crate::support::{app::TestApp, redis::TestRedis};
use ::model::{
    Millis,
    coupon::{ByLimit, End, LimitName, Lists, Outcome, Terms, Validity},
};
use engine::coupon::service::Coupons;

/// Limits by number; 0 for none.
fn limits(total: u64, per_user: u64, per_user_per_day: u64) -> ByLimit {
    let some = |number: u64| (number > 0).then_some(number);
    ByLimit { total: some(total), per_user: some(per_user), per_user_per_day: some(per_user_per_day) }
}

fn terms(limits: ByLimit) -> Terms {
    Terms {
        sale: "s".to_owned(),
        limits,
        time_zone: "UTC".to_owned(),
        given_back_counts: false,
        validity: Validity::default(),
        lists: Lists::default(),
        plan: ::model::life::Plan::default(),
    }
}

fn coupons(app: &TestApp) -> Coupons {
    app.kinds.get::<Coupons>().expect("coupons").clone()
}

/// A server with the sale "s".
async fn with_sale(terms: Terms) -> (TestRedis, TestApp, Coupons) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = coupons(&app);
    sales.open(terms).await.expect("a sale");
    (redis, app, sales)
}

async fn claim(sales: &Coupons, user: &str, request: &str) -> Outcome {
    sales.claim("s", user.to_owned(), Some(request.to_owned())).await.expect("an outcome")
}

/// The code of a claim that must win.
async fn won(sales: &Coupons, user: &str, request: &str) -> String {
    match claim(sales, user, request).await {
        Outcome::Won { code } => code,
        other => panic!("{user} {request}: {other:?}"),
    }
}

/// The limit that must refuse a claim, and what each has left.
async fn refused(sales: &Coupons, user: &str, request: &str) -> (LimitName, ByLimit) {
    match claim(sales, user, request).await {
        Outcome::Refused { limit, left } => (limit, left),
        other => panic!("{user} {request}: {other:?}"),
    }
}

async fn redeem(sales: &Coupons, code: &str, request: &str) -> End {
    sales.redeem("s", code, Some(request.to_owned())).await.expect("an outcome")
}

async fn give_back(sales: &Coupons, code: &str, request: &str) -> End {
    sales.give_back("s", code, String::new(), Some(request.to_owned())).await.expect("an outcome")
}

async fn void(sales: &Coupons, code: &str, request: &str) -> End {
    sales.void("s", code, String::new(), request.to_owned()).await.expect("an outcome")
}

/// Moves the clock to an instant.
fn move_to(app: &TestApp, at: Millis) {
    use store::runtime::Clock;
    app.time.advance(at - app.time.now());
}
