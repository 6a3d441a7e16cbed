//! The first page: which sales there are, and a form to open another.

mod list;
mod open;

use super::red_packet::api;
use crate::{
    error::{Error, Result},
    sales::SaleLine,
    ui::platform,
    words::words,
};
use leptos::prelude::*;
use leptos_meta::Title;

/// `/`
#[component]
pub fn HomePage() -> impl IntoView {
    let words = words();
    let lines = Resource::new_blocking(|| (), |()| api::list());
    let response = platform::response();
    let list = move || {
        let response = response.clone();
        Suspend::new(async move {
            let lines: Result<Vec<SaleLine>> = lines.await;
            if let Err(Error { code, .. }) = &lines {
                response.status(code.status());
            }
            list::list(lines)
        })
    };
    view! {
        <Title text=words.sales />
        <main id="main" class="home" tabindex="-1">
            <div class="intro">
                <h1>{words.home_title}</h1>
                <p>{words.home_intro}</p>
            </div>
            <section class="sales" aria-labelledby="sales-title">
                <h2 id="sales-title">{words.sales}</h2>
                <Suspense fallback=move || view! { <p>{words.loading}</p> }>{list}</Suspense>
            </section>
            {open::form()}
        </main>
    }
    .into_any()
}
