//! The day changes at midnight in the time zone of the sale, while users come: nobody gets more than the limit on either
//! side.

use super::{claim, limits, move_to, refused, terms, with_sale, won};
use crate::support::property::holds;
use engine::{
    coupon::{service::Coupons, windows::Zone},
    kind::Resources,
};
use futures::{StreamExt, future::join_all, stream};
use model::{
    Millis, Verdict,
    coupon::{LimitName, Outcome, Terms},
    parse_iso,
};
use proptest::{prelude::*, sample::select};
use std::{collections::BTreeMap, sync::Arc};
use store::runtime::{Clock, Ids, ManualClock};

fn in_zone(zone: &str, per_day: u64) -> Terms {
    Terms { time_zone: zone.to_owned(), ..terms(limits(0, 0, per_day)) }
}

fn at(text: &str) -> i64 {
    parse_iso(text).expect("an instant")
}

async fn audited(sales: &Coupons) {
    let audit = sales.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn the_last_millisecond_of_a_day_and_the_first_of_the_next_are_two_days() {
    let (_redis, app, sales) = with_sale(in_zone("Asia/Shanghai", 1)).await;
    let midnight = at("2026-02-16T16:00:00Z");
    move_to(&app, midnight - 1);
    won(&sales, "ann", "1").await;
    assert_eq!(refused(&sales, "ann", "2").await.0, LimitName::PerUserPerDay);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").day_ends_at, midnight);
    move_to(&app, midnight);
    won(&sales, "ann", "3").await;
    assert_eq!(refused(&sales, "ann", "4").await.0, LimitName::PerUserPerDay);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").day_ends_at, midnight + 86_400_000);
    // What was claimed yesterday frees nothing today.
    audited(&sales).await;
}

#[tokio::test]
async fn what_is_given_back_the_day_after_frees_nothing_of_that_day() {
    let (_redis, app, sales) = with_sale(in_zone("UTC", 1)).await;
    let midnight = at("2026-05-02T00:00:00Z");
    move_to(&app, midnight - 1);
    let yesterday = won(&sales, "ann", "1").await;
    move_to(&app, midnight);
    won(&sales, "ann", "2").await;
    super::give_back(&sales, &yesterday, "b").await;
    assert_eq!(refused(&sales, "ann", "3").await.0, LimitName::PerUserPerDay);
    audited(&sales).await;
}

/// Claims count towards the day that has begun, so it is the end of that one that the page waits for.
#[tokio::test]
async fn a_day_that_has_begun_goes_on_if_the_clock_goes_back_past_midnight() {
    let (_redis, app, sales) = with_sale(in_zone("UTC", 1)).await;
    let midnight = at("2026-05-02T00:00:00Z");
    move_to(&app, midnight);
    won(&sales, "ann", "1").await;
    move_to(&app, midnight - 60_000);
    assert_eq!(refused(&sales, "ann", "2").await.0, LimitName::PerUserPerDay);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").day_ends_at, midnight + 86_400_000);
    audited(&sales).await;
}

/// From 1970 to 2100, in zones that change their clocks, that once skipped a day, and that are half hours apart.
#[test]
fn days_follow_each_other_without_a_gap_and_each_instant_is_in_one() {
    const ZONES: [&str; 7] = [
        "UTC",
        "Asia/Shanghai",
        "Europe/Berlin",
        "America/New_York",
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "America/Sao_Paulo",
    ];
    holds(2_000, (select(&ZONES[..]), 0..4_102_444_800_000_i64), |(name, now)| {
        let zone = Zone::named(name).expect("a zone");
        let days = zone.days_around(now).expect("days");
        prop_assert!(days.is_sorted_by(|day, next| day < next), "{:?}", days);
        prop_assert!(days[1] <= now && now < days[2], "{:?}", days);
        for (of, instant) in [(0, days[1] - 1), (1, days[1]), (1, days[2] - 1), (2, days[2])] {
            prop_assert_eq!(zone.day_of(instant), Ok(days[of]));
        }
        prop_assert_eq!(zone.day_end(now), Ok(days[2]));
        Ok(())
    });
}

/// Days of 23, 25 and 24 hours, with no midnight, and with a midnight that comes at another hour in UTC.
#[tokio::test]
async fn a_day_lasts_as_long_as_clocks_say() {
    for (zone, begins, ends) in [
        ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
        ("America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        ("Asia/Beirut", "2024-03-30T22:00:00Z", "2024-03-31T21:00:00Z"),
        ("Asia/Kathmandu", "2026-03-28T18:15:00Z", "2026-03-29T18:15:00Z"),
    ] {
        let (_redis, app, sales) = with_sale(in_zone(zone, 1)).await;
        let (begins, ends) = (at(begins), at(ends));
        for (now, request, wins) in [
            (begins - 1, "1", true),
            (begins, "2", true),
            (begins + 1, "3", false),
            ((begins + ends) / 2, "4", false),
            (ends - 1, "5", false),
            (ends, "6", true),
        ] {
            move_to(&app, now);
            let outcome = claim(&sales, "ann", request).await;
            assert_eq!(matches!(outcome, Outcome::Won { .. }), wins, "{zone} {request}: {outcome:?}");
        }
        audited(&sales).await;
    }
}

/// Servers whose clocks are around midnight, and one whose clock has gone back behind it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_nobody_gets_more_than_the_limit_on_either_side_of_midnight() {
    let (_redis, app, sales) = with_sale(in_zone("Europe/Berlin", 2)).await;
    // The night in which clocks go forward.
    let midnight = at("2026-03-28T23:00:00Z");
    let mut won = [0; 3];
    for (day, step) in [(0, -3_i64), (0, -1), (1, 0), (1, -2), (1, 5), (2, 23 * 3_600_000), (2, 1)] {
        // -2 is behind midnight, and counts to the day that has begun; 1 is a day that is over.
        move_to(&app, midnight + step);
        let attempts = (0..400).map(|nth| {
            let (sales, user) = (sales.clone(), format!("u{}", nth % 40));
            async move { claim(&sales, &user, &format!("{step}-{nth}")).await }
        });
        let outcomes = join_all(attempts).await;
        won[day] += outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Won { .. })).count();
    }
    assert_eq!(won, [80, 80, 80]);
    audited(&sales).await;
}

/// Attempts are on their way on both sides when midnight passes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn midnight_passes_in_the_middle_of_a_rush() {
    let (_redis, app, sales) = with_sale(in_zone("Europe/Berlin", 2)).await;
    let midnight = at("2026-03-28T23:00:00Z");
    move_to(&app, midnight - 1);
    let attempts = (0..2_000).map(|nth| {
        let (sales, user) = (sales.clone(), format!("u{}", nth % 40));
        async move { (user.clone(), claim(&sales, &user, &nth.to_string()).await) }
    });
    let mut won = BTreeMap::<String, u64>::new();
    let mut outcomes = stream::iter(attempts).buffer_unordered(300).enumerate();
    while let Some((nth, (user, outcome))) = outcomes.next().await {
        if nth == 1_000 {
            move_to(&app, midnight);
        }
        *won.entry(user).or_default() += u64::from(matches!(outcome, Outcome::Won { .. }));
    }
    assert!(won.len() == 40 && won.values().all(|won| *won == 4), "{won:?}");
    audited(&sales).await;
}

/// What a server takes for the time of Redis, by whose own clock scripts go.
struct Assumed(Arc<ManualClock>);

impl Clock for Assumed {
    fn now(&self) -> Millis {
        self.0.now()
    }

    fn script_time(&self) -> String {
        String::new()
    }
}

/// Redis' clock has jumped by more than a day, and the server has not noticed yet.
#[tokio::test]
async fn a_server_whose_windows_do_not_reach_the_time_learns_it() {
    let (redis, app, _) = with_sale(in_zone("Asia/Shanghai", 1)).await;
    let (seconds, _): (i64, i64) = redis.raw().await.run("TIME", None::<&str>).await;
    for (nth, ahead) in [-40, -2, 2, 300].into_iter().enumerate() {
        let clock = Arc::new(ManualClock::new(seconds * 1_000 + ahead * 86_400_000));
        let sales = Coupons::new(&Resources {
            store: app.store.clone(),
            ledger: (*app.ledger).clone(),
            ids: Arc::new(Ids::seeded(clock.clone(), 9)),
            clock: Arc::new(Assumed(clock)),
        });
        let user = format!("u{nth}");
        won(&sales, &user, &format!("{nth}-1")).await;
        assert_eq!(refused(&sales, &user, &format!("{nth}-2")).await.0, LimitName::PerUserPerDay);
        assert_eq!(sales.user("s", user).await.expect("a user").left.per_user_per_day, Some(0));
    }
    audited(&app.kinds.get::<Coupons>().expect("coupons").clone()).await;
}
