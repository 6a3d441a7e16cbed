//! Cached stock: deductions, the cache, the ledger, and what becomes of all three.

mod audit;
mod cases;
mod crowd;
mod fuzz;
mod group_model;
mod groups;
mod holds;
pub mod kind;
mod ledger;
mod live;
mod mistakes;
mod model;
mod property;
mod reasons;
mod rebuild;
mod recovery;
mod scripts;
mod service;
mod soak;

use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
};
use ::model::stock::{GivenBack, Outcome, Return, Terms};
use engine::stock::{scripts::key, service::Stock};

fn terms(quantity: u64) -> Terms {
    Terms {
        sale: "s".to_owned(),
        quantity,
        ttl_s: 300,
        low_mark: None,
        limit_per_user: None,
        hold_s: None,
        group: None,
        plan: ::model::life::Plan::default(),
    }
}

fn stock(app: &TestApp) -> Stock {
    app.kinds.get::<Stock>().expect("stock").clone()
}

/// A server with the sale "s".
async fn with_sale(terms: Terms) -> (TestRedis, TestApp, Stock) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let sales = stock(&app);
    sales.open(terms).await.expect("a sale");
    (redis, app, sales)
}

async fn deduct(sales: &Stock, user: &str, request: &str, quantity: u64) -> Outcome {
    sales.deduct("s", user.to_owned(), quantity, Some(request.to_owned())).await.expect("an outcome")
}

async fn give_back(sales: &Stock, request: &str) -> GivenBack {
    sales.give_back("s", Return::of_all(request.to_owned())).await.expect("an outcome")
}

/// What Redis has cached.
async fn cached(redis: &Raw) -> Option<i64> {
    redis.run("GET", key("s", "quantity")).await
}

async fn catch_up(app: &TestApp) {
    app.writer("one").catch_up().await.expect("the ledger");
}
