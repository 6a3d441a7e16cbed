//! Groups that sit side by side, and how those are split that cannot.

use super::{chosen, held, picked, section, small, terms, tickets};
use crate::support::redis::TestRedis;
use engine::ticket::service::Tickets;
use model::ticket::{LargestGroup, Outcome, SeatRequest};

/// A sale of these rows, of which the seats with these ids are held.
async fn with_taken(redis: &TestRedis, rows: &[u16], taken: &[&str]) -> Tickets {
    let (sales, _) = tickets(redis).await;
    let mut layout = small();
    layout.categories = vec!["near".to_owned()];
    layout.sections = vec![section("A", "near", rows)];
    sales.open(terms("s", layout)).await.expect("a sale");
    for (number, seat) in taken.iter().enumerate() {
        held(&sales, &format!("u{number}"), chosen(&[seat])).await;
    }
    sales
}

fn strictly(count: u32) -> SeatRequest {
    let mut wanted = picked("near", count);
    wanted.pick[0].strict = true;
    wanted
}

#[tokio::test]
async fn of_a_group_that_is_split_nobody_sits_alone() {
    // The seats that are free: 1 and 2, 4 to 6; in the second row 1 to 3, and 5.
    let taken = ["A-01-03", "A-02-04"];
    for (count, seats) in [
        // It is not split: the best row that has a gap of three.
        (3, vec!["A-01-04", "A-01-05", "A-01-06"]),
        // Not three and one.
        (4, vec!["A-01-01", "A-01-02", "A-01-04", "A-01-05"]),
        (5, vec!["A-01-01", "A-01-02", "A-01-04", "A-01-05", "A-01-06"]),
        (6, vec!["A-01-04", "A-01-05", "A-01-06", "A-02-01", "A-02-02", "A-02-03"]),
    ] {
        let redis = TestRedis::start().await;
        let sales = with_taken(&redis, &[6, 5], &taken).await;
        let order = held(&sales, "ann", picked("near", count)).await;
        assert_eq!(
            (order.seats.clone(), order.together),
            (seats.iter().map(|seat| (*seat).to_owned()).collect(), Some(count == 3))
        );
        assert_eq!(sales.order("s", &order.order).await.expect("an order"), order);
    }
}

#[tokio::test]
async fn where_one_must_sit_alone_the_others_do_not() {
    let redis = TestRedis::start().await;
    // Free: 1 to 3, and 5.
    let sales = with_taken(&redis, &[5], &["A-01-04"]).await;
    let order = held(&sales, "ann", picked("near", 4)).await;
    assert_eq!(order.seats, ["A-01-01", "A-01-02", "A-01-03", "A-01-05"]);
    assert_eq!(order.together, Some(false));
}

#[tokio::test]
async fn a_strict_pick_is_refused_with_the_largest_group_that_fits() {
    let redis = TestRedis::start().await;
    let sales = with_taken(&redis, &[6, 5], &["A-01-03", "A-02-04"]).await;
    let reserve =
        async |seat_request| sales.reserve("s", "ann".to_owned(), None, seat_request).await.expect("an outcome");
    let largest =
        |largest| Outcome::NotTogether { groups: vec![LargestGroup { category: "near".to_owned(), largest }] };
    assert_eq!(reserve(strictly(4)).await, largest(3));
    let Outcome::Held(order) = reserve(strictly(3)).await else { panic!("three are side by side") };
    assert_eq!((order.seats.len(), order.together), (3, Some(true)));
    // The three of the second row are the last.
    let Outcome::Held(order) = reserve(strictly(3)).await else { panic!("three more are side by side") };
    assert_eq!(order.seats, ["A-02-01", "A-02-02", "A-02-03"]);
    let refused = sales.reserve("s", "bob".to_owned(), None, strictly(3)).await;
    assert_eq!(refused.expect("an outcome"), largest(2));
}

#[tokio::test]
async fn chosen_seats_and_seats_anywhere_do_not_say_whether_they_are_together() {
    let redis = TestRedis::start().await;
    let sales = with_taken(&redis, &[6], &[]).await;
    assert_eq!(held(&sales, "ann", chosen(&["A-01-01", "A-01-02"])).await.together, None);
    let mut anywhere = picked("near", 2);
    anywhere.pick[0].adjacent = false;
    assert_eq!(held(&sales, "bob", anywhere).await.together, None);
}
