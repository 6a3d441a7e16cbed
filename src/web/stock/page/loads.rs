//! Which processes have loaded the quantity into Redis, and how far it differed from the ledger then.

use crate::{
    components::{
        LocalTime, TimeStyle,
        format::{NO_VALUE, count},
    },
    i18n,
    stock::{
        page::Sale,
        words::{signed, words},
    },
};
use leptos::prelude::*;
use model::stock::Rebuild;

/// How often it was loaded, and the newest times.
#[component]
pub fn Loads(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let rebuilt = Memo::new(move |_| sale.read(|sale| sale.rebuilt.clone()));
    let title = move || format!("{} ({})", words.rebuilds, sale.read(|sale| count(sale.rebuilds)));
    view! {
        <section class="card loads" aria-labelledby="loads-title">
            <h2 id="loads-title">{title}</h2>
            <Show when=move || rebuilt.with(Vec::is_empty)>
                <p class="empty">{words.no_rebuilds}</p>
            </Show>
            <div class="scroll" role="region" aria-label=words.rebuilds tabindex="0" hidden=move || rebuilt.with(Vec::is_empty)>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{shared.time}</th>
                            <th scope="col">{words.process}</th>
                            <th scope="col" class="figure">
                                {words.left}
                            </th>
                            <th scope="col" class="figure">
                                {words.ledger_difference}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        <For
                            each=move || rebuilt.get()
                            key=|rebuild| (rebuild.at, rebuild.server.clone(), rebuild.quantity)
                            children=rebuild_row
                        />
                    </tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn rebuild_row(rebuild: Rebuild) -> impl IntoView {
    view! {
        <tr>
            <td>
                <LocalTime at=rebuild.at style=TimeStyle::Clock />
            </td>
            <td translate="no">{rebuild.server}</td>
            <td class="figure">{count(rebuild.quantity)}</td>
            <td class="figure">{rebuild.ledger_difference.map_or_else(|| NO_VALUE.to_owned(), signed)}</td>
        </tr>
    }
}
