//! Halls whose rows have names, gaps and marks; seats that are blocked at the opening, and while the sale runs.

use super::{chosen, held, picked, small, terms, tickets};
use crate::support::{app::TestApp, redis::TestRedis};
use engine::ticket::{
    scripts::{KIND, key},
    service::Tickets,
};
use ledger::kind::DeadLetters;
use model::{
    Verdict,
    error::Code,
    ledger::Search,
    ticket::{
        Blocked, Cancelled, Order, Outcome, Pick, SeatInState, SeatRequest, Terms, Unblocked,
        hall::{
            Layout,
            marks::{Mark, Marking},
            rows::RowLayout,
        },
        seats::SeatState,
    },
};
use std::collections::BTreeMap;

/// Row K has odd numbers, no seat 5 and an aisle after 7. Seat A-K-01 is blocked, A-K-03 has a restricted view and its
/// own price, and A-K-11 is for a wheelchair.
fn marked() -> Layout {
    let mut layout = small();
    layout.categories.push("view".to_owned());
    layout.sections[0].rows.push(RowLayout {
        name: Some("K".to_owned()),
        step: 2,
        gaps: vec![5],
        aisles: vec![7],
        ..6_u16.into()
    });
    let marking = |mark, seat: &str| Marking { mark: Some(mark), seats: vec![seat.into()], note: None, category: None };
    layout.marks = vec![
        marking(Mark::Blocked, "A-K-01"),
        Marking {
            note: Some("Pillar".to_owned()),
            category: Some("view".to_owned()),
            ..marking(Mark::RestrictedView, "a-k-03")
        },
        marking(Mark::Wheelchair, "A-K-11"),
    ];
    layout
}

fn marked_terms() -> Terms {
    terms("s", marked())
}

fn ids(seats: &[&str]) -> Vec<String> {
    seats.iter().map(|seat| (*seat).to_owned()).collect()
}

async fn block(sales: &Tickets, seats: &[&str], request: &str) -> Blocked {
    let answer = sales.block("s", &ids(seats), "Camera".to_owned(), Some(request.to_owned())).await;
    answer.expect("an answer").outcome
}

async fn unblock(sales: &Tickets, seats: &[&str], request: &str) -> Unblocked {
    let answer = sales.unblock("s", &ids(seats), String::new(), Some(request.to_owned())).await;
    answer.expect("an answer").outcome
}

#[tokio::test]
async fn what_a_layout_marks_is_there_from_the_opening_on() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    let opened = sales.open(marked_terms()).await.expect("a sale");
    // Three rows of 18 seats, and of row K three seats and the blocked one; far; and the seat with a price of its own.
    let capacity: Vec<u32> = opened.categories.iter().map(|category| category.capacity).collect();
    assert_eq!(capacity, [21, 16, 1]);
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.blocked, BTreeMap::from([("near".to_owned(), 1)]));
    assert_eq!((snapshot.free_seats(), snapshot.blocked_seats()), (38, 1));

    let seat = sales.seat("s", "a-k-03").await.expect("a seat");
    assert_eq!((seat.seat.as_str(), seat.category.as_str(), seat.price_cents), ("A-K-03", "view", 200));
    assert_eq!((seat.marks, seat.note.as_deref()), (vec![Mark::RestrictedView], Some("Pillar")));
    let blocked = sales.seat("s", "A-K-01").await.expect("a seat");
    assert_eq!((blocked.state, blocked.reason), (SeatState::Blocked, None));
    assert_eq!(sales.seat("s", "A-K-05").await.expect_err("a gap").code, Code::BadRequest);

    let refused = sales.reserve("s", "ann".to_owned(), None, chosen(&["a-k-01", "A-K-07"])).await;
    assert_eq!(refused, Ok(Outcome::SeatTaken { seats: ids(&["A-K-01"]), held: Vec::new() }));
    let order = held(&sales, "ann", chosen(&["a-k-03", "A-K-07"])).await;
    assert_eq!((order.seats, order.cents), (ids(&["A-K-03", "A-K-07"]), 700));
    let twice = sales.reserve("s", "ann".to_owned(), None, chosen(&["A-01-01", "a-01-01"])).await;
    assert_eq!(twice.expect_err("one seat").field.as_deref(), Some("seats"));
    assert!(sales.open(marked_terms()).await.expect("a repeat").existed);
}

#[tokio::test]
async fn a_group_does_not_sit_across_an_aisle_or_a_gap() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    let mut layout = Layout { categories: ids(&["all"]), ..Layout::default() };
    let row = RowLayout { gaps: vec![4], aisles: vec![6], ..8_u16.into() };
    layout.sections = vec![super::section("A", "all", &[])];
    layout.sections[0].rows = vec![row];
    sales.open(terms("s", layout)).await.expect("a sale");
    // 1 to 3, a gap, 5 and 6, an aisle, 7 and 8.
    assert_eq!(held(&sales, "ann", picked("all", 3)).await.seats, ids(&["A-01-01", "A-01-02", "A-01-03"]));
    let Order { order: bobs, seats: pair, .. } = held(&sales, "bob", picked("all", 2)).await;
    assert!([ids(&["A-01-05", "A-01-06"]), ids(&["A-01-07", "A-01-08"])].contains(&pair), "{pair:?}");
    // The second pair, and the aisle between the two, are not three adjacent seats.
    let cancelled = sales.cancel("s", bobs, String::new(), None).await;
    assert!(matches!(cancelled, Ok(Cancelled::Cancelled(_))), "{cancelled:?}");
    let pick = vec![Pick { category: "all".to_owned(), count: 3, adjacent: true, strict: true }];
    let strict = sales.reserve("s", "cid".to_owned(), None, SeatRequest { pick, ..SeatRequest::default() }).await;
    assert!(matches!(strict, Ok(Outcome::NotTogether { .. })), "{strict:?}");
}

#[tokio::test]
async fn seats_are_blocked_and_unblocked_all_together_or_not_at_all() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    held(&sales, "ann", chosen(&["A-01-01"])).await;
    let two = ["A-01-02", "l-01-01"];
    assert_eq!(block(&sales, &two, "b1").await, Blocked::Blocked { seats: ids(&["A-01-02", "L-01-01"]) });
    assert_eq!(block(&sales, &two, "b1").await, Blocked::Repeat { seats: ids(&["A-01-02", "L-01-01"]) });
    let again = sales.block("s", &ids(&["L-01-01", "A-01-02"]), String::new(), Some("b1".to_owned())).await;
    let repeat = Blocked::Repeat { seats: ids(&["L-01-01", "A-01-02"]) };
    assert_eq!(again.expect("neither the order nor the reason matters").outcome, repeat);
    let reused = sales.block("s", &ids(&["A-01-03"]), String::new(), Some("b1".to_owned())).await;
    assert_eq!(reused.expect_err("another change").code, Code::RequestReused);

    let states = |seats: &[(&str, SeatState)]| {
        seats.iter().map(|(seat, state)| SeatInState { seat: (*seat).to_owned(), state: *state }).collect::<Vec<_>>()
    };
    let others = states(&[("A-01-01", SeatState::Held), ("A-01-02", SeatState::Blocked)]);
    assert_eq!(block(&sales, &["A-01-01", "A-01-02", "A-01-03"], "b2").await, Blocked::NotFree { seats: others });
    let others = states(&[("A-01-03", SeatState::Free)]);
    assert_eq!(unblock(&sales, &["A-01-02", "A-01-03"], "u1").await, Unblocked::NotBlocked { seats: others });
    let snapshot = sales.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.blocked_seats(), snapshot.free_seats()), (2, 31));

    assert_eq!(unblock(&sales, &["A-01-02"], "u2").await, Unblocked::Unblocked { seats: ids(&["A-01-02"]) });
    // Another request may block it again.
    assert_eq!(block(&sales, &["A-01-02"], "b3").await, Blocked::Blocked { seats: ids(&["A-01-02"]) });
    assert_eq!(unblock(&sales, &["A-01-02"], "u3").await, Unblocked::Unblocked { seats: ids(&["A-01-02"]) });
    held(&sales, "bob", chosen(&["A-01-02"])).await;
    assert_eq!(sales.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_request_to_block_that_breaks_a_limit_changes_nothing() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let many: Vec<String> = (0..501).map(|seat| format!("A-01-{seat:02}")).collect();
    let cases = [
        (Vec::new(), String::new(), "seats"),
        (many.clone(), String::new(), "seats"),
        (ids(&["A-01-01", "a-01-01"]), String::new(), "seats"),
        (ids(&["A-09-01"]), String::new(), "seats"),
        (ids(&["A-01-01"]), "\u{7}".to_owned(), "reason"),
    ];
    for (seats, reason, field) in cases {
        let error = sales.block("s", &seats, reason, None).await.expect_err("refused");
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{}", error.message);
    }
    let too_many = sales.block("s", &many, String::new(), None).await.expect_err("refused");
    assert!(too_many.message.contains("500"), "{}", too_many.message);
    assert_eq!(sales.block("t", &ids(&["A"]), String::new(), None).await.expect_err("none").code, Code::UnknownSale);
    assert_eq!(sales.snapshot("s").await.expect("a snapshot").blocked_seats(), 0);
}

#[tokio::test]
async fn blocked_seats_are_in_the_history_and_come_back_with_a_recovery() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    app.tickets.open(marked_terms()).await.expect("a sale");
    block(&app.tickets, &["A-01-02", "L-01-01"], "b1").await;
    unblock(&app.tickets, &["A-01-02", "A-K-01"], "u1").await;
    held(&app.tickets, "ann", chosen(&["A-01-02"])).await;
    let reason = async |seat: &str| app.tickets.seat("s", seat).await.expect("a seat").reason;
    assert_eq!(reason("L-01-01").await, None, "the ledger does not have it yet");
    app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(reason("l-01-01").await.as_deref(), Some("Camera"));
    assert_eq!(reason("A-01-02").await, None, "it is not blocked any more");
    let stored = async || {
        let seats: Vec<u8> = raw.run("GET", key("s", "seats")).await;
        let free: Vec<u8> = raw.run("GET", key("s", "free")).await;
        let mut counts: BTreeMap<String, u32> = raw.run("HGETALL", key("s", "counts")).await;
        // A category without blocked seats needs no count of them.
        counts.retain(|name, seats| !name.starts_with("blocked") || *seats > 0);
        let changes: Vec<u8> = raw.run("HGET", (key("s", "meta"), "changes")).await;
        (seats, free, counts, changes)
    };
    let before = stored().await;
    assert_eq!(before.2["blocked:2"], 1);
    raw.run::<()>("FLUSHALL", "SYNC").await;

    let app = TestApp::at(&redis, &redis.url(), app.time.clone(), 2).await;
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("recovered");
    assert_eq!(stored().await, before);
    assert_eq!(
        block(&app.tickets, &["A-01-02", "L-01-01"], "b1").await,
        Blocked::Repeat { seats: ids(&["A-01-02", "L-01-01"]) }
    );
    let audit = app.tickets.audit("s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");

    let search = Search { request_id: Some("b1".to_owned()), ..Search::default() };
    let page = app.ledger.search(&search, Some(10), None).await.expect("rows");
    let rows: Vec<_> =
        page.rows.iter().map(|row| (&*row.outcome, row.item.as_deref(), row.reason.as_deref())).collect();
    assert_eq!(rows, [("blocked", Some("L-01-01"), Some("Camera")), ("blocked", Some("A-01-02"), Some("Camera"))]);
    assert!(page.rows.iter().all(|row| row.cents == 0));
}

#[tokio::test]
async fn sections_without_positions_stand_behind_each_other_and_those_that_overlap_are_refused_by_name() {
    let redis = TestRedis::start().await;
    let (sales, _) = tickets(&redis).await;
    sales.open(terms("s", small())).await.expect("a sale");
    let hall = sales.hall("s").await.expect("a hall");
    let depths: Vec<_> = hall.layout.sections.iter().map(|section| (section.x, section.y)).collect();
    assert_eq!(depths, [(Some(0.0), Some(0.0)), (Some(0.0), Some(4.0)), (Some(0.0), Some(7.0))]);
    let mut layout = small();
    layout.sections[1].y = Some(1.0);
    let error = sales.open(terms("t", layout)).await.expect_err("they overlap");
    assert_eq!(error.field.as_deref(), Some("layout.sections[1]"));
    assert!(error.message.contains("\"L\", which overlaps \"A\""), "{}", error.message);
    let mut layout = small();
    layout.sections[2].id = "l".to_owned();
    let error = sales.open(terms("t", layout)).await.expect_err("their seats would have the same ids");
    assert_eq!(error.field.as_deref(), Some("layout.sections[2].id"));
}
