//! The live view of tickets: all seats once, then the changes since the last message to this browser.

use crate::support::{
    app::{Server, TestApp},
    redis::TestRedis,
    sse::EventSource,
};
use model::ticket::{
    DEFAULT_HOLD_S, HallChoice, SeatRequest, Snapshot, Terms,
    halls::HallName,
    seats::{SeatState, Seats},
};
use serde_json::Value;
use std::collections::BTreeMap;

async fn theatre(redis: &TestRedis) -> Server {
    let app = TestApp::on(redis).await;
    let terms = Terms {
        sale: "s".into(),
        hall: HallChoice::Hall(HallName::Theatre),
        prices: BTreeMap::new(),
        limit_per_user: 10,
        hold_s: DEFAULT_HOLD_S,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    app.tickets.open(terms).await.expect("a sale");
    app.serve().await
}

async fn reserve(server: &Server, user: &str, seats: &[&str]) {
    let seat_request =
        SeatRequest { seats: seats.iter().map(|seat| (*seat).to_owned()).collect(), ..SeatRequest::default() };
    server.app.tickets.reserve("s", user.into(), None, seat_request).await.expect("an outcome");
}

async fn connect(server: &Server, after: Option<&str>) -> EventSource {
    EventSource::connect(&format!("{}/live/ticket/s", server.url), after).await
}

/// What a browser shows: each frame applied to what it had.
struct Browser {
    line: EventSource,
    seats: Vec<SeatState>,
    last: Snapshot,
}

impl Browser {
    async fn open(server: &Server) -> Self {
        let line = connect(server, None).await;
        let last = server.app.tickets.snapshot("s").await.expect("a snapshot");
        let hall = HallName::Theatre.layout().sections.iter().map(|section| section.seats() as usize).sum();
        let mut browser = Self { line, seats: vec![SeatState::Free; hall], last };
        browser.next().await;
        browser
    }

    async fn next(&mut self) -> Snapshot {
        let frame: Snapshot = serde_json::from_str(&self.line.next().await.data).expect("a frame");
        assert!(frame.seats.apply(&mut self.seats, |_| {}), "the frame is of this hall");
        self.last = frame.clone();
        frame
    }

    async fn until(&mut self, done: impl Fn(&Snapshot) -> bool) {
        while !done(&self.last) {
            self.next().await;
        }
    }
}

fn as_redis_has(seats: &Seats, count: usize) -> Vec<SeatState> {
    let mut all = vec![SeatState::Free; count];
    assert!(seats.apply(&mut all, |_| {}));
    all
}

#[tokio::test]
async fn the_first_frame_has_every_seat_and_the_next_those_that_changed() {
    let redis = TestRedis::start().await;
    let server = theatre(&redis).await;
    let mut line = connect(&server, None).await;
    let first: Snapshot = serde_json::from_str(&line.next().await.data).expect("a frame");
    assert!(matches!(&first.seats, Seats::Whole(text) if text.len() == 596_usize.div_ceil(3)));
    reserve(&server, "ann", &["S-01-01", "S-01-02"]).await;
    let next: Snapshot = serde_json::from_str(&line.next().await.data).expect("a frame");
    assert_eq!(next.seats, Seats::Changed(vec![1, 4]), "seats 0 and 1 are held");
    assert_eq!((next.held["stalls"], next.remaining["stalls"]), (2, first.remaining["stalls"] - 2));
    assert!(next.event_id > first.event_id);
}

#[tokio::test]
async fn browsers_that_came_at_different_times_show_the_same() {
    let redis = TestRedis::start().await;
    let server = theatre(&redis).await;
    let mut early = Browser::open(&server).await;
    for row in 1..=10 {
        reserve(&server, &format!("u{row}"), &[&format!("S-{row:02}-03"), &format!("S-{row:02}-04")]).await;
        if row == 5 {
            early.until(|frame| frame.outcomes.held == 5).await;
        }
    }
    let mut late = Browser::open(&server).await;
    let order = server.app.tickets.reserve(
        "s",
        "zoe".into(),
        None,
        SeatRequest { seats: vec!["B-01-01".into()], ..SeatRequest::default() },
    );
    order.await.expect("an outcome");
    for browser in [&mut early, &mut late] {
        browser.until(|frame| frame.outcomes.held == 11).await;
    }
    let now = server.app.tickets.snapshot("s").await.expect("a snapshot");
    assert_eq!(early.seats, late.seats);
    assert_eq!(early.seats, as_redis_has(&now.seats, 596));
}

#[tokio::test]
async fn a_browser_that_has_the_last_event_gets_no_seats_and_any_other_gets_all() {
    let redis = TestRedis::start().await;
    let server = theatre(&redis).await;
    reserve(&server, "ann", &["S-01-01"]).await;
    let seen = server.app.tickets.snapshot("s").await.expect("a snapshot").event_id.to_string();
    let mut up_to_date = connect(&server, Some(&seen)).await;
    let frame: Snapshot = serde_json::from_str(&up_to_date.next().await.data).expect("a frame");
    assert_eq!(frame.seats, Seats::Changed(Vec::new()));
    reserve(&server, "bob", &["S-01-02"]).await;
    let frame: Snapshot = serde_json::from_str(&up_to_date.next().await.data).expect("a frame");
    assert_eq!(frame.seats, Seats::Changed(vec![4]));
    let mut behind = connect(&server, Some(&seen)).await;
    let frame: Snapshot = serde_json::from_str(&behind.next().await.data).expect("a frame");
    assert!(matches!(frame.seats, Seats::Whole(_)));
}

#[tokio::test]
async fn heat_counts_the_attempts_at_each_section_whatever_became_of_them() {
    let redis = TestRedis::start().await;
    let server = theatre(&redis).await;
    reserve(&server, "ann", &["S-01-01", "S-01-02"]).await;
    reserve(&server, "bob", &["S-01-01"]).await;
    reserve(&server, "cid", &["B-01-01", "C-01-01"]).await;
    let pick: Value = serde_json::json!({ "sale": "s", "user": "dan", "pick": [{ "category": "circle", "count": 2 }] });
    let (status, body) = server.post("/api/ticket/reserve", &pick).await;
    assert_eq!((status, &body["outcome"]), (200, &Value::from("held")));
    let snapshot = server.app.tickets.snapshot("s").await.expect("a snapshot");
    assert_eq!(snapshot.demand, [2, 2, 1], "stalls, circle, balcony");
    assert_eq!((snapshot.declined.len(), snapshot.declined[0].user.as_str()), (1, "bob"));
}
