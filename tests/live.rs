//! The live view over real HTTP, as a browser's EventSource sees it.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    proxy::FaultProxy,
    redis::TestRedis,
    sale::{LIFE_S, clock, terms},
    sse::EventSource,
    within,
};
use engine::hub::{Hub, HubState, LiveSource, LiveView, Message};
use futures::StreamExt;
use model::{
    EventId, KindInfo, OfKind,
    error::{Error, Result},
    red_packet::{self, Snapshot},
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use store::runtime::Clock;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

async fn with_sale(redis: &TestRedis) -> Server {
    with_sale_at(TestApp::on(redis).await).await
}

async fn with_sale_at(app: TestApp) -> Server {
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    app.serve().await
}

async fn claim(server: &Server, user: &str) {
    server.app.red_packet.claim("s", user.into(), None).await.expect("an outcome");
}

async fn snapshot(server: &Server) -> Snapshot {
    server.app.red_packet.snapshot("s").await.expect("a snapshot")
}

fn live(server: &Server, query: &str) -> String {
    format!("{}/live/red-packet/s{query}", server.url)
}

#[tokio::test]
async fn the_first_frame_is_the_snapshot_and_a_claim_brings_the_next() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let before = snapshot(&server).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    let first = browser.next().await;
    assert_eq!((first.event.as_str(), first.id), ("message", Some(before.event_id.to_string())));
    assert_eq!(serde_json::from_str::<Snapshot>(&first.data).expect("a snapshot"), before);

    claim(&server, "ann").await;
    let after = snapshot(&server).await;
    let next = browser.next().await;
    assert_eq!(next.id, Some(after.event_id.to_string()));
    assert_eq!(serde_json::from_str::<Snapshot>(&next.data).expect("a snapshot"), after);
    assert_eq!((after.claimed, after.latest[0].user.as_str()), (1, "ann"));
}

#[tokio::test]
async fn an_attempt_that_changes_nothing_is_seen_too() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    claim(&server, "ann").await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    let first = browser.next().await;
    claim(&server, "ann").await;
    let next = browser.next().await;
    assert_eq!(next.id, first.id, "no event happened");
    assert_eq!(next.json()["outcomes"]["repeat"], 1);
    assert_eq!(next.json()["declined"][0]["user"], "ann");
}

/// A sale is suspended, and attempts are refused, without an event: the event id is the one that the browser knows.
#[tokio::test]
async fn a_browser_that_has_the_last_event_gets_changes_without_an_event() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    claim(&server, "ann").await;
    let seen = snapshot(&server).await.event_id.to_string();
    claim(&server, "ann").await;
    redis.raw().await.run::<i64>("HSET", ("{red_packet:s}:meta", "state", "suspended")).await;
    for (query, header) in [(format!("?after={seen}"), None), (String::new(), Some(seen.as_str()))] {
        let mut browser = EventSource::connect(&live(&server, &query), header).await;
        let first = browser.next().await;
        assert_eq!(first.id.as_deref(), Some(seen.as_str()));
        assert_eq!((&first.json()["state"], &first.json()["outcomes"]["repeat"]), (&json!("suspended"), &json!(1)));
    }
}

#[tokio::test]
async fn a_browser_that_reconnects_gets_what_it_missed() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    let seen = browser.next().await.id.expect("an id");
    drop(browser);
    for user in ["ann", "bob"] {
        claim(&server, user).await;
    }
    // The header is newer than the address, which stays that of the page's first paint.
    let mut browser = EventSource::connect(&live(&server, "?after=0-0"), Some(&seen)).await;
    let frame = browser.next().await;
    assert_eq!(frame.id, Some(snapshot(&server).await.event_id.to_string()));
    assert_eq!(frame.json()["claimed"], 2);

    // An id from a history that this Redis never had: a whole frame all the same.
    let mut stranger = EventSource::connect(&live(&server, ""), Some("99-0")).await;
    assert_eq!(stranger.next().await.json()["claimed"], 2);
    // Some clients send an empty id before they have seen one.
    let mut new = EventSource::connect(&live(&server, ""), Some("")).await;
    assert_eq!(new.next().await.json()["claimed"], 2);
}

#[tokio::test]
async fn what_cannot_be_watched_is_said_with_a_status() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let (status, body) = server.get("/live/red-packet/nope").await;
    assert_eq!((status, &body["error"]["code"]), (404, &json!("unknown_sale")));
    for bad in ["?after=yesterday", "?after=", "?after=1", "?after=1-", "?after=-1-0"] {
        let (status, body) = server.get(&format!("/live/red-packet/s{bad}")).await;
        assert_eq!((status, &body["error"]["field"]), (400, &json!("after")), "{bad}");
    }
    let odd = server.http.get(live(&server, "")).header("last-event-id", "yesterday").send().await.expect("an answer");
    assert_eq!(odd.status(), 400);
    assert_eq!(odd.json::<serde_json::Value>().await.expect("JSON")["error"]["field"], "last-event-id");
    let (status, body) = server.get("/live/red-packet/s?aftr=0-0").await;
    assert_eq!((status, &body["error"]["field"]), (400, &json!("aftr")));
    let (status, body) = server.get("/live/red-packet/%ff").await;
    assert_eq!((status, &body["error"]["field"]), (400, &json!("sale")));
    let (status, body) = server.get(&format!("/live/red-packet/{}", "x".repeat(65))).await;
    assert_eq!((status, &body["error"]["field"]), (400, &json!("sale")));
    assert_eq!(server.app.live.watched(), 0);
}

#[tokio::test]
async fn viewers_are_told_when_a_sale_is_gone_and_so_are_those_who_come_back() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    let seen = browser.next().await.id.expect("an id");
    redis.raw().await.run::<i64>("DEL", "{red_packet:s}:meta").await;
    assert_eq!(browser.next().await.event, "gone");
    browser.ended().await;
    assert_eq!(server.app.live.watched(), 0);

    // A browser cannot read a status, and would come back for ever.
    for (query, header) in [(format!("?after={seen}"), None), (String::new(), Some(seen.as_str()))] {
        let mut again = EventSource::connect(&live(&server, &query), header).await;
        assert_eq!(again.next().await.event, "gone");
        again.ended().await;
    }
    assert_eq!(server.get("/live/red-packet/s").await.0, 404);
}

#[tokio::test]
async fn a_redis_that_goes_and_comes_back_is_announced() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let server = with_sale_at(TestApp::at(&redis, &proxy.url, clock(), 1).await).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    let seen = browser.next().await;

    proxy.cut();
    let down = browser.next().await;
    assert_eq!((down.event.as_str(), down.data.as_str(), down.id), ("store", "down", None));
    // Meanwhile another server gives out a packet.
    TestApp::on(&redis).await.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    proxy.heal();
    let up = browser.next().await;
    assert_eq!((up.event.as_str(), up.data.as_str()), ("store", "up"));
    let frame = browser.next().await;
    assert_eq!((frame.event.as_str(), &frame.json()["claimed"]), ("message", &json!(1)));
    assert_ne!(frame.id, seen.id);
}

#[tokio::test]
async fn a_browser_that_comes_back_while_redis_is_away_waits_for_it() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let server = with_sale_at(TestApp::at(&redis, &proxy.url, clock(), 1).await).await;
    let seen = EventSource::connect(&live(&server, ""), None).await.next().await;
    eventually("nobody watches", async || (server.app.live.watched() == 0).then_some(())).await;

    proxy.cut();
    let after = format!("?after={}", seen.id.expect("an event id"));
    let mut browser = EventSource::connect(&live(&server, &after), None).await;
    let down = browser.next().await;
    assert_eq!((down.event.as_str(), down.data.as_str()), ("store", "down"));
    proxy.heal();
    let up = browser.next().await;
    assert_eq!((up.event.as_str(), up.data.as_str()), ("store", "up"));
    assert_eq!(browser.next().await.json()["claimed"], 0);
}

/// So that a page knows until when it was right, if its server vanishes, and what the time is.
#[tokio::test]
async fn a_viewer_of_an_idle_sale_hears_that_it_is_watched_still_and_what_the_time_is() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    assert_eq!(browser.next().await.event, "message");
    for _ in 0..2 {
        let alive = browser.any().await;
        assert_eq!((alive.event.as_str(), alive.data), ("alive", server.app.time.now().to_string()));
    }
}

#[tokio::test]
async fn without_redis_there_is_nothing_to_watch() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let server = TestApp::at(&redis, &proxy.url, clock(), 1).await.serve().await;
    proxy.cut();
    let (status, body) = server.get("/live/red-packet/s").await;
    assert_eq!((status, &body["error"]["code"]), (503, &json!("unavailable")));
}

#[tokio::test]
async fn two_browsers_at_two_servers_end_at_the_same_frame() {
    let redis = TestRedis::start().await;
    let one = with_sale(&redis).await;
    let other = TestApp::at(&redis, &redis.url(), one.app.time.clone(), 2).await.serve().await;
    let (mut here, mut there) =
        (EventSource::connect(&live(&one, ""), None).await, EventSource::connect(&live(&other, ""), None).await);
    for user in 0..120 {
        claim(if user % 2 == 0 { &one } else { &other }, &format!("u{user}")).await;
    }
    let last = snapshot(&one).await;
    assert_eq!((last.pending, last.outcomes.sold_out), (0, 20));
    let is_last = |message: &crate::support::sse::Message| {
        message.event == "message" && message.json()["outcomes"]["sold_out"] == 20
    };
    let (here, there) = (here.find(is_last).await, there.find(is_last).await);
    assert_eq!(here, there);
    assert_eq!(serde_json::from_str::<Snapshot>(&here.data).expect("a snapshot"), last);
}

#[tokio::test]
async fn a_refund_is_seen() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    server.app.time.advance(LIFE_S * 1_000);
    server.app.red_packet.refund("s").await.expect("a refund");
    let frame = browser.find(|message| message.json()["state"] == "refunded").await;
    assert_eq!((&frame.json()["refunded_cents"], &frame.json()["pending"]), (&json!(10_000), &json!(0)));
}

#[tokio::test]
async fn one_reader_serves_all_who_watch_and_ends_with_the_last() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browsers = Vec::new();
    for _ in 0..5 {
        browsers.push(EventSource::connect(&live(&server, ""), None).await);
    }
    assert_eq!(server.app.live.watched(), 1);
    let mut stays = browsers.pop().expect("five");
    drop(browsers);
    claim(&server, "ann").await;
    stays.find(|message| message.json()["claimed"] == 1).await;
    assert_eq!(server.app.live.watched(), 1);
    drop(stays);
    eventually("nobody reads", async || (server.app.live.watched() == 0).then_some(())).await;

    // It starts again with the next viewer.
    let mut again = EventSource::connect(&live(&server, ""), None).await;
    assert_eq!(again.next().await.json()["claimed"], 1);
}

#[tokio::test]
async fn a_server_that_stops_ends_its_live_views() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut browser = EventSource::connect(&live(&server, ""), None).await;
    browser.next().await;
    server.app.shutdown.cancel();
    browser.ended().await;
}

/// Otherwise they would all come to the other servers at once.
#[tokio::test]
async fn the_viewers_of_a_server_that_stops_come_back_one_after_the_other() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let mut views = Vec::new();
    for _ in 0..20 {
        views.push(reqwest::get(live(&server, "")).await.expect("an answer"));
    }
    server.app.shutdown.cancel();
    let mut pauses = Vec::new();
    for view in views {
        let text = within("the end of the live view", view.text()).await.expect("text");
        let last = text.lines().rfind(|line| line.starts_with("retry: ")).expect("a pause");
        pauses.push(last["retry: ".len()..].parse::<u64>().expect("a number"));
    }
    assert!(pauses.iter().all(|pause| (1_000..4_000).contains(pause)), "{pauses:?}");
    pauses.sort_unstable();
    pauses.dedup();
    assert!(pauses.len() > 10, "{pauses:?}");
}

/// Nothing queues up for a slow viewer: it gets the newest frame.
#[tokio::test]
async fn a_slow_watcher_sees_the_newest_and_not_everything_before() {
    let redis = TestRedis::start().await;
    let server = with_sale(&redis).await;
    let hub = Hub::new(server.app.red_packet.clone(), server.app.shutdown.clone());
    let mut states = hub.watch("s", None).await.expect("a view");
    for user in 0..100 {
        claim(&server, &format!("u{user}")).await;
    }
    let last = snapshot(&server).await.event_id;
    let is_last = |state: &HubState<String>| matches!(state, HubState::Frame(frame) if frame.id == last);
    within("the last frame", states.wait_for(is_last)).await.expect("a state");
    assert!(is_last(&states.borrow_and_update()));
    assert!(!states.has_changed().expect("a hub"), "one state, the newest");
}

/// A source whose second reading panics.
struct Broken(AtomicU32);

impl OfKind for Broken {
    fn info(&self) -> &'static KindInfo {
        &red_packet::INFO
    }
}

impl LiveSource for Broken {
    type Frame = u32;

    async fn frame(&self, _sale: &str) -> Result<(EventId, u32)> {
        let nth = self.0.fetch_add(1, Ordering::SeqCst);
        assert_ne!(nth, 1, "this panic is part of the test");
        Ok((EventId::default(), nth))
    }

    fn encode(frame: &u32, _seen: Option<&u32>) -> Result<String> {
        Ok(frame.to_string())
    }
}

#[tokio::test]
async fn the_view_of_a_sale_whose_reader_panics_ends_and_the_next_begins_anew() {
    let hub = Hub::new(Broken(AtomicU32::new(0)), CancellationToken::new());
    let mut view = hub.watch("s", None).await.expect("a view");
    within("it ends", async { while view.changed().await.is_ok() {} }).await;
    assert_eq!(hub.watched(), 0);
    let mut view = hub.watch("s", None).await.expect("a view");
    within("it goes on", view.changed()).await.expect("a frame");
}

/// A source that is read as often as the test permits, and counts how often a frame was encoded.
#[derive(Clone)]
struct Counting {
    readings: Arc<Semaphore>,
    read: Arc<AtomicU32>,
    encoded: Arc<AtomicU32>,
}

impl OfKind for Counting {
    fn info(&self) -> &'static KindInfo {
        &red_packet::INFO
    }
}

/// What was read, and where its encodings are counted.
struct Counted {
    nth: u32,
    encoded: Arc<AtomicU32>,
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.nth == other.nth
    }
}

impl LiveSource for Counting {
    type Frame = Counted;

    async fn frame(&self, _sale: &str) -> Result<(EventId, Counted)> {
        self.readings.acquire().await.expect("it stays open").forget();
        let nth = self.read.fetch_add(1, Ordering::SeqCst);
        Ok((EventId::default(), Counted { nth, encoded: self.encoded.clone() }))
    }

    fn encode(frame: &Counted, _seen: Option<&Counted>) -> Result<String> {
        frame.encoded.fetch_add(1, Ordering::SeqCst);
        Ok(frame.nth.to_string())
    }
}

/// A source whose first reading is answered only when the test permits it.
struct Slow {
    read: AtomicU32,
    first: Arc<Semaphore>,
}

impl OfKind for Slow {
    fn info(&self) -> &'static KindInfo {
        &red_packet::INFO
    }
}

impl LiveSource for Slow {
    type Frame = u32;

    async fn frame(&self, _sale: &str) -> Result<(EventId, u32)> {
        let nth = self.read.fetch_add(1, Ordering::SeqCst);
        if nth == 0 {
            self.first.acquire().await.expect("it stays open").forget();
        }
        Ok((EventId::default(), nth))
    }

    fn encode(frame: &u32, _seen: Option<&u32>) -> Result<String> {
        Ok(frame.to_string())
    }
}

#[tokio::test]
async fn a_viewer_who_was_read_for_long_takes_nobody_back() {
    let first = Arc::new(Semaphore::new(0));
    let hub = Arc::new(Hub::new(Slow { read: AtomicU32::new(0), first: first.clone() }, CancellationToken::new()));
    let slow = tokio::spawn({
        let hub = hub.clone();
        async move { hub.watch("s", None).await }
    });
    // It has been read for the slow one by then.
    tokio::task::yield_now().await;
    let mut viewer = hub.messages("s", None).await.expect("a view");
    first.add_permits(1);
    let _slow = within("the slow one watches", slow).await.expect("it ends").expect("a view");
    let mut last = 0;
    for _ in 0..5 {
        let message = within("a frame", viewer.next()).await.expect("it goes on");
        let Message::Frame { json, .. } = message else { panic!("{message:?}") };
        let nth: u32 = json.parse().expect("a number");
        assert!(nth > last, "{nth} after {last}");
        last = nth;
    }
}

/// A source of which the second frame cannot be encoded. A frame says since when it says what has changed.
struct Flawed(AtomicU32);

impl OfKind for Flawed {
    fn info(&self) -> &'static KindInfo {
        &red_packet::INFO
    }
}

impl LiveSource for Flawed {
    type Frame = u32;

    async fn frame(&self, _sale: &str) -> Result<(EventId, u32)> {
        Ok((EventId::default(), self.0.fetch_add(1, Ordering::SeqCst)))
    }

    fn encode(frame: &u32, seen: Option<&u32>) -> Result<String> {
        if *frame == 1 { Err(Error::internal("a flaw")) } else { Ok(format!("{frame} since {seen:?}")) }
    }
}

#[tokio::test]
async fn a_frame_says_what_changed_since_the_last_one_that_was_sent() {
    let hub = Hub::new(Flawed(AtomicU32::new(0)), CancellationToken::new());
    let mut viewer = hub.messages("s", None).await.expect("a view");
    for expected in ["0 since None", "2 since Some(0)", "3 since Some(2)"] {
        let message = within("a frame", viewer.next()).await.expect("it goes on");
        assert!(matches!(&message, Message::Frame { json, .. } if **json == *expected), "{message:?} for {expected}");
    }
}

#[tokio::test]
async fn however_many_watch_a_sale_it_is_read_and_encoded_once_for_each_frame() {
    let source = Counting { readings: Semaphore::new(1).into(), read: Arc::default(), encoded: Arc::default() };
    let hub = Hub::new(source.clone(), CancellationToken::new());
    let mut viewers = Vec::new();
    for _ in 0..500 {
        // All but the first are given the frame that is there: nothing can be read again yet.
        viewers.push(within("the first frame", hub.messages("s", None)).await.expect("a view"));
    }
    for nth in 0..3 {
        for viewer in &mut viewers {
            let message = within("a frame", viewer.next()).await.expect("it goes on");
            assert!(matches!(message, Message::Frame { json, .. } if *json == *nth.to_string()));
        }
        assert_eq!(source.read.load(Ordering::SeqCst), nth + 1);
        assert_eq!(source.encoded.load(Ordering::SeqCst), nth + 1, "once for all who had seen the same");
        source.readings.add_permits(1);
    }
}
