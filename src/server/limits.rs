//! The limits of costly requests. Some requests beyond a limit wait for their turn. The others are refused as `busy`
//! before anything is done for them.
//!
//! A live view ends when its viewer ends it. A viewer who reads nothing cannot be distinguished from a viewer of a sale
//! at which nothing happens. So when all permits are taken, the oldest view makes room: a browser that still shows the
//! page reconnects by itself. An export whose reader has read nothing for long makes room, too.

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

/// The most live views at a time. A process that may have few files open has half as many as connections.
pub const MAX_LIVE_VIEWS: usize = 2_000;
/// The shortest time for which a live view stays open before it makes room for another.
pub const SETTLED: Duration = Duration::from_secs(60);
/// The most exports at a time. Each reads the ledger to its end.
pub const MAX_EXPORTS: usize = 4;
/// The time that the reader of an export may take for one part, about half a megabyte, before the export makes room for
/// another.
pub const STALLED: Duration = Duration::from_secs(60);
/// The most readers of the change feed at a time. Most of them wait.
pub const MAX_FEED_READERS: usize = 100;
/// The most audits at a time. Each reads a whole sale.
pub const MAX_AUDITS: usize = 8;
/// The most sales being opened at a time. A sale may have a million packets.
pub const MAX_OPENS: usize = 8;
/// The most replays of runs being read at a time. Each has up to a hundred thousand rows of the ledger.
pub const MAX_REPLAYS: usize = 4;
/// The most audits, sales to be opened and replays that wait for their turn.
pub const MAX_IN_LINE: usize = 56;
/// The most pages being rendered at a time, also for readers who have left; more wait. The number is small enough that
/// they keep two processors busy for less than [`store::RESPONSE_TIMEOUT`]. A page that waits longer for its turn would
/// report that Redis does not answer.
pub const MAX_PAGES: usize = 64;
/// The time in which a body must arrive.
pub const BODY_WITHIN: Duration = Duration::from_secs(30);

/// A kind of costly request, and the permits that are left.
struct Limit {
    what: &'static str,
    /// The number of requests that are served or wait.
    most: usize,
    places: Arc<Semaphore>,
    served: Arc<Semaphore>,
    is_one: fn(&str) -> bool,
    /// The requests that make room for others.
    views: Option<Views>,
}

/// The open live views or exports.
#[derive(Clone)]
struct Views {
    open: Arc<Mutex<Open>>,
    /// The shortest time for which a view stays open.
    settled: Duration,
    /// Whether a view counts as new again whenever its reader takes a part.
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

    /// Ends the oldest view and returns its permit.
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

/// An open view.
struct OpenView {
    views: Views,
    number: u64,
}

impl OpenView {
    /// Records that the reader has taken a part.
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
    /// The permits for pages being rendered.
    pub pages: Arc<Semaphore>,
    /// The time in which a body must arrive.
    pub body_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Viewers leave half of the connections to attempts.
        let live_views = MAX_LIVE_VIEWS.min(listen::room_for_connections() / 2);
        Self::new((live_views, SETTLED), (MAX_EXPORTS, STALLED))
    }
}

impl Limits {
    /// The limits with this many live views at a time, each of which stays open for at least this long.
    pub fn with_live_views(most: usize, settled: Duration) -> Self {
        Self::new((most, settled), (MAX_EXPORTS, STALLED))
    }

    /// The limits with this many exports at a time, whose readers may take this long for a part.
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
            limit("readers of the change feed", MAX_FEED_READERS, 0, |path| path == "/api/ledger/changes"),
            limit("audits", MAX_AUDITS, MAX_IN_LINE, |path| {
                path.starts_with("/api/audit/now") || is_api(path, "/audit")
            }),
            limit("sales being opened", MAX_OPENS, MAX_IN_LINE, |path| is_api(path, "/open")),
            limit("replays", MAX_REPLAYS, MAX_IN_LINE, |path| path == "/api/crowd/replay"),
        ]);
        Self { costly, pages: Arc::new(Semaphore::new(MAX_PAGES)), body_within: BODY_WITHIN }
    }
}

impl Limits {
    /// The number of open live views.
    pub fn live_views(&self) -> usize {
        let live = self.costly.iter().find(|limit| (limit.is_one)("/live/"));
        live.and_then(|limit| limit.views.as_ref()).map_or(0, |views| views.open(|open| open.views.len()))
    }

    /// The number of requests for this path that would still be admitted, if it is a costly one.
    pub fn free(&self, path: &str) -> usize {
        self.costly.iter().filter(|limit| (limit.is_one)(path)).map(|limit| limit.places.available_permits()).sum()
    }
}

/// Whether the path is the endpoint with this name of any kind of sale: `/api/<kind>/<name>`.
fn is_api(path: &str, name: &str) -> bool {
    path.starts_with("/api/") && path.ends_with(name)
}

/// Serves a costly request if there is a permit for it. The permit is held until the last byte of the answer has been
/// sent.
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
        // An incomplete file must not look like a complete one.
        let broken = async move { (is_file && ended.is_cancelled()).then(|| Err(axum::Error::new("it made room"))) };
        Body::from_stream(parts.chain(stream::once(broken).filter_map(std::future::ready)))
    })
}
