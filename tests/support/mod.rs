//! The test harness: a private Redis, servers on it, and a connection that can be cut.

pub mod api;
pub mod app;
pub mod balancer;
pub mod cluster;
pub mod kinds;
pub mod ledger;
pub mod postgres;
pub mod program;
pub mod property;
pub mod proxy;
pub mod redis;
pub mod sale;
pub mod sse;
pub mod tls;
pub mod wire;

use std::time::Duration;

/// The deadline of all waits, long enough for the slowest machine. A test that reaches it has failed.
const DEADLINE: Duration = Duration::from_secs(30);

/// Polls until there is an answer, if no event can be awaited.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(what, asking).await
}

/// Waits for something that must happen.
pub async fn within<T>(what: &str, happening: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, happening).await {
        Ok(result) => result,
        Err(_) => panic!("{what}: not within {} s", DEADLINE.as_secs()),
    }
}
