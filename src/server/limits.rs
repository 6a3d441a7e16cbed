//! How many costly requests are served at a time. Some more may wait for their turn; the others are refused as `busy`
//! before anything is done for them.
//!
//! Live views end when their viewers want it, and one who reads nothing cannot be told from one at whose sale nothing
//! happens. So where all places are taken, the view that has been open longest makes room: a browser that still shows
//! the page reconnects by itself. An export whose reader has read nothing for long makes room, too.

use axum::{
    body::Body,
    extract::Request,
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use model::error::{Code, Error};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use store::runtime::locked;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// Live views at a time.
pub const MAX_LIVE_VIEWS: usize = 2_000;
/// How long a live view stays open at least, before it makes room for another.
pub const SETTLED: Duration = Duration::from_secs(60);
/// Exports at a time: each reads the ledger to its end.
pub const MAX_EXPORTS: usize = 4;
/// How long the reader of an export may take for a part of it, half a megabyte or so, before it makes room for another.
pub const STALLED: Duration = Duration::from_secs(60);
/// Audits at a time: each reads all of a sale.
pub const MAX_AUDITS: usize = 8;
/// Sales being opened at a time: a sale may have a million packets.
pub const MAX_OPENS: usize = 8;
/// Audits, and sales to be opened, that may wait for their turn.
pub const MAX_IN_LINE: usize = 56;
/// Pages being made at a time, also for readers who have left; more wait. Few enough that they keep two processors busy for
/// less than [`store::RESPONSE_TIMEOUT`]: a page that waits longer for its turn takes that for a Redis that does not
/// answer.
pub const MAX_PAGES: usize = 64;
/// How long a body may take to arrive.
pub const BODY_WITHIN: Duration = Duration::from_secs(30);

/// A kind of costly request, and how many more of it may be served.
struct Limit {
    what: &'static str,
    /// Those served and those in line.
    most: usize,
    places: Arc<Semaphore>,
    served: Arc<Semaphore>,
    is_one: fn(&str) -> bool,
    /// Those that make room for others.
    views: Option<Views>,
}

/// The open live views or exports.
#[derive(Clone)]
struct Views {
    open: Arc<Mutex<Open>>,
    /// How long each stays open at least.
    settled: Duration,
    /// Whether each part that the reader takes counts like opening anew.
    is_read_to_its_end: bool,
}

#[derive(Default)]
struct Open {
    last: u64,
    views: BTreeMap<u64, View>,
}

struct View {
    since: Instant,
    place: OwnedSemaphorePermit,
    ended: CancellationToken,
}

impl Views {
    fn open<T>(&self, change: impl FnOnce(&mut Open) -> T) -> T {
        change(&mut locked(&self.open))
    }

    /// Ends the oldest view, and gives its place away.
    fn make_room(&self) -> Option<OwnedSemaphorePermit> {
        let oldest = self.open(|open| {
            let (&number, oldest) = open.views.iter().min_by_key(|(_, view)| view.since)?;
            if oldest.since.elapsed() < self.settled {
                return None;
            }
            open.views.remove(&number)
        })?;
        oldest.ended.cancel();
        Some(oldest.place)
    }

    /// Adds a view. It counts until the result is dropped, or until `ended`.
    fn add(&self, place: OwnedSemaphorePermit, ended: CancellationToken) -> OpenView {
        let number = self.open(|open| {
            open.last += 1;
            open.views.insert(open.last, View { since: Instant::now(), place, ended });
            open.last
        });
        OpenView { views: self.clone(), number }
    }
}

/// A view among those that are open.
struct OpenView {
    views: Views,
    number: u64,
}

impl OpenView {
    /// Its viewer has taken a part.
    fn taken(&self) {
        if self.views.is_read_to_its_end {
            self.views.open(|open| {
                if let Some(view) = open.views.get_mut(&self.number) {
                    view.since = Instant::now();
                }
            });
        }
    }
}

impl Drop for OpenView {
    fn drop(&mut self) {
        self.views.open(|open| open.views.remove(&self.number));
    }
}

/// The limits of one server.
#[derive(Clone)]
pub struct Limits {
    costly: Arc<[Limit]>,
    /// Places for pages being made.
    pub pages: Arc<Semaphore>,
    /// How long a body may take to arrive.
    pub body_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new((MAX_LIVE_VIEWS, SETTLED), (MAX_EXPORTS, STALLED))
    }
}

impl Limits {
    /// With this many live views at a time, each of which stays open for at least this long.
    pub fn with_live_views(most: usize, settled: Duration) -> Self {
        Self::new((most, settled), (MAX_EXPORTS, STALLED))
    }

    /// With this many exports at a time, whose readers may take this long for a part.
    pub fn with_exports(most: usize, stalled: Duration) -> Self {
        Self::new((MAX_LIVE_VIEWS, SETTLED), (most, stalled))
    }

    fn new((live_views, settled): (usize, Duration), (exports, stalled): (usize, Duration)) -> Self {
        let limit = |what, served, in_line, is_one| Limit {
            what,
            most: served + in_line,
            places: Arc::new(Semaphore::new(served + in_line)),
            served: Arc::new(Semaphore::new(served)),
            is_one,
            views: None,
        };
        let views = Some(Views { open: Arc::default(), settled, is_read_to_its_end: false });
        let files = Some(Views { open: Arc::default(), settled: stalled, is_read_to_its_end: true });
        let costly = Arc::new([
            Limit { views, ..limit("live views", live_views, 0, |path| path.starts_with("/live/")) },
            Limit { views: files, ..limit("exports", exports, 0, |path| path == "/api/ledger/export") },
            limit("audits", MAX_AUDITS, MAX_IN_LINE, |path| {
                path.starts_with("/api/audit/now") || is_api(path, "/audit")
            }),
            limit("sales being opened", MAX_OPENS, MAX_IN_LINE, |path| is_api(path, "/open")),
        ]);
        Self { costly, pages: Arc::new(Semaphore::new(MAX_PAGES)), body_within: BODY_WITHIN }
    }
}

impl Limits {
    /// How many more live views there is a place for.
    pub fn free_live_views(&self) -> usize {
        self.costly.iter().filter(|limit| (limit.is_one)("/live/")).map(|limit| limit.places.available_permits()).sum()
    }
}

/// Whether it is the endpoint of this name of some kind of sale: `/api/<kind>/<name>`.
fn is_api(path: &str, name: &str) -> bool {
    path.starts_with("/api/") && path.ends_with(name)
}

/// Serves a costly request if there is room for it; it takes its room until the last byte of its answer has left.
pub async fn limit(limits: &Limits, request: Request, next: impl AsyncFnOnce(Request) -> Response) -> Response {
    let path = request.uri().path();
    let Some(limit) = limits.costly.iter().find(|limit| (limit.is_one)(path)) else { return next(request).await };
    let place = limit.places.clone().try_acquire_owned().ok();
    let Some(place) = place.or_else(|| limit.views.as_ref()?.make_room()) else {
        let why =
            format!("{} {} are the most at a time; nothing was tried. Try again in a moment.", limit.most, limit.what);
        return Error::new(Code::Busy, why).into_response();
    };
    let Some(views) = &limit.views else {
        let turn = limit.served.clone().acquire_owned().await;
        return next(request).await.map(|body| {
            Body::from_stream(body.into_data_stream().inspect(move |_| {
                let _held = (&place, &turn);
            }))
        });
    };
    let ended = CancellationToken::new();
    let view = views.add(place, ended.clone());
    let is_file = views.is_read_to_its_end;
    next(request).await.map(|body| {
        let until = ended.clone().cancelled_owned();
        let parts = body.into_data_stream().inspect(move |_| view.taken()).take_until(until);
        // A file that is not whole must not look like one that is.
        let broken = async move { (is_file && ended.is_cancelled()).then(|| Err(axum::Error::new("it made room"))) };
        Body::from_stream(parts.chain(stream::once(broken).filter_map(std::future::ready)))
    })
}
