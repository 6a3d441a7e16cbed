//! Audits have a thread of their own: what they compare takes the processor for longer than an attempt may wait.

use crate::support::{app::TestApp, eventually, redis::TestRedis, sale::terms};
use stampede::{
    domain::{EventId, Invariant, Verdict},
    error::Result,
    sales::{
        audit::{Auditable, audit},
        red_packet::service::RedPackets,
    },
    store::Store,
};
use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread::{self, ThreadId},
};

/// Red packets whose audit notes where it runs, and may never end.
#[derive(Clone)]
struct Watched {
    kind: RedPackets,
    compared_on: Arc<Mutex<Option<ThreadId>>>,
    never_ends: bool,
    was_dropped: Arc<AtomicBool>,
}

/// Notes that it was dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

impl Auditable for Watched {
    const KIND: &str = RedPackets::KIND;
    const OUTCOMES: &'static [&'static str] = RedPackets::OUTCOMES;
    type Figures = <RedPackets as Auditable>::Figures;

    fn store(&self) -> &Store {
        self.kind.store()
    }

    async fn figures(&self, sale: &str) -> Result<Self::Figures> {
        self.kind.figures(sale).await
    }

    fn event_id(figures: &Self::Figures) -> EventId {
        RedPackets::event_id(figures)
    }

    async fn compare(&self, sale: &str, figures: Self::Figures) -> Result<Vec<Invariant>> {
        let _dropped = Dropped(self.was_dropped.clone());
        let compared = self.kind.compare(sale, figures).await;
        *self.compared_on.lock().expect("no panic") = Some(thread::current().id());
        match self.never_ends {
            true => pending().await,
            false => compared,
        }
    }
}

async fn watched(never_ends: bool) -> (TestRedis, TestApp, Watched) {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let kind = app.red_packet.clone();
    let watched =
        Watched { kind, compared_on: Arc::default(), never_ends, was_dropped: Arc::new(AtomicBool::new(false)) };
    (redis, app, watched)
}

fn compared_on(watched: &Watched) -> Option<ThreadId> {
    *watched.compared_on.lock().expect("no panic")
}

/// The runtime of this test has this thread only.
#[tokio::test]
async fn an_audit_compares_on_a_thread_of_its_own() {
    let (_redis, app, watched) = watched(false).await;
    let audit = audit(&watched, &app.ledger, "s", 1).await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
    let compared_on = compared_on(&watched).expect("a thread");
    assert_ne!(compared_on, thread::current().id());
}

#[tokio::test]
async fn an_audit_for_which_nobody_waits_ends() {
    let (_redis, app, watched) = watched(true).await;
    let auditing = tokio::spawn({
        let (watched, ledger) = (watched.clone(), app.ledger.clone());
        async move { audit(&watched, &ledger, "s", 1).await }
    });
    eventually("it compares", async || compared_on(&watched).map(drop)).await;
    assert!(!watched.was_dropped.load(SeqCst));
    auditing.abort();
    eventually("it ends", async || watched.was_dropped.load(SeqCst).then_some(())).await;
}
