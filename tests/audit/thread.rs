//! Audits have threads of their own, two at a time: what they compare takes the processor for longer than an attempt may
//! wait.

use crate::support::{app::TestApp, eventually, redis::TestRedis, sale::terms};
use engine::{
    audit::{Auditable, audit},
    red_packet::service::RedPackets,
};
use model::{Audit, EventId, Invariant, Verdict, error::Result};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, ThreadId},
};
use store::{Store, fields::Fields};
use tokio::{sync::Notify, task::JoinHandle};

/// Red packets whose audits are watched, and may have to wait before they end.
#[derive(Clone)]
struct Watched {
    kind: RedPackets,
    seen: Arc<Seen>,
    /// Each notification ends one audit; without it, they end by themselves.
    ends: Option<Arc<Notify>>,
}

/// What is seen of the audits.
#[derive(Default)]
struct Seen {
    thread: Mutex<Option<ThreadId>>,
    begun: AtomicUsize,
    /// Those that compare now.
    now: AtomicUsize,
    /// The most that compared at the same time.
    most: AtomicUsize,
}

/// Notes that an audit has ended, or was given up.
struct Ended<'a>(&'a Seen);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, SeqCst);
    }
}

impl Auditable for Watched {
    const KIND: &str = RedPackets::KIND;
    const OUTCOMES: &'static [&'static str] = RedPackets::OUTCOMES;
    type Figures = <RedPackets as Auditable>::Figures;
    type Terms = <RedPackets as Auditable>::Terms;

    fn store(&self) -> &Store {
        self.kind.store()
    }

    async fn figures(&self, sale: &str) -> Result<Self::Figures> {
        self.kind.figures(sale).await
    }

    fn event_id(figures: &Self::Figures) -> EventId {
        RedPackets::event_id(figures)
    }

    fn record(figures: &Self::Figures) -> &Fields {
        RedPackets::record(figures)
    }

    async fn compare(&self, sale: &str, figures: Self::Figures) -> Result<Vec<Invariant>> {
        let _ended = Ended(&self.seen);
        self.seen.most.fetch_max(self.seen.now.fetch_add(1, SeqCst) + 1, SeqCst);
        let compared = self.kind.compare(sale, figures).await;
        *self.seen.thread.lock().expect("no panic") = Some(thread::current().id());
        self.seen.begun.fetch_add(1, SeqCst);
        if let Some(ends) = &self.ends {
            ends.notified().await;
        }
        compared
    }
}

async fn watched(ends: Option<Arc<Notify>>) -> (TestRedis, TestApp, Watched) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let watched = Watched { kind: app.red_packet.clone(), seen: Arc::default(), ends };
    (redis, app, watched)
}

fn begin(app: &TestApp, watched: &Watched) -> JoinHandle<Result<Audit>> {
    let (watched, ledger) = (watched.clone(), app.ledger.clone());
    tokio::spawn(async move { audit(&watched, &ledger, "s", 1).await })
}

async fn begun(watched: &Watched, number: usize) {
    eventually("they compare", async || (watched.seen.begun.load(SeqCst) >= number).then_some(())).await;
}

/// The runtime of this test has this thread only.
#[tokio::test]
async fn an_audit_compares_on_a_thread_of_its_own() {
    let (_redis, app, watched) = watched(None).await;
    let audit = begin(&app, &watched).await.expect("no panic").expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    let thread = watched.seen.thread.lock().expect("no panic").expect("a thread");
    assert_ne!(thread, thread::current().id());
}

#[tokio::test]
async fn two_audits_run_at_a_time_and_the_third_follows() {
    let ends = Arc::new(Notify::new());
    let (_redis, app, watched) = watched(Some(ends.clone())).await;
    let audits = [(); 3].map(|()| begin(&app, &watched));
    begun(&watched, 2).await;
    ends.notify_one();
    begun(&watched, 3).await;
    ends.notify_one();
    ends.notify_one();
    for audit in audits {
        assert_eq!(audit.await.expect("no panic").expect("an audit").verdict, Verdict::Holds);
    }
    assert_eq!(watched.seen.most.load(SeqCst), 2);
}

#[tokio::test]
async fn an_audit_for_which_nobody_waits_ends() {
    let ends = Arc::new(Notify::new());
    let (_redis, app, watched) = watched(Some(ends)).await;
    let audit = begin(&app, &watched);
    begun(&watched, 1).await;
    assert_eq!(watched.seen.now.load(SeqCst), 1);
    audit.abort();
    eventually("it ends", async || (watched.seen.now.load(SeqCst) == 0).then_some(())).await;
}
