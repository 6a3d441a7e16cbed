//! Counts requests by route.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};
use store::counts::{Distribution, Histogram};
use web::openapi::ApiDocument;

/// The classes of statuses.
const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const PAGES: &str = "page";
const OTHERS: &str = "other";
const LIVE: &str = "/live/{kind}/{sale}";

/// The requests of a server. Every route has its counts from the start, so counting takes no lock.
pub struct Requests {
    /// By path: those of the API, whose description names them all.
    by_route: HashMap<String, Answers>,
    live: Answers,
    pages: Answers,
    others: Answers,
}

/// The answers of one route.
struct Answers {
    by_status: [AtomicU64; STATUSES.len()],
    seconds: Histogram,
}

/// The answers of one route so far.
pub struct Answered {
    /// By the class of their status, if there are any.
    pub by_status: Vec<(&'static str, u64)>,
    /// The seconds until the head of the answer.
    pub seconds: Distribution,
}

impl Answers {
    fn new() -> Self {
        Self { by_status: Default::default(), seconds: Histogram::of_durations() }
    }

    fn read(&self) -> Answered {
        let by_status = STATUSES.into_iter().zip(&self.by_status).map(|(status, count)| (status, count.load(Relaxed)));
        Answered { by_status: by_status.filter(|(_, count)| *count > 0).collect(), seconds: self.seconds.read() }
    }
}

impl Requests {
    /// No requests yet, at the routes of this description and at pages.
    pub fn of(ApiDocument(document): &ApiDocument) -> Self {
        let paths = document["paths"].as_object().into_iter().flat_map(|paths| paths.keys());
        let by_route = paths.map(|path| (path.clone(), Answers::new())).collect();
        Self { by_route, live: Answers::new(), pages: Answers::new(), others: Answers::new() }
    }

    /// Adds an answer.
    pub fn answered(&self, path: &str, is_page: bool, status: u16, took: Duration) {
        let route = match self.by_route.get(path) {
            Some(route) => route,
            None if path.starts_with("/live/") => &self.live,
            None if is_page => &self.pages,
            None => &self.others,
        };
        if let Some(count) = route.by_status.get(usize::from(status / 100).wrapping_sub(1)) {
            count.fetch_add(1, Relaxed);
        }
        route.seconds.add_durations([took]);
    }

    /// The requests so far, by route; without routes that nobody has asked for.
    pub fn read(&self) -> Vec<(&str, Answered)> {
        let others = [(LIVE, &self.live), (PAGES, &self.pages), (OTHERS, &self.others)];
        let routes = self.by_route.iter().map(|(path, answers)| (path.as_str(), answers)).chain(others);
        let mut read: Vec<_> = routes
            .map(|(route, answers)| (route, answers.read()))
            .filter(|(_, answers)| answers.seconds.count > 0)
            .collect();
        read.sort_by_key(|(route, _)| *route);
        read
    }
}
