//! The version of the server that answers. While servers are upgraded one after the other, an open page may be answered by
//! one of another version than its own.
//!
//! Most of what they say to each other stays the same, so the page goes on, and offers to be loaded anew. Once an answer
//! cannot be read, the page loads itself, but does not interrupt its reader.

use crate::{
    base_path::under_base,
    components::{Icon, server_now, use_tab_storage},
    i18n::words,
};
use js_sys::Reflect;
use leptos::{prelude::*, task::spawn_local};
use model::Millis;
use wasm_bindgen::JsCast;
use web_sys::Response;

/// The least time between two loads of a page by itself, in milliseconds. Of servers of two versions, either may send the
/// page, and the other one answer it.
const LEAST_AGE: Millis = 60_000;
/// What must not be interrupted: a field that the reader is in, and a button whose request is on its way.
const IN_USE: &str = ":is(input, select, textarea):focus, button[aria-disabled='true']";

/// The version of the server that has answered last, as far as it has said so.
#[derive(Clone, Copy)]
pub struct ServerVersion {
    /// It is not the version of the page.
    is_other: RwSignal<bool>,
    /// When a page in this tab loaded itself last.
    loaded_at: Signal<Millis>,
    set_loaded_at: WriteSignal<Millis>,
}

/// Provides [`use_server_version`] to all descendants.
pub fn provide_server_version() {
    let (loaded_at, set_loaded_at) = use_tab_storage("loaded_at".to_owned());
    provide_context(ServerVersion { is_other: RwSignal::new(false), loaded_at, set_loaded_at });
}

/// Returns the version of the server.
pub fn use_server_version() -> ServerVersion {
    expect_context()
}

impl ServerVersion {
    /// Notes the build of the browser side that the server has, as it said itself.
    pub fn note(self, build: &str) {
        let own = document().document_element().and_then(|html| html.get_attribute("data-build"));
        let is_other = own.is_some_and(|own| own != build);
        if self.is_other.get_untracked() != is_other {
            self.is_other.set(is_other);
        }
    }

    /// Asks the server for its version, because an answer could not be read. Loads the page anew if it is another one.
    pub fn ask(self) {
        spawn_local(async move {
            if let Some(build) = build_of_server().await {
                self.note(&build);
                self.catch_up();
            }
        });
    }

    /// Loads the page anew if the server has another version: because a message could not be read. Does nothing while the
    /// page is in use, or soon after the last time; the notice remains.
    pub fn catch_up(self) {
        let is_in_use = || document().query_selector(IN_USE).is_ok_and(|used| used.is_some());
        let now = server_now();
        if self.is_other.get_untracked() && now - self.loaded_at.get_untracked() >= LEAST_AGE && !is_in_use() {
            self.set_loaded_at.set(now);
            // After the storage has the time. The address is visited, as a reload would send a form again.
            request_animation_frame(|| {
                let location = window().location();
                let visit = || location.replace(&format!("{}{}", location.pathname()?, location.search()?));
                visit().ok();
            });
        }
    }
}

/// Asks the server for the build of its browser side. `None` if it does not answer, or is not ready.
async fn build_of_server() -> Option<String> {
    let response: Response = window().fetch_with_str(&under_base("/readyz")).await.ok()?.dyn_into().ok()?;
    let readiness = response.json().ok()?.await.ok()?;
    Reflect::get(&readiness, &"build".into()).ok()?.as_string()
}

/// Says that the server has another version than the page, and offers to load the page anew.
#[component]
pub fn VersionNotice() -> impl IntoView {
    let version = use_server_version();
    let words = words();
    let notice = move || {
        view! {
            <p class="notice">
                <Icon icon=icondata_lu::LuRefreshCw />
                // Bypasses the router.
                <span>{words.other_version} " " <a href="" rel="external">{words.load_anew}</a></span>
            </p>
        }
    };
    view! {
        <div class="page-notice" role="status">
            {move || version.is_other.get().then(notice)}
        </div>
    }
}
