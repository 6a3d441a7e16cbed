//! A page whose data comes from the server: with the page itself at first, fetched when one page
//! leads to the next. One piece of machinery in place of a resource and a boundary, which are
//! compiled anew for each kind of data.

use super::{
    ask::Answer,
    node::{El, Node, each, el, item},
    platform,
    work::{ask, effect},
};
use crate::{
    error::{Error, Result},
    i18n::words,
    nodes, wire,
};
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use std::{mem, pin::Pin};

/// Fetches the data for a key.
pub type Load<T> = fn(String) -> Answer<Result<T>>;

/// Makes what is shown, once.
type Make = Box<dyn FnOnce() -> El + Send + Sync>;

/// A page that shows `view` of what `load` finds for `key`. An error gives the answer its status. There
/// is no key in the moment when the reader leaves the page.
pub fn page<T: Serialize + DeserializeOwned + Send + Sync + 'static>(
    key: impl Fn() -> Option<String> + Send + 'static,
    load: Load<T>,
    view: fn(Result<T>) -> El,
) -> Node {
    let Handover { left, leave } = handover();
    let make = move |data: Result<T>| Box::new(move || view(data)) as Make;
    let fetch =
        move |key: String| -> Pin<Box<dyn Future<Output = Make>>> { Box::pin(async move { make(load(key).await) }) };
    if cfg!(feature = "hydrate") {
        let first = left.and_then(|json| unpack(&json)).map(make);
        return shown(Box::new(key), Box::new(fetch), first);
    }
    let response = platform::response();
    Node::later(async move {
        let data = load(key().unwrap_or_default()).await;
        if let Err(error) = &data {
            response.status(error.code.status());
        }
        leave(pack(&data));
        shown(Box::new(key), Box::new(fetch), Some(make(data)))
    })
}

/// What the server left for the browser, and how it leaves it. Numbered alike on both sides.
struct Handover {
    left: Option<String>,
    leave: Box<dyn FnOnce(String) + Send>,
}

fn handover() -> Handover {
    let Some(context) = Owner::current_shared_context() else {
        return Handover { left: None, leave: Box::new(|_| {}) };
    };
    let id = context.next_id();
    Handover {
        left: context.read_data(&id),
        leave: Box::new(move |json| context.write_async(id, Box::pin(async move { json }))),
    }
}

fn pack<T: Serialize>(data: &Result<T>) -> String {
    serde_json::to_string(&(data.as_ref().ok(), data.as_ref().err())).unwrap_or_default()
}

fn unpack<T: DeserializeOwned>(json: &str) -> Option<Result<T>> {
    let (data, error): (Option<T>, Option<Error>) = wire::read(json.as_bytes()).ok()?;
    error.map(Err).or(data.map(Ok))
}

struct Shown {
    /// Counts what was shown, for each to be made once.
    serial: u32,
    make: Option<Make>,
}

type Key = Box<dyn Fn() -> Option<String> + Send>;
type Fetch = Box<dyn Fn(String) -> Pin<Box<dyn Future<Output = Make>>> + Send>;

fn shown(key: Key, fetch: Fetch, first: Option<Make>) -> Node {
    let mut is_there = first.is_some();
    let shown = RwSignal::new(Shown { serial: 0, make: first });
    effect(move || {
        let Some(key) = key() else { return };
        if mem::take(&mut is_there) {
            return;
        }
        let show = move |make: Option<Make>| {
            shown.try_update(|shown| {
                shown.serial += 1;
                shown.make = make;
                shown.serial
            })
        };
        let serial = show(None);
        let fetching = fetch(key);
        ask(async move {
            let make = fetching.await;
            // The reader may have gone on by now.
            if shown.try_with_untracked(|shown| shown.serial) == serial {
                show(Some(make));
            }
        });
    });
    each(move || {
        let make = move || match shown.try_update_untracked(|shown| shown.make.take()).flatten() {
            Some(make) => make(),
            None => el("main").attr("id", "main").class("fault").with(nodes![words().loading]),
        };
        vec![item(u64::from(shown.with(|shown| shown.serial)), make)]
    })
}
