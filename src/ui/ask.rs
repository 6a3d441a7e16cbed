//! Questions to the server. The framework's own way there is compiled anew for every question; here only
//! the writing of a question and the reading of its answer are.

use super::{
    platform,
    work::{effect, every},
};
use crate::{
    error::{Code, Error, Result},
    wire,
};
use leptos::{prelude::*, server_fn::ServerFn};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

/// An answer that is waited for.
pub type Answer<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Asks from the browser, and gives `then` the answer.
pub fn ask<Q>(question: Q, then: impl FnOnce(Result<Q::Output>) + 'static)
where
    Q: ServerFn<Error = Error> + Serialize,
    Q::Output: DeserializeOwned,
{
    ask_at(Q::PATH, &question, then);
}

/// Asks at a server function's path with another way to write its question: part of it, for what the whole would weigh
/// in the browser.
pub fn ask_at<A: DeserializeOwned>(
    path: &'static str,
    question: &impl Serialize,
    then: impl FnOnce(Result<A>) + 'static,
) {
    platform::post(path, written(question), Box::new(move |status, text| then(read(status, &text))));
}

/// Asks from the browser, or answers at once on the server.
pub fn asked<Q>(question: Q) -> Answer<Result<Q::Output>>
where
    Q: ServerFn<Error = Error> + Serialize + 'static,
    Q::Output: DeserializeOwned,
{
    if cfg!(not(feature = "hydrate")) {
        return Box::pin(question.run_body());
    }
    let answer = posted(Q::PATH, written(&question));
    Box::pin(async move {
        let (status, text) = answer.await;
        read(status, &text)
    })
}

/// Asks at once, and every `wait` while somebody looks, one question at a time, until the component is gone.
pub fn watch<Q>(
    wait: Duration,
    question: impl Fn() -> Q + Copy + 'static,
    take: impl Fn(Result<Q::Output>) + Copy + 'static,
) where
    Q: ServerFn<Error = Error> + Serialize,
    Q::Output: DeserializeOwned,
{
    effect(move || {
        let asking = StoredValue::new(false);
        let tick = move || {
            if platform::hidden() || asking.get_value() {
                return;
            }
            asking.set_value(true);
            ask(question(), move |answer| {
                // The page may be gone by the time of the answer.
                if asking.try_set_value(false).is_none() {
                    take(answer);
                }
            });
        };
        tick();
        every(wait, tick);
    });
}

fn written(question: &impl Serialize) -> String {
    serde_json::to_string(question).unwrap_or_default()
}

fn read<T: DeserializeOwned>(status: u16, text: &str) -> Result<T> {
    if status != 200 {
        return Err(refusal(status, text));
    }
    wire::read(text.as_bytes()).map_err(|_| Error::new(Code::Internal, ""))
}

/// No status is no answer; an answer that is none of ours comes from something in between.
fn refusal(status: u16, text: &str) -> Error {
    let code = if status == 0 { Code::Network } else { Code::Internal };
    wire::read(text.as_bytes()).unwrap_or_else(|_| Error::new(code, ""))
}

/// The status and text that come back, as a future that may go anywhere: what it waits for cannot.
fn posted(path: &'static str, body: String) -> Answer<(u16, String)> {
    #[derive(Default)]
    struct Line {
        said: Option<(u16, String)>,
        waker: Option<Waker>,
    }
    let line = Arc::new(Mutex::new(Line::default()));
    let far = line.clone();
    let hear = move |status, text| {
        let mut line = far.lock().unwrap_or_else(PoisonError::into_inner);
        line.said = Some((status, text));
        line.waker.take().into_iter().for_each(Waker::wake);
    };
    platform::post(path, body, Box::new(hear));
    Box::pin(poll_fn(move |context| {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        line.waker = Some(context.waker().clone());
        line.said.take().map_or(Poll::Pending, Poll::Ready)
    }))
}
