//! A page whose data comes from the server: with the page itself at first, fetched when one page
//! leads to the next. One piece of machinery in place of a resource and a boundary, which are
//! compiled anew for each kind of data.

use super::{
    node::{El, Node, each, el, item},
    platform,
    work::{ask, effect},
};
use crate::{
    error::{Error, Result},
    nodes, wire,
    words::words,
};
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use std::{mem, pin::Pin};

/// Fetches the data for a key.
pub type Load<T> = fn(String) -> Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Makes what is shown, once.
type Make = Box<dyn FnOnce() -> El + Send + Sync>;

/// A page that shows `view` of what `load` finds for `key`. An error gives the answer its status. There
/// is no key in the moment when the reader leaves the page.
pub fn page<T: Serialize + DeserializeOwned + Send + Sync + 'static>(
    key: impl Fn() -> Option<String> + Send + 'static,
    load: Load<T>,
    view: fn(Result<T>) -> El,
) -> Node {
    // Numbered alike on both sides, for the browser to find what the server left.
    let handover = Owner::current_shared_context().map(|context| (context.next_id(), context));
    let fetch = move |key: String| -> Pin<Box<dyn Future<Output = Make>>> {
        Box::pin(async move {
            let data = load(key).await;
            Box::new(move || view(data)) as Make
        })
    };
    if cfg!(feature = "hydrate") {
        let left = handover.and_then(|(id, context)| context.read_data(&id));
        let first = left.and_then(|json| unpack(&json)).map(|data| Box::new(move || view(data)) as Make);
        return shown(Box::new(key), Box::new(fetch), first);
    }
    let response = platform::response();
    Node::later(async move {
        let data = load(key().unwrap_or_default()).await;
        if let Err(error) = &data {
            response.status(error.code.status());
        }
        if let Some((id, context)) = handover {
            let json = pack(&data);
            context.write_async(id, Box::pin(async move { json }));
        }
        shown(Box::new(key), Box::new(fetch), Some(Box::new(move || view(data))))
    })
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
