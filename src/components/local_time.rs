//! An instant: in UTC as the server wrote it, then in the reader's own zone and language.

use super::{format, use_painted};
use crate::{
    domain::Millis,
    i18n::{Lang, lang},
};
use js_sys::{Array, Date, Function, Intl::DateTimeFormat, Object, Reflect};
use leptos::prelude::*;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

/// How an instant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStyle {
    /// Hours, minutes, seconds.
    Clock,
    /// Day and time.
    Full,
}

/// A `<time>` in the reader's zone once the page is painted.
#[component]
pub fn LocalTime(at: Millis, style: TimeStyle) -> impl IntoView {
    // The first formatter that knows time zones takes a browser 20 ms: it waits for the first paint.
    let (painted, lang) = (use_painted(), lang());
    let text = move || match (painted.get(), style) {
        (true, _) => local(at, style, lang),
        (false, TimeStyle::Clock) => format::utc_clock(at),
        (false, TimeStyle::Full) => format::utc(at),
    };
    view! { <time datetime=format::iso(at)>{text}</time> }
}

fn local(at: Millis, style: TimeStyle, lang: Lang) -> String {
    // Making a formatter costs a hundred times as much as using it.
    thread_local!(static FORMATS: RefCell<[Option<Function>; 2]> = const { RefCell::new([None, None]) });
    FORMATS.with_borrow_mut(|formats| {
        let format = formats[style as usize].get_or_insert_with(|| {
            let options = Object::new();
            let set = |key: &str, value: JsValue| _ = Reflect::set(&options, &key.into(), &value);
            if style == TimeStyle::Full {
                set("dateStyle", "medium".into());
            }
            set("timeStyle", "medium".into());
            set("hour12", false.into());
            DateTimeFormat::new(&Array::of1(&lang.tag().into()), &options).format()
        });
        let date = Date::new(&JsValue::from_f64(at as f64));
        format.call1(&JsValue::NULL, &date).ok().and_then(|text| text.as_string()).unwrap_or_default()
    })
}
