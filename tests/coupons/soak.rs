//! Coupon sales.

mod judge;
mod users;

use crate::soak::{
    crowd::{Crowd, Doors, Users},
    harness::Harness,
    kinds::{Days, Kind, Terms},
};
use engine::coupon::scripts::{CouponRecord, KIND, key};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use judge::{Coupon, Found, Limits, Row};
use model::coupon::outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use users::Collecting;

/// The limits for each user. The first is edited meanwhile, to this or less.
const PER_USER: usize = 6;
const LEAST_PER_USER: usize = 5;
const PER_USER_PER_DAY: usize = 4;

#[derive(Debug)]
pub struct Coupons;

impl Kind for Coupons {
    fn id(&self) -> &'static str {
        KIND
    }

    fn opening(&self, terms: &Terms) -> (&'static str, Value) {
        // The names of these zones have inverted signs: `Etc/GMT-8` is ahead of UTC.
        let zone = format!("Etc/GMT{:+}", -terms.days.ahead_h);
        let terms = json!({
            "id": terms.sale, "total": terms.size, "per_user": PER_USER, "per_user_per_day": PER_USER_PER_DAY,
            "time_zone": zone,
        });
        ("/api/coupon/open", terms)
    }

    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users> {
        let limits = Limits {
            total: usize::try_from(terms.size).expect("a number of coupons"),
            per_user: PER_USER,
            least_per_user: LEAST_PER_USER,
            per_user_per_day: PER_USER_PER_DAY,
        };
        Box::new(Crowd::new(doors, Collecting { sale: terms.sale.clone(), limits, days: terms.days }))
    }

    /// Nothing ends on its own: a day ends with the first claim of the next.
    fn ends_by_itself(&self) -> bool {
        false
    }

    fn has_ended<'a>(&'a self, _: &'a Harness, _: &'a str) -> LocalBoxFuture<'a, bool> {
        ready(true).boxed_local()
    }
}

/// What is stored for a sale.
async fn found(harness: &Harness, sale: &str, limits: Limits, days: Days) -> Found {
    let coupons: BTreeMap<String, Vec<u8>> =
        harness.raw_at(&key(sale, "coupons")).await.run("HGETALL", key(sale, "coupons")).await;
    let coupons = coupons.into_iter().map(|(code, record)| {
        let CouponRecord { user, state, ended_by, .. } = rmp_serde::from_slice(&record).expect("a coupon");
        (code, Coupon { user, state, ended_by })
    });
    let mut rows = harness.rows(KIND, sale).await;
    rows.sort_by_key(|row| (row.event_id, row.place));
    let edits = rows.iter().filter(|row| row.outcome == outcome::LIMITS).filter_map(|row| row.request_id.clone());
    let edits = edits.collect();
    let row = |row: model::ledger::Row| {
        Some(Row { outcome: row.outcome, user: row.user?, request_id: row.request_id?, code: row.item?, at: row.at })
    };
    Found {
        coupons: coupons.collect(),
        rows: rows.into_iter().filter_map(row).collect(),
        edits,
        limits,
        days,
        ..Found::default()
    }
}
